//! When to look: publication models, refresh strategies, the threshold and quality measures.
//!
//! A node has a budget of requests and spends it where the most relevant unread items are about to
//! be lost or to go stale. This crate makes that decision and nothing else. It does no I/O, knows no
//! clock and holds no global state: **time is an argument, always in seconds** since any fixed
//! instant whose multiples of a day are midnights (the Unix epoch in a node, zero in the lab). The
//! node drives it with the real clock, the lab with a virtual one, so what the lab measures is what
//! the node does.
//!
//! The way through the crate, in the order of the data:
//!
//! 1. a refresh ends in an [`Observation`];
//! 2. a [`Model`] learns from it and predicts how many items are waiting ([`PublicationModel`]);
//! 3. [`Sources`] holds one model and a few numbers per source as plain arrays;
//! 4. a [`Scheduler`] asks its [`Strategy`] what to refresh in this cycle, under a [`Budget`], and
//!    steers the [`Threshold`];
//! 5. [`quality`] says how good the result was, [`characteristics`] what kind of source it was;
//! 6. [`collective`] lets nodes that read each other share a budget.
//!
//! ```
//! use pergola_refresh::*;
//!
//! # fn main() -> Result<(), Invalid> {
//! let mut sources = Sources::new();
//! let model = ModelKind::Calendar.build(1.0 / DAY)?; // an item a day, until it knows better
//! let blog = sources.add(Source::new(model, 20))?;
//! let budget = Budget::new(0.5, 300.0)?; // one refresh in two cycles of five minutes
//! let strategy = StrategyKind::Plan.build(Taste::default());
//! let mut scheduler = Scheduler::steady(strategy, budget, 288.0)?;
//!
//! let now = 300.0;
//! assert_eq!(scheduler.decide(now, &sources), [blog]); // never seen: looked at first
//! let dates = [100.0, 250.0];
//! let first_look = Observation {
//!     at: now,
//!     since: None,
//!     new_items: 2,
//!     window: 2,
//!     censored: true,
//!     dates: &dates,
//! };
//! sources.observe(blog, &first_look);
//! scheduler.observed(blog, &first_look);
//! assert_eq!(sources.last(blog), Some(now));
//! # Ok(())
//! # }
//! ```
//!
//! Invariants: a decision never exceeds the burst limit; a rate is always finite and positive; a
//! source that was never refreshed is more urgent than any that was.

pub mod characteristics;
pub mod collective;
mod counts;
mod error;
mod knowledge;
pub mod limit;
mod model;
mod observation;
pub mod quality;
mod scheduler;
mod sources;
mod strategy;
mod threshold;

pub use counts::CountTable;
pub use error::Invalid;
pub use knowledge::{Exact, Knowledge, Outlook, Taste};
pub use model::parts;
pub use model::{
    BestWeight, Calendar, Constant, Dynamo, GammaPoisson, GammaSlots, Hybrid, Likelihood, Model,
    ModelKind, MovingAverage, Periodic, PlannedLook, PublicationModel, Relayed, Seen,
    SingleVariable, best_weight, maximum_likelihood, prediction_error,
};
pub use observation::Observation;
pub use scheduler::{Budget, Scheduler};
pub use sources::{Source, Sources};
pub use strategy::{Cycle, Rule, Strategy, StrategyKind};
pub use threshold::{Controller, Spending, Threshold, ThresholdParts};

/// Seconds in an hour.
pub const HOUR: f64 = 3600.0;
/// Seconds in a day.
pub const DAY: f64 = 24.0 * HOUR;
/// Seconds in a week.
pub const WEEK: f64 = 7.0 * DAY;
