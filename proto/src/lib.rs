//! The contract between nodes.
//!
//! The `.proto` files beside this crate are the documentation; this is what is generated from them. These
//! types stop at the door of a node (`node/src/peer/wire.rs`) and go no further.

/// Version 1 of the contract.
pub mod v1 {
    #![expect(missing_docs, reason = "the .proto files say what everything means")]
    tonic::include_proto!("pergola.v1");
}
