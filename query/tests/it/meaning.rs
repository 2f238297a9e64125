//! Which items queries keep.

use pergola_query::syntax::{FeedBody, SourceRef, Statement, parse};
use pergola_query::{FeedFilter, ItemView, Matcher, PreparedItem, QueryId, Scratch, SourceId};

use crate::language::{SEED_SHORT_FORM, SEED_WITH_BRACKETS};

const NOW: i64 = 1_774_958_400; // 2026-03-31T12:00:00Z
const GUARDIAN: &str = "http://feeds.guardian.co.uk/theguardian/rss";
const PICTURE: &str = "http://www.boston.com/bigpicture/index.xml";

pub(crate) fn body(text: &str) -> FeedBody {
    let mut script = parse(text).unwrap_or_else(|e| panic!("{}", e.render(text, "query")));
    match script.statements.remove(0).value {
        Statement::Create(feed) => feed.body,
        other => panic!("not a CREATE: {other}"),
    }
}

/// Whether a feed keeps an item of a source; both evaluators must agree.
fn keeps(text: &str, url: &str, item: ItemView<'_>) -> bool {
    let body = body(text);
    let of = |source: &SourceRef| *source == SourceRef::Url(url.to_owned());
    let filter = FeedFilter::compile(&body).unwrap();
    let prepared = PreparedItem::new(item);
    let alone = body
        .sources
        .iter()
        .enumerate()
        .any(|(clause, s)| of(&s.source.value) && filter.keeps(clause, &prepared, NOW));
    let mut matcher = Matcher::new();
    let id = |source: &SourceRef| vec![SourceId(if of(source) { 1 } else { 2 })];
    matcher.add(QueryId(7), &body, None, id).unwrap();
    let together = !matcher.matches(SourceId(1), &item, NOW, &mut Scratch::new()).is_empty();
    assert_eq!(alone, together, "{text}");
    together
}

/// Whether a filter passes an item.
fn passes(filter: &str, item: ItemView<'_>) -> bool {
    keeps(&format!("CREATE FEED f AS RETURN \"http://a/\" WHERE {filter}"), "http://a/", item)
}

fn titled(title: &str) -> ItemView<'_> {
    ItemView { title, ..ItemView::default() }
}

#[test]
fn the_first_example_wants_words_from_one_source_and_categories_from_the_other() {
    let words = ItemView { content: "An eruption, seen from afar", ..titled("Ash over Europe") };
    let category = ItemView { categories: &["Nature", "Volcano"], ..titled("Pictures") };
    assert!(keeps(SEED_WITH_BRACKETS, GUARDIAN, words));
    assert!(!keeps(SEED_WITH_BRACKETS, PICTURE, words));
    assert!(keeps(SEED_WITH_BRACKETS, PICTURE, category));
    assert!(!keeps(
        SEED_WITH_BRACKETS,
        PICTURE,
        ItemView { categories: &["volcanoes"], ..category }
    ));
    assert!(!keeps(SEED_WITH_BRACKETS, GUARDIAN, titled("Football")));
}

#[test]
fn the_second_example_wants_any_of_three_words_from_both_sources() {
    for source in [GUARDIAN, PICTURE] {
        assert!(keeps(SEED_SHORT_FORM, source, titled("ICELAND votes")));
        assert!(keeps(SEED_SHORT_FORM, source, titled("The volcano sleeps")));
        assert!(keeps(SEED_SHORT_FORM, source, titled("After the eruption")));
        assert!(!keeps(SEED_SHORT_FORM, source, titled("Icelandic sagas")));
    }
}

#[test]
fn a_source_without_a_bracket_is_kept_whole_and_a_plain_filter_holds_for_all() {
    let one =
        r#"CREATE FEED f AS RETURN "http://a/" AS $a | "http://b/" WHERE $a[TITLE CONTAINS "x"]"#;
    assert!(keeps(one, "http://a/", titled("x")));
    assert!(!keeps(one, "http://a/", titled("y")));
    assert!(keeps(one, "http://b/", titled("y")));
    let both = format!("{one} AND NOT TITLE CONTAINS \"z\"");
    assert!(keeps(&both, "http://b/", titled("y")));
    assert!(!keeps(&both, "http://b/", titled("y z")));
    assert!(!keeps(&both, "http://a/", titled("x z")));
    assert!(!keeps(&both, "http://c/", titled("x")));
    assert!(keeps("CREATE FEED f AS RETURN \"http://a/\"", "http://a/", titled("")));
}

