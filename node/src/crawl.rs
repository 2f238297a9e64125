//! Crawl: when to refresh, politely, and what is new.
//!
//! `roster` decides who is due, `lanes` keeps requests to one site apart, `courtesy` knows what each
//! source has asked of us, `fetch` does the asking, `guard` keeps it out of private networks, `decide`
//! says what is new and `trail` leads back to what was missed. All but the fetching is pure: it is told the time and never touches the network.

pub mod conclude;
pub(crate) mod discovery;
pub mod driver;
pub mod loops;
pub mod pushed;
pub mod read;
pub mod trail;
pub(crate) mod watch;
