//! What the language and the matcher promise, tested from outside.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking, outside of test functions too")]

mod catalogue;
mod errors;
mod explain;
mod fuzz;
mod generate;
mod language;
mod limits;
mod many;
mod meaning;
mod profile;
mod round_trip;
mod selectivity;
mod warnings;
