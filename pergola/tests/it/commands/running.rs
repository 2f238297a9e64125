//! `pergola run` and the signals it understands.

use std::fs;

use pergola_api::operation::Reloaded;
use pergola_api::{Client, ClientError, Code};

use super::sandbox::{CONFIG, RSS, Sandbox, serve};

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

#[test]
fn private_networks_are_allowed_by_a_hangup_or_a_command_without_a_restart() {
    let sandbox = Sandbox::bare();
    fs::write(sandbox.path("pergola.toml"), "").unwrap();
    let node = sandbox.run(&[]);
    let url = serve("application/rss+xml", RSS);
    let refused = sandbox.fails(1, &["source", "add", &url]);
    assert!(refused.contains("`pergola config set crawl.allow_private 127.0.0.1`"), "{refused}");
    assert!(
        refused.contains("hint: once the address is allowed, add the source again"),
        "{refused}"
    );
    let set = sandbox.ok(&["config", "set", "crawl.allow_private", "127.0.0.1"]);
    let holds = "crawl.allow_private = [\"127.0.0.1/32\"]; in effect now, and after a restart\n";
    assert_eq!(set, holds);
    sandbox.ok(&["source", "add", &url]);
    let shown = sandbox.ok(&["config", "show"]);
    let line = shown.lines().find(|line| line.starts_with("allow_private = ")).unwrap();
    assert!(line.contains("# stored in ") && line.ends_with("settings.toml"), "{line}");
    sandbox.ok(&["config", "unset", "crawl.allow_private"]);
    let other = serve("application/rss+xml", RSS);
    sandbox.fails(1, &["source", "add", &other]);
    fs::write(sandbox.path("pergola.toml"), CONFIG).unwrap();
    node.signal("-HUP");
    assert!(node.wait_for("the configuration was read again").contains("crawl.allow_private"));
    sandbox.ok(&["source", "add", &other]);
    assert_eq!(fs::read_to_string(sandbox.path("pergola.toml")).unwrap(), CONFIG);
}

#[test]
fn a_key_is_set_without_a_node_for_its_next_start() {
    let sandbox = Sandbox::begun();
    let set = sandbox.ok(&["config", "set", "budget.refreshes_per_minute", "40"]);
    assert_eq!(set, "budget.refreshes_per_minute = 40; in effect when the node starts\n");
    let _node = sandbox.run(&[("PERGOLA_CRAWL__ALLOW_PRIVATE", "10.0.0.1")]);
    assert_eq!(sandbox.json(&["status"])["budget_per_minute"], 40.0);
    let set = sandbox.ok(&["config", "set", "crawl.allow_private", "10.0.0.2"]);
    let overridden = "it is stored, but PERGOLA_CRAWL__ALLOW_PRIVATE overrides it\n";
    assert!(set.ends_with(overridden), "{set}");
    let refused = sandbox.fails(1, &["config", "set", "crawl.timeout", "5 s"]);
    assert!(refused.contains("`crawl.timeout` needs a restart"), "{refused}");
    let refused = sandbox.fails(1, &["config", "set", "crawl.allow_privat", "10.0.0.2"]);
    assert!(refused.contains("did you mean `crawl.allow_private`?"), "{refused}");
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
    let address = fs::read_to_string(sandbox.path("port")).unwrap();
    let node = format!("http://{}/", address.trim());
    let refused = sandbox.fails(1, &["source", "list", "--node", &node]);
    assert!(refused.contains("--token") && refused.contains("PERGOLA_API__TOKEN"), "{refused}");
    let listed = sandbox.ok(&["source", "list", "--node", &node, "--token", token]);
    assert!(listed.starts_with("no sources; "), "{listed}");
    let elsewhere = Sandbox::bare();
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
