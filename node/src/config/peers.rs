//! `[peers]`: how other nodes are read, and what is done for each other.

use super::raw::Setting;
use super::reader::Reader;
use super::show::{Entry, quoted_list};
use super::values::{flag, list};
use crate::peer::Cooperation;

/// `[peers]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peers {
    /// Whether feeds of other nodes are read over gRPC; otherwise like anybody's.
    pub enabled: bool,
    /// What is asked of a peer, unless its source says otherwise.
    pub cooperate: Cooperation,
}

impl Peers {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            enabled: reader.required("enabled", flag),
            cooperate: reader.required("cooperate", cooperation),
        }
    }

    pub(super) fn entries(&self) -> Vec<Entry> {
        vec![
            ("enabled", Some(self.enabled.to_string())),
            ("cooperate", Some(quoted_list(self.cooperate.names()))),
        ]
    }
}

/// A list of ways to cooperate, which may be empty.
pub(super) fn cooperation(setting: &Setting) -> Result<Cooperation, String> {
    Cooperation::of(list(setting)?)
        .map_err(|_| format!("must be a list of {}", Cooperation::WAYS.join(", ")))
}
