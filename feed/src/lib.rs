//! To be filled by the commits that follow.
