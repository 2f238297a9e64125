//! Publish: render feeds once, and serve them to people, readers and other nodes.
//!
//! The shelf knows which feeds there are; an edition is one state of
//! a feed, rendered when somebody first asks for it and served from memory from then on. Volumes are its
//! archives; whoever has an earlier edition can have the difference to it.
//!
//! Never: a document rendered for nobody, or twice for one change; a document that is half one edition
//! and half another; memory that grows with the number of feeds.

mod annex;
mod answer;
mod document;
mod edition;
mod handout;
mod item;
mod negotiate;
mod news;
mod past;
mod refusal;
mod render;
mod serve;
mod shelf;
mod shown;
mod visitor;
mod volume;

pub(crate) use handout::NoHandout;
pub(crate) use item::Publisher;
pub(crate) use negotiate::Form;
pub use negotiate::is_browser;
pub use news::{Follower, Over};
pub(crate) use pergola_pages::public::feed::origin_name;
pub(crate) use refusal::Refusal;
pub(crate) use render::published_at;
pub use serve::{PATHS, router};
pub use shelf::{Imprint, Listing, Shelf, ShelfCounts};
pub use shown::respond;
