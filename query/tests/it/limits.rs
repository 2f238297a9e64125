//! Texts that are too long, too deep or too many.

use pergola_query::{Limits, parse, parse_with};

#[test]
fn whatever_exceeds_a_limit_is_refused_with_its_name() {
    let limits = Limits {
        text: 2_000,
        statements: 2,
        depth: 4,
        tests: 3,
        regexes: 1,
        sources: 2,
        string: 100,
    };
    let gist = |text: &str| parse_with(text, &limits).map(|_| ()).map_err(|e| e.to_string());
    let filter = |rest: &str| format!("CREATE FEED f AS RETURN a WHERE {rest}");
    let refused = |what: &str| Err(format!("too much: {what}"));
    assert_eq!(gist(&" ".repeat(2_000)), Ok(()));
    assert_eq!(gist(&" ".repeat(2_001)), refused("bytes of text, at most 2000"));
    assert_eq!(gist("DROP FEED a; DROP FEED b"), Ok(()));
    assert_eq!(gist("DROP FEED a; DROP FEED b; DROP FEED c"), refused("statements, at most 2"));
    let nested =
        |depth| filter(&format!("{}TITLE = \"x\"{}", "(".repeat(depth), ")".repeat(depth)));
    assert_eq!(gist(&nested(4)), Ok(()));
    assert_eq!(gist(&nested(5)), refused("levels of nesting, at most 4"));
    assert_eq!(
        gist(&filter("NOT NOT NOT NOT NOT TITLE = \"x\"")),
        refused("levels of nesting, at most 4")
    );
    assert_eq!(gist(&filter("TITLE = \"x\" OR \"y\" OR \"z\"")), Ok(()));
    let tests = refused("tests in the filters of one text, at most 3");
    assert_eq!(gist(&filter("TITLE = \"x\" OR \"y\" OR \"z\" OR \"!\"")), tests);
    assert_eq!(gist(&filter("TITLE IN (\"x\", \"y\", \"z\", \"!\")")), tests);
    let regexes = refused("regular expressions in one text, at most 1");
    assert_eq!(gist(&filter("TITLE MATCHES \"x\" OR \"y\"")), regexes);
    assert_eq!(gist(&filter("TITLE MATCHES \"x\" OR LINK MATCHES \"y\"")), regexes);
    assert_eq!(gist(&filter("TITLE MATCHES \"x\" OR TITLE = \"y\"")), Ok(()));
    let sources = refused("sources in the feeds of one text, at most 2");
    assert_eq!(gist("CREATE FEED f AS RETURN a | b | c"), sources);
    let string = refused("bytes in one string, name or number, at most 100");
    assert_eq!(gist(&filter(&format!("TITLE = \"{}\"", "x".repeat(99)))), string);
}

#[test]
fn the_usual_limits_stop_nesting_long_before_the_stack_ends() {
    let text = format!("CREATE FEED f AS RETURN a WHERE {}", "NOT (".repeat(100_000));
    assert_eq!(parse(&text).unwrap_err().to_string(), "too much: levels of nesting, at most 64");
}

#[test]
fn no_limit_can_be_set_so_high_that_the_stack_ends_first() {
    let limits = Limits { depth: usize::MAX, ..Limits::default() };
    let text = format!("CREATE FEED f AS RETURN a WHERE {}", "NOT (".repeat(100_000));
    let error = parse_with(&text, &limits).unwrap_err();
    assert_eq!(error.to_string(), "too much: levels of nesting, at most 256");
    let deep = format!("CREATE FEED f AS RETURN a WHERE {}TITLE = \"x\"", "NOT ".repeat(256));
    assert!(parse_with(&deep, &limits).is_ok());
}
