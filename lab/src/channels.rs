//! Channels with text, looked at under a policy: how well does the kept profile match the ideal one?
//!
//! The ideal profile of a channel has seen every item as it was published; the kept one only what looks
//! have shown. Quality is the cosine of the two, as a mean over time since the channel's first item and then
//! over channels. Both are weighed with the frequencies of the whole time, so a policy is judged by what it
//! keeps; novelty it judges by itself, with the frequencies of what it has seen.

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

/// When channels are looked at.
#[derive(Debug, Clone)]
pub(crate) enum Pace {
    /// Each at its own fixed rate, known beforehand (looks per second; 0 is never).
    Offline(Vec<f64>),
    /// Each at its own rate as it is learnt: next at T + 1/λ.
    Online(Heeding),
    /// Some of them every hour.
    Hourly(Budget),
}

/// So many looks every hour, at the most important channels.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    /// M.
    pub(crate) looks: usize,
    /// By their importance how?
    pub(crate) choice: Choice,
    /// What importance is.
    pub(crate) importance: Importance,
    /// Whether rates are refined by those of similar channels.
    pub(crate) refinement: Refinement,
    /// What is learnt from a look.
    pub(crate) heeding: Heeding,
}

/// What makes a channel important now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Importance {
    /// Its rate, as printed.
    Rate,
    /// Its rate times the time since the last look: the items that should be waiting.
    Waiting,
    /// What a look gains. Each item that is missed takes a share from the profile's likeness until nothing
    /// of it is left: c(T) = news·min(change·λT, 1), where `change` is what an item about something else
    /// changes of a profile with so many items, and `news` the channel's share of such items (1 for who
    /// ignores content). The price at which looking now and waiting are equally good is T·c − ∫c =
    /// ½·news·change·λ·min(T, 1/(change·λ))². Who was never looked at comes first.
    Loss,
}

/// What is learnt from a look.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heeding {
    /// How rates are learnt.
    pub(crate) learner: Learner,
    /// What the items say: who heeds it is content-based.
    pub(crate) content: Content,
}

/// How monitoring rates are learnt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Learner {
    /// Boltzmann learning as printed.
    Printed,
    /// The same with a floor: no empty look starves a channel.
    Steady,
    /// A Gamma belief, as in a node: weighed by time and not by looks, full documents understood.
    Gamma,
}

/// What of an item counts.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Content {
    /// That there is one.
    Ignored,
    /// Whether it is novel: rates are those of novel items, as printed.
    Novel(Novelty),
    /// By how much it changed the profile (1 − similarity of before and after). A filter judges items by what
    /// is usual for the channel, so that its share tells less of how much one channel changes beside another.
    Change,
}

/// What came of it, by channel.
#[derive(Debug, Clone)]
pub(crate) struct Outcome {
    /// Mean quality over time.
    pub(crate) quality: Vec<f64>,
    /// Looks.
    pub(crate) looks: Vec<usize>,
    /// The rates by which the last choice was made, refined if they are; none where nothing is chosen.
    pub(crate) refined: Vec<f64>,
    /// The last learnt rate, and its mean over the second half, in looks per second.
    pub(crate) rates: Vec<f64>,
    pub(crate) mean_rates: Vec<f64>,
}

impl Outcome {
    /// The mean over channels.
    pub(crate) fn mean_quality(&self) -> f64 {
        mean(&self.quality)
    }

    /// Looks in all.
    pub(crate) fn all_looks(&self) -> usize {
        self.looks.iter().sum()
    }
}

/// The mean of some figures; 0 if there are none.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
