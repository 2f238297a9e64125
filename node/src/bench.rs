//! Benchmarks that anybody can repeat: each prints a table and says what it was measured against.

pub mod serve;
