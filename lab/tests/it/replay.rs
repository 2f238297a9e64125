//! `replay` over a synthetic trace: who wins, at what cost, and in what form it is told.

use crate::{Folder, lab, number, rows};

fn trace(folder: &Folder, sources: &str, weeks: &str) -> String {
    let trace = folder.file("trace");
    let output = lab(&["synthesise", &trace, "--sources", sources, "--weeks", weeks]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    trace
}

#[test]
fn a_plan_with_a_calendar_beats_the_rules_of_feed_readers_at_equal_cost() {
    let folder = Folder::new("replay");
    let trace = trace(&folder, "60", "5");
    let run = |strategy: &str, equity: &str| {
        let found = rows(&[
            "replay",
            "--trace",
            &trace,
            "--strategy",
            strategy,
            "--model",
            "calendar",
            "--equity",
            equity,
        ]);
        assert_eq!(found.len(), 1);
        found[0].clone()
    };
    let (fixed, frequency) = (run("fixed-interval", "0"), run("entry-frequency", "0"));
    let plan = run("plan", "0");
    let delay = |row| number(row, "delay_mean_s");
    assert!(delay(&plan) < 0.65 * delay(&fixed), "{} against {}", delay(&plan), delay(&fixed));
    assert!(delay(&plan) < 0.8 * delay(&frequency));
    assert!(number(&plan, "freshness") > number(&fixed, "freshness"));
    assert!(number(&plan, "completeness") > number(&fixed, "completeness"));
    let budget = 0.25 * 60.0 * 24.0 * 28.0;
    for row in [&fixed, &frequency, &plan] {
        let used = number(row, "requests") / budget;
        assert!((used - 1.0).abs() < 0.03, "{} of the budget, {row}", used);
    }
    // With equity, quiet sources are not left behind either.
    let fair = run("plan", "0.5");
    let by_feed = |row| number(row, "delay_feed_mean_s");
    assert!(by_feed(&fair) < 0.8 * by_feed(&plan), "{} against {}", by_feed(&fair), by_feed(&plan));
    assert!(
        by_feed(&fair) < 1.1 * by_feed(&fixed),
        "{} against {}",
        by_feed(&fair),
        by_feed(&fixed)
    );
    assert!(delay(&fair) < 0.75 * delay(&fixed));
}

#[test]
fn every_strategy_and_model_is_in_the_table_with_all_its_fields() {
    let folder = Folder::new("all");
    let trace = trace(&folder, "12", "2");
    let rows = rows(&["replay", "--trace", &trace, "--budget", "0.5", "--query-share", "0.5"]);
    // Six strategies with eleven models, four without, and the product's default with equity.
    assert_eq!(rows.len(), 6 * 11 + 4 + 1);
    for row in &rows {
        for field in [
            "budget_per_hour",
            "requests",
            "completeness",
            "freshness",
            "delay_mean_s",
            "delay_p95_s",
            "delay_feed_mean_s",
            "lost",
        ] {
            assert!(number(row, field) >= 0.0, "{field} in {row}");
        }
        assert!(row["strategy"].is_string());
    }
    assert!(rows.iter().any(|row| row["strategy"] == "Reference"));
}

#[test]
fn a_trace_is_characterised_as_it_was_made() {
    let folder = Folder::new("kinds");
    let trace = trace(&folder, "80", "4");
    let rows = rows(&["characterise", "--trace", &trace]);
    assert_eq!(rows.len(), 80);
    let with = |field: &str, value: &str| rows.iter().filter(|row| row[field] == value).count();
    assert!(with("activity_class", "lt1") > 5 && with("activity_class", "gt48") > 5);
    assert!(with("shape_80", "uniform") > 0 && with("shape_80", "waves") > 0);
}
