//! What is stored survives crashes and new versions.

mod crash;
mod fixtures;
