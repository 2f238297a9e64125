//! What statements do to the feeds of a node.

use pergola_query::{Catalogue, Change, parse};

/// The printed feeds after some valid scripts.
fn after(scripts: &[&str]) -> Vec<String> {
    let mut catalogue = Catalogue::new();
    for text in scripts {
        let script = parse(text).unwrap_or_else(|e| panic!("{}", e.render(text, "query")));
        catalogue.run(&script).unwrap_or_else(|e| panic!("{}", e.render(text, "query")));
    }
    shown(&catalogue)
}

/// One line for each feed.
fn shown(catalogue: &Catalogue) -> Vec<String> {
    let line = |name: &str| {
        let body = catalogue.get(name).unwrap().to_string();
        format!("{name}: {}", body.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    catalogue.names().map(line).collect()
}

const BOTH: &str = r#"CREATE FEED b AS RETURN "http://x/" AS $x WHERE TITLE = "1" WINDOW 9;
                      CREATE FEED a AS RETURN FEED b"#;

#[test]
fn feeds_are_created_and_dropped_in_the_order_of_the_script() {
    assert_eq!(
        after(&[BOTH]),
        [r#"a: RETURN FEED b"#, r#"b: RETURN "http://x/" AS $x WHERE TITLE = "1" WINDOW 9"#]
    );
    assert_eq!(after(&[BOTH, "DROP FEED a; DROP FEED b"]), Vec::<String>::new());
}

#[test]
fn alter_changes_one_part_and_keeps_the_others() {
    for (action, expected) in [
        (
            r#"WHERE $x[TITLE = "2"]"#,
            r#"b: RETURN "http://x/" AS $x WHERE $x[TITLE = "2"] WINDOW 9"#,
        ),
        (
            r#"ADD "http://y/""#,
            r#"b: RETURN "http://x/" AS $x | "http://y/" WHERE TITLE = "1" WINDOW 9"#,
        ),
        (
            "SET WEIGHT 2 WINDOW 5",
            r#"b: RETURN "http://x/" AS $x WHERE TITLE = "1" WINDOW 5 WEIGHT 2"#,
        ),
        ("SET NOVEL WINDOW 5", r#"b: RETURN "http://x/" AS $x WHERE TITLE = "1" WINDOW 5 NOVEL"#),
        ("RESET WINDOW", r#"b: RETURN "http://x/" AS $x WHERE TITLE = "1""#),
        (r#"AS RETURN "http://z/""#, r#"b: RETURN "http://z/""#),
    ] {
        let altered = after(&[BOTH, &format!("ALTER FEED b {action}")]);
        assert_eq!(altered, ["a: RETURN FEED b", expected]);
    }
    let more = after(&[BOTH, r#"ALTER FEED b ADD "http://y/"; ALTER FEED b REMOVE "http://x/""#]);
    assert_eq!(more[1], r#"b: RETURN "http://y/" WHERE TITLE = "1" WINDOW 9"#);
}

#[test]
fn a_renamed_feed_keeps_its_readers() {
    let renamed = after(&[BOTH, "ALTER FEED b RENAME TO c"]);
    assert_eq!(
        renamed,
        ["a: RETURN FEED c", r#"c: RETURN "http://x/" AS $x WHERE TITLE = "1" WINDOW 9"#]
    );
}

#[test]
fn a_script_with_a_mistake_changes_nothing() {
    let mut catalogue = Catalogue::new();
    catalogue.run(&parse(BOTH).unwrap()).unwrap();
    let before = catalogue.clone();
    let wrong = r#"ALTER FEED b RENAME TO c; CREATE FEED d AS RETURN FEED c; ALTER FEED c SET WINDOW 1;
                   DROP FEED d; DROP FEED a; DROP FEED nothing"#;
    assert!(catalogue.run(&parse(wrong).unwrap()).is_err());
    assert_eq!(catalogue, before);
}

#[test]
fn explain_changes_nothing_and_checks_a_proposed_feed() {
    let mut catalogue = Catalogue::new();
    catalogue.run(&parse(BOTH).unwrap()).unwrap();
    let before = catalogue.clone();
    let text = "EXPLAIN a; EXPLAIN CREATE FEED c AS RETURN FEED a | FEED b";
    let changes = catalogue.run(&parse(text).unwrap()).unwrap();
    let names: Vec<&str> = changes
        .iter()
        .map(|change| match change {
            Change::Explain { name, .. } => name.as_str(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(names, ["a", "c"]);
    assert_eq!(catalogue, before);
    assert!(catalogue.run(&parse("EXPLAIN CREATE FEED c AS RETURN FEED d").unwrap()).is_err());
}

#[test]
fn a_cycle_through_a_long_chain_of_feeds_is_found() {
    let mut text = "CREATE FEED f0 AS RETURN \"http://x/\";".to_owned();
    for number in 1..5_000 {
        text += &format!("CREATE FEED f{number} AS RETURN FEED f{};", number - 1);
    }
    let mut catalogue = Catalogue::new();
    catalogue.run(&parse(&text).unwrap()).unwrap();
    let error = catalogue.run(&parse("ALTER FEED f0 ADD FEED f4999").unwrap()).unwrap_err();
    assert!(
        error.to_string().starts_with("feed `f0` would read itself: f0 reads f4999 reads f4998")
    );
}
