//! What the doctor says of a node that runs, and of one that does not.

use std::net::TcpListener;

use serde_json::Value;

use super::sandbox::{RSS, Sandbox, serve};

/// What the doctor found, and the code that it ended with.
fn examined(sandbox: &Sandbox) -> (Vec<(String, String)>, Option<i32>) {
    examined_with(sandbox, &[])
}

fn examined_with(sandbox: &Sandbox, more: &[&str]) -> (Vec<(String, String)>, Option<i32>) {
    let output = sandbox.command(&[&["doctor", "--json"], more].concat()).output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let findings = document["findings"].as_array().unwrap().iter().map(|finding| {
        let text = |field: &str| finding[field].as_str().unwrap_or_default().to_owned();
        (text("grade"), format!("{}: {}", text("what"), text("advice")))
    });
    (findings.collect(), output.status.code())
}

/// The findings with this in them.
fn about<'a>(findings: &'a [(String, String)], text: &str) -> Vec<&'a (String, String)> {
    findings.iter().filter(|(_, said)| said.contains(text)).collect()
}

#[test]
fn a_node_that_runs_is_asked_and_its_store_is_left_alone() {
    // It listens on another port than the configuration says.
    let sandbox = Sandbox::running();
    sandbox.ok(&["source", "add", &serve("application/rss+xml", RSS)]);
    let (findings, _) = examined(&sandbox);
    assert_eq!(about(&findings, "does not open"), Vec::<&(String, String)>::new());
    let ready = about(&findings, "runs and is ready");
    assert_eq!((ready.len(), ready[0].0.as_str()), (1, "well"), "{findings:?}");
    assert_eq!(about(&findings, "it has 1 source(s)").len(), 1, "{findings:?}");
    assert_eq!(about(&findings, "fails since").len(), 0, "{findings:?}");
}

#[test]
fn sources_that_fail_are_findings_whether_a_node_runs_or_not() {
    for sandbox in Sandbox::both() {
        let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let url = format!("http://{closed}/rss");
        sandbox.ok(&["source", "add", &url, "--no-refresh"]);
        assert!(sandbox.ok(&["source", "refresh", "1", "--force"]).starts_with("failed: "));
        let (findings, code) = examined(&sandbox);
        let failing = about(&findings, &format!("source 1, {url}, fails since "));
        assert_eq!(failing.len(), 1, "{findings:?}");
        let (grade, said) = failing[0];
        assert_eq!(grade, "warning");
        assert!(said.contains("`pergola source refresh 1 --force`"), "{said}");
        assert_eq!(code, Some(1), "something needs attention");
        let output = sandbox.command(&["doctor"]).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(!text.contains("All is well") && text.contains(" to look into."), "{text}");
        let shown = sandbox.ok(&["source", "show", "1"]);
        assert!(shown.contains("freshness     not known yet\n"), "{shown}");
        assert!(shown.contains(": the last refresh failed (connect)"), "{shown}");
    }
}

#[test]
fn a_node_that_wants_a_token_says_so_to_the_doctor() {
    let sandbox = Sandbox::bare();
    let _node = sandbox.run(&[("PERGOLA_API__TOKEN", "sixteen letters and more")]);
    let (findings, _) = examined(&sandbox);
    assert_eq!(about(&findings, "it has 0 source(s)").len(), 1, "by the socket: {findings:?}");
    let address = std::fs::read_to_string(sandbox.path("port")).unwrap();
    let url = format!("http://{}/", address.trim());
    let (findings, code) = examined_with(&sandbox, &["--node", &url]);
    let refused = about(&findings, "give the node's api.token with --token");
    assert_eq!((refused.len(), code), (1, Some(1)), "{findings:?}");
}
