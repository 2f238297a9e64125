//! `[budget]`: how much the node may spend on refreshing sources.

use std::num::NonZeroUsize;

use pergola_manners::budget::{BudgetRule, Purse};

use crate::codec::{above_zero, count, inner_share};
use crate::table::Table;
use crate::units::size;

/// `[budget]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Budget {
    pub rule: BudgetRule,
    /// Without it: the scheduler's own limit.
    pub burst: Option<NonZeroUsize>,
}

/// Only one of them may be set.
const RULES: [&str; 3] = ["refreshes_per_minute", "bytes_per_hour", "freshness"];
/// Goes with `freshness` only.
const CEILING: &str = "max_refreshes_per_minute";
const MOST_PER_MINUTE: f64 = 1_000_000.0;

impl Budget {
    /// What keeps to the budget, with a decision every `cycle` seconds.
    pub fn purse(&self, cycle: f64) -> Purse {
        Purse::new(self.rule, self.burst.map(usize::from), cycle)
    }

    pub(crate) fn declare(table: &mut Table<'_, Self>) -> Self {
        table.about(
            "How much the node may spend on refreshing sources. Set only one of the first three keys.",
        );
        only_one_rule(table);
        let rule = declare_rule(table);
        let burst = table
            .key(
                "burst",
                "The most refreshes in one cycle. Left out, the scheduler has its own limit.",
            )
            .reloads()
            .optional(count(100_000), 20, |budget| budget.burst);
        Self { rule, burst }
    }
}

/// Refuses all rules but one, and a ceiling without `freshness`.
fn only_one_rule(table: &mut Table<'_, Budget>) {
    let chosen = table.only_one(&RULES);
    if chosen != Some("freshness") {
        let overridden = chosen.is_some_and(|rule| table.rank(rule) > table.rank(CEILING));
        if !overridden {
            table.refuse(CEILING, "must only be set together with `freshness`");
        }
        table.hide(CEILING);
    }
}

fn declare_rule(table: &mut Table<'_, Budget>) -> BudgetRule {
    let per_minute = table
        .key(
            "refreshes_per_minute",
            "Requests to sources, on average. This is what sources notice. Up to half of it pays \
             for refreshes that a watched peer triggers. Refreshes that you ask for (`pergola \
             source refresh`) are free.",
        )
        .reloads()
        .presumed(above_zero(MOST_PER_MINUTE), 30, |budget| match budget.rule {
            BudgetRule::Refreshes { per_minute } => Some(per_minute),
            _ => None,
        });
    let per_hour = table
        .key(
            "bytes_per_hour",
            "Or: bytes received, on average. This is what you notice on a metered connection.",
        )
        .reloads()
        .optional(size(1_000..=1 << 50), "50 MB", |budget| match budget.rule {
            BudgetRule::Bytes { per_hour } => Some(per_hour),
            _ => None,
        });
    let at_least = table
        .key(
            "freshness",
            "Or: how fresh to keep the feeds, with as few requests as possible. This is what \
             readers notice.",
        )
        .reloads()
        .optional(inner_share(), 0.9, |budget| match budget.rule {
            BudgetRule::Freshness { at_least, .. } => Some(at_least),
            _ => None,
        });
    let most_per_minute = table
        .key(CEILING, "The most requests that `freshness` may cost. Set it only with `freshness`.")
        .reloads()
        .excludes()
        .presumed(above_zero(MOST_PER_MINUTE), 60, |budget| match budget.rule {
            BudgetRule::Freshness { most_per_minute, .. } => Some(most_per_minute),
            _ => None,
        });
    match (per_hour, at_least) {
        (Some(per_hour), _) => BudgetRule::Bytes { per_hour },
        (None, Some(at_least)) => BudgetRule::Freshness { at_least, most_per_minute },
        (None, None) => BudgetRule::Refreshes { per_minute },
    }
}
