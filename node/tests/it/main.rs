//! The node as a client sees it.

mod store_crash;
