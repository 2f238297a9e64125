//! What a budget brings: how often each source would be refreshed, and how fresh, complete and late its items would
//! be.
//!
//! Each source is taken as a steady stream at its mean rate. At one price for all, it is refreshed whenever its index
//! reaches that price; the price is the one at which the refreshes cost what the budget allows. This is where the
//! strategies that go by a price settle. Rhythms of the day and mistakes of the models are left out.

use crate::counts::Distribution;
use crate::knowledge::Taste;
use crate::model::PublicationModel;
use crate::sources::Sources;
use crate::time::DAY;

/// The longest interval between two refreshes that is considered, in seconds.
const LONGEST: f64 = 365.0 * DAY;
/// Intervals in the table of a source; the steps between them are equal in proportion.
const STEPS: usize = 48;
/// A price that nothing is worth less than.
const LEAST_PRICE: f64 = 1e-300;
/// Halvings of the range of prices; the budget is then met to a part in a million.
const HALVINGS: usize = 60;

/// How a source publishes on average, and what it is worth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Habit {
    /// Items per second.
    pub rate: f64,
    /// Items that its document can show.
    pub window: usize,
    /// Items that its document shows.
    pub shown: usize,
    /// The worth of an item.
    pub relevance: f64,
    /// The cost of one refresh, relative to the average.
    pub cost: f64,
    /// The shortest time between two refreshes.
    pub shortest: f64,
    /// The price of a lost item and of a missing share of the window, as the index counts them.
    lost: f64,
    stale: f64,
}

impl Sources {
    /// How a source publishes on average. It is refreshed at most every `shortest` seconds.
    pub fn habit(&self, source: usize, taste: &Taste, shortest: f64) -> Habit {
        let rate = self.model(source).mean_rate();
        let weights = self.price_weights(source, rate, taste);
        Habit {
            rate,
            window: self.window(source),
            shown: self.shown(source),
            relevance: self.relevance(source),
            cost: self.cost(source),
            shortest: shortest.clamp(1.0, LONGEST / 2.0),
            lost: weights.lost,
            stale: weights.stale,
        }
    }
}

impl Habit {
    /// The price at which a refresh every `interval` seconds is as good as a little later.
    fn index(&self, interval: f64) -> f64 {
        let expected = self.rate * interval;
        let counts = Distribution::poisson(expected);
        let lost = self.lost * self.window as f64 * counts.at_least(self.window + 1);
        let stale = self.stale / (self.rate * self.shown as f64) * counts.staleness_sum(self.shown);
        (lost + stale) / self.cost
    }

    /// The share of the window that is held, averaged over an interval between two refreshes.
    fn freshness(&self, interval: f64) -> f64 {
        // The integral of E[min(N, n)] over the interval is n·T − Σ_{j<n} (n − j)·P(N > j) / λ.
        let shown = self.shown as f64;
        let (mut below, mut sum) = (0.0, 0.0);
        Distribution::poisson(self.rate * interval).for_each(|j, p| {
            if j >= self.shown {
                return false;
            }
            below += p;
            sum += (shown - j as f64) * (1.0 - below).max(0.0);
            true
        });
        (sum / (self.rate * interval * shown)).clamp(0.0, 1.0)
    }

    /// The share of its items that are delivered.
    fn completeness(&self, interval: f64) -> f64 {
        let expected = self.rate * interval;
        Distribution::poisson(expected).mean_up_to(self.window) / expected
    }

    /// Seconds from the publication of an item to its delivery, on average, if it is delivered.
    fn delay(&self, interval: f64) -> f64 {
        // Of a source that publishes more than it shows, only the newest items are still there.
        0.5 * interval.min(self.window as f64 / self.rate)
    }
}

/// Intervals of a source, in rising order, and the price of each.
#[derive(Debug, Clone)]
struct Row {
    habit: Habit,
    prices: [f64; STEPS],
}

impl Row {
    fn new(habit: Habit) -> Self {
        let mut highest = 0.0_f64;
        let prices = std::array::from_fn(|step| {
            highest = highest.max(habit.index(interval(&habit, step as f64)));
            highest
        });
        Self { habit, prices }
    }

