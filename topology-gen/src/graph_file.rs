//! Graphs as files: reads and writes JSON, writes DOT.

mod read;
mod write;

pub use read::read;
pub use write::{write_dot, write_json};
