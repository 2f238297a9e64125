//! Texts that exceed the limits.

use pergola_query::{Limits, parse, parse_with};

#[test]
fn a_text_that_exceeds_a_limit_is_rejected_with_its_name() {
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
    let refused = |what: &str, limit: usize| -> Result<(), String> {
        Err(format!("too many {what}: at most {limit} are allowed"))
    };
    assert_eq!(gist(&" ".repeat(2_000)), Ok(()));
    assert_eq!(gist(&" ".repeat(2_001)), refused("bytes of text", 2000));
    assert_eq!(gist("DROP FEED a; DROP FEED b"), Ok(()));
    assert_eq!(gist("DROP FEED a; DROP FEED b; DROP FEED c"), refused("statements", 2));
    let nested =
        |depth| filter(&format!("{}TITLE = \"x\"{}", "(".repeat(depth), ")".repeat(depth)));
    assert_eq!(gist(&nested(4)), Ok(()));
    assert_eq!(gist(&nested(5)), refused("levels of nesting", 4));
    assert_eq!(gist(&filter("NOT NOT NOT NOT NOT TITLE = \"x\"")), refused("levels of nesting", 4));
    assert_eq!(gist(&filter("TITLE = \"x\" OR \"y\" OR \"z\"")), Ok(()));
    let tests = refused("tests in the filters of one text", 3);
    assert_eq!(gist(&filter("TITLE = \"x\" OR \"y\" OR \"z\" OR \"!\"")), tests);
    assert_eq!(gist(&filter("TITLE IN (\"x\", \"y\", \"z\", \"!\")")), tests);
    let regexes = refused("regular expressions in one text", 1);
    assert_eq!(gist(&filter("TITLE MATCHES \"x\" OR \"y\"")), regexes);
    assert_eq!(gist(&filter("TITLE MATCHES \"x\" OR LINK MATCHES \"y\"")), regexes);
    assert_eq!(gist(&filter("TITLE MATCHES \"x\" OR TITLE = \"y\"")), Ok(()));
    let sources = refused("sources in the feeds of one text", 2);
    assert_eq!(gist("CREATE FEED f AS RETURN a | b | c"), sources);
    let string = refused("bytes in one string, name or number", 100);
    assert_eq!(gist(&filter(&format!("TITLE = \"{}\"", "x".repeat(99)))), string);
}

#[test]
fn the_default_limits_stop_nesting_long_before_the_stack_overflows() {
    let text = format!("CREATE FEED f AS RETURN a WHERE {}", "NOT (".repeat(100_000));
    assert_eq!(
        parse(&text).unwrap_err().to_string(),
        "too many levels of nesting: at most 64 are allowed"
    );
}

#[test]
fn no_limit_allows_nesting_that_overflows_the_stack() {
    let limits = Limits { depth: usize::MAX, ..Limits::default() };
    let text = format!("CREATE FEED f AS RETURN a WHERE {}", "NOT (".repeat(100_000));
    let error = parse_with(&text, &limits).unwrap_err();
    assert_eq!(error.to_string(), "too many levels of nesting: at most 256 are allowed");
    let deep = format!("CREATE FEED f AS RETURN a WHERE {}TITLE = \"x\"", "NOT ".repeat(256));
    assert!(parse_with(&deep, &limits).is_ok());
}
