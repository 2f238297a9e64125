//! The lab's command line.

mod report;

fn main() {}
