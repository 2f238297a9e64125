//! The store's behaviour, on both engines.
