//! How the node looks at sources: when it may, how it asks, and what the answer means for next time.
//!
//! `courtesy` knows what each source has asked of us, `lanes` keeps requests to one site apart, `fetch`
//! does the asking, `guard` keeps it out of private networks. The first two and the guard's check are
//! pure: they are told the time and never touch the network.

pub mod courtesy;
pub mod fetch;
pub mod guard;
pub mod lanes;
