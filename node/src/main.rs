//! `pergola`.
fn main() {}
