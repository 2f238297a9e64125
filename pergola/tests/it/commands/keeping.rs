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
        assert!(refused.contains("exists already") && refused.contains("--overwrite"), "{refused}");
        sandbox.ok(&["backup", &file, "--overwrite"]);

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
    assert!(!sandbox.data().exists());
}

#[test]
fn no_command_writes_over_a_file_unless_that_is_asked_for() {
    for sandbox in Sandbox::both() {
        let file = sandbox.path("kept");
        for command in ["export", "backup"] {
            fs::write(&file, "mine").unwrap();
            let refused = sandbox.fails(1, &[command, &file]);
            assert!(refused.contains("exists already"), "{refused}");
            assert!(refused.contains("--overwrite"), "{refused}");
            assert_eq!(fs::read(&file).unwrap(), b"mine");
            for flag in ["--overwrite", "--force"] {
                sandbox.ok(&[command, &file, flag]);
                assert_ne!(fs::read(&file).unwrap(), b"mine");
            }
        }
        let backup = sandbox.command(&["backup", "-"]).output().unwrap();
        assert!(backup.stdout.starts_with(b"pergola-backup"), "{backup:?}");
        assert!(sandbox.ok(&["export", "-"]).contains("<opml"));
    }
}

#[test]
fn the_store_moves_to_the_other_engine() {
    let sandbox = Sandbox::begun();
    sandbox.ok(&["source", "add", URL, "--no-refresh"]);
    assert_eq!(sandbox.json(&["status"])["store"], "redb");
    for engine in ["sled", "redb"] {
        let moved = sandbox.ok(&["store", "move", "--to", engine]);
        let end = format!("({engine})\n");
        assert!(moved.starts_with("moved: ") && moved.ends_with(&end), "{moved}");
        assert_eq!(sandbox.json(&["status"])["store"], engine);
        assert_eq!(sandbox.json(&["source", "list"])["sources"][0]["url"], URL);
    }
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
