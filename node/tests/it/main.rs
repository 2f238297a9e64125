//! The node as a client sees it.

mod serving;