#[test]
fn contains_finds_words_and_phrases_but_not_parts_of_words() {
    assert!(passes(r#"TITLE CONTAINS "new york""#, titled("In New\n York, today")));
    assert!(!passes(r#"TITLE CONTAINS "new york""#, titled("new in york")));
    assert!(!passes(r#"TITLE CONTAINS "ice""#, titled("service, iced")));
    assert!(passes(r#"TITLE CONTAINS "C++""#, titled("Modern C++ at last")));
    assert!(passes(r#"TITLE CONTAINS "straße""#, titled("SESAMSTRASSE, HAUPT STRASSE")));
    assert!(!passes(r#"TITLE CONTAINS "volcano""#, titled("volcanoes")));
    assert!(passes(r#"TITLE CONTAINS "火山""#, titled("冰岛火山喷发")));
    assert!(!passes(r#"TITLE CONTAINS "山火""#, titled("冰岛火山喷发")));
}

#[test]
fn accents_count_only_after_exact() {
    for (filter, cafe, accented) in [
        (r#"TITLE CONTAINS "cafe""#, true, true),
        (r#"TITLE CONTAINS "café""#, true, true),
        (r#"TITLE CONTAINS EXACT "café""#, false, true),
        (r#"TITLE CONTAINS EXACT "CAFÉ""#, false, true),
        (r#"TITLE CONTAINS EXACT "cafe""#, true, false),
        (r#"TITLE != EXACT "a café""#, true, false),
        (r#"TITLE IN ("tea", EXACT "a café")"#, false, true),
        (r#"TITLE CONTAINS "tea" OR EXACT "café""#, false, true),
    ] {
        assert_eq!(passes(filter, titled("A cafe")), cafe, "{filter}");
        assert_eq!(passes(filter, titled("A café")), accented, "{filter}");
        assert_eq!(passes(filter, titled("A cafe\u{301}")), accented, "{filter}");
    }
    assert!(passes(r#"TITLE CONTAINS "lodz""#, titled("Nowa Łódź")));
    assert!(passes(r#"TITLE CONTAINS "Ørsted""#, titled("orsted")));
}

#[test]
fn a_star_finds_every_word_that_begins_so() {
    for title in ["A volcano", "volcanoes", "Of Volcanology", "volcán", "volcánico"] {
        assert!(passes(r#"TITLE CONTAINS "volcan*""#, titled(title)), "{title}");
    }
    assert!(!passes(r#"TITLE CONTAINS "volcano*""#, titled("a supervolcano, volcanic")));
    assert!(passes(r#"TITLE CONTAINS "new volcano*""#, titled("The New Volcanoes")));
    assert!(!passes(r#"TITLE CONTAINS "new volcano*""#, titled("new and volcanoes")));
    assert!(passes(r#"TITLE CONTAINS EXACT "volcá*""#, titled("volcánico")));
    assert!(!passes(r#"TITLE CONTAINS EXACT "volcá*""#, titled("volcanoes")));
    assert!(passes(r#"TITLE = "new volcano*""#, titled("New volcanoes")));
    assert!(!passes(r#"TITLE = "new volcano*""#, titled("New volcanoes erupt")));
    assert!(passes(r#"TITLE CONTAINS "火山*""#, titled("冰岛火山喷发")));
    assert!(!passes(r#"ITEM CONTAINS "a" AND NOT "volcano*""#, titled("a volcanologist")));
}

#[test]
fn a_phrase_never_runs_from_one_text_into_the_next() {
    let item = ItemView { content: "york", categories: &["new", "york"], ..titled("new") };
    assert!(!passes(r#"ITEM CONTAINS "new york""#, item));
}

#[test]
fn each_field_searches_its_own_text_and_item_searches_what_a_reader_sees() {
    let item = ItemView {
        title: "one",
        content: "two",
        authors: &["Three Person"],
        categories: &["four"],
        link: "https://example.org/five",
        source: &["https://source.example.org/six", "Seven News"],
        published: None,
    };
    let found = [
        ("TITLE", "one"),
        ("CONTENT", "two"),
        ("AUTHOR", "person"),
        ("CATEGORY", "four"),
        ("LINK", "five"),
        ("SOURCE", "seven news"),
    ];
    for (field, _) in found {
        for (other, word) in found {
            let filter = format!("{field} CONTAINS \"{word}\"");
            assert_eq!(passes(&filter, item), field == other, "{filter}");
        }
    }
    let by_item: Vec<bool> =
        found.iter().map(|(_, word)| passes(&format!("ITEM CONTAINS \"{word}\""), item)).collect();
    assert_eq!(by_item, [true, true, true, true, false, false]);
}

#[test]
fn equality_compares_the_whole_text_and_inequality_all_values() {
    let item = ItemView { categories: &["Climate", "Sea  Ice"], ..titled("t") };
    assert!(passes(r#"CATEGORY = "sea ice""#, item));
    assert!(!passes(r#"CATEGORY = "ice""#, item));
    assert!(!passes(r#"CATEGORY != "climate""#, item));
    assert!(passes(r#"CATEGORY != "weather""#, item));
    assert!(passes(r#"CATEGORY IN ("weather", "climate")"#, item));
    assert!(!passes(r#"CATEGORY IN ("weather", "sea")"#, item));
}

#[test]
fn matches_uses_regular_expressions_unchanged() {
    assert!(passes(r#"TITLE MATCHES r"^Vol\w+o$""#, titled("Volcano")));
    assert!(!passes(r#"TITLE MATCHES r"^Vol\w+o$""#, titled("volcano")));
    assert!(passes(r#"TITLE MATCHES "(?i)^vol""#, titled("Volcano")));
}

#[test]
fn a_malicious_regular_expression_takes_linear_time() {
    let text = "a".repeat(50_000);
    assert!(!passes(r#"TITLE MATCHES "^(a|a)*(a|aa)*(a*)*b$""#, titled(&text)));
}

#[test]
fn a_day_means_the_whole_day_in_every_comparison() {
    let at = |published| ItemView { published: Some(published), ..ItemView::default() };
    let (morning, noon, night) = (1_774_915_200, NOW, 1_775_001_599);
    for (filter, expected) in [
        ("PUBLISHED < \"2026-03-31\"", [true, false, false, false, false]),
        ("PUBLISHED <= \"2026-03-31\"", [true, true, true, true, false]),
        ("PUBLISHED = \"2026-03-31\"", [false, true, true, true, false]),
        ("PUBLISHED != \"2026-03-31\"", [true, false, false, false, true]),
        ("PUBLISHED >= \"2026-03-31\"", [false, true, true, true, true]),
        ("PUBLISHED > \"2026-03-31\"", [false, false, false, false, true]),
        ("PUBLISHED BETWEEN \"2026-03-30\" AND \"2026-03-31\"", [true, true, true, true, false]),
        ("PUBLISHED >= \"2026-03-31T12:00:00Z\"", [false, false, true, true, true]),
    ] {
        let times = [morning - 1, morning, noon, night, night + 1];
        assert_eq!(times.map(|time| passes(filter, at(time))), expected, "{filter}");
    }
}

#[test]
fn within_counts_back_from_now_and_an_item_without_a_time_passes_no_test_of_it() {
    let at = |published| ItemView { published, ..ItemView::default() };
    let week = 7 * 86_400;
    assert!(passes("PUBLISHED WITHIN 7 DAYS", at(Some(NOW - week))));
    assert!(!passes("PUBLISHED WITHIN 7 DAYS", at(Some(NOW - week - 1))));
    assert!(passes("PUBLISHED WITHIN 1 WEEK", at(Some(NOW + 60))));
    assert!(!passes("PUBLISHED WITHIN 7 DAYS", at(None)));
    assert!(passes("NOT PUBLISHED WITHIN 7 DAYS", at(None)));
}

#[test]
fn a_feed_that_reads_another_gets_what_the_other_keeps() {
    let news = body(r#"CREATE FEED news AS RETURN "http://a/" WHERE TITLE CONTAINS "ice""#);
    let best = body(r#"CREATE FEED best AS RETURN FEED news WHERE CONTENT CONTAINS "good""#);
    let all = body("CREATE FEED all AS RETURN FEED best | FEED news");
    let resolve = |source: &SourceRef| match source {
        SourceRef::Feed(name) if name == "news" => vec![SourceId(101)],
        SourceRef::Feed(name) if name == "best" => vec![SourceId(102)],
        _ => vec![SourceId(1)],
    };
    let mut matcher = Matcher::new();
    matcher.add(QueryId(3), &all, Some(SourceId(103)), resolve).unwrap();
    matcher.add(QueryId(2), &best, Some(SourceId(102)), resolve).unwrap();
    matcher.add(QueryId(1), &news, Some(SourceId(101)), resolve).unwrap();
    let mut scratch = Scratch::new();
    let mut ways = |title, content| -> Vec<(u64, u64)> {
        let item = ItemView { content, ..titled(title) };
        let found = matcher.matches(SourceId(1), &item, NOW, &mut scratch);
        let mut ways: Vec<_> = found.iter().map(|found| (found.query.0, found.via.0)).collect();
        ways.sort_unstable();
        ways
    };
    assert_eq!(ways("ice", "good"), [(1, 1), (2, 101), (3, 101), (3, 102)]);
    assert_eq!(ways("ice", "bad"), [(1, 1), (3, 101)]);
    assert_eq!(ways("sun", "good"), []);
}
