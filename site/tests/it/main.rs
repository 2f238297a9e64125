//! The site as a person's browser meets it: a real node on a port of its own, with local sources.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod account;
mod browser;
mod doors;
mod feeds;
mod live;
mod login;
mod mesh;
mod mistakes;
mod moving;
mod notifying;
mod openid;
#[expect(dead_code, reason = "the node's own tests use more of it")]
#[path = "../../../node/tests/it/origin.rs"]
mod origin;
mod overview;
mod pages;
mod pictures;
mod place;
mod reader_api;
mod reading;
mod searching;
mod settings;
mod sources;
mod subscribing;
mod users;
mod vectors;
