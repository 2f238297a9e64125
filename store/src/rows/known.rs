//! What was seen of a source's items.

use pergola_feed::identity::{IdentityParts, Policy, SourceIdentity};
use pergola_manners::source::{Known, KnownItem};
use serde::{Deserialize, Serialize};

use super::{List, Nonsense, Stored, row, variants};

row!(Known as KnownRow<'a> {
    identity: IdentityRow<'a>,
    items: List<'a, KnownItem>,
    next_chunk: u32,
});

row!(KnownItem as KnownItemRow {
    key: u128,
    digest: u128,
    chunk: u32,
    index: u16,
    first_seen: f64,
    seen_at: f64,
});

#[derive(Serialize, Deserialize)]
pub(crate) struct IdentityRow<'a> {
    policy: PolicyRow,
    judged: u32,
    bad: u32,
    lately: List<'a, (u64, u64)>,
}

impl Stored for SourceIdentity {
    type Row<'a> = IdentityRow<'a>;

    fn to_row(&self) -> IdentityRow<'_> {
        let IdentityParts { policy, judged, bad, lately } = self.parts();
        IdentityRow { policy: policy.to_row(), judged, bad, lately: lately.to_row() }
    }

    fn from_row(row: IdentityRow<'static>) -> Result<Self, Nonsense> {
        let IdentityRow { policy, judged, bad, lately } = row;
        let (policy, lately) = (Stored::from_row(policy)?, Stored::from_row(lately)?);
        Ok(Self::from_parts(IdentityParts { policy, judged, bad, lately }))
    }
}

variants!(Policy as PolicyRow { Id, Link, Digest });
