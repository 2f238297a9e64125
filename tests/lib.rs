//! End to end: the tests are in `it/`.
