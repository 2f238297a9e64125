//! What is set while a node runs: over the file, under the environment.

use std::os::unix::fs::PermissionsExt as _;

use super::*;

fn stored(pairs: &[(&str, &str)]) -> Stored {
    let folder = tempfile::tempdir().unwrap();
    let mut stored = Stored::read(folder.path()).unwrap();
    pairs.iter().for_each(|(key, value)| stored.set(key, value).unwrap());
    stored
}

fn per_minute(config: &Config) -> f64 {
    match config.budget.rule {
        BudgetRule::Refreshes { per_minute } => per_minute,
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_environment_overrides_what_is_stored_and_that_overrides_the_file() {
    let file = "[budget]\nrefreshes_per_minute = 1\n";
    let set = stored(&[("budget.refreshes_per_minute", "2")]);
    let variable = [("PERGOLA_BUDGET__REFRESHES_PER_MINUTE", "3")];
    let config = load_over(file, Layer::Given(&set), &[]).unwrap();
    assert_eq!(per_minute(&config), 2.0);
    let (value, origin) = config.key("budget.refreshes_per_minute").unwrap();
    assert_eq!(value.as_deref(), Some("2"));
    assert!(matches!(origin, Origin::Stored { .. }), "{origin}");
    assert!(config.show().contains("\nrefreshes_per_minute = 2 # stored in "), "{}", config.show());
    let config = load_over(file, Layer::Given(&set), &variable).unwrap();
    assert_eq!(per_minute(&config), 3.0);
    assert_eq!(per_minute(&load(file, &[]).unwrap()), 1.0);
}

#[test]
fn a_stored_budget_replaces_a_budget_of_another_kind() {
    let file = "[budget]\nfreshness = 0.9\nmax_refreshes_per_minute = 5\n";
    let set = stored(&[("budget.refreshes_per_minute", "2")]);
    assert_eq!(per_minute(&load_over(file, Layer::Given(&set), &[]).unwrap()), 2.0);
    let set = stored(&[("budget.freshness", "0.5")]);
    let over = load_over("[budget]\nrefreshes_per_minute = 1\n", Layer::Given(&set), &[]).unwrap();
    let rule = BudgetRule::Freshness { at_least: 0.5, most_per_minute: 60.0 };
    assert_eq!(over.budget.rule, rule);
    let variable = [("PERGOLA_BUDGET__REFRESHES_PER_MINUTE", "3")];
    assert_eq!(per_minute(&load_over("", Layer::Given(&set), &variable).unwrap()), 3.0);
}

#[test]
fn what_is_stored_is_found_in_the_data_folder_and_nobody_else_reads_it() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().to_str().unwrap();
    let mut set = Stored::read(folder.path()).unwrap();
    set.set("crawl.allow_private", "192.168.1.0/24, nas").unwrap();
    set.write().unwrap();
    let file = folder.path().join("settings.toml");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    let variables = [("PERGOLA_NODE__DATA".to_owned(), data.to_owned())];
    let config = Config::load(None, variables.clone()).unwrap();
    assert_eq!(
        config.key("crawl.allow_private").unwrap().0.unwrap(),
        "[\"192.168.1.0/24\", \"nas\"]"
    );
    assert!(set.unset("crawl.allow_private").unwrap());
    assert!(!set.unset("crawl.allow_private").unwrap());
    set.write().unwrap();
    assert!(!file.exists(), "nothing is stored");
    assert_eq!(Config::load(None, variables).unwrap().crawl.allow_private, []);
}

#[test]
fn only_what_a_running_node_takes_over_can_be_set() {
    let mut set = stored(&[]);
    let refused = set.set("crawl.timeout", "5 s").unwrap_err();
    assert_eq!(
        refused.to_string(),
        "`crawl.timeout` needs a restart, so it can only be set in the configuration file"
    );
    for (key, near) in [("crawl.allow_privat", Some("crawl.allow_private")), ("hosts", None)] {
        let NotSettable::Unknown { nearest, .. } = set.set(key, "x").unwrap_err() else {
            panic!("{key} is known");
        };
        assert_eq!(nearest.as_deref(), near, "{key}");
    }
}

#[test]
fn a_wrong_value_names_the_file_in_which_it_is_stored() {
    let set = stored(&[("budget.refreshes_per_minute", "many")]);
    let error = load_over("", Layer::Given(&set), &[]).unwrap_err().to_string();
    assert!(error.contains("`budget.refreshes_per_minute` = \"many\" (stored in "), "{error}");
    assert!(error.contains("settings.toml): must be a number above 0"), "{error}");
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("settings.toml"), "\"crawl.allow_private\" = [1]\n").unwrap();
    let error = Stored::read(folder.path()).err().unwrap().to_string();
    assert!(error.contains("settings.toml cannot be read"), "{error}");
    std::fs::write(folder.path().join("settings.toml"), "\"node.name\" = \"a\"\n").unwrap();
    let set = Stored::read(folder.path()).unwrap();
    let error = load_over("", Layer::Given(&set), &[]).unwrap_err().to_string();
    assert!(
        error.contains("`node.name` needs a restart") && error.contains("remove its line"),
        "{error}"
    );
}
