//! The matcher gives the same answers as each query alone.

use std::collections::{BTreeMap, BTreeSet};

use pergola_query::syntax::{
    Bracket, Expr, FeedBody, Filter, Literal, Moment, Period, PublishedTest, SourceClause,
    SourceRef, Spanned, Test, TextOp, Unit,
};
use pergola_query::{FeedFilter, ItemView, Matcher, PreparedItem, QueryId, Scratch, SourceId};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use crate::generate;

const NOW: i64 = 1_000_000_000;
/// Sources are numbered from 0; the feed of query q is source 100 + q.
const SOURCES: u64 = 4;
const QUERIES: u64 = 6;

/// Few words, so that they match often, in difficult forms.
const WORDS: [&str; 22] = [
    "internationalisation",
    "internationalization",
    "ice",
    "Iceland",
    "ICE",
    "new",
    "york",
    "C++",
    "c",
    "冰",
    "冰岛",
    "straße",
    "STRASSE",
    "-",
    "café",
    "cafe",
    "cafe\u{301}s",
    "CAFÉ",
    "caféine",
    "smørrebrød",
    "smorrebrod",
    "冰\u{301}",
];

fn words(most: usize) -> impl Strategy<Value = String> {
    let gap = select(vec![" ", "", "  ", ", "]);
    vec((select(WORDS.to_vec()), gap), 1..=most)
        .prop_map(|parts| parts.iter().flat_map(|(word, gap)| [*word, *gap]).collect())
}

/// What a query asks for: accents may count, and the last word may be a beginning, of any length.
fn literal() -> impl Strategy<Value = Spanned<Literal>> {
    let cut = |(text, letters): (String, Option<usize>)| match letters {
        None => text,
        Some(letters) => {
            let kept = text.chars().count().saturating_sub(letters).max(1);
            text.chars().take(kept).chain(['*']).collect()
        }
    };
    generate::literal((words(2), option::weighted(0.4, 0..9usize)).prop_map(cut))
}

fn test() -> impl Strategy<Value = Test> {
    let op = select(vec![TextOp::Contains, TextOp::Contains, TextOp::Equal, TextOp::NotEqual]);
    let field = generate::field;
    let published = select(vec![
        PublishedTest::Within(Period { count: 1, unit: Unit::Days }),
        PublishedTest::Between(
            Moment::parse("1970-01-01").unwrap(),
            Moment::parse("2001-09-08").unwrap(),
        ),
    ]);
    prop_oneof![
        8 => (field(), op, literal()).prop_map(|(field, op, value)| Test::Text { field, op, value }),
        1 => (field(), vec(literal(), 1..3)).prop_map(|(field, values)| Test::OneOf { field, values }),
        1 => (field(), select(vec!["(?i)ice", "^new", "C\\+\\+$"])).prop_map(|(field, value)| {
            Test::Text { field, op: TextOp::Matches, value: value.into() }
        }),
        1 => published.prop_map(Test::Published),
    ]
}

/// A feed over the sources and the other feeds; the brackets name its first clauses.
fn body() -> impl Strategy<Value = FeedBody> {
    let source = prop_oneof![
        4 => (0..SOURCES).prop_map(|s| SourceRef::Url(s.to_string())),
        1 => Just(SourceRef::Opml("all".to_owned())),
        1 => (0..QUERIES).prop_map(|q| SourceRef::Feed(format!("f{q}"))),
    ];
    let condition = || generate::condition(test());
    (vec(source, 1..4), option::of(condition()), vec(condition(), 0..3)).prop_map(
        |(sources, common, brackets)| {
            let variable = |index: usize| Spanned::unplaced(format!("v{index}"));
            let sources = sources.into_iter().enumerate().map(|(index, source)| SourceClause {
                source: Spanned::unplaced(source),
                variable: Some(variable(index)),
            });
            let bracket =
                |(index, expr): (usize, Expr)| Bracket { variable: variable(index), expr };
            let brackets = brackets.into_iter().enumerate().map(bracket).collect();
            FeedBody {
                sources: sources.collect(),
                filter: Filter { common, brackets },
                ..FeedBody::default()
            }
        },
    )
}

#[derive(Clone, Debug)]
struct Item {
    source: u64,
    texts: [String; 3],
    lists: [Vec<String>; 3],
    published: Option<i64>,
}

fn item() -> impl Strategy<Value = Item> {
    let texts = [words(4), words(8), words(2)];
    let lists = [vec(words(2), 0..3), vec(words(2), 0..3), vec(words(2), 0..2)];
    let published = option::of(NOW - 200_000..NOW + 10);
    (0..SOURCES, texts, lists, published).prop_map(|(source, texts, lists, published)| Item {
        source,
        texts,
        lists,
        published,
    })
}

fn resolve(source: &SourceRef) -> Vec<SourceId> {
    match source {
        SourceRef::Url(number) => vec![SourceId(number.parse().unwrap())],
        SourceRef::Opml(_) | SourceRef::Folder(_) => (0..SOURCES).map(SourceId).collect(),
        SourceRef::Feed(name) => vec![SourceId(100 + name[1..].parse::<u64>().unwrap())],
        SourceRef::Peer { .. } => vec![],
    }
}

