//! `[schedule]`: how the node spends its budget.

use std::time::Duration;

use pergola_refresh::{ModelKind, StrategyKind, Taste};

use crate::codec::{Codec, flag, one_of, share, whole};
use crate::table::Table;
use crate::units::duration;

/// `[schedule]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    pub cycle: Duration,
    pub strategy: Choice<StrategyKind>,
    pub model: Choice<ModelKind>,
    pub page_model: Choice<ModelKind>,
    /// Made of `completeness` and `equity`.
    pub taste: Taste,
    pub completeness: f64,
    pub equity: f64,
    pub novelty: bool,
    pub profiles: usize,
}

/// Something that the node chooses unless it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice<T> {
    Auto,
    Fixed(T),
}

impl<T: Copy> Choice<T> {
    /// The fixed choice, or else `automatic`.
    pub fn or(self, automatic: T) -> T {
        match self {
            Self::Auto => automatic,
            Self::Fixed(chosen) => chosen,
        }
    }
}

/// "auto", or one of several names.
fn choice<T: Copy + PartialEq + 'static>(
    all: impl IntoIterator<Item = (&'static str, T)>,
) -> Codec<Choice<T>> {
    let fixed = all.into_iter().map(|(name, kind)| (name, Choice::Fixed(kind)));
    one_of(std::iter::once(("auto", Choice::Auto)).chain(fixed))
}

const SHORTEST_CYCLE: Duration = Duration::from_millis(10);
const LONGEST_CYCLE: Duration = Duration::from_secs(3600);

impl Schedule {
    pub(crate) fn declare(table: &mut Table<'_, Self>) -> Self {
        table.about("How the node spends its budget.");
        let models = || choice(ModelKind::ALL.map(|kind| (kind.name(), kind)));
        let cycle = table
            .key("cycle", "The time between two decisions about what to refresh.")
            .required(duration(SHORTEST_CYCLE..=LONGEST_CYCLE), "10 s", |schedule| schedule.cycle);
        let strategy = table
            .key(
                "strategy",
                "How the node decides which sources to refresh. \"auto\" is what did best in our \
                 experiments.",
            )
            .required(
                choice(StrategyKind::ALL.map(|kind| (kind.name(), kind))),
                "auto",
                |schedule| schedule.strategy,
            );
        let model = table
            .key("model", "How the node predicts how many new items a source has.")
            .required(models(), "auto", |schedule| schedule.model);
        let page_model = table
            .key(
                "page_model",
                "The same for pages that are read with selectors, such as \"dynamo\" (the smoothed time \
                 between two changes). \"auto\" is the `model` of all other sources, which predicts \
                 better unless the pace of a page drifts (docs/CHANNELS.md).",
            )
            .required(models(), "auto", |schedule| schedule.page_model);
        let completeness = table
            .key(
                "completeness",
                "From 0 (no item is late, as for a news reader) to 1 (no item is lost, as for an \
                 archive).",
            )
            .reloads()
            .required(share(), 0.5, |schedule| schedule.completeness);
        let equity = table
            .key(
                "equity",
                "From 0 (every item counts the same, so busy sources go first) to 1 (every source \
                 counts the same).",
            )
            .reloads()
            .required(share(), 0.5, |schedule| schedule.equity);
        let novelty = table
            .key(
                "novelty",
                "Whether a source counts less if it says little that is new. The node judges that by \
                 the profile of the source.",
            )
            .required(flag(), false, |schedule| schedule.novelty);
        let profiles = table
            .key(
                "profiles",
                "The most sources of which the node keeps a profile: what their last 20 items are \
                 about, in about 4 kB each. 0 keeps none. Every feed has a profile in any case.",
            )
            .required(whole(0..=1_000_000), 5000, |schedule| schedule.profiles);
        let taste = Taste::new(completeness, equity).expect("both are from 0 to 1");
        Self { cycle, strategy, model, page_model, taste, completeness, equity, novelty, profiles }
    }
}
