//! Error messages as users see them.

use pergola_query::{Catalogue, parse};

/// The message for a text with an error; two feeds exist.
fn message(text: &str) -> String {
    let known = r#"CREATE FEED News AS RETURN "http://a/";
                   CREATE FEED Weather AS RETURN FEED News"#;
    let mut catalogue = Catalogue::new();
    catalogue.run(&parse(known).unwrap()).unwrap();
    match parse(text).and_then(|script| catalogue.run(&script)) {
        Ok(_) => panic!("no error in: {text}"),
        Err(error) => error.render(text, "query"),
    }
}

fn assert_message(text: &str, expected: &str) {
    let shown = message(text);
    assert_eq!(shown.trim_end(), expected.trim_matches('\n'), "\n{shown}");
}

#[test]
fn a_misspelt_keyword_is_marked_and_the_right_one_suggested() {
    assert_message(
        r#"CREATE FEED x AS RETURN "http://b/" WERE ITEM CONTAINS "a""#,
        r#"
error: unexpected `WERE`
 --> query:1:37
  |
1 | CREATE FEED x AS RETURN "http://b/" WERE ITEM CONTAINS "a"
  |                                     ^^^^ expected AS, `|`, WHERE, WINDOW, KEEP, ORDER, WEIGHT, NOVEL or `;`
  |
  = help: did you mean `WHERE`?
"#,
    );
    assert_message(
        "CREATE FEED x AS\nRETURN \"http://b/\"\nWHERE ITEM CONTIANS \"a\"",
        r#"
error: unexpected `CONTIANS`
 --> query:3:12
  |
3 | WHERE ITEM CONTIANS "a"
  |            ^^^^^^^^ expected CONTAINS, MATCHES, `=`, `!=` or IN
  |
  = help: did you mean `CONTAINS`?
"#,
    );
}

#[test]
fn the_caret_is_under_the_mistake_after_wide_characters_and_tabs() {
    assert_message(
        "CREATE FEED x AS RETURN FEED News\n\tWHERE ITEM CONTAINS \"冰岛\" ORR \"火山\"",
        r#"
error: unexpected `ORR`
 --> query:2:27
  |
2 |     WHERE ITEM CONTAINS "冰岛" ORR "火山"
  |                                ^^^ expected AND, OR, WINDOW, KEEP, ORDER, WEIGHT, NOVEL or `;`
  |
  = help: did you mean `OR`?
"#,
    );
}

