//! Channels with text, refreshed under a policy: how well does the kept profile match the ideal one?
//!
//! The ideal profile of a channel has seen every item when it was published; the kept profile only the items that
//! refreshes have shown. Quality is the cosine of the two, averaged over the time since the channel's first item
//! and then over channels. Both profiles are weighted with the word frequencies of the whole time, so that a
//! policy is judged by what it keeps. For novelty a policy uses the frequencies of what it has seen.

mod alike;
mod comparison;
mod learner;
mod play;
mod population;
mod world;

use pergola_profile::Novelty;
use pergola_profile::policy::Choice;

pub(crate) use alike::Refinement;
pub(crate) use play::play;
pub(crate) use population::Population;
pub(crate) use world::TextWorld;

/// When channels are refreshed.
#[derive(Debug, Clone)]
pub(crate) enum Pace {
    /// Each at a fixed rate of its own, known in advance (refreshes per second; 0 is never).
    Offline(Vec<f64>),
    /// Each at its learnt rate λ: the next refresh is 1/λ after the last.
    Online(Heeding),
    /// Some channels every hour.
    Hourly(Budget),
}

/// A number of refreshes every hour, of the most important channels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    /// M.
    pub(crate) refreshes: usize,
    /// How importance decides.
    pub(crate) choice: Choice,
    pub(crate) importance: Importance,
    pub(crate) refinement: Refinement,
    pub(crate) heeding: Heeding,
}

/// What makes a channel important now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Importance {
    /// Its rate, as printed.
    Rate,
    /// Its rate times the time since the last refresh: the items that should be waiting.
    Waiting,
    /// What a refresh gains. Each missed item takes a share from the similarity of the profiles until nothing
    /// is left: c(T) = news·min(change·λT, 1). Here `change` is what an unrelated item changes in a profile of
    /// this size, and `news` is the channel's share of such items (1 for a policy that ignores content). The
    /// price at which refreshing and waiting are equally good is T·c − ∫c =
    /// ½·news·change·λ·min(T, 1/(change·λ))². A channel that was never refreshed comes first.
    Loss,
}

/// What a policy learns from a refresh.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heeding {
    pub(crate) learner: Learner,
    /// Whether and how it heeds the content of items.
    pub(crate) content: Content,
}

/// How monitoring rates are learnt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Learner {
    /// Boltzmann learning as printed.
    Printed,
    /// The same with a floor: no empty refresh starves a channel.
    Steady,
    /// A Gamma belief, as in a node: weighted by time and not by refreshes, and aware of full documents.
    Gamma,
}

/// What counts in an item.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Content {
    /// Only that it exists.
    Ignored,
    /// Whether it is novel: rates are those of novel items, as printed.
    Novel(Novelty),
    /// How much it changed the profile: 1 − similarity of before and after. A filter compares an item with what is
    /// usual for its channel, and so says less about how much channels change compared to each other.
    Change,
}

/// What a policy achieved, by channel.
#[derive(Debug, Clone)]
pub(crate) struct Outcome {
    /// Averaged over time.
    pub(crate) quality: Vec<f64>,
    pub(crate) refreshes: Vec<usize>,
    /// The rates of the last choice, refined if the policy refines; none without a choice.
    pub(crate) refined: Vec<f64>,
    /// The last learnt rate, and its mean over the second half, in refreshes per second.
    pub(crate) rates: Vec<f64>,
    pub(crate) mean_rates: Vec<f64>,
}

impl Outcome {
    pub(crate) fn mean_quality(&self) -> f64 {
        mean(&self.quality)
    }

    pub(crate) fn all_refreshes(&self) -> usize {
        self.refreshes.iter().sum()
    }
}

/// The mean; 0 of nothing.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
