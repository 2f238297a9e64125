//! `[peers]`: how other nodes are read, what is done for each other, and what those who read from this node
//! may take.

use pergola_manners::Cooperation;

use super::raw::Setting;
use super::reader::Reader;
use super::show::{Entry, quoted, quoted_list};
use super::units::{size, written_size};
use super::values::{flag, list, whole};

/// `[peers]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peers {
    /// Whether feeds of other nodes are read over gRPC; otherwise like anybody's.
    pub enabled: bool,
    /// What is asked of a peer, unless its source says otherwise.
    pub cooperate: Cooperation,
    /// What anybody may take.
    pub limits: Limits,
}

/// What one caller may take: a named reader, or everybody at one address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Streams at the same time.
    pub streams: usize,
    /// Calls in a minute; as many may come at once.
    pub requests_per_minute: usize,
    /// Bytes of one message, unless a single item is larger.
    pub max_message: usize,
}

impl Limits {
    const STREAMS: std::ops::RangeInclusive<usize> = 0..=100_000;
    const REQUESTS: std::ops::RangeInclusive<usize> = 1..=1_000_000;
    const MESSAGE: std::ops::RangeInclusive<u64> = 64 << 10..=16 << 20;

    /// What a table says, and `usual` where it says nothing.
    pub(super) fn read_or(reader: &mut Reader<'_>, usual: &Self) -> Self {
        let message = reader.optional("max_message", size(Self::MESSAGE));
        Self {
            streams: reader.optional("streams", whole(Self::STREAMS)).unwrap_or(usual.streams),
            requests_per_minute: reader
                .optional("requests_per_minute", whole(Self::REQUESTS))
                .unwrap_or(usual.requests_per_minute),
            max_message: message.map_or(usual.max_message, |bytes| bytes as usize),
        }
    }

    pub(super) fn entries(&self) -> [Entry; 3] {
        [
            ("streams", Some(self.streams.to_string())),
            ("requests_per_minute", Some(self.requests_per_minute.to_string())),
            ("max_message", Some(quoted(written_size(self.max_message as u64)))),
        ]
    }
}

impl Peers {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            enabled: reader.required("enabled", flag),
            cooperate: reader.required("cooperate", cooperation),
            limits: Limits {
                streams: reader.required("streams", whole(Limits::STREAMS)),
                requests_per_minute: reader
                    .required("requests_per_minute", whole(Limits::REQUESTS)),
                max_message: reader.required("max_message", size(Limits::MESSAGE)) as usize,
            },
        }
    }

    pub(super) fn entries(&self) -> Vec<Entry> {
        let mut entries = vec![
            ("enabled", Some(self.enabled.to_string())),
            ("cooperate", Some(quoted_list(self.cooperate.names()))),
        ];
        entries.extend(self.limits.entries());
        entries
    }
}

/// A list of ways to cooperate, which may be empty.
pub(super) fn cooperation(setting: &Setting) -> Result<Cooperation, String> {
    Cooperation::of(list(setting)?)
        .map_err(|_| format!("must be a list of {}", Cooperation::WAYS.join(", ")))
}
