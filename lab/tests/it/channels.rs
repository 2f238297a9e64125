//! Channel profiles and Dynamo on a synthetic newsroom: what the papers found is found, and so is what
//! they overlooked.

use serde_json::Value;

use crate::{Folder, lab, number, rows};

fn small<'a>(experiment: &'a str, more: &[&'a str]) -> Vec<Value> {
    rows(&[&[experiment, "--sources", "40", "--weeks", "4", "--seeds", "2"], more].concat())
}

fn of<'a>(rows: &'a [Value], field: &str, value: &str) -> &'a Value {
    rows.iter().find(|row| row[field] == value).unwrap_or_else(|| panic!("no {value}"))
}

#[test]
fn learnt_rates_order_channels_as_the_true_ones_do_and_the_printed_rule_starves_them() {
    let rows = small("channels-convergence", &[]);
    let (printed, ours) = (of(&rows, "rule", "printed"), of(&rows, "rule", "ours"));
    assert!(number(ours, "spearman") > 0.9, "{ours}");
    assert_eq!(number(ours, "starved"), 0.0);
    assert!(number(printed, "starved") > 20.0, "{printed}");
    assert!(number(ours, "quality") > number(printed, "quality") + 0.2);
    assert_eq!(number(ours, "published"), 0.96);
}

#[test]
fn a_stricter_filter_saves_more_refreshes_and_costs_more_quality() {
    let rows = small("channels-beta", &[]);
    assert!(rows[0]["beta"].is_null());
    let cuts: Vec<f64> =
        rows[1..].iter().map(|row| number(row, "refreshes_cut_by_channel")).collect();
    assert!(cuts.is_sorted_by(|a, b| a >= b), "{cuts:?}");
    let loss = |row: &Value| number(row, "quality_loss");
    assert!(loss(&rows[1]) > loss(rows.last().unwrap()) + 0.01);
    let at = rows.iter().find(|row| row["beta"] == 0.1).unwrap();
    assert!(number(at, "refreshes_cut_by_channel") > 0.2 && loss(at) < 0.05, "{at}");
    assert!(number(at, "published_refreshes_cut") > 0.3);
}

#[test]
fn content_based_policies_keep_better_profiles_at_every_budget() {
    let rows = small("channels-policies", &[]);
    assert_eq!(rows.len(), 4 * 2 * 12);
    let row = |rule: &str, choice: &str, m: usize| {
        let found = |r: &&Value| r["rule"] == rule && r["choice"] == choice && r["m"] == m;
        rows.iter().find(found).unwrap()
    };
    for m in 1..=12 {
        // Forty channels need no policy once they are refreshed often enough.
        let rules: &[&str] = if m <= 6 { &["printed", "ours"] } else { &["printed"] };
        for rule in rules {
            let found = row(rule, "greedy", m);
            assert!(number(found, "difference") > 0.0, "{found}");
        }
        for choice in ["greedy", "fair"] {
            let quality = |rule| number(&row(rule, choice, m)["content_based"], "mean");
            assert!(quality("ours") > quality("printed"), "M = {m}, {choice}");
        }
        let found = row("ours", "fair", m);
        let (free, based) = (&found["content_free"], &found["content_based"]);
        let difference = number(based, "mean") - number(free, "mean");
        assert!((difference - number(found, "difference")).abs() < 1e-12);
        assert_eq!(number(found, "worlds"), 2.0);
    }
}

#[test]
fn by_every_window_the_filter_saves_refreshes() {
    let windows = small("channels-window", &[]);
    assert_eq!(windows.len(), 7);
    assert!(
        windows.iter().all(|row| number(row, "refreshes_content") < number(row, "refreshes_free"))
    );
}

#[test]
fn similar_channels_tell_of_each_other_where_rates_are_learnt_badly_and_only_there() {
    let rows = rows(&["channels-similarity", "--sources", "36", "--weeks", "3", "--seeds", "2"]);
    assert_eq!(rows.len(), 12 + 5 * 6);
    let row = |channels: &str, rule: &str| {
        let found = |r: &&Value| r["channels"] == channels && r["rule"] == rule && r["m"] == 6;
        rows.iter().find(found).unwrap()
    };
    // By the printed rule a rate is hardly more than the last refresh; the rates of the group are better.
    let alike = row("and same pace", "printed");
    assert!(number(alike, "correlation_all") > number(alike, "correlation") + 0.1, "{alike}");
    // Who learns well has nothing to gain, and strangers have nothing to tell.
    let ours = row("and same pace", "ours");
    let gain = |row: &Value, which: &str| number(&row[which], "mean");
    assert!(gain(ours, "gain_all_percent").abs() < 1.0 && number(ours, "correlation") > 0.9);
    assert!(gain(row("strangers", "ours"), "gain_nearest_percent").abs() < 0.5);
    // Channels that are only similar by chance mislead.
    assert!(gain(row("same subject", "ours"), "gain_all_percent") < 0.0);
}

#[test]
fn golden_section_search_reaches_the_minimum_of_two_hundred_series() {
    let rows = rows(&["dynamo-mse"]);
    let all = of(&rows, "series", "all drawn");
    assert_eq!((number(all, "number"), number(all, "reached")), (200.0, 200.0));
    assert!(number(all, "evaluations_most") <= 40.0);
    assert!(number(all, "error_to_half") < 1.0 && number(all, "error_to_last") < 0.9);
    // Pure chance wants a long memory, what drifts a short one.
    let alpha = |kind| number(of(&rows, "series", kind), "alpha_mean");
    assert!(alpha("chance") > 0.8 && alpha("drifting") < 0.5);
    // Where the pace drifts Dynamo predicts best; where the hour decides, a calendar does.
    let error = |kind, model: &str| number(&of(&rows, "series", kind)["prediction"], model);
    assert!(error("drifting", "dynamo") < error("drifting", "gamma"));
    assert!(error("daily", "calendar") < error("daily", "dynamo"));
    assert!(error("chance", "gamma") < error("chance", "dynamo"));
}

#[test]
fn a_recorded_trace_is_taken_and_the_plot_written() {
    let folder = Folder::new("channels");
    let trace = folder.file("trace");
    assert!(lab(&["synthesise", &trace, "--sources", "10", "--weeks", "2"]).status.success());
    let (plot, csv) = (folder.file("beta.svg"), folder.file("beta.csv"));
    let output = lab(&["channels-beta", "--trace", &trace, "--plot", &plot, "--csv", &csv]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(std::fs::read_to_string(&plot).unwrap().contains("</svg>"));
    assert_eq!(std::fs::read_to_string(&csv).unwrap().lines().count(), 11);
    let series = rows(&["dynamo-mse", "--trace", &trace]);
    assert_eq!((series.len(), &series[0]["series"]), (7, &Value::from("recorded")));
    let same =
        |seed| lab(&["channels-convergence", "--trace", &trace, "--seed", seed, "--json"]).stdout;
    assert_eq!(same("1"), same("1"));
}
