//! The command line as a person uses it: the real program, on a running node and on a bare data folder.

mod asking;
mod doctor;
mod keeping;
mod notifying;
mod place;
mod programs;
mod refusing;
mod running;
pub(crate) mod sandbox;
mod secrets;
mod socket;
mod trust;
mod users;
