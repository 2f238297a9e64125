//! `pergola run` and the signals it understands.

use std::fs;

use super::place::{CONFIG, Place};

#[test]
fn a_node_that_is_asked_to_end_drains_and_leaves_nothing_behind() {
    let place = Place::bare();
    for signal in ["-TERM", "-INT"] {
        let node = place.run(&[]);
        let address = fs::read_to_string(place.path("port")).unwrap();
        let known = fs::read_to_string(place.data().join("node.json")).unwrap();
        assert!(known.contains(address.trim()) && !address.contains(":0\n"), "{known} {address}");
        assert_eq!(place.ok(&["healthcheck"]), "ready\n");
        node.signal(signal);
        node.wait_for("node stopped");
        assert_eq!(node.end(), Some(0));
        assert!(!fs::exists(place.path("port")).unwrap());
        assert!(!place.data().join("node.json").exists());
    }
}

#[test]
fn a_second_node_on_the_same_folder_is_refused() {
    let place = Place::running();
    let refused = place.fails(1, &["run", "--listen", "127.0.0.1:0"]);
    assert!(refused.contains("error: another pergola is using data"), "{refused}");
    assert_eq!(place.ok(&["healthcheck"]), "ready\n");
}

#[test]
fn a_new_budget_holds_after_a_hangup_and_a_wrong_one_does_not() {
    let place = Place::bare();
    let node = place.run(&[]);
    let file = place.path("pergola.toml");
    fs::write(&file, format!("{CONFIG}[budget]\nrefreshes_per_minute = 40\n")).unwrap();
    node.signal("-HUP");
    assert!(node.wait_for("the configuration was read again").contains("budget"));
    assert_eq!(place.json(&["status"])["budget_per_minute"], 40.0);

    fs::write(&file, "[budget]\nrefreshes_per_minute = -1\n").unwrap();
    node.signal("-HUP");
    node.wait_for("the configuration is not taken over, the old one stays");
    fs::write(&file, CONFIG).unwrap();
    assert_eq!(place.json(&["status"])["budget_per_minute"], 40.0);
}

#[test]
fn a_node_that_wants_a_token_says_how_to_give_it() {
    let place = Place::bare();
    let token = "sixteen letters and more";
    let _node = place.run(&[("PERGOLA_API__TOKEN", token)]);
    assert_eq!(place.json(&["status"])["running"], true);
    let refused = place.fails(1, &["source", "list"]);
    assert!(refused.contains("--token") && refused.contains("PERGOLA_API__TOKEN"), "{refused}");
    assert!(place.ok(&["source", "list", "--token", token]).starts_with("no sources; "));
    let address = fs::read_to_string(place.path("port")).unwrap();
    let elsewhere = Place::bare();
    let node = format!("http://{}/", address.trim());
    let mut command = elsewhere.command(&["source", "list", "--node", &node]);
    let output = command.env("PERGOLA_API__TOKEN", token).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn what_a_dead_node_left_behind_leads_nobody_astray() {
    let place = Place::bare();
    let node = place.run(&[]);
    place.ok(&["source", "add", "https://example.org/rss", "--no-refresh"]);
    node.signal("-KILL");
    assert_eq!(node.end(), None);
    assert!(place.data().join("node.json").exists());
    let status = place.json(&["status"]);
    assert_eq!((&status["running"], &status["sources"]), (&false.into(), &1.into()));
    let refused = place.fails(1, &["healthcheck"]);
    assert!(refused.contains("no node uses the data folder"), "{refused}");
}

#[test]
fn the_log_can_be_read_by_programs() {
    let place = Place::bare();
    let node = place.run(&[("PERGOLA_LOG__FORMAT", "json")]);
    node.signal("-TERM");
    let line: serde_json::Value = serde_json::from_str(&node.wait_for("node stopped")).unwrap();
    assert_eq!(line["level"], "INFO");
}