/// Every (query, source) by which an item reaches a feed, one query at a time.
fn one_by_one(
    bodies: &BTreeMap<u64, FeedBody>,
    source: u64,
    view: ItemView<'_>,
) -> Vec<(u64, u64)> {
    let prepared = PreparedItem::new(view);
    let mut reached = vec![SourceId(source)];
    let mut found = BTreeSet::new();
    let mut next = 0;
    while let Some(&via) = reached.get(next) {
        for (query, body) in bodies {
            let filter = FeedFilter::compile(body).unwrap();
            let wanted = body.sources.iter().enumerate().any(|(clause, s)| {
                resolve(&s.source.value).contains(&via) && filter.keeps(clause, &prepared, NOW)
            });
            if wanted {
                found.insert((*query, via.0));
                if !reached.contains(&SourceId(100 + query)) {
                    reached.push(SourceId(100 + query));
                }
            }
        }
        next += 1;
    }
    found.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_matcher_equals_each_query_alone_after_any_changes(
        changes in vec((0..QUERIES, option::weighted(0.8, body())), 1..14),
        items in vec(item(), 1..8),
    ) {
        let mut matcher = Matcher::new();
        let mut scratch = Scratch::new();
        let mut bodies = BTreeMap::new();
        for (query, change) in changes {
            match change {
                Some(body) => {
                    matcher.add(QueryId(query), &body, Some(SourceId(100 + query)), resolve).unwrap();
                    bodies.insert(query, body);
                }
                None => {
                    let there = bodies.remove(&query).is_some();
                    prop_assert_eq!(matcher.remove(QueryId(query)), there);
                }
            }
            prop_assert_eq!(matcher.len(), bodies.len());
            for Item { source, texts, lists, published } in &items {
                let lists = lists.each_ref().map(|list| list.iter().map(String::as_str).collect::<Vec<_>>());
                let view = ItemView {
                    title: &texts[0],
                    content: &texts[1],
                    link: &texts[2],
                    authors: &lists[0],
                    categories: &lists[1],
                    source: &lists[2],
                    published: *published,
                };
                let found = matcher.matches(SourceId(*source), &view, NOW, &mut scratch);
                let mut found: Vec<_> = found.iter().map(|m| (m.query.0, m.via.0)).collect();
                found.sort_unstable();
                prop_assert_eq!(found, one_by_one(&bodies, *source, view));
            }
        }
        for query in bodies.keys() {
            matcher.remove(QueryId(*query));
        }
        prop_assert_eq!(matcher.phrase_count(), 0);
        prop_assert!(matcher.is_empty());
    }
}

#[test]
fn the_same_words_with_and_without_accents_and_as_beginnings_are_told_apart() {
    let asked = [
        "\"cafe\"",
        "EXACT \"cafe\"",
        "EXACT \"café\"",
        "\"café*\"",
        "EXACT \"café*\"",
        "EXACT \"le café\"",
        "\"le caf*\"",
        "EXACT \"le cafe*\"",
    ];
    let mut matcher = Matcher::new();
    for (query, literal) in (0..).zip(asked) {
        let text = format!("CREATE FEED f AS RETURN \"1\" WHERE TITLE CONTAINS {literal}");
        matcher.add(QueryId(query), &crate::meaning::body(&text), None, resolve).unwrap();
    }
    let found = |matcher: &Matcher, title| {
        let view = ItemView { title, ..ItemView::default() };
        let mut scratch = Scratch::new();
        let found = matcher.matches(SourceId(1), &view, NOW, &mut scratch);
        let mut found: Vec<u64> = found.iter().map(|found| found.query.0).collect();
        found.sort_unstable();
        found
    };
    assert_eq!(found(&matcher, "cafe"), [0, 1, 3]);
    assert_eq!(found(&matcher, "Un Café, noir"), [0, 2, 3, 4]);
    assert_eq!(found(&matcher, "Le cafe\u{301}"), [0, 2, 3, 4, 5, 6]);
    assert_eq!(found(&matcher, "le cafeine"), [3, 6, 7]);
    assert_eq!(found(&matcher, "la caféine"), [3, 4]);
    assert!(matcher.remove(QueryId(2)) && matcher.remove(QueryId(4)));
    assert_eq!(found(&matcher, "Le café"), [0, 3, 5, 6]);
}

#[test]
fn hundreds_of_readers_of_one_source_are_found_until_they_are_removed() {
    let body = |number: u64| {
        crate::meaning::body(&format!(
            "CREATE FEED f AS RETURN \"1\" | \"{}\" WHERE TITLE CONTAINS \"word{}\" AND NOT \"except{number}\"",
            1 + number % 3,
            number % 100,
        ))
    };
    let mut matcher = Matcher::new();
    for number in 0..400 {
        matcher.add(QueryId(number), &body(number), None, resolve).unwrap();
    }
    for number in (0..400).step_by(3) {
        assert!(matcher.remove(QueryId(number)));
    }
    let mut scratch = Scratch::new();
    for (source, word) in [(1, 7), (2, 7), (3, 99), (0, 7)] {
        let title = format!("word{word} and except{}", word + 100);
        let view = ItemView { title: &title, ..ItemView::default() };
        let found = matcher.matches(SourceId(source), &view, NOW, &mut scratch);
        let mut found: Vec<u64> = found.iter().map(|m| m.query.0).collect();
        found.sort_unstable();
        let reads = |number: &u64| source == 1 || 1 + number % 3 == source;
        let expected = (0..400).filter(|number| {
            number % 3 != 0 && number % 100 == word && *number != word + 100 && reads(number)
        });
        assert_eq!(found, expected.collect::<Vec<_>>(), "source {source}");
    }
}
