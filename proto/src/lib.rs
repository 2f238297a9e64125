//! The contract between nodes.
//!
//! The `.proto` files beside this crate are the documentation; this is what is generated from them. These
//! types stop at the door of a node (`node/src/peer/wire.rs`) and go no further.

/// Version 1 of the contract.
pub mod v1 {
    tonic::include_proto!("pergola.v1");
}

/// The compiled contract, as server reflection hands it out.
pub const FILE_DESCRIPTOR_SET: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/contract.bin"));
