//! Who is told of a feed's changes, and who tells us of a source's: the rows of WebSub.

use serde::{Deserialize, Serialize};

use super::{Archive, ArchiveError, FeedId, SourceId};
use crate::engine::{Order, Table};

/// Somebody who is told of a feed's changes. The key of its row is a digest of topic and callback.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Subscription {
    /// Which feed.
    pub feed: FeedId,
    /// Its form, by its place among the forms of feeds.
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
    /// Not to be tried before.
    pub next_try: f64,
}

/// A source of which a hub tells us. The key of its row is the last part of our callback.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Push {
    /// Which source.
    pub source: SourceId,
    /// Where we subscribe.
    pub hub: String,
    /// To what.
    pub topic: String,
    /// What the hub signs with.
    pub secret: String,
    /// Whether we still want it; if not, we are leaving.
    pub wanted: bool,
    /// What the hub has granted.
    pub lease: Option<Lease>,
    /// The last request that the hub has not verified yet.
    pub asked_at: Option<f64>,
    /// When the hub is asked next.
    pub next_ask: f64,
    /// Requests in a row that came to nothing.
    pub tries: u32,
    /// What the hub said last against it.
    pub trouble: Option<String>,
    /// When the source was last refreshed.
    pub polled_at: f64,
    /// What a refresh found before the hub told of it.
    pub suspect: Option<Suspect>,
    /// How the hub has done.
    pub tally: HubTally,
}

/// For how long a hub has promised to tell.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Lease {
    /// Since when it does so without a break.
    pub since: f64,
    /// When this lease began.
    pub from: f64,
    /// When it ends.
    pub until: f64,
}

/// Items that a refresh found and of which the hub had not told.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Suspect {
    /// How many.
    pub items: u32,
    /// When.
    pub at: f64,
}

/// How reliable a hub has been for one source.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct HubTally {
    /// Documents that it sent and that were taken in.
    pub pushes: u64,
    /// Items that it told of in time.
    pub items: u64,
    /// Items that a refresh found and of which it never told.
    pub missed: u64,
    /// Documents with no signature or a wrong one.
    pub forged: u64,
    /// Requests that it refused or did not verify, and documents that could not be read.
    pub failures: u64,
    /// Items told of lately, older ones counting less and less.
    pub lately_told: f64,
    /// Items missed lately.
    pub lately_missed: f64,
}

impl Archive {
    /// Everybody who is told of a feed's changes.
    pub fn subscriptions(&self) -> Result<Vec<(u128, Subscription)>, ArchiveError> {
        let mut all = Vec::new();
        self.rows(Table::Subscription, &[], None, Order::Ascending, &mut |key, row| {
            let key = key.first_chunk().map_or(0, |bytes| u128::from_be_bytes(*bytes));
            all.push((key, row));
            std::ops::ControlFlow::Continue(())
        })?;
        Ok(all)
    }

    /// Every source of which a hub tells us, by the last part of our callback.
    pub fn pushes(&self) -> Result<Vec<(String, Push)>, ArchiveError> {
        let mut all = Vec::new();
        self.rows(Table::Push, &[], None, Order::Ascending, &mut |key, row| {
            all.push((String::from_utf8_lossy(key).into_owned(), row));
            std::ops::ControlFlow::Continue(())
        })?;
        Ok(all)
    }
}
