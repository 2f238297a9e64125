//! `[websub]`: news that is pushed, to readers of our feeds and to us.

use std::num::NonZeroUsize;
use std::time::Duration;

use super::reader::Reader;
use super::show::{Entry, quoted};
use super::units::{duration, written_duration};
use super::values::{count, flag, whole};

/// `[websub]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebSub {
    /// Whether the node is a hub for its own feeds.
    pub hub: bool,
    /// Whether it subscribes to sources that name a hub.
    pub subscribe: bool,
    /// Subscriptions at the hub.
    pub most: usize,
    /// … to one feed.
    pub per_feed: usize,
    /// … with callbacks on one host.
    pub per_host: usize,
    /// The shortest lease that is given.
    pub lease_min: Duration,
    /// The lease that is given to who asks for none, and that is asked of other hubs.
    pub lease: Duration,
    /// The longest lease that is given.
    pub lease_max: Duration,
    /// Deliveries at the same time.
    pub parallel: NonZeroUsize,
    /// How often a delivery is tried.
    pub tries: NonZeroUsize,
    /// The wait before the second try; it doubles from then on.
    pub backoff: Duration,
    /// How often a source is refreshed although a hub that has proved reliable tells of it.
    pub poll: Duration,
}

const SECOND: Duration = Duration::from_secs(1);
const DAY: Duration = Duration::from_secs(86_400);

impl WebSub {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let lease = reader.required("lease", duration(SECOND..=365 * DAY));
        let lease_min = reader.required("lease_min", duration(SECOND..=365 * DAY));
        let lease_max = reader.required("lease_max", duration(SECOND..=365 * DAY));
        if lease_min > lease {
            reader.refuse("lease_min", "must not be longer than `lease`");
        }
        if lease_max < lease {
            reader.refuse("lease_max", "must not be shorter than `lease`");
        }
        Self {
            hub: reader.required("hub", flag),
            subscribe: reader.required("subscribe", flag),
            most: reader.required("most", whole(0..=1_000_000)),
            per_feed: reader.required("per_feed", whole(0..=1_000_000)),
            per_host: reader.required("per_host", whole(0..=1_000_000)),
            lease_min,
            lease,
            lease_max,
            parallel: reader.required("parallel", count(1024)),
            tries: reader.required("tries", count(100)),
            backoff: reader.required("backoff", duration(Duration::from_millis(10)..=DAY)),
            poll: reader.required("poll", duration(SECOND..=31 * DAY)),
        }
    }

    pub(super) fn entries(&self) -> Vec<Entry> {
        let time = |duration| Some(quoted(written_duration(duration)));
        vec![
            ("hub", Some(self.hub.to_string())),
            ("subscribe", Some(self.subscribe.to_string())),
            ("most", Some(self.most.to_string())),
            ("per_feed", Some(self.per_feed.to_string())),
            ("per_host", Some(self.per_host.to_string())),
            ("lease_min", time(self.lease_min)),
            ("lease", time(self.lease)),
            ("lease_max", time(self.lease_max)),
            ("parallel", Some(self.parallel.to_string())),
            ("tries", Some(self.tries.to_string())),
            ("backoff", time(self.backoff)),
            ("poll", time(self.poll)),
        ]
    }
}
