//! What the language and the matcher promise, tested from outside.

mod errors;
mod generate;
mod language;
mod round_trip;
