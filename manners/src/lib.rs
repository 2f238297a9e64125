//! How a node behaves towards the sites it reads: when it may ask, what an answer means, what is new.
//!
//! And towards those who read from it: how much each may take.
//!
//! Pure: everything is told the time and the randomness it needs. No sockets, no clock, no runtime.
//!
//! A [`Reply`](reply::Reply) (an HTTP answer, a peer's page, a push, silence) becomes a
//! [`Heard`](heard::Heard), one form for all of them. [`conclude`](conclude::conclude) calls one small
//! function for each question (politeness, news, learning, the peer, loops, hubs) and returns a
//! [`Refreshed`](refreshed::Refreshed): what the store, the scheduler, the host's lane, the hubs'
//! subscriber and the log take, each in a part of its own.
//!
//! # Modules, from the bottom up
//! - `networks`: which addresses are not public, and which of those a node may reach all the same
//! - `seats`: who gets a place at the port when more connect than it has places for
//! - `ledger`: what callers have under way, and who may begin more
//! - `robots`: which pages of a site may be read
//! - `backoff`: waiting longer after each failure, with jitter
//! - `cooperation`: what two nodes do for each other beyond pulling
//! - `hints`: what a node says about when its feed may have news
//! - `link`: what is known of the peer behind a source
//! - `courtesy`: what a source has asked of us, and how long to leave it alone
//! - `secret`: a value that is never printed
//! - `lanes`: how requests to one site are kept apart
//! - `source`: a source, its state and what was seen of it
//! - `merge`: two sources that turned out to be one
//! - `loops`: sources whose items come back to this node
//! - `decide`: what is new in a document
//! - `reply`: what came back for a source
//! - `heard`: what it means
//! - `look`: what is at an address before it is added
//! - `hub`: which hub a source advertises
//! - `trail`: the way back to items that were missed
//! - `refreshed`: what follows, grouped by who takes it
//! - `conclude`: what follows from what was heard
//! - `budget`: what refreshing may cost
//! - `roster`: which source is due
//! - `why`: why the next refresh of a source is when it is

pub mod backoff;
pub mod budget;
pub mod conclude;
pub mod cooperation;
pub mod courtesy;
pub mod decide;
pub mod heard;
pub mod hints;
pub mod hub;
pub mod lanes;
pub mod ledger;
pub mod link;
pub mod look;
pub mod loops;
pub mod merge;
pub mod networks;
pub mod refreshed;
pub mod reply;
pub mod robots;
pub mod roster;
pub mod seats;
pub mod secret;
pub mod source;
pub mod trail;
pub mod why;

pub use conclude::Manners;
pub use cooperation::Cooperation;
