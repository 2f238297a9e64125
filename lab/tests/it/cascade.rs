//! `cascade`: what hops cost and what cooperation saves.

use std::sync::LazyLock;

use serde_json::Value;

use crate::{lab, number};

/// The whole result, over a few worlds.
static CASCADE: LazyLock<Value> = LazyLock::new(|| {
    let output = lab(&["cascade", "--seeds", "3", "--json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
});

#[test]
fn hops_cost_completeness_and_time_and_cooperation_saves_both() {
    let rows = CASCADE["rows"].as_array().unwrap();
    let at = |strategy: &str, mode: &str, hop: u64, figure: &str| {
        let row = rows.iter().find(|row| {
            row["strategy"] == strategy
                && row["mode"] == mode
                && row["hop"] == hop
                && row["decisions"] == 1
        });
        number(row.unwrap(), figure)
    };
    let two_steps = |mode: &str, hop: u64, figure: &str| at("2Steps", mode, hop, figure);
    // Every hop of plain pulling loses and delays.
    for hop in 2..=5 {
        for (figure, sign) in [("completeness", -1.0), ("delay_mean", 1.0), ("held", -1.0)] {
            let (before, after) =
                (two_steps("pull", hop - 1, figure), two_steps("pull", hop, figure));
            assert!(sign * (after - before) > 0.0, "{figure} at hop {hop}: {before}, then {after}");
        }
    }
    let delay = two_steps("pull", 5, "delay_mean");
    assert!((5.0..8.0).contains(&delay), "plain pull at hop 5: {delay} cycles");
    // With paging nothing is lost after the first hop.
    for mode in ["archive", "notice + archive"] {
        let lost = two_steps(mode, 1, "completeness") - two_steps(mode, 5, "completeness");
        assert!(lost < 0.002, "{mode} lost {lost}");
    }
    for figure in ["completeness", "delay_mean", "delay_median", "held"] {
        assert_eq!(two_steps("push", 5, figure), two_steps("push", 1, figure), "{figure}");
    }
    for mode in ["hints", "notice"] {
        assert!(two_steps(mode, 5, "completeness") > two_steps("pull", 5, "completeness"));
        assert!(two_steps(mode, 5, "held") > 1.3 * two_steps("pull", 5, "held"), "{mode}");
    }
    // The first hop knows nothing of what follows.
    for mode in ["hints", "notice", "archive", "push"] {
        assert_eq!(two_steps(mode, 1, "delay_mean"), two_steps("pull", 1, "delay_mean"), "{mode}");
    }
}

#[test]
fn planned_looks_bring_items_through_five_hops_much_earlier_at_equal_cost() {
    let ratios = CASCADE["hints_over_pull"].as_array().unwrap();
    assert_eq!(ratios.len(), 5);
    for ratio in ratios {
        // Nodes that decide once a cycle wait half a cycle at every hop, whatever they know.
        let most = if ratio["decisions"] == 1 { 0.7 } else { 0.4 };
        assert!(number(ratio, "delay_median") < most, "{ratio}");
        assert!(number(ratio, "delay_mean") < most, "{ratio}");
        assert!(number(ratio, "requests") < 1.05, "{ratio}");
    }
}
