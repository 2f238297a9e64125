//! What budgets bring, as a table and a drawing.

use maud::{Markup, html};
use pergola_api::operation::{BudgetPrediction, PredictedBudget};

use super::number;
use crate::words::{counted, span};

/// The drawing, in its own units.
const WIDTH: f64 = 360.0;
const HEIGHT: f64 = 120.0;
const EDGE: f64 = 38.0;

/// What budgets bring. `asked`: the one that was typed.
pub fn predicted(prediction: &BudgetPrediction, asked: &str) -> Markup {
    if prediction.budgets.is_empty() {
        return html! {
            p.soft { "Nothing can be predicted yet: no source is asked for news whose items a feed wants." }
        };
    }
    let asked: Option<f64> = asked.trim().parse().ok();
    let is =
        |one: &PredictedBudget, other: f64| (one.refreshes_per_minute / other - 1.0).abs() < 1e-6;
    html! {
        (drawing(prediction))
        div.wide {
            table {
                caption.soft {
                    "What the node expects for its " (counted(prediction.polled as u64, "source")) ", by what it has learnt of each"
                    @if prediction.told > 0 {
                        "; " (prediction.told) " more say themselves when they have news"
                    }
                    "."
                }
                thead {
                    tr {
                        th.number scope="col" { "Refreshes a minute" }
                        th.number scope="col" { "Mean delay" }
                        th.number scope="col" { "Fresh" }
                        th.number scope="col" { "Complete" }
                    }
                }
                tbody {
                    @for one in &prediction.budgets {
                        tr aria-current=[asked.filter(|asked| is(one, *asked)).map(|_| "true")] {
                            th.number scope="row" {
                                (number(one.refreshes_per_minute))
                                @if is(one, prediction.in_force) { " (now)" }
                            }
                            td.number { (span(one.delay)) }
                            td.number { (format!("{:.1} %", 100.0 * one.freshness)) }
                            td.number { (format!("{:.1} %", 100.0 * one.completeness)) }
                        }
                    }
                }
            }
        }
        @if let Some(spare) = prediction.budgets.iter().find(|one| one.spent_per_minute < 0.98 * one.refreshes_per_minute) {
            p.soft {
                "From about " (number(spare.spent_per_minute)) " refreshes a minute on, more changes nothing: "
                "every source is asked as often as it may be."
            }
        }
    }
}

/// Freshness and completeness by the logarithm of the budget.
fn drawing(prediction: &BudgetPrediction) -> Markup {
    let budgets = &prediction.budgets;
    let [first, .., last] = budgets.as_slice() else { return html! {} };
    let (low, high) = (first.refreshes_per_minute.ln(), last.refreshes_per_minute.ln());
    let x =
        |budget: f64| EDGE + (budget.ln() - low) / (high - low).max(1e-9) * (WIDTH - 2.0 * EDGE);
    let y = |share: f64| 10.0 + (1.0 - share) * (HEIGHT - 30.0);
    let line = |share: fn(&PredictedBudget) -> f64| {
        let points = budgets
            .iter()
            .map(|one| format!("{:.1},{:.1}", x(one.refreshes_per_minute), y(share(one))));
        points.collect::<Vec<_>>().join(" ")
    };
    let now = x(prediction.in_force).clamp(EDGE, WIDTH - EDGE);
    html! {
        figure.curves {
            svg viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img"
                aria-label="Freshness and completeness by the budget; the table has the same figures" {
                @for share in [0.0, 0.5, 1.0] {
                    line.grid x1=(EDGE) x2=(WIDTH - EDGE) y1=(y(share)) y2=(y(share)) {}
                    text x=(EDGE - 4.0) y=(y(share) + 4.0) text-anchor="end" { (format!("{:.0} %", 100.0 * share)) }
                }
                line.now x1=(now) x2=(now) y1=(y(1.0)) y2=(y(0.0)) {}
                text x=(now) y=(HEIGHT - 6.0) text-anchor="middle" { "now" }
                polyline.complete points=(line(|one| one.completeness)) {}
                polyline.fresh points=(line(|one| one.freshness)) {}
            }
            figcaption.soft {
                span.fresh { "━" } " fresh, " span.complete { "╍" } " complete, from "
                (number(first.refreshes_per_minute)) " to " (number(last.refreshes_per_minute)) " refreshes a minute"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_told_with_the_one_in_force_and_the_one_that_was_asked_for() {
        let one = |budget: f64, freshness: f64| PredictedBudget {
            refreshes_per_minute: budget,
            spent_per_minute: budget.min(3.0),
            freshness,
            completeness: freshness,
            delay: 600.0 / budget,
        };
        let prediction = BudgetPrediction {
            in_force: 2.0,
            polled: 12,
            told: 1,
            budgets: vec![one(1.0, 0.5), one(2.0, 0.75), one(4.0, 0.9)],
        };
        let told = predicted(&prediction, "4").into_string();
        assert!(told.contains("2 (now)") && told.contains("10 min"), "{told}");
        assert!(
            told.contains("<tr aria-current=\"true\"><th class=\"number\" scope=\"row\">4<"),
            "{told}"
        );
        assert!(told.contains("From about 3 refreshes"), "{told}");
        assert!(!told.contains("NaN") && !told.contains("style="));
        let none = predicted(&BudgetPrediction::default(), "x").into_string();
        assert!(none.contains("Nothing can be predicted yet"));
    }
}
