//! `[budget]` and `[schedule]`: how much may be spent on refreshing, and on what.

use std::num::NonZeroUsize;
use std::time::Duration;

use pergola_manners::budget::{BudgetRule, Purse};
use pergola_refresh::{ModelKind, StrategyKind, Taste};

use super::reader::Reader;
use super::show::{Entry, quoted};
use super::units::{duration, size, written_duration, written_size};
use super::values::{above_zero, count, flag, inner_share, one_of, share, whole};

/// `[budget]`: what refreshing may cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Budget {
    /// What is limited.
    pub rule: BudgetRule,
    /// Refreshes in one cycle at most; without it the scheduler's own limit.
    pub burst: Option<NonZeroUsize>,
}

/// `[schedule]`: how the budget is spent.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    /// The time between two decisions.
    pub cycle: Duration,
    /// What decides which sources are refreshed.
    pub strategy: Choice<StrategyKind>,
    /// What predicts how much is waiting at a source.
    pub model: Choice<ModelKind>,
    /// The same for pages that are read by selectors; `Auto` is as for other sources.
    pub page_model: Choice<ModelKind>,
    /// Nothing lost or nothing late; busy sources first or all alike.
    pub taste: Taste,
    /// What `taste` was made of, from 0 (fresh) to 1 (complete).
    pub completeness: f64,
    /// What `taste` was made of, from 0 (items count alike) to 1 (sources count alike).
    pub equity: f64,
    /// A source that says little new counts less.
    pub novelty: bool,
    /// Sources whose profiles are kept at most.
    pub profiles: usize,
}

/// Something that the node chooses unless it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice<T> {
    /// The node chooses.
    Auto,
    /// This one.
    Fixed(T),
}

/// The keys of which only one may be set.
const RULES: [&str; 3] = ["refreshes_per_minute", "bytes_per_hour", "freshness"];
const MOST_PER_MINUTE: f64 = 1_000_000.0;

impl Budget {
    /// What keeps to it, with decisions every `cycle` seconds.
    pub fn purse(&self, cycle: f64) -> Purse {
        Purse::new(self.rule, self.burst.map(usize::from), cycle)
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let chosen = reader.set_among(&RULES);
        if let [first, others @ ..] = &chosen[..] {
            for other in others {
                reader.refuse(other, &format!("must not be set together with `{first}`"));
            }
        }
        let rule = chosen.first().copied().unwrap_or("refreshes_per_minute");
        let most = "max_refreshes_per_minute";
        let overruled = reader.by_variable(rule) && !reader.by_variable(most);
        if rule != "freshness" && !overruled {
            reader.refuse(most, "must only be set together with `freshness`");
        }
        let per_minute = above_zero(MOST_PER_MINUTE);
        let rule = match rule {
            "bytes_per_hour" => reader
                .optional("bytes_per_hour", size(1_000..=1 << 50))
                .map(|per_hour| BudgetRule::Bytes { per_hour }),
            "freshness" => reader.optional("freshness", inner_share).map(|at_least| {
                let most_per_minute = reader.required(most, &per_minute);
                BudgetRule::Freshness { at_least, most_per_minute }
            }),
            _ => None,
        };
        let refreshes = |reader: &mut Reader<'_>| BudgetRule::Refreshes {
            per_minute: reader.required("refreshes_per_minute", &per_minute),
        };
        Self {
            rule: rule.unwrap_or_else(|| refreshes(reader)),
            burst: reader.optional("burst", count(100_000)),
        }
    }

    pub(super) fn entries(&self) -> Vec<Entry> {
        let number = |number: f64| Some(number.to_string());
        let [mut refreshes, mut bytes, mut freshness, mut most] = [const { None }; 4];
        match self.rule {
            BudgetRule::Refreshes { per_minute } => refreshes = number(per_minute),
            BudgetRule::Bytes { per_hour } => bytes = Some(quoted(written_size(per_hour))),
            BudgetRule::Freshness { at_least, most_per_minute } => {
                (freshness, most) = (number(at_least), number(most_per_minute));
            }
        }
        vec![
            ("refreshes_per_minute", refreshes),
            ("bytes_per_hour", bytes),
            ("freshness", freshness),
            ("max_refreshes_per_minute", most),
            ("burst", self.burst.map(|burst| burst.to_string())),
        ]
    }
}

impl<T: Copy> Choice<T> {
    /// What was chosen, or what the node would choose.
    pub fn or(self, automatic: T) -> T {
        match self {
            Self::Auto => automatic,
            Self::Fixed(chosen) => chosen,
        }
    }

    fn names(all: impl IntoIterator<Item = (&'static str, T)>) -> Vec<(&'static str, Self)> {
        let fixed = all.into_iter().map(|(name, kind)| (name, Self::Fixed(kind)));
        std::iter::once(("auto", Self::Auto)).chain(fixed).collect()
    }

    fn entry(self, name: impl Fn(T) -> &'static str) -> Option<String> {
        Some(match self {
            Self::Auto => quoted("auto"),
            Self::Fixed(kind) => quoted(name(kind)),
        })
    }
}

impl Schedule {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let strategies = StrategyKind::ALL.map(|kind| (kind.name(), kind));
        let models = ModelKind::ALL.map(|kind| (kind.name(), kind));
        let completeness = reader.required("completeness", share);
        let equity = reader.required("equity", share);
        Self {
            cycle: reader
                .required("cycle", duration(Duration::from_millis(10)..=Duration::from_secs(3600))),
            strategy: reader.required("strategy", one_of(Choice::names(strategies))),
            model: reader.required("model", one_of(Choice::names(models))),
            page_model: reader.required("page_model", one_of(Choice::names(models))),
            taste: Taste::new(completeness, equity).expect("both are from 0 to 1"),
            completeness,
            equity,
            novelty: reader.required("novelty", flag),
            profiles: reader.required("profiles", whole(0..=1_000_000)),
        }
    }

    pub(super) fn entries(&self) -> Vec<Entry> {
        vec![
            ("cycle", Some(quoted(written_duration(self.cycle)))),
            ("strategy", self.strategy.entry(StrategyKind::name)),
            ("model", self.model.entry(ModelKind::name)),
            ("page_model", self.page_model.entry(ModelKind::name)),
            ("completeness", Some(self.completeness.to_string())),
            ("equity", Some(self.equity.to_string())),
            ("novelty", Some(self.novelty.to_string())),
            ("profiles", Some(self.profiles.to_string())),
        ]
    }
}
