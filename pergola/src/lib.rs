//! `pergola`: the commands, the demo, the doctor and the benchmarks around a node.

pub mod bench;
pub mod cli;
pub mod demo;
pub mod doctor;
pub mod newsroom;
