//! The node as a client sees it.
