//! What is known of a source's ids, taken apart for whoever stores it.

use std::collections::VecDeque;

use super::{REMEMBERED, SourceIdentity};
use crate::identity::Policy;

/// The parts of a [`SourceIdentity`].
#[derive(Clone, Debug, PartialEq)]
pub struct IdentityParts<List> {
    /// What identifies the source's items.
    pub policy: Policy,
    /// Ids judged lately.
    pub judged: u32,
    /// Bad ones among them.
    pub bad: u32,
    /// The items seen lately, oldest first: digest of the item without its id, and digest of its id.
    pub lately: List,
}

impl SourceIdentity {
    /// Takes it apart; the list is borrowed.
    pub fn parts(&self) -> IdentityParts<&VecDeque<(u64, u64)>> {
        let Self { policy, judged, bad, lately } = self;
        IdentityParts { policy: *policy, judged: *judged, bad: *bad, lately }
    }

    /// Puts it together; a list that is too long loses its oldest items.
    pub fn from_parts(parts: IdentityParts<VecDeque<(u64, u64)>>) -> Self {
        let IdentityParts { policy, judged, bad, mut lately } = parts;
        lately.drain(..lately.len().saturating_sub(REMEMBERED));
        Self { policy, judged, bad, lately }
    }
}
