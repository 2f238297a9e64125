//! The node as a client sees it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod about;
mod access;
mod api;
mod archived;
mod damage;
mod fetching;
mod finding;
mod following;
mod fuzzed;
mod hostile;
mod house;
mod many_sources;
mod merged;
mod merging;
mod metrics;
mod notifying;
mod origin;
mod overload;
mod people;
mod pipeline;
mod profiles;
mod provenance;
mod refused_commits;
mod robots;
mod searching;
mod secrets;
mod serving;
mod subscribing;
mod surroundings;
mod syndication;
mod titles;
mod trust;
mod websub;
