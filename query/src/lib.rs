//! What to keep.

pub mod error;
pub mod syntax;
pub mod text;
pub use syntax::Limits;
