//! `[websub]`: pushing new items to subscribers, and receiving them from hubs.

use std::num::NonZeroUsize;
use std::time::Duration;

use crate::codec::{count, flag, whole};
use crate::table::Table;
use crate::units::duration;

/// `[websub]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebSub {
    pub hub: bool,
    pub subscribe: bool,
    pub most: usize,
    pub per_feed: usize,
    pub per_host: usize,
    pub lease_min: Duration,
    pub lease: Duration,
    pub lease_max: Duration,
    pub parallel: NonZeroUsize,
    pub tries: NonZeroUsize,
    /// Before the second attempt; doubles from then on.
    pub backoff: Duration,
    pub poll: Duration,
}

const SECOND: Duration = Duration::from_secs(1);
const DAY: Duration = Duration::from_secs(86_400);
const SHORTEST_BACKOFF: Duration = Duration::from_millis(10);

impl WebSub {
    pub(crate) fn declare(table: &mut Table<'_, Self>) -> Self {
        table.about("WebSub: pushing new items to subscribers, and receiving them from hubs.");
        let websub = Self {
            hub: table
                .key(
                    "hub",
                    "Whether the node is a hub for its own feeds, so that subscribers hear of new items \
                     at once.",
                )
                .required(flag(), true, |websub| websub.hub),
            subscribe: table
                .key(
                    "subscribe",
                    "Whether the node subscribes to the hubs that its sources advertise. Others must be \
                     able to reach it: set `node.public_url`.",
                )
                .required(flag(), true, |websub| websub.subscribe),
            most: table
                .key("most", "The most subscriptions at this hub.")
                .required(whole(0..=1_000_000), 10_000, |websub| websub.most),
            per_feed: table
                .key("per_feed", "The most subscriptions to one feed.")
                .required(whole(0..=1_000_000), 1000, |websub| websub.per_feed),
            per_host: table
                .key("per_host", "The most subscriptions whose callbacks are on one host.")
                .required(whole(0..=1_000_000), 1000, |websub| websub.per_host),
            lease_min: table
                .key("lease_min", "The shortest lease that a subscriber gets.")
                .required(duration(SECOND..=365 * DAY), "5 min", |websub| websub.lease_min),
            lease: table
                .key(
                    "lease",
                    "The lease of a subscriber that asks for none. The node asks other hubs for the \
                     same.",
                )
                .required(duration(SECOND..=365 * DAY), "10 days", |websub| websub.lease),
            lease_max: table
                .key("lease_max", "The longest lease that a subscriber gets.")
                .required(duration(SECOND..=365 * DAY), "30 days", |websub| websub.lease_max),
            parallel: table
                .key("parallel", "The most deliveries at the same time.")
                .required(count(1024), 128, |websub| websub.parallel),
            tries: table
                .key(
                    "tries",
                    "How often the hub tries a delivery before it gives up. It delivers the next change \
                     all the same.",
                )
                .required(count(100), 8, |websub| websub.tries),
            backoff: table
                .key("backoff", "The wait before the second try. It doubles from try to try.")
                .required(duration(SHORTEST_BACKOFF..=DAY), "1 min", |websub| websub.backoff),
            poll: table
                .key("poll", "How often to poll a source although its hub has proved reliable.")
                .required(duration(SECOND..=31 * DAY), "1 day", |websub| websub.poll),
        };
        if websub.lease_min > websub.lease {
            table.refuse("lease_min", "must not be longer than `lease`");
        }
        if websub.lease_max < websub.lease {
            table.refuse("lease_max", "must not be shorter than `lease`");
        }
        websub
    }
}
