//! Tests of the public interface, in one binary.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking, too")]

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
