//! Pictures of graphs.
//!
//! A graph of thousands is drawn as what it is, a texture: thin lines that shine through each other. A small
//! one is drawn as a diagram with names. Which of the two follows from how much room each feed has.

mod degrees;
mod flow;
mod hues;
mod layout;
mod plane;
mod rings;

pub use degrees::{degrees_of_mesh, degrees_of_planes};
pub use flow::{Figures, Flow, MOST_IN_COLUMNS, colour_of, flow};
pub use plane::planes;
pub use rings::rings;

/// The most feeds or points that are drawn.
pub const MOST_DRAWN: usize = 200_000;

/// Why nothing is drawn.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the parts are")]
pub enum DrawError {
    #[error(
        "{count} feeds or points are more than anybody could see; {MOST_DRAWN} are drawn at most \
         (--degrees draws how many readers they have, whatever their number)"
    )]
    TooMany { count: usize },
}

fn check(count: usize) -> Result<(), DrawError> {
    if count > MOST_DRAWN { Err(DrawError::TooMany { count }) } else { Ok(()) }
}
