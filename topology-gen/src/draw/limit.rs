//! How much is drawn at most.

/// The most feeds or points that are drawn.
pub const MOST_DRAWN: usize = 200_000;

/// Why nothing is drawn.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DrawError {
    #[error(
        "{count} feeds or points are too many to draw; the most is {MOST_DRAWN} \
         (--degrees draws the distribution of readers for any number)"
    )]
    TooMany { count: usize },
}

pub(super) fn check(count: usize) -> Result<(), DrawError> {
    if count > MOST_DRAWN { Err(DrawError::TooMany { count }) } else { Ok(()) }
}
