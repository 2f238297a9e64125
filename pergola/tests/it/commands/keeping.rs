//! Backups, their way back, and the change from one engine to the other.

use std::fs;

use super::sandbox::Sandbox;

const URL: &str = "https://example.org/rss";

#[test]
fn a_backup_is_taken_anywhere_and_restored_elsewhere() {
    for sandbox in Sandbox::both() {
        sandbox.ok(&["source", "add", URL, "--no-refresh"]);
        let file = sandbox.path("pergola.backup");
        let written = sandbox.json(&["backup", &file]);
        assert_eq!(written["bytes"], fs::metadata(&file).unwrap().len());
        let refused = sandbox.fails(1, &["backup", &file]);
        assert!(refused.contains("exists already") && refused.contains("--replace"), "{refused}");
        sandbox.ok(&["backup", &file, "--replace"]);

        let other = Sandbox::bare();
        let restored = other.json(&["restore", &file, "--to", "redb"]);
        assert_eq!(restored["store"], "redb");
        assert_eq!(other.json(&["source", "list"])["sources"][0]["url"], URL);
        let refused = other.fails(1, &["restore", &file]);
        assert!(refused.contains("already holds a store"), "{refused}");
        other.ok(&["restore", &file, "--replace"]);
    }
}

#[test]
fn a_file_that_is_no_backup_changes_nothing() {
    let sandbox = Sandbox::bare();
    let file = sandbox.path("pergola.toml");
    let refused = sandbox.fails(1, &["restore", &file]);
    assert!(refused.contains("not a backup of pergola"), "{refused}");
    assert_eq!(sandbox.json(&["status"])["sources"], 0);
}

#[test]
fn the_store_moves_to_the_other_engine() {
    let sandbox = Sandbox::bare();
    sandbox.ok(&["source", "add", URL, "--no-refresh"]);
    assert_eq!(sandbox.json(&["status"])["store"], "sled");
    let moved = sandbox.ok(&["store", "move", "--to", "redb"]);
    assert!(moved.starts_with("moved: ") && moved.ends_with("(redb)\n"), "{moved}");
    assert_eq!(sandbox.json(&["status"])["store"], "redb");
    assert_eq!(sandbox.json(&["source", "list"])["sources"][0]["url"], URL);
}

#[test]
fn the_data_of_a_running_node_is_neither_replaced_nor_moved() {
    let sandbox = Sandbox::running();
    let file = sandbox.path("pergola.backup");
    sandbox.ok(&["backup", &file]);
    for args in [&["restore", file.as_str(), "--replace"][..], &["store", "move", "--to", "redb"]] {
        let refused = sandbox.fails(1, args);
        assert!(refused.contains("is used by a running node (process "), "{refused}");
        assert!(refused.contains("hint: stop it first"), "{refused}");
    }
}
