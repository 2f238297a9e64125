//! End to end: real nodes, real sockets, real readers, real crashes.
