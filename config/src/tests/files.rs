//! The form of the file: what is unknown, misplaced or not TOML.

use super::*;

#[test]
fn no_file_at_all_is_a_configuration() {
    let config = Config::load(None, []).unwrap();
    assert_eq!(config.node.name, "pergola");
    assert_eq!(config, from_file(""));
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let error = Config::load(Some(Path::new("/nowhere/pergola.toml")), []).unwrap_err();
    let message = error.to_string();
    let expected = "cannot read the configuration file /nowhere/pergola.toml: No such file";
    assert!(message.starts_with(expected), "{message}");
}

#[test]
fn an_unknown_key_is_placed_and_the_nearest_named() {
    let text = "[node]\nname = \"x\"\n\n\n\n[budget]\nrefreshs_per_minute = 3\n";
    assert_eq!(
        mistakes(text, &[]),
        ["unknown key `budget.refreshs_per_minute` at line 7, column 1: \
             did you mean `refreshes_per_minute`?"]
    );
}

#[test]
fn a_key_in_the_wrong_table_is_sent_to_the_right_one() {
    assert_eq!(
        mistakes("[node]\n  token = \"x\"\n", &[]),
        ["unknown key `node.token` at line 2, column 3: did you mean `api.token`?"]
    );
    assert_eq!(
        mistakes("listen = \"127.0.0.1:80\"\n", &[]),
        ["unknown key `listen` at line 1, column 1: did you mean `node.listen`?"]
    );
}

#[test]
fn an_unknown_key_like_no_other_is_told_what_there_is() {
    assert_eq!(
        mistakes("[feeds]\nbananas = 3\n", &[]),
        ["unknown key `feeds.bananas` at line 2, column 1: there are window, most"]
    );
}

#[test]
fn an_unknown_table_is_placed_and_the_nearest_named() {
    assert_eq!(
        mistakes("[bugdet]\n", &[]),
        ["unknown key `bugdet` at line 1, column 2: did you mean `budget`?"]
    );
    assert_eq!(
        mistakes("[sources]\n", &[]),
        ["unknown key `sources` at line 1, column 2: did you mean `source`?"]
    );
}

#[test]
fn a_table_in_the_wrong_form_is_told_the_right_one() {
    assert_eq!(
        mistakes("[source]\nurl = \"https://a.example/\"\n", &[]),
        ["[source] (pergola.toml:1): must be a list: write [[source]] for each"]
    );
    assert_eq!(
        mistakes("[[node]]\nname = \"x\"\n", &[]),
        ["[[node]] (pergola.toml:1): must not be a list: write [node]"]
    );
    assert_eq!(
        mistakes("crawl = 3\n", &[]),
        ["`crawl` (pergola.toml:1): must be a table: write [crawl]"]
    );
}

#[test]
fn invalid_toml_is_placed() {
    let found = mistakes("[node]\nname = \n", &[("PERGOLA_NODE__LISTEN", "here")]);
    assert_eq!(found.len(), 1, "the rest cannot be judged: {found:?}");
    assert!(found[0].starts_with("invalid TOML at line 2, column 8: "), "{found:?}");
}

#[test]
fn all_problems_are_told_together_in_the_order_of_the_file() {
    let text = "[crawl]\nparallel = 0\n[node]\nlisten = \"here\"\nnaem = \"x\"\n";
    let error = load(text, &[("PERGOLA_LOG__FORMAT", "xml")]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the configuration in pergola.toml has 4 problems:\n\
         - `crawl.parallel` = 0 (pergola.toml:2): must be a whole number from 1 to 1024\n\
         - `node.listen` = \"here\" (pergola.toml:4): must be an address and a port such as \
         \"127.0.0.1:8080\"\n\
         - unknown key `node.naem` at line 5, column 1: did you mean `name`?\n\
         - `log.format` = \"xml\" (PERGOLA_LOG__FORMAT): must be one of text, json"
    );
}

#[test]
fn a_single_problem_is_not_counted() {
    let error = load("[feeds]\nmost = 0\n", &[]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the configuration in pergola.toml has a problem:\n\
         - `feeds.most` = 0 (pergola.toml:2): must be a whole number from 1 to 1000000"
    );
}

#[test]
fn columns_are_counted_in_characters() {
    assert_eq!(
        mistakes("node = { name = \"Über\", nmae = 1 }\n", &[]),
        ["unknown key `node.nmae` at line 1, column 25: did you mean `name`?"]
    );
}

#[test]
fn a_number_that_fits_nowhere_is_refused() {
    let found = mistakes("[feeds]\nmost = 99999999999999999999999\n", &[]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("`feeds.most` = 99999999999999999999999 (pergola.toml:2): "));
}

/// Values that some key understands and others do not.
const ODD: [&str; 13] = [
    "-1",
    "0",
    "1e400",
    "nan",
    "-inf",
    "true",
    "\"\"",
    "\"\\u0000\"",
    "[]",
    "\"9e99 days\"",
    "\"🦀\"",
    "9223372036854775807",
    "\"[::\"",
];
/// Values that no key understands.
const IMPOSSIBLE: [&str; 3] = ["[[]]", "{}", "1979-05-27"];

#[test]
fn a_value_of_any_kind_is_understood_or_refused_by_its_key() {
    for section in crate::tables::once() {
        for (key, value) in
            section.keys.iter().flat_map(|key| ODD.iter().chain(&IMPOSSIBLE).map(move |v| (key, v)))
        {
            let name = format!("`{}.{}`", section.name, key.name);
            let text = format!("[{}]\n{} = {value}\n", section.name, key.name);
            let found = mistakes(&text, &[]);
            assert!(found.iter().all(|mistake| mistake.starts_with(&name)), "{text}{found:?}");
            assert!(!found.is_empty() || !IMPOSSIBLE.contains(value), "{text}is accepted");
            if found.is_empty() && key.role == crate::table::Role::Plain {
                let config = from_file(&text);
                let again = from_file(&config.show());
                assert_eq!(config.reloadable_changes(&again), Reload::default(), "{text}");
            }
        }
    }
}

#[test]
fn every_key_refuses_most_odd_values() {
    for section in crate::tables::once() {
        for key in &section.keys {
            let text = |value: &str| format!("[{}]\n{} = {value}\n", section.name, key.name);
            let refused = ODD.iter().filter(|value| !mistakes(&text(value), &[]).is_empty());
            assert!(refused.count() >= ODD.len() / 2, "{}.{}", section.name, key.name);
        }
    }
}
