//! The node as a client sees it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod api;
mod archived;
mod commands;
mod demo;
mod fetching;
mod following;
mod house;
mod many_sources;
mod origin;
mod pipeline;
mod politeness;
mod profiles;
mod provenance;
mod searching;
mod serving;
mod store_crash;
mod subscribing;
mod syndication;
mod trust;
mod websub;
