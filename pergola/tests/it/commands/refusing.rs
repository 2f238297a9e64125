//! What cannot be done is refused with the reason and with what to do about it.

use std::fs;
use std::process::Stdio;

use super::sandbox::Sandbox;

#[test]
fn wrong_usage_ends_with_2_and_shows_the_right_one() {
    let sandbox = Sandbox::bare();
    for args in [&["fed"][..], &["feed", "create"], &["store", "move", "--to", "paper"]] {
        let refused = sandbox.fails(2, args);
        assert!(refused.starts_with("error: "), "{refused}");
    }
    assert!(sandbox.fails(2, &["--node", "nas", "status"]).contains("http://127.0.0.1:8080"));
    assert!(sandbox.fails(2, &["search", ""]).contains("<WORDS>"));
    assert!(sandbox.fails(2, &["fed"]).contains("'feed'"));
}

#[test]
fn every_command_shows_an_example() {
    let sandbox = Sandbox::bare();
    let commands = [
        "run",
        "status",
        "import",
        "export",
        "backup",
        "restore",
        "store move",
        "healthcheck",
        "config check",
        "config show",
        "config set",
        "config unset",
        "config example",
        "source add",
        "source list",
        "source show",
        "source remove",
        "source refresh",
        "feed create",
        "feed list",
        "feed show",
        "feed explain",
        "feed drop",
        "feed tail",
        "completions",
        "man",
    ];
    for command in commands {
        let args: Vec<&str> = command.split(' ').chain(["--help"]).collect();
        let help = sandbox.ok(&args);
        assert!(help.contains(&format!("Example:\n  pergola {command}")), "{help}");
        assert!(help.contains("--json"), "{help}");
    }
}

#[test]
fn completions_and_man_pages_are_written() {
    let sandbox = Sandbox::bare();
    let script = sandbox.ok(&["completions", "bash"]);
    assert!(
        script.contains("pergola__subcmd__source") || script.contains("pergola__source"),
        "{script}"
    );
    let folder = sandbox.path("man/man1");
    assert_eq!(sandbox.ok(&["man", &folder]), format!("man pages written to {folder}\n"));
    let page = fs::read_to_string(sandbox.path("man/man1/pergola-feed-create.1")).unwrap();
    assert!(page.contains("pergola feed create"), "{page}");
}

#[test]
fn an_unknown_key_is_named_with_the_nearest() {
    let sandbox = Sandbox::bare();
    fs::write(sandbox.path("pergola.toml"), "[node]\nlisten_on = \"127.0.0.1:0\"\nnmae = \"a\"\n")
        .unwrap();
    for args in [&["config", "check"][..], &["run"], &["status"]] {
        let refused = sandbox.fails(1, args);
        assert!(refused.contains("unknown key `node.nmae` at line 3"), "{refused}");
        assert!(refused.contains("did you mean `name`?"), "{refused}");
    }
}

#[test]
fn the_configuration_is_checked_and_shown_without_its_secrets() {
    let sandbox = Sandbox::bare();
    assert!(sandbox.ok(&["config", "check"]).ends_with("pergola.toml is a valid configuration\n"));
    let command = ["config", "show", "--token", "a secret of some length"];
    let shown = sandbox.ok(&command);
    assert!(shown.contains("token = \"********\"") && !shown.contains("a secret"), "{shown}");
    assert_eq!(sandbox.json(&command)["crawl"]["allow_private"][0], "127.0.0.1/32");
}

#[test]
fn the_example_is_a_valid_configuration_that_changes_nothing() {
    let place = Sandbox::bare();
    let file = place.path("example.toml");
    fs::write(&file, place.ok(&["config", "example"])).unwrap();
    let checked = place.ok(&["config", "check", "--config", &file]);
    assert_eq!(checked, format!("{file} is a valid configuration\n"));
    let by_nothing = place.json(&["config", "show", "--config", "/dev/null"]);
    assert_eq!(place.json(&["config", "show", "--config", &file]), by_nothing);
    assert!(place.ok(&["config", "docs"]).starts_with("# Configuration\n"));
}

#[test]
fn an_export_that_is_no_list_is_refused_with_the_command_that_reads_it() {
    let sandbox = Sandbox::begun();
    for (name, content) in
        [("all.zip", &b"PK\x03\x04 and so on"[..]), ("starred.json", b" {\"items\":[]}")]
    {
        fs::write(sandbox.path(name), content).unwrap();
        let refused = sandbox.fails(1, &["import", name]);
        assert!(refused.contains(&format!("{name} is not an OPML file")), "{refused}");
        assert!(refused.contains(&format!("`pergola user import NAME {name}`")), "{refused}");
    }
}

#[test]
fn a_list_in_another_encoding_keeps_its_accents() {
    let sandbox = Sandbox::begun();
    let list = b"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><opml><body><outline text=\"Caf\xe9\">\
                 <outline text=\"\xdcber\" xmlUrl=\"https://example.org/feed\"/></outline></body></opml>";
    fs::write(sandbox.path("latin.opml"), list).unwrap();
    sandbox.ok(&["import", "latin.opml"]);
    let listed = sandbox.ok(&["source", "list"]);
    assert!(listed.contains("\u{dc}ber") && listed.contains("Caf\u{e9}"), "{listed}");
}

#[test]
fn a_folder_of_a_newer_version_is_left_alone() {
    let sandbox = Sandbox::bare();
    fs::create_dir(sandbox.data()).unwrap();
    let format = r#"{"schema":99,"backend":"sled"}"#;
    fs::write(sandbox.data().join("format.json"), format).unwrap();
    for args in [&["status"][..], &["run", "--listen", "127.0.0.1:0"]] {
        let refused = sandbox.fails(1, args);
        assert!(refused.contains("was written by a newer pergola"), "{refused}");
    }
    assert_eq!(fs::read_to_string(sandbox.data().join("format.json")).unwrap(), format);
}

#[test]
fn a_port_that_is_taken_is_named() {
    let sandbox = Sandbox::bare();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let refused = sandbox.fails(1, &["run", "--listen", &address]);
    assert!(refused.contains(&format!("cannot listen on {address}")), "{refused}");
    assert!(!sandbox.data().exists());
}

#[test]
fn a_node_that_is_not_there_cannot_be_reached() {
    let sandbox = Sandbox::bare();
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let refused = sandbox.fails(1, &["status", "--node", &format!("http://{closed}/")]);
    assert!(
        refused.contains(&format!("the node at http://{closed} cannot be reached")),
        "{refused}"
    );
    assert!(refused.contains("hint: is it running?"), "{refused}");
    let refused = sandbox.fails(1, &["healthcheck"]);
    assert!(refused.contains("no node uses the data folder"), "{refused}");
}

#[test]
fn a_reader_who_leaves_is_no_failure() {
    let sandbox = Sandbox::bare();
    let mut command = sandbox.command(&["config", "show"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
}
