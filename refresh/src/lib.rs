//! Decides when to refresh which source: publication models, refresh strategies, the threshold and
//! measures of quality.
//!
//! A node has a budget of requests, and spends it where the most relevant unread items are about to be
//! lost or become stale. This crate makes that decision and nothing else. It does no I/O, reads no clock
//! and has no global state: **time is an argument, always in seconds** since a fixed time whose multiples
//! of a day are midnights (the Unix epoch in a node, zero in the lab). A node drives it with the real
//! clock and the lab with a virtual one, so that the lab measures what a node does.
//!
//! The data flows as follows:
//!
//! 1. a refresh gives an [`Observation`];
//! 2. a [`Model`] learns from it, and predicts how many items wait ([`PublicationModel`]);
//! 3. [`Sources`] stores a model and a few numbers for each source, in plain arrays;
//! 4. a [`Scheduler`] asks its [`Strategy`] what to refresh in this cycle, within a [`Budget`], and adapts
//!    the [`Threshold`];
//! 5. [`quality`] measures the result, and [`characteristics`] describes the source;
//! 6. [`collective`] lets nodes that read each other share a budget.
//!
//! ```
//! use pergola_refresh::*;
//!
//! # fn main() -> Result<(), Invalid> {
//! let mut sources = Sources::new();
//! let model = ModelKind::Calendar.build(1.0 / DAY)?; // an item a day, until it learns otherwise
//! let blog = sources.add(Source::new(model, 20))?;
//! let budget = Budget::new(0.5, 300.0)?; // one refresh in two cycles of five minutes
//! let strategy = StrategyKind::Plan.build(Taste::default());
//! let mut scheduler = Scheduler::steady(strategy, budget, 288.0)?;
//!
//! let now = 300.0;
//! assert_eq!(scheduler.decide(now, &sources), [blog]); // a new source goes first
//! let dates = [100.0, 250.0];
//! let first = Observation {
//!     at: now,
//!     since: None,
//!     new_items: 2,
//!     window: 2,
//!     censored: true,
//!     dates: &dates,
//! };
//! sources.observe(blog, &first);
//! scheduler.observed(blog, &first);
//! assert_eq!(sources.last(blog), Some(now));
//! # Ok(())
//! # }
//! ```
//!
//! Invariants: a decision never exceeds the burst limit; a rate is always finite and positive; a source
//! that was never refreshed is more urgent than any other.
//!
//! # Modules, from the bottom up
//!
//! - `time`: seconds of an hour, a day and a week.
//! - `error`: an invalid setting.
//! - `counts`: distributions of the number of items.
//! - `observation`: the result of one refresh.
//! - `characteristics`: how busy and how regular a source is.
//! - `quality`: measures of completeness, freshness and delay.
//! - `limit`: an upper bound on the quality of any schedule.
//! - `collective`: nodes that share a budget.
//! - `knowledge`: what a strategy knows about the sources.
//! - `model`: publication models.
//! - `sources`: all sources of a node.
//! - `prediction`: what a budget brings.
//! - `strategy`: which sources to refresh in a cycle.
//! - `threshold`: the price of a refresh.
//! - `scheduler`: one decision per cycle, within a budget.

pub mod characteristics;
pub mod collective;
mod counts;
mod error;
mod knowledge;
pub mod limit;
mod model;
mod observation;
mod prediction;
pub mod quality;
mod scheduler;
mod sources;
mod strategy;
mod threshold;
mod time;

pub use counts::CountTable;
pub use error::Invalid;
pub use knowledge::{Exact, Knowledge, Outlook, Taste};
pub use model::parts;
pub use model::{
    BestWeight, Calendar, Constant, Dynamo, GammaPoisson, GammaSlots, Hybrid, Likelihood, Model,
    ModelKind, MovingAverage, Periodic, PlannedRefresh, PublicationModel, Relayed, Seen,
    SingleVariable, best_weight, maximum_likelihood, prediction_error,
};
pub use observation::Observation;
pub use prediction::{Habit, Predicted, Predictor};
pub use scheduler::{Budget, Scheduler};
pub use sources::{Source, Sources};
pub use strategy::{Cycle, Rule, Strategy, StrategyKind};
pub use threshold::{Controller, Spending, Threshold, ThresholdParts};
pub use time::{DAY, HOUR, WEEK};
