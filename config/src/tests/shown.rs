//! `show`, `warnings` and `reloadable_changes`.

use pergola_manners::source::Proof;

use super::*;
use crate::secret::Secret;
use crate::table::Role;

const EVERYTHING: &str = r##"
[node]
name = "a \"quoted\" name"
listen = "0.0.0.0:8080"
public_url = "https://a.example/feeds"
[store]
backend = "redb"
keep = "1.5 h"
[budget]
freshness = 0.75
burst = 3
[schedule]
strategy = "plan"
completeness = 0.25
[crawl]
spacing = 0
allow_private = ["10.0.0.0/8", "intranet"]
extra_ca = ["/etc/ca.pem"]
[api]
token = "open sesame"
[tls]
certificate = "/etc/cert.pem"
key = "/etc/key.pem"
client_ca = "/etc/ca.pem"
clients = "required"
[peers]
streams = 7
[hosts."a.example"]
floor = "1 min"
peer = true
token = "sesame of a host"
certificate = "/etc/client.pem"
key = "/etc/client.key"
[[reader]]
name = "alice"
token = "sesame of alice"
certificate = "AB:CD:EF:00:11:22:33:44:55:66:77:88:99:aa:bb:cc:AB:CD:EF:00:11:22:33:44:55:66:77:88:99:aa:bb:cc"
max_message = "1 MiB"
[[source]]
url = "https://a.example/"
title = "# no comment"
[source.page]
item = "article"
date = "time[datetime='x']"
[[feed]]
query = '''CREATE FEED A AS
RETURN "https://a.example/rss" WHERE ITEM CONTAINS "volcano"'''
readers = ["alice"]
"##;

#[test]
fn what_is_shown_reads_back_as_the_same() {
    for text in ["", EVERYTHING, "[budget]\nbytes_per_hour = \"50 MB\"\n"] {
        let mut config = from_file(text);
        let shown = config.show();
        let again = load(&shown, &[]).unwrap_or_else(|error| panic!("{error}\n{shown}"));
        config.api.token = None;
        config.readers.iter_mut().for_each(|reader| reader.token = None);
        let hosts = config.hosts.named.values_mut();
        hosts.for_each(|rule| rule.credentials.token = None);
        assert_eq!(config.reloadable_changes(&again), Reload::default(), "{shown}");
    }
}

#[test]
fn no_secret_is_shown() {
    let config =
        load(EVERYTHING, &[("PERGOLA_CRAWL__PROXY", "http://me:sesame@proxy.example:3128")])
            .unwrap();
    let shown = config.show();
    assert!(!shown.contains("sesame"), "{shown}");
    assert!(shown.contains("# token = \"********\" # from pergola.toml:20\n"), "{shown}");
    let held = format!("{:?} {:?} {:?}", config.api, config.readers, config.hosts);
    assert!(!held.contains("sesame"), "{held}");
}

#[test]
fn no_secret_of_a_source_is_shown() {
    let text = r#"
[[source]]
url = "https://a.example/rss?token=sesame"
user = "bob"
password = "open sesame"
private = true
[[source]]
url = "https://bob:sesame@b.example/rss"
[[source]]
url = "https://c.example/rss"
header = "X-Token: sesame"
[[feed]]
query = 'CREATE FEED A AS RETURN "https://d.example/rss?key=sesame"'
"#;
    let config = from_file(text);
    let shown = config.show();
    assert!(!shown.contains("sesame"), "{shown}");
    assert!(shown.contains("url = \"https://a.example/rss?token=********\"\n"), "{shown}");
    assert!(shown.contains("user = \"bob\"\n# password = \"********\"\n"), "{shown}");
    let proofs: Vec<_> = config.sources.iter().map(|source| source.proof.clone()).collect();
    assert!(!format!("{proofs:?}").contains("sesame"), "{proofs:?}");
    assert_eq!(config.sources[1].url.password(), Some("sesame"), "it is split by the node");
    let header = Proof::Header { name: "X-Token".into(), value: Secret::new("sesame") };
    assert_eq!(proofs[2], Some(header));
    let mistake = load("[[source]]\nurl = \"ftp://a.example/?token=sesame\"\n", &[]).unwrap_err();
    assert!(!mistake.to_string().contains("sesame"), "{mistake}");
}

#[test]
fn credentials_of_a_source_that_make_no_sense_are_refused() {
    for (keys, said) in [
        ("password = \"x\"", "must have a `user` when it has a `password`"),
        ("user = \"bob\"\nheader = \"X: y\"", "must not be set together with `header`"),
        ("header = \"no value\"", "has a wrong `header`"),
        ("user = \"b:b\"", "must not contain a colon"),
    ] {
        let text = format!("[[source]]\nurl = \"https://a.example/\"\n{keys}\n");
        let error = load(&text, &[]).unwrap_err().to_string();
        assert!(error.contains(said), "{keys}: {error}");
    }
}

