//! What is wrong with a query, as it is shown to the person who wrote it.

use pergola_query::{Catalogue, parse};

/// The message for a text that is wrong, among two feeds that exist.
fn message(text: &str) -> String {
    let known = r#"CREATE FEED News AS RETURN "http://a/";
                   CREATE FEED Weather AS RETURN FEED News"#;
    let mut catalogue = Catalogue::new();
    catalogue.run(&parse(known).unwrap()).unwrap();
    match parse(text).and_then(|script| catalogue.run(&script)) {
        Ok(_) => panic!("nothing is wrong with: {text}"),
        Err(error) => error.render(text, "query"),
    }
}

fn assert_message(text: &str, expected: &str) {
    let shown = message(text);
    assert_eq!(shown.trim_end(), expected.trim_matches('\n'), "\n{shown}");
}

#[test]
fn a_misspelt_keyword_is_pointed_at_with_the_right_one() {
    assert_message(
        r#"CREATE FEED x AS RETURN "http://b/" WERE ITEM CONTAINS "a""#,
        r#"
error: `WERE` does not belong here
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
error: `CONTIANS` does not belong here
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
fn the_caret_stands_under_the_mistake_after_wide_characters_and_tabs() {
    assert_message(
        "CREATE FEED x AS RETURN FEED News\n\tWHERE ITEM CONTAINS \"冰岛\" ORR \"火山\"",
        r#"
error: `ORR` does not belong here
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
fn what_is_left_open_is_named_with_the_place_where_it_was_opened() {
    assert_message(
        r#"CREATE FEED x AS RETURN FEED News WHERE (TITLE = "a" OR "b" WINDOW 3"#,
        r#"
error: WINDOW does not belong here
 --> query:1:61
  |
1 | CREATE FEED x AS RETURN FEED News WHERE (TITLE = "a" OR "b" WINDOW 3
  |                                                             ^^^^^^ expected AND, OR or `)`
  |
  = help: `)` would close what was opened at 1:41
"#,
    );
    assert_message(
        "CREATE FEED x AS RETURN \"http://b/\n",
        r#"
error: this string is not closed
 --> query:1:25
  |
1 | CREATE FEED x AS RETURN "http://b/
  |                         ^^^^^^^^^^
  |
  = help: it needs a " before the line ends
"#,
    );
    assert_message(
        "CREATE FEED x AS RETURN  ",
        r#"
error: the text ends too early
 --> query:1:24
  |
1 | CREATE FEED x AS RETURN  
  |                        ^ expected a source's address in quotes, OPML, PEER, FEED or a feed's name
"#,
    );
}

#[test]
fn names_that_lead_nowhere_come_with_the_nearest_that_does() {
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
error: no source is called `$nwes`
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
fn a_feed_that_would_read_itself_is_shown_the_way_round() {
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

/// The first line of the message, and the help if there is any.
fn gist(text: &str) -> String {
    let shown = message(text);
    let first = shown.lines().next().unwrap_or_default().trim_start_matches("error: ");
    match shown.split_once("= help: ") {
        Some((_, help)) => format!("{first} / {}", help.trim_end()),
        None => first.to_owned(),
    }
}

#[test]
fn every_other_mistake_says_what_it_is_and_what_to_do() {
    let feed = |rest: &str| format!("CREATE FEED x AS RETURN {rest}");
    let filter = |rest: &str| feed(&format!("FEED News AS $a WHERE {rest}"));
    for (text, expected) in [
        (
            "CREATE FEED where AS RETURN FEED News".to_owned(),
            "`WHERE` is a word of the language and cannot be a name / the feed's name goes here",
        ),
        (feed("\"http://b/\" AS $a | \"http://c/\" AS $a"), "two sources are called `$a`"),
        (
            feed("\"http://b/\" | \"http://b/\""),
            "this source is already read / join the filters for one source with OR",
        ),
        (
            feed("\"b.example.org\""),
            "`b.example.org` is no web address / it begins with http:// or https://",
        ),
        (feed("\"News\""), "`News` is no web address / for the feed of that name write FEED News"),
        (
            feed("PEER \"node\" FEED y"),
            "`node` is no web address / it begins with http:// or https://",
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
        ("ALTER FEED News REMOVE \"http://b/\"".to_owned(), "feed `News` does not read this"),
        (
            "ALTER FEED News REMOVE \"http://a/\"".to_owned(),
            "feed `News` would read nothing any more / to be rid of it, write DROP FEED News",
        ),
        ("ALTER FEED News SET".to_owned(), "the text ends too early"),
        (feed("FEED News WINDOW 0"), "a window must be a whole number from 1 to 1000000"),
        (feed("FEED News WINDOW 1.5"), "a window must be a whole number from 1 to 1000000"),
        (
            feed("FEED News KEEP 99999999999 DAYS"),
            "a length of time must be a whole number, at least 1",
        ),
        (feed("FEED News WEIGHT 0.0"), "a weight must be above 0 and at most 1000000"),
        (feed("FEED News NOVEL 10.5"), "the threshold of NOVEL must be from 0 to 10"),
        (feed("FEED News WINDOW 5 WINDOW 6"), "`WINDOW` is given twice"),
        (feed("FEED News KEEP 90 DAXS"), "`DAXS` does not belong here / did you mean `DAYS`?"),
        (
            filter("\"a\""),
            "a string alone says nothing about where to look for it / write a field and a comparison before it: ITEM CONTAINS \"…\"",
        ),
        (filter("TITLE CONTAINS \" \""), "there is no word in this string"),
        (filter("TITLE MATCHES \"(\""), "this regular expression cannot be used: unclosed group"),
        (
            filter("TITLE MATCHES \"(a{1000}){1000}\""),
            "this regular expression cannot be used: it would grow too large",
        ),
        (
            filter("TITLE = \"\\b\""),
            "unknown escape `\\b` / write \\\\ for a backslash, or put r before the string: r\"…\"",
        ),
        (filter("TITLE = “a”"), "`“` is no part of the language / use straight quotes: \"…\""),
        (filter("TITLE = \"a\" && TITLE = \"b\""), "`&` is no part of the language / write AND"),
        (
            filter("PUBLISHED < \"yesterday\""),
            "`yesterday` is no date / write it as \"2026-03-31\" or \"2026-03-31T12:00:00Z\"",
        ),
        (
            filter("PUBLISHED BETWEEN \"2026-02-01\" AND \"2026-01-01\""),
            "nothing lies between these: the first is after the second",
        ),
        (
            filter("$a[TITLE = \"x\"] OR TITLE = \"y\""),
            "a bracket cannot stand beside OR / a bracket filters its own source: join brackets with AND, and write $a[… OR …] for alternatives in one",
        ),
        (
            filter("NOT $a[TITLE = \"x\"]"),
            "a bracket cannot stand under NOT / write $a[NOT …]: the bracket filters its own source",
        ),
        (
            filter("$a[TITLE = \"x\" AND $a[TITLE = \"y\"]]"),
            "a bracket cannot stand inside a bracket / the outer bracket has already chosen the source",
        ),
        (
            feed("FEED News WHERE $a[TITLE = \"x\"]"),
            "no source is called `$a` / name a source with AS $a",
        ),
    ] {
        assert_eq!(gist(&text), expected, "{text}");
    }
}

#[test]
fn removing_a_source_that_a_bracket_names_is_refused_in_the_words_of_the_statement() {
    let text = r#"ALTER FEED News ADD "http://b/" AS $b; ALTER FEED News WHERE $b[TITLE = "x"]; ALTER FEED News REMOVE "http://b/""#;
    let shown = message(text);
    assert!(shown.starts_with("error: no source is called `$b`\n --> query:1:90\n"), "{shown}");
}
