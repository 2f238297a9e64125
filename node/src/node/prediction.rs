//! What budgets bring, and how late items are: as the scheduler expects from what it has learnt.

use pergola_api::operation::{BudgetPrediction, PredictedBudget};
use pergola_manners::roster::{Habits, Way};
use pergola_refresh::Predictor;
use pergola_store::archive::SourceId;

use super::Node;

/// Sources that a prediction is made from; in a larger node they stand for all.
const SAMPLE: usize = 1_000;
const MINUTE: f64 = 60.0;
/// Budgets that are predicted unless others are asked for: halves and doubles of the one in force.
const AROUND: std::ops::RangeInclusive<i32> = -4..=4;

impl Node {
    /// What budgets bring, in refreshes a minute; without any, the one in force and others around it.
    pub fn predict(&self, budgets: Option<Vec<f64>>) -> BudgetPrediction {
        let in_force = self.crawler.per_minute();
        let Habits { polled, each, told } = self.habits();
        let around = || AROUND.map(|power| in_force * f64::from(power).exp2()).collect();
        let mut budgets = budgets.unwrap_or_else(around);
        budgets.sort_by(f64::total_cmp);
        let all = (polled.len() as f64 * each).round() as usize;
        let predictor = Predictor::new(polled);
        let predicted = budgets.into_iter().filter_map(|refreshes_per_minute| {
            let brought = predictor.at(refreshes_per_minute / MINUTE / each.max(1.0))?;
            Some(PredictedBudget {
                refreshes_per_minute,
                spent_per_minute: brought.refreshes * MINUTE * each,
                freshness: brought.freshness,
                completeness: brought.completeness,
                delay: brought.delay,
            })
        });
        BudgetPrediction { in_force, polled: all, told, budgets: predicted.collect() }
    }

    /// Seconds from publication to arrival that are to be expected of each of these sources at the budget in force:
    /// none if it says itself that it has news, nothing if it is not asked.
    pub(super) fn delays(&self, ids: &[SourceId]) -> Vec<Option<f64>> {
        let Habits { polled, each, .. } = self.habits();
        let budget = self.crawler.per_minute() / MINUTE / each.max(1.0);
        let price = Predictor::new(polled).at(budget).map_or(0.0, |brought| brought.price);
        let (shortest, now) = (self.shortest(), self.clock.now());
        let ways = self.crawler.ways(ids, &self.config().schedule.taste, shortest, now);
        let delay = |way: Option<Way>| match way? {
            Way::Polled(habit) => Predictor::new([habit]).delays(price).next(),
            Way::Told => Some(0.0),
            Way::Ended => None,
        };
        ways.into_iter().map(delay).collect()
    }

    fn habits(&self) -> Habits {
        let taste = self.config().schedule.taste;
        self.crawler.habits(&taste, self.shortest(), SAMPLE, self.clock.now())
    }

    /// The shortest time between two refreshes of a source.
    fn shortest(&self) -> f64 {
        self.config().crawl.floor_known.as_secs_f64().max(self.crawler.tools.cycle)
    }
}
