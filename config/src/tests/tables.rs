//! `[hosts."…"]` and `[[source]]`.

use std::time::Duration;

use super::*;

#[test]
fn a_named_host_has_its_own_manners_and_the_usual_for_the_rest() {
    let config = from_file(
        "[hosts.\"Example.org\"]\nspacing = \"500 ms\"\nfloor = \"1 min\"\nprivate = true\ngroup = \"g\"\n",
    );
    let own = config.rule_for("example.ORG.");
    assert_eq!(own.spacing, Duration::from_millis(500));
    assert_eq!((own.floor, own.floor_known), (Duration::from_secs(60), Duration::from_secs(60)));
    assert_eq!(own.per_domain, config.crawl.per_domain);
    assert_eq!(own.group.as_deref(), Some("g"));
    assert!(own.private && !own.peer);
}

#[test]
fn a_domain_rules_the_hosts_below_it_but_private_is_for_exactly_one() {
    let config = from_file(
        "[hosts.\"example.org\"]\nspacing = 1\nprivate = true\n[hosts.\"a.example.org\"]\npeer = true\n",
    );
    let below = config.rule_for("www.example.org");
    assert_eq!(below.spacing, Duration::from_secs(1));
    assert!(!below.private);
    let nearest = config.rule_for("b.a.example.org");
    assert!(nearest.peer);
    assert_eq!(nearest.spacing, config.crawl.spacing);
    assert_eq!(config.rule_for("notexample.org"), HostRule::usual(&config.crawl));
}

#[test]
fn a_host_is_found_however_it_is_spelled() {
    let text = "[hosts.\"bücher.example\"]\npeer = true\n[hosts.\"::1\"]\npeer = true\n";
    let config = from_file(text);
    for host in ["xn--bcher-kva.example", "BÜCHER.example", "a.bücher.example", "[::1]", "0::1"] {
        assert!(config.rule_for(host).peer, "{host}");
    }
    assert!(!config.rule_for("[::2]").peer);
}

#[test]
fn what_is_no_host_is_refused() {
    assert_eq!(
        mistakes("[hosts.\"https://example.org\"]\n", &[]),
        ["[hosts.\"https://example.org\"] (pergola.toml:1): \
             must be a host or domain, without scheme, port or path"]
    );
    assert_eq!(
        mistakes("[hosts.\"A.example\"]\n[hosts.\"a.example\"]\n", &[]),
        [
            "[hosts.\"a.example\"] (pergola.toml:2): must not be declared twice: `a.example` already is"
        ]
    );
    assert_eq!(
        mistakes("[hosts.\"a.example\"]\npeers = true\n", &[]),
        ["unknown key `hosts.\"a.example\".peers` at line 2, column 1: did you mean `peer`?"]
    );
}

#[test]
fn a_source_is_a_feed_a_list_or_a_page() {
    let config = from_file(
        "[[source]]\nurl = \"https://a.example/rss\"\n\
         [[source]]\nurl = \"https://a.example/opml\"\nlist = true\nimportance = 2\n\
         [[source]]\nurl = \"https://a.example/\"\ntitle = \"A\"\n\
         [source.page]\nitem = \"article\"\nlink = \"h2 a\"\n",
    );
    let [feed, list, page] = &config.sources[..] else { panic!("{:?}", config.sources) };
    assert_eq!((feed.importance, feed.list, &feed.page), (1.0, false, &None));
    assert_eq!((list.importance, list.list), (2.0, true));
    let selectors = page.page.as_ref().unwrap();
    assert_eq!(selectors.item, "article");
    assert_eq!(selectors.link.as_deref(), Some("h2 a"));
    assert_eq!(page.title.as_deref(), Some("A"));
}

#[test]
fn a_source_twice_is_refused() {
    let text = "[[source]]\nurl = \"https://a.example/rss\"\n[[source]]\nurl = \"https://A.example/rss#x\"\n";
    assert_eq!(
        mistakes(text, &[]),
        ["`source[2].url` = \"https://A.example/rss#x\" (pergola.toml:4): \
             must not be declared twice: [source[1]] (pergola.toml:1) already has it"]
    );
}

#[test]
fn a_source_that_makes_no_sense_is_refused() {
    let wrong = [
        ("title = \"A\"", "[source[1]] (pergola.toml:1): must have a `url`"),
        (
            "url = \"https://a.example/\"\nimportance = -1",
            "`source[1].importance` = -1 (pergola.toml:3): must be a number above 0, up to 1000",
        ),
        (
            "url = \"https://a.example/\"\nlist = \"yes\"",
            "`source[1].list` = \"yes\" (pergola.toml:3): must be true or false",
        ),
        (
            "url = \"https://a.example/\"\npage.title = \"h2\"",
            "[source[1]] (pergola.toml:1): must have a `page.item` when it has another selector",
        ),
        (
            "url = \"https://a.example/\"\nlist = true\npage.item = \"li\"",
            "`source[1].list` = true (pergola.toml:3): must not be set together with `page`",
        ),
        (
            "url = \"https://a.example/\"\n[source.page]\nitem = \"li\"\ncontents = \"p\"",
            "unknown key `source[1].page.contents` at line 5, column 1: did you mean `page.content`?",
        ),
        (
            "url = \"https://a.example/\"\npage = 3",
            "`source[1].page` (pergola.toml:3): must be a table: write [source[1].page]",
        ),
    ];
    for (lines, message) in wrong {
        assert_eq!(mistakes(&format!("[[source]]\n{lines}\n"), &[]), [message]);
    }
}

#[test]
fn a_selector_is_checked() {
    let text = "[[source]]\nurl = \"https://a.example/\"\npage.item = \"h2[\"\n";
    let found = mistakes(text, &[]);
    assert_eq!(found.len(), 1, "{found:?}");
    let expected = "`source[1].page.item` = \"h2[\" (pergola.toml:3): \
                    must be a CSS selector such as \"article h2 a\": ";
    assert!(found[0].starts_with(expected), "{found:?}");
}
