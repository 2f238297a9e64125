//! `[peers]`: how the node reads other nodes, and how much those who read from it may take.

use std::ops::RangeInclusive;

use pergola_manners::Cooperation;

use crate::codec::{Codec, flag, list, whole};
use crate::table::Table;
use crate::units::memory_size;

/// `[peers]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peers {
    pub enabled: bool,
    /// What the node asks of a peer, unless `[[source]]` says otherwise.
    pub cooperate: Cooperation,
    /// For every caller that has no limits of its own.
    pub limits: Limits,
}

/// How much one caller may take: a named reader, or all callers at one address together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub streams: usize,
    pub requests_per_minute: usize,
    /// In bytes.
    pub max_message: usize,
}

impl Limits {
    pub(crate) const STREAMS: RangeInclusive<usize> = 0..=100_000;
    pub(crate) const REQUESTS: RangeInclusive<usize> = 1..=1_000_000;
    pub(crate) const MESSAGE: RangeInclusive<u64> = 64 << 10..=16 << 20;
}

impl Peers {
    pub(crate) fn declare(table: &mut Table<'_, Self>) -> Self {
        table.about(
            "Feeds of other nodes. The node recognises them and reads them over gRPC, on the port of \
             their feeds: no item is lost between two refreshes, and ids, dates and authors stay as they \
             were. The last three keys limit what each caller may take from this node: a named reader, or \
             all others at one address together. The operator has no limit.",
        );
        Self {
            enabled: table
                .key("enabled", "Whether to do so. Otherwise the node reads them like any other feed.")
                .required(flag(), true, |peers| peers.enabled),
            cooperate: table
                .key(
                    "cooperate",
                    "What the node asks of them. \"hints\": when they expect new items. \"watch\": to be \
                     told at once. \"archive\": every item since the last refresh, not only the newest \
                     page; this also applies to any other source that offers its archives, once items \
                     were missed. An empty list is plain polling.",
                )
                .required(cooperation(), vec!["hints", "archive"], |peers| peers.cooperate),
            limits: Limits {
                streams: table
                    .key(
                        "streams",
                        "The most streams at the same time: of a named reader, or on one connection of \
                         anybody else. If all streams of the node are in use, those with the most give \
                         way to those with fewer.",
                    )
                    .reloads()
                    .required(whole(Limits::STREAMS), 256, |peers| peers.limits.streams),
                requests_per_minute: table
                    .key("requests_per_minute", "The most calls in a minute. They may come at once.")
                    .reloads()
                    .required(whole(Limits::REQUESTS), 6000, |peers| {
                        peers.limits.requests_per_minute
                    }),
                max_message: table
                    .key("max_message", "The largest message, unless a single item is larger.")
                    .reloads()
                    .required(memory_size(Limits::MESSAGE), "4 MiB", |peers| {
                        peers.limits.max_message
                    }),
            },
        }
    }
}

/// A list of ways to cooperate, which may be empty.
pub(crate) fn cooperation() -> Codec<Cooperation> {
    let allowed = format!("a list of {}", Cooperation::WAYS.join(", "));
    let wrong = format!("must be {allowed}");
    let read = move |names: Vec<String>| Cooperation::of(names).map_err(|_| wrong.clone());
    let names = |ways: &Cooperation| ways.names().iter().map(|name| (*name).to_owned()).collect();
    list().map(read, names).described(allowed)
}
