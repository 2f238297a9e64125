//! The lanes' invariants over arbitrary histories.
