//! The environment: every key, over the file.

use super::*;
use crate::tables::once;

#[test]
fn a_variable_overrides_the_file() {
    let text = "[node]\nlisten = \"127.0.0.1:1\"\nname = \"kept\"\n";
    let config = load(text, &[("PERGOLA_NODE__LISTEN", "127.0.0.1:2")]).unwrap();
    assert_eq!(config.node.listen.port(), 2);
    assert_eq!(config.node.name, "kept");
}

#[test]
fn numbers_durations_and_sizes_are_read_from_text() {
    let config = from_variables(&[
        ("PERGOLA_BUDGET__REFRESHES_PER_MINUTE", "2.5"),
        ("PERGOLA_CRAWL__PARALLEL", "8"),
        ("PERGOLA_CRAWL__TIMEOUT", "5"),
        ("PERGOLA_CRAWL__SPACING", "1 min"),
        ("PERGOLA_STORE__CACHE", "64 MiB"),
    ]);
    assert_eq!(config.budget.rule, BudgetRule::Refreshes { per_minute: 2.5 });
    assert_eq!(config.crawl.parallel.get(), 8);
    assert_eq!(config.crawl.timeout.as_secs(), 5);
    assert_eq!(config.crawl.spacing.as_secs(), 60);
    assert_eq!(config.store.cache, 64 << 20);
}

#[test]
fn lists_are_separated_by_commas_or_written_as_toml() {
    for list in ["10.0.0.0/8, intranet", "[\"10.0.0.0/8\", \"intranet\"]"] {
        let config = from_variables(&[("PERGOLA_CRAWL__ALLOW_PRIVATE", list)]);
        let shown: Vec<String> = config.crawl.allow_private.iter().map(|e| e.to_string()).collect();
        assert_eq!(shown, ["10.0.0.0/8", "intranet"], "{list}");
    }
    assert_eq!(
        mistakes("", &[("PERGOLA_CRAWL__EXTRA_CA", "[1]")]),
        ["`crawl.extra_ca` = \"[1]\" (PERGOLA_CRAWL__EXTRA_CA): must be a list of texts such as \
             [\"one\", \"two\"]"]
    );
}

#[test]
fn text_stays_text_whatever_it_looks_like() {
    assert_eq!(from_variables(&[("PERGOLA_NODE__NAME", "42")]).node.name, "42");
}

#[test]
fn an_empty_variable_counts_as_not_set() {
    let config = from_variables(&[("PERGOLA_API__TOKEN", ""), ("PERGOLA_NODE__NAME", " ")]);
    assert_eq!(config.api.token, None);
    assert_eq!(config.node.name, "pergola");
}

#[test]
fn an_unknown_variable_is_refused_and_the_nearest_named() {
    assert_eq!(
        mistakes("", &[("PERGOLA_BUDGET__REFRESHS_PER_MINUTE", "3")]),
        ["unknown variable PERGOLA_BUDGET__REFRESHS_PER_MINUTE: \
             did you mean PERGOLA_BUDGET__REFRESHES_PER_MINUTE?"]
    );
    assert_eq!(
        mistakes("", &[("PERGOLA_PORT", "80"), ("PERGOLA_TOKEN", "x")]),
        ["PERGOLA_PORT", "PERGOLA_TOKEN"].map(|name| format!(
            "unknown variable {name}: variables are called PERGOLA_SECTION__KEY, such as \
             PERGOLA_NODE__LISTEN"
        ))
    );
}

#[test]
fn variables_that_are_no_keys_are_left_alone() {
    let config = from_variables(&[
        ("PERGOLA_CONFIG", "x"),
        ("PERGOLA_LOG", "debug"),
        ("PERGOLA_REQUIRE_ALL", "1"),
        ("PERGOLA_TEST_STORE", "sled"),
        ("SHELL", "/nowhere"),
        ("PERGOLA_SERVICE_HOST", "10.0.0.1"),
        ("PERGOLA_PORT", "tcp://10.0.0.1:80"),
        ("PERGOLA_PORT_80_TCP_ADDR", "10.0.0.1"),
    ]);
    assert_eq!(config, Config::default());
}

#[test]
fn every_key_is_known_by_its_variable() {
    for section in once() {
        for key in &section.keys {
            let name = section.variable(&key.name).unwrap();
            let unknown = format!("unknown variable {name}");
            let found = mistakes("", &[(&name, "1")]);
            assert!(!found.iter().any(|mistake| mistake.starts_with(&unknown)), "{found:?}");
        }
    }
}

#[test]
fn a_wrong_value_names_its_variable() {
    assert_eq!(
        mistakes("", &[("PERGOLA_CRAWL__PARALLEL", "many")]),
        ["`crawl.parallel` = \"many\" (PERGOLA_CRAWL__PARALLEL): \
             must be a whole number from 1 to 1024"]
    );
}
