//! Feeds as those who ask for them see them.

mod archives;
mod caching;
mod differences;
mod documents;
mod kiosk;
mod pages;
mod trouble;
