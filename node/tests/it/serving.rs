//! Feeds as those who ask for them see them.

mod caching;
mod documents;
mod kiosk;
mod pages;
mod trouble;
