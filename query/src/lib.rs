//! What to keep.

mod condition;
pub mod error;
mod item;
mod matcher;
mod standalone;
pub mod syntax;
pub mod text;

pub use error::QueryError;
pub use item::ItemView;
pub use matcher::{Match, Matcher, QueryId, Scratch, SourceId};
pub use standalone::{FeedFilter, PreparedItem};
pub use syntax::{Limits, parse, parse_with};
