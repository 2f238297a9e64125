//! `pergola run` and the signals it understands.

use std::fs;

use pergola_api::operation::Reloaded;
use pergola_api::{Client, ClientError, Code};

use super::sandbox::{CONFIG, Sandbox};

#[test]
fn a_node_that_is_asked_to_end_drains_and_leaves_nothing_behind() {
    let sandbox = Sandbox::bare();
    for signal in ["-TERM", "-INT"] {
        let node = sandbox.run(&[]);
        let address = fs::read_to_string(sandbox.path("port")).unwrap();
        let known = fs::read_to_string(sandbox.data().join("node.json")).unwrap();
        assert!(known.contains(address.trim()) && !address.contains(":0\n"), "{known} {address}");
        assert_eq!(sandbox.ok(&["healthcheck"]), "ready\n");
        node.signal(signal);
        node.wait_for("node stopped");
        assert_eq!(node.end(), Some(0));
        assert!(!fs::exists(sandbox.path("port")).unwrap());
        assert!(!sandbox.data().join("node.json").exists());
    }
}

#[test]
fn a_second_node_on_the_same_folder_is_refused() {
    let sandbox = Sandbox::running();
    let refused = sandbox.fails(1, &["run", "--listen", "127.0.0.1:0"]);
    assert!(refused.contains("error: another pergola is using data"), "{refused}");
    assert_eq!(sandbox.ok(&["healthcheck"]), "ready\n");
}

#[test]
fn a_new_budget_holds_after_a_hangup_and_a_wrong_one_does_not() {
    let sandbox = Sandbox::bare();
    let node = sandbox.run(&[]);
    let file = sandbox.path("pergola.toml");
    fs::write(&file, format!("{CONFIG}[budget]\nrefreshes_per_minute = 40\n")).unwrap();
    node.signal("-HUP");
    assert!(node.wait_for("the configuration was read again").contains("budget"));
    assert_eq!(sandbox.json(&["status"])["budget_per_minute"], 40.0);

    fs::write(&file, "[budget]\nrefreshes_per_minute = -1\n").unwrap();
    node.signal("-HUP");
    node.wait_for("the new configuration is rejected, the old one stays");
    fs::write(&file, CONFIG).unwrap();
    assert_eq!(sandbox.json(&["status"])["budget_per_minute"], 40.0);
}

#[tokio::test]
async fn a_reload_over_the_api_applies_what_the_file_says_now() {
    let sandbox = Sandbox::bare();
    let node = sandbox.run(&[]);
    let address = fs::read_to_string(sandbox.path("port")).unwrap();
    let base = format!("http://{}/", address.trim()).parse().unwrap();
    // The client knows TLS and wants to be told whose, although nobody needs it here.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let network = reqwest::Client::builder().no_proxy().build().unwrap();
    let client = Client::new(network, base, None).unwrap();
    assert_eq!(client.reload().await.unwrap(), Reloaded::default());

    let file = sandbox.path("pergola.toml");
    fs::write(&file, format!("{CONFIG}[budget]\nrefreshes_per_minute = 40\n")).unwrap();
    let reloaded = client.reload().await.unwrap();
    assert_eq!((reloaded.changed, reloaded.restart), (vec!["budget".to_owned()], Vec::new()));
    assert!(node.wait_for("the configuration was read again").contains("changed=\"\""));
    assert!(node.wait_for("the configuration was read again").contains("budget"));
    assert_eq!(client.status().await.unwrap().budget_per_minute, 40.0);

    fs::write(&file, "[budget]\nrefreshes_per_minute = -1\n").unwrap();
    let Err(ClientError::Refused(problem)) = client.reload().await else { panic!() };
    assert_eq!(problem.code, Code::BadConfig);
    assert_eq!(client.status().await.unwrap().budget_per_minute, 40.0);
}

#[test]
fn a_node_that_wants_a_token_says_how_to_give_it() {
    let sandbox = Sandbox::bare();
    let token = "sixteen letters and more";
    let _node = sandbox.run(&[("PERGOLA_API__TOKEN", token)]);
    assert_eq!(sandbox.json(&["status"])["running"], true);
    let refused = sandbox.fails(1, &["source", "list"]);
    assert!(refused.contains("--token") && refused.contains("PERGOLA_API__TOKEN"), "{refused}");
    assert!(sandbox.ok(&["source", "list", "--token", token]).starts_with("no sources; "));
    let address = fs::read_to_string(sandbox.path("port")).unwrap();
    let elsewhere = Sandbox::bare();
    let node = format!("http://{}/", address.trim());
    let mut command = elsewhere.command(&["source", "list", "--node", &node]);
    let output = command.env("PERGOLA_API__TOKEN", token).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn what_a_dead_node_left_behind_leads_nobody_astray() {
    let sandbox = Sandbox::bare();
    let node = sandbox.run(&[]);
    sandbox.ok(&["source", "add", "https://example.org/rss", "--no-refresh"]);
    node.signal("-KILL");
    assert_eq!(node.end(), None);
    assert!(sandbox.data().join("node.json").exists());
    let status = sandbox.json(&["status"]);
    assert_eq!((&status["running"], &status["sources"]), (&false.into(), &1.into()));
    let refused = sandbox.fails(1, &["healthcheck"]);
    assert!(refused.contains("no node uses the data folder"), "{refused}");
}

#[test]
fn the_log_can_be_read_by_programs() {
    let sandbox = Sandbox::bare();
    let node = sandbox.run(&[("PERGOLA_LOG__FORMAT", "json")]);
    node.signal("-TERM");
    let line: serde_json::Value = serde_json::from_str(&node.wait_for("node stopped")).unwrap();
    assert_eq!(line["level"], "INFO");
}
