//! Who is told of a feed's changes, and which hubs tell us of a source's.

use std::borrow::Cow;

use super::{List, row};
use crate::records::{HubTally, Lease, Push, Subscription, Suspect};

row!(Subscription as SubscriptionRow<'a> {
    feed: u32,
    form: u8,
    topic: Cow<'a, str>,
    callback: Cow<'a, str>,
    secret: Option<List<'a, u8>>,
    since: f64,
    expires_at: f64,
    delivered: u64,
    tries: u32,
    next_try: f64,
});

row!(Push as PushRow<'a> {
    source: u32,
    hub: Cow<'a, str>,
    topic: Cow<'a, str>,
    secret: Cow<'a, str>,
    wanted: bool,
    lease: Option<LeaseRow>,
    asked_at: Option<f64>,
    next_ask: f64,
    tries: u32,
    trouble: Option<Cow<'a, str>>,
    polled_at: f64,
    suspect: Option<SuspectRow>,
    tally: HubTallyRow,
});

row!(Lease as LeaseRow { since: f64, from: f64, until: f64 });

row!(Suspect as SuspectRow { items: u32, at: f64 });

row!(HubTally as HubTallyRow {
    pushes: u64,
    items: u64,
    missed: u64,
    forged: u64,
    failures: u64,
    lately_told: f64,
    lately_missed: f64,
});
