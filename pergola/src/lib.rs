//! The program `pergola`: commands, demo, doctor and benchmarks around a node.
//!
//! # Modules, from the bottom up
//!
//! A module imports only from modules that stand above it in this list.
//!
//! - `signals`: waits until the program is told to stop
//! - `newsroom`: `pergola newsroom`, made-up feeds to test with
//! - `demo`: `pergola demo`, a mesh at work
//! - `doctor`: `pergola doctor`, checks for common problems
//! - `bench`: `pergola bench`, measurements
//! - `cli`: the command line and all other commands

pub mod bench;
pub mod cli;
pub mod demo;
pub mod doctor;
pub mod newsroom;
mod signals;
