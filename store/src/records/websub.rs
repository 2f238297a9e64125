//! WebSub: who is told of a feed's changes, and which hubs tell us of a source's.

use pergola_manners::source::SourceId;

use super::FeedId;

/// Somebody who is told of a feed's changes. Its row is found by a digest of topic and callback.
#[derive(Debug, Clone, PartialEq)]
pub struct Subscription {
    /// Which feed.
    pub feed: FeedId,
    /// The number of its form among the forms of feeds.
    pub form: u8,
    /// The address that was subscribed to, as it was given.
    pub topic: String,
    /// Where documents are sent.
    pub callback: String,
    /// What they are signed with.
    pub secret: Option<Vec<u8>>,
    /// When it was first verified.
    pub since: f64,
    /// When the lease ends.
    pub expires_at: f64,
    /// The last edition that was delivered, or given up.
    pub delivered: u64,
    /// Deliveries that have failed in a row.
    pub tries: u32,
    /// No delivery is tried before.
    pub next_try: f64,
}

/// A source of which a hub tells us. Its row is found by the last part of our callback.
#[derive(Debug, Clone, PartialEq)]
pub struct Push {
    /// Which source.
    pub source: SourceId,
    /// Where we subscribe.
    pub hub: String,
    /// To what.
    pub topic: String,
    /// What the hub signs with.
    pub secret: String,
    /// Whether we still want it; if not, we are unsubscribing.
    pub wanted: bool,
    /// What the hub has granted.
    pub lease: Option<Lease>,
    /// The last request that the hub has not verified yet.
    pub asked_at: Option<f64>,
    /// When the hub is asked next.
    pub next_ask: f64,
    /// Requests in a row that failed.
    pub tries: u32,
    /// Why the hub refused, in words.
    pub trouble: Option<String>,
    /// When the source was last polled.
    pub polled_at: f64,
    /// What a poll found before the hub told of it.
    pub suspect: Option<Suspect>,
    /// How well the hub has done.
    pub tally: HubTally,
}

/// For how long a hub has promised to tell us.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lease {
    /// Since when it has done so without a break.
    pub since: f64,
    /// When this lease began.
    pub from: f64,
    /// When it ends.
    pub until: f64,
}

/// Items that a poll found and of which the hub had not told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Suspect {
    /// How many.
    pub items: u32,
    /// When.
    pub at: f64,
}

/// How reliable a hub has been for one source.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct HubTally {
    /// Documents that it sent and that were accepted.
    pub pushes: u64,
    /// Items that it told of in time.
    pub items: u64,
    /// Items that a poll found and of which it never told.
    pub missed: u64,
    /// Documents with no signature or a wrong one.
    pub forged: u64,
    /// Requests that it refused or did not verify, and documents that could not be read.
    pub failures: u64,
    /// Items told of lately; older ones count less.
    pub lately_told: f64,
    /// Items missed lately.
    pub lately_missed: f64,
}
