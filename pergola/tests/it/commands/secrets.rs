//! Sources that do not let everybody in, on the command line.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::sandbox::{RSS, Sandbox, serve, serve_to};

/// What must never be seen.
const SECRET: &str = "open-sesame";
/// What bob's request has in its head.
const BASIC: &str = "Basic Ym9iOm9wZW4tc2VzYW1l";

fn protected() -> String {
    serve_to(BASIC, "application/rss+xml", RSS)
}

#[test]
fn a_password_comes_from_a_file_or_a_variable_and_is_never_shown() {
    for sandbox in Sandbox::both() {
        let url = protected();
        let refused = sandbox.fails(1, &["source", "add", &url]);
        assert!(refused.contains("wants a user and a password"), "{refused}");
        let refused = sandbox.fails(1, &["source", "add", &url, "--user", "bob"]);
        assert!(refused.contains("--password-file"), "{refused}");
        fs::write(sandbox.path("password"), format!("{SECRET}\n")).unwrap();
        let file = sandbox.path("password");
        let added = ["source", "add", &url, "--user", "bob", "--password-file", &file];
        assert!(sandbox.ok(&added).contains("2 new items"), "{added:?}");
        let shown = sandbox.ok(&["source", "show", &url]);
        let origin = url.trim_end_matches("/rss");
        assert!(
            shown.contains(&format!("a user and a password, sent to {origin} only")),
            "{shown}"
        );
        assert!(!shown.contains(SECRET) && !shown.contains("bob"), "{shown}");
        let forgotten = sandbox.ok(&["source", "set", &url, "--no-credentials", "--private"]);
        assert!(forgotten.contains("its address is published nowhere"), "{forgotten}");
        assert!(!forgotten.contains("password"), "{forgotten}");
        let mut set = sandbox.command(&["source", "set", &url, "--user", "bob", "--public"]);
        let set = set.env("PERGOLA_SOURCE_PASSWORD", SECRET).output().unwrap();
        assert!(set.status.success(), "{}", String::from_utf8_lossy(&set.stderr));
        let source = &sandbox.json(&["source", "show", &url])["source"];
        assert_eq!(source["credentials"]["kind"], "password", "{source}");
        assert_eq!(source["private"], false, "{source}");
        let nothing = sandbox.fails(1, &["source", "set", &url]);
        assert!(nothing.contains("nothing to change"), "{nothing}");
    }
}

#[test]
fn an_export_is_for_others_unless_it_is_asked_for_secrets() {
    let sandbox = Sandbox::begun();
    let (basic, token) = (protected(), serve("application/rss+xml", RSS));
    let basic = basic.replacen("//", &format!("//bob:{SECRET}@"), 1);
    let token = format!("{token}?token={SECRET}");
    for url in [&basic, &token] {
        assert!(!sandbox.ok(&["source", "add", url]).contains(SECRET));
    }
    let open = sandbox.ok(&["export"]);
    assert!(open.contains("token=********") && !open.contains(SECRET), "{open}");
    let file = sandbox.path("all.opml");
    sandbox.ok(&["export", "--with-secrets", &file]);
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    // What was written is what can be read again.
    let again = Sandbox::begun();
    assert!(again.ok(&["import", &file]).contains("2 new sources"));
    for source in again.json(&["source", "list"])["sources"].as_array().unwrap() {
        let id = source["id"].to_string();
        let refreshed = again.ok(&["source", "refresh", &id]);
        assert!(refreshed.contains("2 new items"), "{source}: {refreshed}");
    }
}

#[test]
fn no_secret_is_in_the_log() {
    let sandbox = Sandbox::bare();
    let node = sandbox.run(&[("PERGOLA_LOG", "trace")]);
    let (basic, token) = (protected(), serve("application/rss+xml", RSS));
    let basic = basic.replacen("//", &format!("//bob:{SECRET}@"), 1);
    let broken = format!("{}?key={SECRET}", serve("text/plain", "no feed"));
    sandbox.ok(&["source", "add", &basic]);
    sandbox.ok(&["source", "add", &format!("{token}?token={SECRET}")]);
    sandbox.ok(&["source", "add", &broken, "--no-refresh"]);
    let refreshed = sandbox.ok(&["source", "refresh", "3"]);
    assert!(!refreshed.contains(SECRET), "{refreshed}");
    let query = format!("CREATE FEED A AS RETURN \"{token}?token={SECRET}\" | \"{basic}\"");
    sandbox.ok(&["feed", "create", &query]);
    assert!(!sandbox.ok(&["feed", "show", "A"]).contains(SECRET));
    assert!(!sandbox.ok(&["source", "list"]).contains(SECRET));
    let log = node.last_words();
    assert!(log.iter().any(|line| line.contains("key=********")), "{log:#?}");
    for line in log {
        assert!(!line.contains(SECRET) && !line.contains("Ym9iOm9wZW4"), "{line}");
    }
}
