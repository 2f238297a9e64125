//! Placeholder until its branch is merged.
#![expect(missing_docs, reason = "replaced")]
use serde::{Deserialize, Serialize};
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Courtesy {}
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Outcome {
    Changed,
    Unchanged,
    Delta,
    Paused,
    Moved,
    Gone,
    Failed,
}
