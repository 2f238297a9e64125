//! Pictures of graphs.
//!
//! A graph of thousands of feeds is drawn as a texture of thin translucent lines, a small one as a diagram
//! with names. How much room each feed has decides which.

mod degrees;
mod flow;
mod hues;
mod layout;
mod limit;
mod plane;
mod rings;

pub use degrees::{degrees_of_mesh, degrees_of_planes};
pub use flow::{Figures, Flow, MOST_IN_COLUMNS, colour_of, flow};
pub use limit::{DrawError, MOST_DRAWN};
pub use plane::planes;
pub use rings::rings;
