//! Queries and their trees.

use pergola_query::syntax::{
    AlterAction, Compare, ExplainTarget, Expr, Field, Literal, Moment, OptionKind, OrderBy, Period,
    PublishedTest, SourceRef, Spanned, Statement, Test, TextOp, Unit, parse,
};

pub(crate) const SEED_WITH_BRACKETS: &str = r#"CREATE FEED IceVolEruFeed AS
RETURN "http://feeds.guardian.co.uk/theguardian/rss" AS $guardian |
      "http://www.boston.com/bigpicture/index.xml" AS $picture
WHERE $guardian[ITEM CONTAINS "iceland" OR
              ITEM CONTAINS "volcano" OR
              ITEM CONTAINS "eruption"] AND
      $picture[CATEGORY = "iceland" OR
              CATEGORY = "volcano" OR
              CATEGORY = "eruption"];
"#;

pub(crate) const SEED_SHORT_FORM: &str = r#"CREATE FEED IcelandVolcanoEruption AS
RETURN "http://feeds.guardian.co.uk/theguardian/rss" |
      "http://www.boston.com/bigpicture/index.xml"
WHERE ITEM CONTAINS "iceland" OR "volcano" OR "eruption"
"#;

fn only(text: &str) -> Statement {
    let mut script = parse(text).unwrap_or_else(|e| panic!("{}", e.render(text, "query")));
    assert_eq!(script.statements.len(), 1, "{text}");
    script.statements.remove(0).value
}

/// The common condition of a filter.
fn condition(filter: &str) -> Expr {
    match only(&format!("CREATE FEED f AS RETURN \"http://a/\" WHERE {filter}")) {
        Statement::Create(feed) => feed.body.filter.common.unwrap(),
        other => panic!("{other}"),
    }
}

fn text(field: Field, op: TextOp, value: &str) -> Expr {
    Test::Text { field, op, value: value.into() }.into()
}

fn has(value: &str) -> Expr {
    text(Field::Item, TextOp::Contains, value)
}

#[test]
fn the_example_with_brackets_filters_each_source_by_its_own_bracket() {
    let Statement::Create(feed) = only(SEED_WITH_BRACKETS) else { panic!("not a CREATE") };
    assert_eq!(feed.name.value, "IceVolEruFeed");
    let sources: Vec<_> = feed.body.sources.iter().map(|s| s.source.value.clone()).collect();
    let url = |url: &str| SourceRef::Url(url.to_owned());
    assert_eq!(
        sources,
        [
            url("http://feeds.guardian.co.uk/theguardian/rss"),
            url("http://www.boston.com/bigpicture/index.xml")
        ]
    );
    let words = ["iceland", "volcano", "eruption"];
    let is = |word: &&str| text(Field::Category, TextOp::Equal, word);
    let filter = &feed.body.filter;
    assert_eq!(filter.common, None);
    assert_eq!(
        filter.for_variable(Some("guardian")),
        Expr::any(words.iter().map(|word| has(word)).collect())
    );
    assert_eq!(filter.for_variable(Some("picture")), Expr::any(words.iter().map(is).collect()));
}

#[test]
fn the_short_form_of_the_second_example_equals_the_long_form() {
    let Statement::Create(feed) = only(SEED_SHORT_FORM) else { panic!("not a CREATE") };
    let written_out =
        r#"ITEM CONTAINS "iceland" OR ITEM CONTAINS "volcano" OR ITEM CONTAINS "eruption""#;
    assert_eq!(feed.body.filter.common, Some(condition(written_out)));
    assert!(feed.body.filter.brackets.is_empty());
    assert_eq!(feed.body.sources.len(), 2);
}

