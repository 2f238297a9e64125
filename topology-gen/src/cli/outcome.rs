//! How a command ended, if not with an error.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Whole,
    /// Some nodes did not answer.
    Partial,
}
