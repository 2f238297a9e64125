//! The pages that anybody may see: the feeds, one feed, what there is about a subject, what this node is, and what
//! went wrong.

pub mod about;
pub mod feed;
pub mod feeds;
pub mod lost;
pub mod problem;
pub mod search;