    /// How often the source is refreshed at a price.
    fn interval(&self, price: f64) -> f64 {
        let next = self.prices.partition_point(|at| *at < price);
        let step = match next {
            0 => 0.0,
            STEPS.. => (STEPS - 1) as f64,
            next => {
                let (low, high) = (self.prices[next - 1], self.prices[next]);
                (next - 1) as f64 + ((price - low) / (high - low)).clamp(0.0, 1.0)
            }
        };
        interval(&self.habit, step)
    }
}

/// The interval at a step of the table, which may lie between two.
fn interval(habit: &Habit, step: f64) -> f64 {
    habit.shortest * (LONGEST / habit.shortest).powf(step / (STEPS - 1) as f64)
}

/// What a budget brings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Predicted {
    /// What a refresh must be worth.
    pub price: f64,
    /// Refreshes per second; fewer than the budget if every source is refreshed as often as it may.
    pub refreshes: f64,
    /// The mean share of the sources' windows that is held.
    pub freshness: f64,
    /// The share of relevant items that is delivered.
    pub completeness: f64,
    /// Seconds from the publication of a relevant item to its delivery, on average.
    pub delay: f64,
}

/// Predicts what budgets bring for some sources.
#[derive(Debug, Clone, Default)]
pub struct Predictor {
    rows: Vec<Row>,
}

impl Predictor {
    /// For these sources.
    pub fn new(habits: impl IntoIterator<Item = Habit>) -> Self {
        Self { rows: habits.into_iter().map(Row::new).collect() }
    }

    /// What a budget of so many average refreshes per second brings; nothing if no source is relevant.
    pub fn at(&self, budget: f64) -> Option<Predicted> {
        let (low, high) = self.prices(budget);
        let (more, less) = (self.quality(low)?, self.quality(high)?);
        // Where a source is given up at once, the budget falls between two prices: each holds for a part of the time.
        let (most, least) = (self.cost(low), self.cost(high));
        let share = match most > least {
            true => ((budget - least) / (most - least)).clamp(0.0, 1.0),
            false => 1.0,
        };
        let mixed = |more: f64, less: f64| share * more + (1.0 - share) * less;
        Some(Predicted {
            price: mixed(more.price, less.price),
            refreshes: mixed(more.refreshes, less.refreshes),
            freshness: mixed(more.freshness, less.freshness),
            completeness: mixed(more.completeness, less.completeness),
            delay: mixed(more.delay, less.delay),
        })
    }

    /// What refreshes at a price bring.
    fn quality(&self, price: f64) -> Option<Predicted> {
        let (mut refreshes, mut relevant) = (0.0, 0u32);
        let (mut fresh, mut complete, mut late, mut weight) = (0.0, 0.0, 0.0, 0.0);
        for row in &self.rows {
            let (habit, interval) = (&row.habit, row.interval(price));
            refreshes += 1.0 / interval;
            if habit.relevance > 0.0 {
                let worth = habit.relevance * habit.rate;
                relevant += 1;
                fresh += habit.freshness(interval);
                complete += worth * habit.completeness(interval);
                late += worth * habit.delay(interval);
                weight += worth;
            }
        }
        (weight > 0.0).then(|| Predicted {
            price,
            refreshes,
            freshness: fresh / f64::from(relevant),
            completeness: complete / weight,
            delay: late / weight,
        })
    }

    /// Seconds from publication to delivery at a price, on average, for each of the sources.
    pub fn delays(&self, price: f64) -> impl Iterator<Item = f64> {
        self.rows.iter().map(move |row| row.habit.delay(row.interval(price)))
    }

    /// What the refreshes at a price cost per second.
    fn cost(&self, price: f64) -> f64 {
        self.rows.iter().map(|row| row.habit.cost / row.interval(price)).sum()
    }

