//! The program on a secured node: it finds it, trusts it and is let in.

use std::fs;

use super::sandbox::{CONFIG, Sandbox};
use crate::papers::Authority;

/// A folder whose configuration secures the node by papers of these years.
fn sandbox(authority: &Authority, years: (i32, i32), more: &str) -> Sandbox {
    let sandbox = Sandbox::bare();
    // For another name than it is found under: it is known by itself.
    let papers = authority.papers_for("node", &["node.example"], years);
    let tls = format!(
        "[tls]\ncertificate = {:?}\nkey = {:?}\n",
        papers.chain.display().to_string(),
        papers.key.display().to_string()
    );
    fs::write(sandbox.path("pergola.toml"), format!("{CONFIG}{tls}{more}")).unwrap();
    sandbox
}

#[test]
fn commands_find_their_secured_node_and_are_let_in_where_certificates_are_required() {
    let authority = Authority::new("ours");
    let more =
        format!("client_ca = {:?}\nclients = \"required\"\n", authority.file.display().to_string());
    let sandbox = sandbox(&authority, (2020, 2090), &more);
    let node = sandbox.run(&[]);
    assert_eq!(sandbox.ok(&["healthcheck"]), "ready\n");
    let status = sandbox.json(&["status"]);
    assert_eq!(status["running"], true);
    let address = fs::read_to_string(sandbox.path("port")).unwrap();
    let url = format!("https://{}/", address.trim());
    assert_eq!(sandbox.ok(&["healthcheck", "--node", &url]), "ready\n");
    // The files are read again, and what is broken is rejected.
    node.signal("-HUP");
    node.wait_for("the configuration was read again");
    fs::write(authority.file.with_file_name("node.pem"), "broken").unwrap();
    node.signal("-HUP");
    assert!(node.wait_for("is rejected, the old one stays").contains("node.pem"));
}

#[test]
fn a_stranger_names_whom_it_trusts() {
    let authority = Authority::new("ours");
    let sandbox = sandbox(&authority, (2020, 2090), "");
    let _node = sandbox.run(&[]);
    let address = fs::read_to_string(sandbox.path("port")).unwrap();
    let port = address.trim().rsplit_once(':').unwrap().1;
    let url = format!("https://localhost:{port}/");
    let elsewhere = Sandbox::bare();
    let refused = elsewhere.fails(1, &["healthcheck", "--node", &url]);
    assert!(refused.contains("--ca FILE"), "{refused}");
    // Whom it trusts is one thing, for which name the certificate is another.
    let ca = authority.file.display().to_string();
    let refused = elsewhere.fails(1, &["healthcheck", "--node", &url, "--ca", &ca]);
    assert!(refused.contains("node.example"), "{refused}");
}

#[test]
fn the_doctor_sees_certificates_that_expire() {
    let authority = Authority::new("ours");
    let sandbox = sandbox(&authority, (2020, 2021), "");
    let output = sandbox.command(&["doctor"]).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("has expired at 2021-01-01"), "{said}");
    assert!(!output.status.success());
}

#[test]
fn readers_of_a_feed_are_said_and_shown() {
    let sandbox = Sandbox::begun();
    let readers = "[[reader]]\nname = \"alice\"\ntoken = \"sixteen letters and more\"\n";
    fs::write(sandbox.path("pergola.toml"), format!("{CONFIG}{readers}")).unwrap();
    sandbox.ok(&["feed", "create", "CREATE FEED Ours AS RETURN \"http://127.0.0.1:9/a\""]);
    assert_eq!(sandbox.ok(&["feed", "readers", "Ours"]), "Ours: anybody may read it\n");
    assert_eq!(sandbox.ok(&["feed", "readers", "Ours", "alice"]), "Ours: alice may read it\n");
    assert_eq!(sandbox.ok(&["feed", "readers", "Ours"]), "Ours: alice may read it\n");
    let refused = sandbox.fails(1, &["feed", "readers", "Ours", "bob"]);
    assert!(refused.contains("`bob`") && refused.contains("[[reader]]"), "{refused}");
    let nobody = sandbox.ok(&["feed", "readers", "Ours", "--nobody"]);
    assert_eq!(nobody, "Ours: only the operator may read it\n");
    let anybody = sandbox.ok(&["feed", "readers", "Ours", "--anybody"]);
    assert_eq!(anybody, "Ours: anybody may read it\n");
    let shown = sandbox.ok(&["config", "show"]);
    assert!(!shown.contains("sixteen letters") && shown.contains("name = \"alice\""), "{shown}");
}