#[test]
fn not_binds_tighter_than_and_and_and_tighter_than_or() {
    let all = |parts| Expr::all(parts).unwrap();
    let any = |parts| Expr::any(parts).unwrap();
    let not = |inner| Expr::Not(Box::new(inner));
    assert_eq!(
        condition(r#"ITEM CONTAINS "a" OR NOT "b" AND "c""#),
        any(vec![has("a"), all(vec![not(has("b")), has("c")])])
    );
    assert_eq!(
        condition(r#"(ITEM CONTAINS "a" OR "b") AND NOT (TITLE CONTAINS "c" OR "d")"#),
        all(vec![
            any(vec![has("a"), has("b")]),
            not(any(vec![
                text(Field::Title, TextOp::Contains, "c"),
                text(Field::Title, TextOp::Contains, "d")
            ]))
        ])
    );
}

#[test]
fn the_short_form_reaches_into_parentheses_but_not_out_of_them() {
    let expected = Expr::all(vec![has("a"), Expr::any(vec![has("b"), has("c")]).unwrap()]).unwrap();
    assert_eq!(condition(r#"ITEM CONTAINS "a" AND ("b" OR "c")"#), expected);
    assert_eq!(condition(r#"ITEM CONTAINS ("a" AND ("b" OR "c"))"#), expected);
    assert!(
        parse(r#"CREATE FEED f AS RETURN "http://a/" WHERE (ITEM CONTAINS "a") OR "b""#).is_err()
    );
}

#[test]
fn keywords_are_the_same_in_upper_and_lower_case_and_comments_are_skipped() {
    let plain = "CREATE FEED f AS RETURN FEED g WHERE TITLE = \"x\"";
    let fancy =
        "-- what it is for\ncreate Feed f as return g -- the source\nwhere title='x' -- end";
    assert_eq!(only(plain), only(fancy));
}

#[test]
fn every_field_and_comparison_can_be_written() {
    for (word, field) in [
        ("TITLE", Field::Title),
        ("CONTENT", Field::Content),
        ("AUTHOR", Field::Author),
        ("LINK", Field::Link),
        ("CATEGORY", Field::Category),
        ("SOURCE", Field::Source),
        ("ITEM", Field::Item),
    ] {
        for (sign, op) in [
            ("CONTAINS", TextOp::Contains),
            ("MATCHES", TextOp::Matches),
            ("=", TextOp::Equal),
            ("!=", TextOp::NotEqual),
            ("<>", TextOp::NotEqual),
        ] {
            assert_eq!(condition(&format!("{word} {sign} \"x\"")), text(field, op, "x"));
        }
        let values = vec!["x".into(), "y".into()];
        assert_eq!(
            condition(&format!("{word} IN (\"x\", \"y\")")),
            Test::OneOf { field, values }.into()
        );
    }
}

#[test]
fn exact_belongs_to_its_string_and_regular_expressions_have_none() {
    let exact = |op, text: &str| -> Expr {
        let value = Spanned::unplaced(Literal { text: text.to_owned(), exact: true });
        Test::Text { field: Field::Item, op, value }.into()
    };
    let any = |parts| Expr::any(parts).unwrap();
    assert_eq!(condition(r#"ITEM = EXACT "a""#), exact(TextOp::Equal, "a"));
    assert_eq!(
        condition(r#"ITEM CONTAINS exact "a" OR "b" OR EXACT "c""#),
        any(vec![exact(TextOp::Contains, "a"), has("b"), exact(TextOp::Contains, "c")])
    );
    assert_eq!(
        condition(r#"ITEM CONTAINS (EXACT "a" OR "b")"#),
        any(vec![exact(TextOp::Contains, "a"), has("b")])
    );
    let list = condition(r#"TITLE IN (EXACT "a", "b")"#);
    assert_eq!(list.to_string(), r#"TITLE IN (EXACT "a", "b")"#);
    for text in [r#"TITLE MATCHES EXACT "a""#, r#"TITLE MATCHES "a" OR EXACT "b""#] {
        let text = format!("CREATE FEED f AS RETURN \"http://a/\" WHERE {text}");
        let error = parse(&text).unwrap_err();
        assert_eq!(&text[error.span.range()], "EXACT");
    }
    assert!(parse("CREATE FEED Exact AS RETURN FEED exact").is_ok());
}

#[test]
fn times_are_compared_with_dates_or_with_now() {
    let moment = |text| Moment::parse(text).unwrap();
    let published = |test| Expr::from(Test::Published(test));
    for (sign, compare) in [
        ("<", Compare::Before),
        ("<=", Compare::NotAfter),
        (">", Compare::After),
        (">=", Compare::NotBefore),
        ("=", Compare::On),
        ("!=", Compare::NotOn),
    ] {
        assert_eq!(
            condition(&format!("PUBLISHED {sign} \"2026-03-31\"")),
            published(PublishedTest::Compare(compare, moment("2026-03-31")))
        );
    }
    assert_eq!(
        condition("PUBLISHED BETWEEN \"2026-03-01\" AND \"2026-03-31T12:00:00Z\""),
        published(PublishedTest::Between(moment("2026-03-01"), moment("2026-03-31T12:00:00Z")))
    );
    for text in ["PUBLISHED WITHIN 1 DAY", "published within 1 days"] {
        let day = Period { count: 1, unit: Unit::Days };
        assert_eq!(condition(text), published(PublishedTest::Within(day)));
    }
}

#[test]
fn sources_are_addresses_lists_folders_feeds_and_feeds_of_peers() {
    let text = r#"CREATE FEED f AS RETURN "http://a/" | OPML "news.opml" AS $list | FEED g | h |
                  FOLDER "Tech/Rust" | folder | PEER "https://node.example.org" FEED k AS $far"#;
    let Statement::Create(feed) = only(text) else { panic!("not a CREATE") };
    let sources: Vec<_> = feed.body.sources.iter().map(|s| s.source.value.clone()).collect();
    assert_eq!(
        sources,
        [
            SourceRef::Url("http://a/".into()),
            SourceRef::Opml("news.opml".into()),
            SourceRef::Feed("g".into()),
            SourceRef::Feed("h".into()),
            SourceRef::Folder("Tech/Rust".into()),
            SourceRef::Feed("folder".into()),
            SourceRef::Peer { node: "https://node.example.org".into(), feed: "k".into() },
        ]
    );
    let variables: Vec<_> = feed
        .body
        .sources
        .iter()
        .filter_map(|s| Some(s.variable.as_ref()?.value.as_str()))
        .collect();
    assert_eq!(variables, ["list", "far"]);
}

#[test]
fn options_come_in_any_order_and_words_like_window_can_be_names() {
    let text =
        "CREATE FEED Window AS RETURN FEED title WEIGHT 2.5 ORDER BY SOURCE KEEP 90 DAYS WINDOW 50";
    let Statement::Create(feed) = only(text) else { panic!("not a CREATE") };
    let options = feed.body.options;
    assert_eq!(options.window, Some(50));
    assert_eq!(options.keep, Some(Period { count: 90, unit: Unit::Days }));
    assert_eq!(options.order, Some(OrderBy::Source));
    assert_eq!(options.weight, Some(2.5));
    assert_eq!(options.novel, None);
    assert_eq!(feed.name.value, "Window");
}

#[test]
fn novel_takes_a_threshold_or_none() {
    for (text, beta, printed) in [
        ("NOVEL", 0.1, "NOVEL"),
        ("novel 0.10", 0.1, "NOVEL"),
        ("NOVEL 0", 0.0, "NOVEL 0"),
        ("NOVEL 2.5 WINDOW 9", 2.5, "WINDOW 9 NOVEL 2.5"),
    ] {
        let Statement::Create(feed) = only(&format!("CREATE FEED Novel AS RETURN FEED a {text}"))
        else {
            panic!("not a CREATE")
        };
        assert_eq!(feed.body.options.novel, Some(beta));
        assert_eq!(feed.body.options.to_string(), printed);
    }
}

#[test]
fn feeds_can_be_dropped_altered_and_explained() {
    assert!(matches!(only("DROP FEED f"), Statement::Drop(name) if name.value == "f"));
    let action = |text: &str| match only(&format!("ALTER FEED f {text}")) {
        Statement::Alter(_, action) => *action,
        other => panic!("{other}"),
    };
    assert!(matches!(action("AS RETURN FEED g"), AlterAction::Replace(_)));
    assert!(matches!(action("WHERE TITLE = \"x\""), AlterAction::Filter(_)));
    assert!(
        matches!(action("ADD FEED g | \"http://a/\""), AlterAction::Add(list) if list.len() == 2)
    );
    assert!(matches!(action("REMOVE FEED g"), AlterAction::Remove(list) if list.len() == 1));
    assert!(
        matches!(action("SET WINDOW 5"), AlterAction::Set(options) if options.window == Some(5))
    );
    assert!(matches!(action("RENAME TO g"), AlterAction::Rename(name) if name.value == "g"));
    assert_eq!(
        action("RESET KEEP ORDER BY"),
        AlterAction::Reset(vec![OptionKind::Keep, OptionKind::Order])
    );
    for text in ["EXPLAIN f", "EXPLAIN FEED f"] {
        let Statement::Explain(ExplainTarget::Named(name)) = only(text) else { panic!("{text}") };
        assert_eq!(name.value, "f");
    }
    assert!(matches!(
        only("EXPLAIN CREATE FEED f AS RETURN FEED g"),
        Statement::Explain(ExplainTarget::Proposed(_))
    ));
}

#[test]
fn strings_have_escapes_unless_they_are_raw() {
    assert_eq!(condition(r#"ITEM CONTAINS "a\"b\\c\n\u{e9}""#), has("a\"b\\c\né"));
    assert_eq!(condition(r#"ITEM CONTAINS 'say "hi"'"#), has("say \"hi\""));
    assert_eq!(
        condition(r#"TITLE MATCHES r"\bice\b""#),
        text(Field::Title, TextOp::Matches, r"\bice\b")
    );
}

#[test]
fn statements_are_separated_by_semicolons_and_empty_ones_do_not_count() {
    assert_eq!(parse("; DROP FEED a;; DROP FEED b ;").unwrap().statements.len(), 2);
    assert_eq!(parse(" -- nothing\n").unwrap().statements.len(), 0);
}

#[test]
fn every_part_of_the_tree_has_its_position() {
    let text = "DROP FEED a;\n CREATE FEED b AS RETURN FEED c WHERE TITLE = \"x\"";
    let script = parse(text).unwrap();
    assert_eq!(&text[script.statements[1].span.range()], &text[14..]);
    let Statement::Create(feed) = &script.statements[1].value else { panic!("not a CREATE") };
    let Some(Expr::Test(test)) = &feed.body.filter.common else { panic!("not a test") };
    assert_eq!(&text[test.span.range()], "TITLE = \"x\"");
    assert_eq!(&text[feed.body.sources[0].source.span.range()], "FEED c");
}
