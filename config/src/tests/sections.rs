//! What single keys mean, and which do not go together.

use pergola_refresh::{ModelKind, StrategyKind, Taste};

use super::*;

#[test]
fn the_defaults_are_those_of_the_manual() {
    let config = Config::default();
    assert_eq!(config.node.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(config.node.public_url.as_str(), "http://127.0.0.1:8080/");
    assert_eq!(config.node.contact.as_str(), "http://127.0.0.1:8080/about");
    assert_eq!(config.node.data, Path::new("pergola-data"));
    assert_eq!(config.store.backend, None);
    assert_eq!(config.store.keep.as_secs(), 90 * 86_400);
    assert_eq!(
        config.budget,
        Budget { rule: BudgetRule::Refreshes { per_minute: 30.0 }, burst: None }
    );
    assert_eq!(config.schedule.strategy, Choice::Auto);
    assert_eq!(config.schedule.taste, Taste::default());
    assert_eq!(config.crawl.floor.as_secs(), 3600);
    assert_eq!(config.crawl.floor_known.as_secs(), 900);
    assert_eq!(config.crawl.max_body, 10 << 20);
    assert_eq!(config.api.token, None);
    assert_eq!(warnings(&config), [""; 0]);
}

#[test]
fn the_contact_follows_the_public_address() {
    let config = from_file("[node]\npublic_url = \"https://a.example/feeds\"\n");
    assert_eq!(config.node.contact.as_str(), "https://a.example/feeds/about");
}

#[test]
fn a_node_on_every_address_calls_itself_localhost() {
    let config = from_variables(&[("PERGOLA_NODE__LISTEN", "[::]:80")]);
    assert_eq!(config.node.public_url.as_str(), "http://localhost/");
}

#[test]
fn addresses_must_be_of_the_web() {
    let text = "[node]\npublic_url = \"ftp://a.example/\"\ncontact = \"me@a.example\"\n";
    assert_eq!(
        mistakes(text, &[]),
        [
            "`node.public_url` = \"ftp://a.example/\" (pergola.toml:2): \
             must be a URL that begins with http:// or https://",
            "`node.contact` = \"me@a.example\" (pergola.toml:3): \
             must be a URL that begins with http:// or https://",
        ]
    );
}

#[test]
fn a_path_in_the_file_starts_from_the_files_folder() {
    let text = "[node]\ndata = \"data\"\n[crawl]\nextra_ca = [\"ca.pem\", \"/etc/ca.pem\"]\n";
    let file = File::new(Path::new("/etc/pergola/pergola.toml"), text);
    let config = Config::from_text(Some(&file), &[], Layer::Nothing).unwrap();
    assert_eq!(config.node.data, Path::new("/etc/pergola/data"));
    let files = [Path::new("/etc/pergola/ca.pem"), Path::new("/etc/ca.pem")];
    assert_eq!(config.crawl.extra_ca, files);
    let variable = [("PERGOLA_NODE__DATA".to_owned(), "data".to_owned())];
    let config = Config::from_text(Some(&file), &variable, Layer::Nothing).unwrap();
    assert_eq!(config.node.data, Path::new("data"));
}

#[test]
fn a_budget_has_one_rule() {
    let bytes = from_file("[budget]\nbytes_per_hour = \"50 MB\"\n").budget.rule;
    assert_eq!(bytes, BudgetRule::Bytes { per_hour: 50_000_000 });
    let fresh = from_file("[budget]\nfreshness = 0.9\nburst = 7\n").budget;
    assert_eq!(fresh.rule, BudgetRule::Freshness { at_least: 0.9, most_per_minute: 60.0 });
    assert_eq!(fresh.burst.map(|burst| burst.get()), Some(7));
    assert_eq!(
        mistakes("[budget]\nfreshness = 0.9\nrefreshes_per_minute = 3\n", &[]),
        ["`budget.freshness` = 0.9 (pergola.toml:2): \
             must not be set together with `refreshes_per_minute`"]
    );
}

#[test]
fn a_budget_in_the_environment_takes_the_place_of_the_files() {
    let text = "[budget]\nfreshness = 0.9\nmax_refreshes_per_minute = 30\n";
    let config = load(text, &[("PERGOLA_BUDGET__BYTES_PER_HOUR", "1 GB")]).unwrap();
    assert_eq!(config.budget.rule, BudgetRule::Bytes { per_hour: 1_000_000_000 });
}

#[test]
fn a_limit_of_freshness_needs_freshness() {
    assert_eq!(
        mistakes("[budget]\nmax_refreshes_per_minute = 30\n", &[]),
        ["`budget.max_refreshes_per_minute` = 30 (pergola.toml:2): \
             must only be set together with `freshness`"]
    );
}

#[test]
fn budgets_out_of_range_are_refused() {
    let wrong = [
        ("refreshes_per_minute = 0", "must be a number above 0, up to 1000000"),
        ("refreshes_per_minute = nan", "must be a number above 0, up to 1000000"),
        ("refreshes_per_minute = \"3\"", "must be a number above 0, up to 1000000"),
        ("bytes_per_hour = \"1 byte\"", "must be from 1 kB to 1024 TiB"),
        ("freshness = 1", "must be a number between 0 and 1"),
        ("freshness = 0.0", "must be a number between 0 and 1"),
        ("burst = 0", "must be a whole number from 1 to 100000"),
    ];
    for (line, allowed) in wrong {
        let expected =
            format!("`budget.{line} (pergola.toml:2): {allowed}").replacen(" =", "` =", 1);
        assert_eq!(mistakes(&format!("[budget]\n{line}\n"), &[]), [expected]);
    }
}

#[test]
fn strategies_and_models_are_known_by_their_names() {
    let config = from_file("[schedule]\nstrategy = \"2steps\"\nmodel = \"calendar\"\n");
    assert_eq!(config.schedule.strategy, Choice::Fixed(StrategyKind::TwoSteps));
    assert_eq!(config.schedule.model.or(ModelKind::Gamma), ModelKind::Calendar);
    assert_eq!(config.schedule.strategy.or(StrategyKind::Plan), StrategyKind::TwoSteps);
    assert_eq!(
        mistakes("[schedule]\nstrategy = \"plam\"\n", &[]),
        ["`schedule.strategy` = \"plam\" (pergola.toml:2): must be one of auto, fixed-interval, \
             entry-frequency, adaptive-ttl, Uniform, OnlySat, OnlyTau, TopKUtility, 2Steps, index, \
             plan, Reference; did you mean \"plan\"?"]
    );
    assert_eq!(
        mistakes("[schedule]\nmodel = \"calender\"\n", &[]),
        ["`schedule.model` = \"calender\" (pergola.toml:2): must be one of auto, single, \
             single-dynamic, moving-average, dynamo, periodic, hybrid, likelihood, gamma, gamma-slots, \
             gamma-dates, calendar; did you mean \"calendar\"?"]
    );
}

#[test]
fn a_shorter_floor_takes_the_known_floor_along() {
    let crawl = from_file("[crawl]\nfloor = \"5 min\"\n").crawl;
    assert_eq!(crawl.floor_known.as_secs(), 300);
    assert_eq!(
        mistakes("[crawl]\nfloor = \"5 min\"\nfloor_known = \"6 min\"\n", &[]),
        ["`crawl.floor_known` = \"6 min\" (pergola.toml:3): must not be longer than `floor`"]
    );
}

#[test]
fn what_crawling_is_allowed_is_checked() {
    let wrong = [
        ("allow_private = [\"10.0.0.0/64\"]", "must be networks whose prefix is from 0 to 32"),
        (
            "allow_private = [\"http://a\"]",
            "must be hosts, addresses or networks such as \"10.0.0.0/8\"",
        ),
        ("proxy = \"proxy\"", "must be a URL such as \"http://proxy.example:3128\""),
        ("timeout = \"2 h\"", "must be from 100 ms to 1 h"),
        ("max_redirects = -1", "must be a whole number from 0 to 20"),
    ];
    for (line, allowed) in wrong {
        let expected =
            format!("`crawl.{line} (pergola.toml:2): {allowed}").replacen(" =", "` =", 1);
        assert_eq!(mistakes(&format!("[crawl]\n{line}\n"), &[]), [expected]);
    }
}

#[test]
fn a_log_filter_is_checked() {
    assert_eq!(
        from_file("[log]\nlevel = \"info,pergola_node=debug\"\n").log.format,
        LogFormat::Text
    );
    assert_eq!(
        mistakes("[log]\nlevel = \"info,a=loud\"\n", &[]),
        ["`log.level` = \"info,a=loud\" (pergola.toml:2): \
             must be a level (error, warn, info, debug, trace) or a filter"]
    );
}

#[test]
fn a_token_can_come_from_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("token");
    std::fs::write(&path, "  a secret of some length\n").unwrap();
    let path = path.display().to_string();
    let by_variable = from_variables(&[("PERGOLA_API__TOKEN_FILE", &path)]);
    let by_file = from_file(&format!("[api]\ntoken_file = '{path}'\n"));
    for config in [by_variable, by_file] {
        let token = config.api.token.unwrap();
        assert!(token.matches("a secret of some length"));
    }
    std::fs::write(&path, "\n").unwrap();
    assert_eq!(
        mistakes("", &[("PERGOLA_API__TOKEN_FILE", &path)]),
        [format!(
            "`api.token_file` = \"{path}\" (PERGOLA_API__TOKEN_FILE): \
             must name a file that is not empty"
        )]
    );
}

#[test]
fn a_token_in_the_environment_takes_the_place_of_the_files() {
    let config =
        load("[api]\ntoken_file = \"/nowhere\"\n", &[("PERGOLA_API__TOKEN", "x")]).unwrap();
    assert!(config.api.token.unwrap().matches("x"));
    let found = mistakes("[api]\ntoken = \"x\"\ntoken_file = \"/nowhere\"\n", &[]);
    assert_eq!(
        found,
        ["`api.token_file` = \"/nowhere\" (pergola.toml:3): must not be set together with `token`"]
    );
}

#[test]
fn a_wrong_token_is_not_printed() {
    assert_eq!(
        mistakes("[api]\ntoken = 12345\n", &[]),
        ["`api.token` = ******** (pergola.toml:2): must be text in quotes"]
    );
    let error = load("[crawl]\nproxy = \"socks9://me:sesame@proxy\"\n", &[]).unwrap_err();
    assert!(!error.to_string().contains("sesame"), "{error}");
}
