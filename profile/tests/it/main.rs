//! Tests of the public interface: cases computed by hand, and properties.

mod profiles;
mod searching;
