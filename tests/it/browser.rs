//! A real browser at a running node: what a person does, sees and must be spared.
//!
//! Chromium and chromedriver are Debian's. Without them these tests say that they were skipped; with
//! `PERGOLA_REQUIRE_ALL` they fail.

mod accessible;
mod driver;
mod fast;
mod hostile;
mod keyboard;
mod mistakes;
mod pages;
mod screenshots;
mod town;
#[path = "../../site/tests/it/vectors.rs"]
#[expect(dead_code, reason = "the tests of the site use all of it")]
mod vectors;
mod walking;
mod window;
