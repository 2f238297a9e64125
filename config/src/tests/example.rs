//! The example file and the manual: they are generated, and what they say is true.

use super::*;
use crate::tables::{TABLES, once};

const EXAMPLE: &str = include_str!("../../pergola.example.toml");
const MANUAL: &str = include_str!("../../../docs/configuration.md");

#[test]
fn the_example_file_is_the_one_that_the_declarations_make() {
    let advice = "run: cargo run -- config example > config/pergola.example.toml";
    assert!(EXAMPLE == example(), "config/pergola.example.toml is out of date; {advice}");
}

#[test]
fn the_manual_is_the_one_that_the_declarations_make() {
    let advice = "run: cargo run -- config docs > docs/configuration.md";
    assert!(MANUAL == manual(), "docs/configuration.md is out of date; {advice}");
}

#[test]
fn every_key_and_every_variable_is_in_the_manual() {
    for section in TABLES.iter() {
        let about = MANUAL.split_once(&format!("\n## `{}`\n", section.header())).unwrap().1;
        let about = about.split("\n## ").next().unwrap();
        for key in &section.keys {
            let name = key.name.rsplit('.').next().unwrap();
            assert!(about.contains(&format!("- **`{name}`**")), "{}.{name}", section.name);
            let variable = section.variable(&key.name).unwrap_or_default();
            assert!(about.contains(&variable), "{variable}");
        }
    }
}

#[test]
fn every_table_and_every_key_is_described() {
    for section in TABLES.iter() {
        assert!(section.about.ends_with('.'), "[{}]", section.name);
        for key in &section.keys {
            let name = format!("{}.{}", section.name, key.name);
            assert!(key.help.ends_with('.') && !key.allowed.is_empty(), "{name}: {}", key.help);
            assert!(key.default.is_some() != key.example.is_some(), "{name}");
        }
    }
}

#[test]
fn the_example_says_the_defaults() {
    let example = from_file(EXAMPLE);
    assert_eq!(Config::default().reloadable_changes(&example), Reload::default());
    assert_eq!(warnings(&example), [""; 0]);
}

#[test]
fn every_key_is_in_the_example_under_its_table() {
    let mut table = String::new();
    let mut mentioned = Vec::new();
    for line in EXAMPLE.lines().map(|line| line.strip_prefix('#').unwrap_or(line)) {
        if line.starts_with('[') {
            let name = line.trim_matches(['[', ']']);
            name.split_once(".\"").map_or(name, |(table, _)| table).clone_into(&mut table);
        } else if let Some((key, _)) = line.split_once(" = ") {
            mentioned.push(format!("{table}.{key}"));
        }
    }
    for section in TABLES.iter() {
        for key in &section.keys {
            let name = format!("{}.{}", section.name, key.name);
            assert!(mentioned.contains(&name), "{name} is missing");
        }
    }
}

#[test]
fn every_key_that_is_written_has_the_default_of_the_table() {
    for section in once() {
        let table = EXAMPLE.split_once(&format!("\n[{}]\n", section.name)).unwrap().1;
        let table = table.split("\n[").next().unwrap();
        for key in &section.keys {
            let Some(default) = &key.default else { continue };
            let line = format!("{} = {default}\n", key.name);
            let found = table.split_inclusive('\n').any(|l| l.trim_start_matches('#') == line);
            assert!(found, "[{}] {line}", section.name);
        }
    }
}

#[test]
fn what_is_commented_out_can_be_commented_in() {
    let folder = tempfile::tempdir().unwrap();
    let statement = "CREATE FEED Other AS RETURN \"https://example.org/rss\";";
    std::fs::write(folder.path().join("feeds.fql"), statement).unwrap();
    let path = folder.path().join("pergola.toml");
    let rules = ["refreshes_per_minute", "bytes_per_hour", "freshness"];
    for rule in rules {
        let skipped = |line: &&str| {
            let key = line.split_once(" = ").map_or("", |(key, _)| key);
            ["token_file", "password_file", "client_secret_file", "header", "header_file"]
                .contains(&key)
                || (rules.contains(&key) && key != rule)
                || (key == "max_refreshes_per_minute" && rule != "freshness")
        };
        let is_key = |line: &str| line.starts_with(|c: char| c == '[' || c.is_ascii_lowercase());
        let lines = EXAMPLE.lines().map(|line| match line.strip_prefix('#') {
            Some(commented) if is_key(commented) => commented,
            _ => line,
        });
        let text: Vec<&str> = lines.filter(|line| !skipped(line)).collect();
        std::fs::write(&path, text.join("\n")).unwrap();
        let config = Config::load(Some(&path), []).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(config.declared.len(), 2);
        assert!(config.sources[0].page.is_some());
        assert_eq!(config.hosts.named.len(), 1);
        assert_eq!(config.declared[1].readers.as_deref(), Some(&["alice".to_owned()][..]));
    }
}
