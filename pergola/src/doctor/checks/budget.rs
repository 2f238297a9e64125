//! Whether the budget can serve the sources.

use pergola_config::{BudgetRule, Config};

use crate::doctor::Finding;

/// Every source should be refreshed once in so many minutes, or the budget is too small.
const A_DAY: f64 = 1_440.0;

/// A budget that lets a source wait for more than a day is too small to be of use.
pub(super) fn of(config: &Config, per_minute: f64, sources: usize) -> Option<Finding> {
    let BudgetRule::Refreshes { .. } = config.budget.rule else { return None };
    if sources == 0 {
        return Some(Finding::well(
            "there are no sources yet: `pergola source add URL` adds one, `pergola import FILE.opml` \
             adds many",
        ));
    }
    let minutes = sources as f64 / per_minute.max(1e-9);
    let each = match minutes < 1.0 {
        true => "more than their floors let it spend".to_owned(),
        false => format!("each once in {minutes:.0} minutes on average"),
    };
    let what = format!("{per_minute} refreshes a minute for {sources} source(s): {each}");
    let needed = (sources as f64 / A_DAY * 4.0 * 100.0).ceil() / 100.0;
    Some(match minutes > A_DAY {
        true => Finding::warning(
            what,
            format!("raise budget.refreshes_per_minute to {needed} or more: four refreshes a day"),
        ),
        false => Finding::well(what),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Grade;

    #[test]
    fn a_budget_for_less_than_a_refresh_a_day_is_too_small() {
        let config = Config::default();
        assert_eq!(of(&config, 0.1, 100).unwrap().grade, Grade::Well);
        let small = of(&config, 0.1, 1_000).unwrap();
        assert_eq!(small.grade, Grade::Warning);
        assert!(small.advice.unwrap().contains("2.78"));
        assert!(of(&config, 30.0, 2).unwrap().what.contains("floors"));
    }
}
