//! Crawl: when to look, politely, and what is new.
pub mod courtesy;
pub mod decide;
