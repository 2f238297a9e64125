//! Stores for tests of whatever uses one: with faults, in memory, and on a disk that loses power.

mod disk;
mod faulty;
mod memory;

pub use disk::{Disk, Op, Watch};
pub use faulty::FaultyStore;
pub use memory::MemoryStore;
