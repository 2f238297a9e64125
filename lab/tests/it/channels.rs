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
fn a_stricter_filter_saves_more_looks_and_costs_more_quality() {
    let rows = small("channels-beta", &[]);
    assert!(rows[0]["beta"].is_null());
    let cuts: Vec<f64> = rows[1..].iter().map(|row| number(row, "looks_cut_by_channel")).collect();
    assert!(cuts.is_sorted_by(|a, b| a >= b), "{cuts:?}");
    let loss = |row: &Value| number(row, "quality_loss");
    assert!(loss(&rows[1]) > loss(rows.last().unwrap()) + 0.01);
    let at = rows.iter().find(|row| row["beta"] == 0.1).unwrap();
    assert!(number(at, "looks_cut_by_channel") > 0.2 && loss(at) < 0.05, "{at}");
    assert!(number(at, "published_looks_cut") > 0.3);
}

#[test]
fn by_the_printed_rule_content_based_policies_keep_better_profiles_at_every_budget() {
    let rows = small("channels-policies", &[]);
    for m in [1, 2, 4, 6, 8, 10, 12] {
        let quality = |rule: &str, policy: &str| {
            let found = |r: &&Value| r["rule"] == rule && r["policy"] == policy && r["m"] == m;
            number(rows.iter().find(found).unwrap(), "quality")
        };
        let content = quality("printed", "content-based (greedy)");
        assert!(content > quality("printed", "content-free (greedy)"), "M = {m}: {content}");
        // Ours is above the printed rule for each policy.
        for policy in ["content-free (greedy)", "content-based (greedy)", "content-based (fair)"] {
            assert!(quality("ours", policy) > quality("printed", policy), "M = {m}, {policy}");
        }
    }
}

#[test]
fn windows_and_similar_channels_are_reported_with_all_their_figures() {
    let windows = small("channels-window", &[]);
    assert_eq!(windows.len(), 7);
    assert!(windows.iter().all(|row| number(row, "looks_content") < number(row, "looks_free")));
    let similar = small("channels-similarity", &[]);
    assert_eq!(similar.len(), 3 * 2 * 3);
    for row in &similar {
        assert!((0.0..=1.0).contains(&number(row, "quality_refined")), "{row}");
    }
}

#[test]
fn golden_section_search_reaches_the_minimum_of_two_hundred_series() {
    let rows = rows(&["dynamo-mse"]);
    let all = of(&rows, "series", "all");
    assert_eq!((number(all, "number"), number(all, "reached")), (200.0, 200.0));
    assert!(number(all, "evaluations_most") <= 40.0);
    assert!(number(all, "error_to_half") < 1.0 && number(all, "error_to_last") < 0.9);
    // Pure chance wants a long memory, what drifts a short one.
    let alpha = |kind| number(of(&rows, "series", kind), "alpha_mean");
    assert!(alpha("chance") > 0.8 && alpha("drifting") < 0.5);
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
    assert!(rows(&["dynamo-mse", "--trace", &trace]).len() == 1);
    let same =
        |seed| lab(&["channels-convergence", "--trace", &trace, "--seed", seed, "--json"]).stdout;
    assert_eq!(same("1"), same("1"));
}