#[test]
fn an_unclosed_bracket_or_string_is_reported_with_its_position() {
    assert_message(
        r#"CREATE FEED x AS RETURN FEED News WHERE (TITLE = "a" OR "b" WINDOW 3"#,
        r#"
error: unexpected WINDOW
 --> query:1:61
  |
1 | CREATE FEED x AS RETURN FEED News WHERE (TITLE = "a" OR "b" WINDOW 3
  |                                                             ^^^^^^ expected AND, OR or `)`
  |
  = help: close with `)` what was opened at 1:41
"#,
    );
    assert_message(
        "CREATE FEED x AS RETURN \"http://b/\n",
        r#"
error: this string has no closing quote
 --> query:1:25
  |
1 | CREATE FEED x AS RETURN "http://b/
  |                         ^^^^^^^^^^
  |
  = help: add a " before the end of the line
"#,
    );
    assert_message(
        "CREATE FEED x AS RETURN  ",
        r#"
error: unexpected end of the text
 --> query:1:24
  |
1 | CREATE FEED x AS RETURN  
  |                        ^ expected a source's address in quotes, OPML, FOLDER, PEER, FEED or a feed's name
"#,
    );
}

#[test]
fn unknown_names_come_with_the_nearest_known_one() {
    assert_message(
        "CREATE FEED x AS RETURN FEED Newss",
        r#"
error: there is no feed `Newss`
 --> query:1:25
  |
1 | CREATE FEED x AS RETURN FEED Newss
  |                         ^^^^^^^^^^
  |
  = help: did you mean `News`?
"#,
    );
    assert_message(
        r#"CREATE FEED x AS RETURN FEED News AS $news WHERE $nwes[TITLE = "a"]"#,
        r#"
error: no source has the variable `$nwes`
 --> query:1:50
  |
1 | CREATE FEED x AS RETURN FEED News AS $news WHERE $nwes[TITLE = "a"]
  |                                                  ^^^^^
  |
  = help: did you mean `$news`?
"#,
    );
}

#[test]
fn a_star_that_finds_nothing_is_marked() {
    assert_message(
        r#"CREATE FEED x AS RETURN FEED News WHERE ITEM CONTAINS "ash" OR EXACT "volc* ash""#,
        r#"
error: a `*` is allowed only at the end of the last word
 --> query:1:75
  |
1 | CREATE FEED x AS RETURN FEED News WHERE ITEM CONTAINS "ash" OR EXACT "volc* ash"
  |                                                                           ^
  |
  = help: "volcano*" finds the words that begin with volcano; to find the character *, write MATCHES r"\*"
"#,
    );
    for (literal, marked) in [
        (r#"CONTAINS "*""#, "*"),
        (r#"CONTAINS "C++*""#, "*"),
        (r#"IN ("a", "b*c")"#, "*"),
        (r#"!= "*a""#, "*"),
        (r#"= "a\tb *""#, r#""a\tb *""#),
        (r#"= "\u{2060}""#, r#""\u{2060}""#),
    ] {
        let text = format!("CREATE FEED x AS RETURN \"http://a/\" WHERE TITLE {literal}");
        let error = Catalogue::new().run(&parse(&text).unwrap()).unwrap_err();
        assert_eq!(&text[error.span.range()], marked, "{text}");
    }
    let fine = r#"CREATE FEED x AS RETURN "http://a/" WHERE TITLE MATCHES "a*b" OR TITLE = "a*""#;
    assert!(Catalogue::new().run(&parse(fine).unwrap()).is_ok());
}

#[test]
fn a_cycle_of_feeds_is_shown_as_a_path() {
    assert_message(
        "ALTER FEED News ADD FEED Weather",
        r#"
error: feed `News` would read itself: News reads Weather reads News
 --> query:1:21
  |
1 | ALTER FEED News ADD FEED Weather
  |                     ^^^^^^^^^^^^
"#,
    );
    let own = message("CREATE FEED x AS RETURN FEED x");
    assert!(own.starts_with("error: feed `x` would read itself: x reads x\n"), "{own}");
}

/// The first line of the message, and the help.
fn gist(text: &str) -> String {
    let shown = message(text);
    let first = shown.lines().next().unwrap_or_default().trim_start_matches("error: ");
    match shown.split_once("= help: ") {
        Some((_, help)) => format!("{first} / {}", help.trim_end()),
        None => first.to_owned(),
    }
}

#[test]
fn every_other_error_says_what_is_wrong_and_what_to_do() {
    let feed = |rest: &str| format!("CREATE FEED x AS RETURN {rest}");
    let filter = |rest: &str| feed(&format!("FEED News AS $a WHERE {rest}"));
    for (text, expected) in [
        (
            "CREATE FEED where AS RETURN FEED News".to_owned(),
            "`WHERE` is a reserved word and cannot be a name / write the feed's name here",
        ),
        (feed("\"http://b/\" AS $a | \"http://c/\" AS $a"), "two sources have the variable `$a`"),
        (
            feed("\"http://b/\" | \"http://b/\""),
            "the feed already reads this source / join the filters for one source with OR",
        ),
        (
            feed("\"b.example.org\""),
            "`b.example.org` is not a web address / an address starts with http:// or https://",
        ),
        (
            feed("\"News\""),
            "`News` is not a web address / for the feed of that name, write FEED News",
        ),
        (
            feed("PEER \"node\" FEED y"),
            "`node` is not a web address / an address starts with http:// or https://",
        ),
        (
            "CREATE FEED News AS RETURN \"http://b/\"".to_owned(),
            "there is already a feed `News` / to change it, write ALTER FEED News",
        ),
        (
            "DROP FEED News".to_owned(),
            "feed `News` is read by `Weather` / drop or alter `Weather` first",
        ),
        ("DROP FEED Nws".to_owned(), "there is no feed `Nws` / did you mean `News`?"),
        ("EXPLAIN Wether".to_owned(), "there is no feed `Wether` / did you mean `Weather`?"),
        (
            "ALTER FEED News REMOVE \"http://b/\"".to_owned(),
            "feed `News` does not read this source",
        ),
        (
            "ALTER FEED News REMOVE \"http://a/\"".to_owned(),
            "feed `News` would have no sources left / to remove the feed, write DROP FEED News",
        ),
        ("ALTER FEED News SET".to_owned(), "unexpected end of the text"),
        (feed("FEED News WINDOW 0"), "a window must be a whole number from 1 to 1000000"),
        (feed("FEED News WINDOW 1.5"), "a window must be a whole number from 1 to 1000000"),
        (
            feed("FEED News KEEP 99999999999 DAYS"),
            "a length of time must be a whole number, at least 1",
        ),
        (feed("FEED News WEIGHT 0.0"), "a weight must be above 0 and at most 1000000"),
        (feed("FEED News NOVEL 10.5"), "the threshold of NOVEL must be from 0 to 10"),
        (feed("FEED News WINDOW 5 WINDOW 6"), "`WINDOW` is given twice"),
        (feed("FEED News KEEP 90 DAXS"), "unexpected `DAXS` / did you mean `DAYS`?"),
        (
            filter("\"a\""),
            "it is not clear what to compare this string with / write a field and a comparison before it: ITEM CONTAINS \"…\"",
        ),
        (filter("TITLE CONTAINS \" \""), "this string contains no word"),
        (feed("OPML \"al\""), "there is no list `al` / did you mean `all`?"),
        (
            feed("OPML \"subscriptions.opml\""),
            "there is no list `subscriptions.opml` / write OPML \"all\" for every source, or the address of a list",
        ),
        (filter("TITLE MATCHES \"(\""), "invalid regular expression: unclosed group"),
        (
            filter("TITLE MATCHES \"(a{1000}){1000}\""),
            "invalid regular expression: it is too large",
        ),
        (
            filter("TITLE = \"\\b\""),
            "unknown escape `\\b` / write \\\\ for a backslash, or put r before the string: r\"…\"",
        ),
        (filter("TITLE = “a”"), "`“` is not part of the language / use straight quotes: \"…\""),
        (filter("TITLE = \"a\" && TITLE = \"b\""), "`&` is not part of the language / write AND"),
        (
            filter("PUBLISHED < \"yesterday\""),
            "`yesterday` is not a date / write it as \"2026-03-31\" or \"2026-03-31T12:00:00Z\"",
        ),
        (
            filter("PUBLISHED BETWEEN \"2026-02-01\" AND \"2026-01-01\""),
            "the first date of BETWEEN is after the second",
        ),
        (
            filter("$a[TITLE = \"x\"] OR TITLE = \"y\""),
            "a bracket is not allowed beside OR / a bracket filters its own source: join brackets with AND, and write alternatives inside one as $a[… OR …]",
        ),
        (
            filter("NOT $a[TITLE = \"x\"]"),
            "a bracket is not allowed under NOT / write $a[NOT …]: the bracket filters its own source",
        ),
        (
            filter("$a[TITLE = \"x\" AND $a[TITLE = \"y\"]]"),
            "a bracket is not allowed inside a bracket / the outer bracket already selects the source",
        ),
        (
            feed("FEED News WHERE $a[TITLE = \"x\"]"),
            "no source has the variable `$a` / name a source with AS $a",
        ),
    ] {
        assert_eq!(gist(&text), expected, "{text}");
    }
}

#[test]
fn removing_a_source_that_a_bracket_names_is_an_error_in_that_statement() {
    let text = r#"ALTER FEED News ADD "http://b/" AS $b; ALTER FEED News WHERE $b[TITLE = "x"]; ALTER FEED News REMOVE "http://b/""#;
    let shown = message(text);
    assert!(
        shown.starts_with("error: no source has the variable `$b`\n --> query:1:90\n"),
        "{shown}"
    );
}
