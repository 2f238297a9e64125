//! What programs are told with `--json`: one object on standard error if a command fails, and instants in RFC 3339.

use std::collections::BTreeSet;

use serde_json::Value;

use super::sandbox::{RSS, Sandbox, serve};

/// What is said of a command that fails with this code.
#[track_caller]
fn failure(sandbox: &Sandbox, exit: i32, args: &[&str]) -> Value {
    let said = sandbox.fails(exit, &[args, &["--json"]].concat());
    assert_eq!(said.lines().count(), 1, "{said}");
    let object: Value = serde_json::from_str(&said).unwrap_or_else(|_| panic!("{said}"));
    let keys: BTreeSet<&str> = object.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, BTreeSet::from(["code", "hint", "message"]), "{said}");
    object
}

#[test]
fn a_failure_is_one_object_with_a_code_a_message_and_a_hint() {
    for sandbox in Sandbox::both() {
        let told = failure(&sandbox, 1, &["feed", "show", "News"]);
        assert_eq!(told["code"], "unknown-feed", "{told}");
        assert_eq!(told["message"], "there is no feed `News`");
        assert_eq!(told["hint"], "`pergola feed list` shows all feeds");
        let told = failure(&sandbox, 1, &["feed", "create", ""]);
        assert_eq!(told["code"], "not-one-statement", "{told}");
        assert!(told["hint"].as_str().unwrap().contains("CREATE FEED"), "{told}");
    }
}

#[test]
fn a_failure_before_any_node_is_asked_is_one_object_too() {
    let sandbox = Sandbox::bare();
    assert_eq!(failure(&sandbox, 1, &["status"])["code"], "no-node");
    assert_eq!(failure(&sandbox, 2, &["fed"])["code"], "usage");
    let told = failure(&sandbox, 2, &["source", "refresh"]);
    assert!(told["message"].as_str().unwrap().contains("required arguments"), "{told}");
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let node = format!("http://{closed}/");
    assert_eq!(failure(&sandbox, 1, &["status", "--node", &node])["code"], "unreachable");
    std::fs::write(sandbox.path("pergola.toml"), "[node]\nnmae = \"a\"\n").unwrap();
    let told = failure(&sandbox, 1, &["config", "check"]);
    assert_eq!(told["code"], "bad-config");
    assert!(told["message"].as_str().unwrap().contains("did you mean `name`?"), "{told}");
}

#[test]
fn help_is_text_even_for_programs() {
    let sandbox = Sandbox::bare();
    assert!(sandbox.ok(&["status", "--json", "--help"]).contains("Usage: pergola status"));
}

#[test]
fn instants_are_written_in_rfc_3339() {
    for sandbox in Sandbox::both() {
        let url = serve("application/rss+xml", RSS);
        let added = sandbox.json(&["source", "add", &url]);
        let shown = sandbox.json(&["source", "show", "1"]);
        for instant in [
            &added["report"]["next_refresh"],
            &shown["source"]["last_refresh"],
            &shown["source"]["next_refresh"],
            &shown["recent"][0]["at"],
        ] {
            let text = instant.as_str().unwrap_or_else(|| panic!("{instant}"));
            assert!(text.parse::<pergola_api::Instant>().is_ok() && text.ends_with('Z'), "{text}");
            assert_eq!(text.len(), "2026-11-17T22:06:38.125Z".len(), "{text}");
        }
    }
}