    /// The two neighbouring prices between which the refreshes cost what the budget allows.
    fn prices(&self, budget: f64) -> (f64, f64) {
        let ends = |row: &Row| (row.prices[0], row.prices[STEPS - 1]);
        let low = self.rows.iter().map(|row| ends(row).0).fold(f64::INFINITY, f64::min);
        let high = self.rows.iter().map(|row| ends(row).1).fold(LEAST_PRICE, f64::max);
        // Above the highest price nothing is refreshed before the longest interval.
        let (mut low, mut high) = (low.clamp(LEAST_PRICE, high).ln(), (2.0 * high).ln());
        if self.cost(low.exp()) <= budget {
            return (low.exp(), low.exp());
        }
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if self.cost(middle.exp()) > budget { low = middle } else { high = middle }
        }
        (low.exp(), high.exp())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ModelKind;
    use crate::sources::Source;
    use crate::time::HOUR;

    fn sources(rates_per_day: &[f64]) -> Sources {
        let mut sources = Sources::new();
        for rate in rates_per_day {
            let model = ModelKind::Gamma.build(rate / DAY).unwrap();
            sources.add(Source::new(model, 20)).unwrap();
        }
        sources
    }

    fn predictor(sources: &Sources, shortest: f64) -> Predictor {
        let taste = Taste::default();
        let all = 0..crate::knowledge::Knowledge::len(sources);
        Predictor::new(all.map(|source| sources.habit(source, &taste, shortest)))
    }

    #[test]
    fn more_budget_is_never_worse_and_is_spent() {
        let sources = sources(&[0.1, 1.0, 5.0, 5.0, 30.0, 200.0, 2_000.0]);
        let predictor = predictor(&sources, 900.0);
        let mut before: Option<Predicted> = None;
        for step in 0..20 {
            let budget = 1e-5 * 1.5_f64.powi(step);
            let now = predictor.at(budget).unwrap();
            let spare = now.refreshes < 0.999 * budget;
            assert!(now.refreshes <= budget * 1.001, "{step}: {now:?}");
            assert!(!spare || (now.refreshes - 7.0 / 900.0).abs() < 1e-6, "{step}: {now:?}");
            for share in [now.freshness, now.completeness] {
                assert!((0.0..=1.0).contains(&share), "{now:?}");
            }
            if let Some(before) = before {
                assert!(now.freshness >= before.freshness - 1e-9, "{step}: {before:?} {now:?}");
                assert!(now.completeness >= before.completeness - 1e-9, "{step}: {now:?}");
                assert!(now.delay <= before.delay + 1e-9, "{step}: {before:?} {now:?}");
            }
            before = Some(now);
        }
        assert!(before.unwrap().freshness > 0.9, "{before:?}");
    }

    #[test]
    fn one_source_gets_the_whole_budget_and_its_items_wait_for_half_an_interval() {
        let predictor = predictor(&sources(&[10.0]), 60.0);
        let hourly = predictor.at(1.0 / HOUR).unwrap();
        assert!((hourly.refreshes * HOUR - 1.0).abs() < 1e-3, "{hourly:?}");
        assert!((hourly.delay - HOUR / 2.0).abs() < 5.0, "{hourly:?}");
        // 10 / 24 items in an hour, half of them are missing on average, of 20 + 10 that the window will show.
        let stale = 10.0 / 24.0 / 2.0 / 20.0;
        assert!((1.0 - hourly.freshness - stale).abs() < 1e-3, "{hourly:?} {stale}");
        assert!(hourly.completeness > 0.999_99);
        let delays: Vec<f64> = predictor.delays(hourly.price).collect();
        assert!((delays[0] - hourly.delay).abs() < 1e-6);
    }

    #[test]
    fn a_source_that_publishes_more_than_it_shows_loses_the_rest() {
        let predictor = predictor(&sources(&[480.0]), 60.0);
        // Forty items between two refreshes, and twenty of them are shown.
        let rare = predictor.at(1.0 / (2.0 * HOUR)).unwrap();
        assert!((rare.completeness - 0.5).abs() < 0.01, "{rare:?}");
    }

    #[test]
    fn nothing_is_predicted_without_relevant_sources() {
        assert_eq!(Predictor::default().at(1.0), None);
        let mut sources = sources(&[1.0]);
        sources.set_relevance(0, 0.0).unwrap();
        assert_eq!(predictor(&sources, 60.0).at(1.0), None);
    }
}
