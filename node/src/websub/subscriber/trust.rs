//! Whether a source may be left to its hub.
//!
//! A hub is trusted when it has proved reliable: its lease has not ended, it has pushed something, and lately
//! it pushed at least nine items in ten. Only then is the source left to it, apart from one refresh a day. An
//! item that a refresh finds first is not counted as missed for a while, because the refresh may just have
//! been faster.
//!
//! Never: trust before the first push, or beyond the lease.

use pergola_store::archive::{HubTally, Push};

/// The share of items that a hub may miss.
const MISSABLE: f64 = 0.1;
/// Items after which older ones count half as much.
const MEMORY: f64 = 50.0;

/// Whether the hub has agreed to push, and its lease has not ended.
pub(super) fn is_active(row: &Push, now: f64) -> bool {
    row.wanted && row.lease.is_some_and(|lease| lease.until > now)
}

/// Whether the source may be left to the hub.
pub(super) fn is_trusted(row: &Push, now: f64) -> bool {
    let HubTally { pushes, lately_told, lately_missed, .. } = row.tally;
    is_active(row, now) && pushes > 0 && lately_missed <= MISSABLE * (lately_told + lately_missed)
}

/// Counts items that a hub pushed or missed.
pub(super) fn remember(tally: &mut HubTally, told: f64, missed: f64) {
    tally.lately_told += told;
    tally.lately_missed += missed;
    while tally.lately_told + tally.lately_missed > MEMORY {
        tally.lately_told /= 2.0;
        tally.lately_missed /= 2.0;
    }
}