#[test]
fn every_value_says_where_it_came_from() {
    let text = "[node]\nname = \"a\"\nlisten = \"127.0.0.1:8080\"\n[[source]]\nurl = \"https://a.example/\"\n";
    let shown = load(text, &[("PERGOLA_FEEDS__MOST", "7")]).unwrap().show();
    assert!(shown.contains("\nname = \"a\" # from pergola.toml:2\n"), "{shown}");
    assert!(shown.contains("\nlisten = \"127.0.0.1:8080\" # from pergola.toml:3\n"), "{shown}");
    assert!(shown.contains("\nkeep = \"90 days\" # default\n"), "{shown}");
    assert!(shown.contains("\nmost = 7 # from PERGOLA_FEEDS__MOST\n"), "{shown}");
    assert!(shown.contains("\n[[source]] # from pergola.toml:4\n"), "{shown}");
    assert!(shown.contains("\n# backend is not set\n"), "{shown}");
}

#[test]
fn every_key_is_shown() {
    let shown = Config::default().show();
    let mut lines = shown.lines();
    for section in crate::tables::once() {
        assert_eq!(lines.next(), Some(&*format!("[{}]", section.name)));
        // A file is only another way to set the secret.
        for key in section.keys.iter().filter(|key| key.role != Role::SecretFile) {
            let line = lines.next().unwrap();
            let (value, unset) = (format!("{} = ", key.name), format!("# {} is not set", key.name));
            assert!(line.starts_with(&value) || line == unset, "{}.{line}", section.name);
        }
        assert_eq!(lines.next().unwrap_or_default(), "");
    }
}

#[test]
fn a_node_beyond_its_machine_is_warned() {
    let config = from_variables(&[("PERGOLA_NODE__LISTEN", "0.0.0.0:80")]);
    assert_eq!(
        warnings(&config),
        [
            "the node listens on 0.0.0.0:80, beyond this machine, without `api.token`: its API \
             refuses all changes; set PERGOLA_API__TOKEN_FILE to allow them",
            "the node listens on 0.0.0.0:80, but its feeds say they are at http://localhost/, \
             where no other machine finds them; set `node.public_url`",
        ]
    );
}

#[test]
fn what_is_surely_not_meant_is_warned() {
    let config = from_file(
        "[api]\ntoken = \"short\"\n[schedule]\nstrategy = \"Reference\"\n[crawl]\nproxy = \"http://p\"\n\
         [[feed]]\nquery = 'CREATE FEED A AS RETURN \"https://a.example/rss\" AS $unused'\n",
    );
    let warnings = warnings(&config);
    assert_eq!(warnings.len(), 4, "{warnings:?}");
    assert_eq!(
        warnings[0],
        "`api.token` is short enough to be guessed; use at least 16 characters"
    );
    assert!(warnings[1].starts_with("with `crawl.proxy`"), "{warnings:?}");
    assert!(warnings[2].starts_with("the strategy Reference"), "{warnings:?}");
    assert!(warnings[3].contains("--> pergola.toml:7, feed[1]:"), "{}", warnings[3]);
}

#[test]
fn sources_feeds_the_budget_and_private_networks_change_without_a_restart() {
    let old = Config::default();
    let source = from_file("[[source]]\nurl = \"https://a.example/\"\n");
    assert_eq!(old.reloadable_changes(&source), Reload { sources: true, ..Reload::default() });
    let feed = from_file("[[feed]]\nquery = 'CREATE FEED A AS RETURN \"https://a.example/\"'\n");
    assert_eq!(old.reloadable_changes(&feed), Reload { feeds: true, ..Reload::default() });
    let budget = from_file("[budget]\nrefreshes_per_minute = 1\n");
    assert_eq!(old.reloadable_changes(&budget), Reload { budget: true, ..Reload::default() });
    for floor in ["[crawl]\nfloor = \"20 min\"\n", "[hosts.\"b.example\"]\nfloor = \"1 min\"\n"] {
        let floor = from_file(floor);
        assert_eq!(old.reloadable_changes(&floor), Reload { floors: true, ..Reload::default() });
    }
    let private = from_file("[crawl]\nallow_private = [\"10.0.0.0/8\"]\n");
    let reload = Reload { allow_private: true, ..Reload::default() };
    assert_eq!(old.reloadable_changes(&private), reload);
}

#[test]
fn everything_else_needs_a_restart_and_is_named() {
    let old = from_file("[api]\ntoken = \"one\"\n");
    let new = from_file(
        "[api]\ntoken = \"two\"\n[crawl]\nparallel = 3\n[hosts.\"a.example\"]\npeer = true\n",
    );
    let reload = old.reloadable_changes(&new);
    assert_eq!(reload.restart, ["crawl.parallel", "api.token", "hosts"]);
    assert!(!reload.sources && !reload.feeds && !reload.budget);
}

#[test]
fn the_same_feed_moved_to_another_line_is_no_change() {
    let feed = "[[feed]]\nquery = 'CREATE FEED A AS RETURN \"https://a.example/\"'\n";
    let moved = format!("\n\n{feed}");
    assert_eq!(from_file(feed).reloadable_changes(&from_file(&moved)), Reload::default());
}
