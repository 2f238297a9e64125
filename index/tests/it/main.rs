//! The index against a slow search that is obviously right, over random items.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should say where")]

mod world;

use pergola_index::{Asked, Limits};
use proptest::prelude::*;
use world::{Step, World};

const ENOUGH: Limits = Limits { passed_over: usize::MAX, checked: usize::MAX, texts: usize::MAX };
const LITTLE: Limits = Limits { passed_over: 1, checked: 3, texts: 2 };

/// Few words, so that searches find something; some fold to others, some are long, some are no words.
fn word() -> impl Strategy<Value = String> {
    let long = "extraordinarily".repeat(4);
    let words = ["a", "ash", "Ashes", "café", "cafe", "C++", "火山", "New York", "don't", "—", "x"];
    let mut all: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    all.extend([format!("{long}a"), format!("{long}b"), long]);
    prop::sample::select(all)
}

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(word(), 0..6).prop_map(|words| words.join(" "))
}

fn clause() -> impl Strategy<Value = String> {
    let phrase = prop::collection::vec(word(), 1..3).prop_map(|words| words.join(" "));
    let plain = word().prop_map(|word| word.split(' ').next().unwrap_or_default().to_owned());
    let beginning = prop_oneof![
        Just("as*".to_owned()),
        Just("c*".to_owned()),
        Just(format!("{}*", "extraordinarily".repeat(2))),
        Just(format!("{}*", "extraordinarily".repeat(4))),
        Just("\"new yo*\"".to_owned()),
    ];
    let positive = prop_oneof![
        4 => plain,
        2 => phrase.prop_map(|phrase| format!("\"{phrase}\"")),
        2 => beginning,
    ];
    (prop::bool::weighted(0.2), positive)
        .prop_map(|(negative, clause)| format!("{}{clause}", if negative { "-" } else { "" }))
}

fn asked() -> impl Strategy<Value = Asked> {
    let text = prop::collection::vec(clause(), 1..4).prop_map(|clauses| clauses.join(" "));
    text.prop_filter_map("asks for nothing", |text| Asked::parse(&text).ok())
}

fn step() -> impl Strategy<Value = Step> {
    // Few numbers and sources: items come again, edited or by another source.
    let item = (0_u64..12, 0_i64..6, prop::collection::vec(text(), 1..3));
    prop_oneof![
        6 => (1_u32..4, prop::collection::vec(item, 1..5))
            .prop_map(|(source, items)| Step::Deliver { source, items }),
        3 => Just(Step::Index),
        2 => any::<prop::sample::Index>().prop_map(Step::Delete),
        2 => (any::<u64>()).prop_map(Step::Merge),
    ]
}

proptest! {
    #[test]
    fn every_page_is_what_a_slow_search_finds(
        steps in prop::collection::vec(step(), 1..25),
        searches in prop::collection::vec((asked(), prop::option::of(1_u32..4), 1_usize..4), 1..5),
    ) {
        let mut world = World::default();
        steps.into_iter().for_each(|step| world.play(step));
        for (asked, source, limit) in &searches {
            let expected = world.slow(asked, *source);
            for limits in [ENOUGH, LITTLE] {
                let found = world.all_pages(asked, *source, *limit, limits);
                prop_assert_eq!(&found, &expected, "{:?} of {:?}", asked, source);
            }
        }
    }
}

#[test]
fn many_documents_are_found_by_word_source_and_number_before_and_after_a_merge() {
    let mut world = World::default();
    // More documents than a bitmap is needed for, in several blocks and buckets.
    for round in 0..3_u64 {
        for number in 0..700_u64 {
            let number = (number * 3 + round) << 40;
            let date = (number >> 40) as i64 % 1_000;
            let text = format!("every word{} rare{}", number % 7, number >> 40);
            let source = (number >> 40) as u32 % 90;
            world.play(Step::Deliver { source, items: vec![(number, date, vec![text])] });
        }
        world.play(Step::Index);
    }
    for _ in 0..2 {
        for text in ["every", "every word3", "rare77", "rare7*", "word0 -rare70*"] {
            let asked = Asked::parse(text).unwrap();
            for source in [None, Some(5)] {
                let expected = world.slow(&asked, source);
                assert_eq!(world.all_pages(&asked, source, 50, ENOUGH), expected, "{text}");
            }
        }
        let asked = Asked::parse("every").unwrap();
        assert_eq!(world.slow_of(&asked, |source| source < 80).len(), 1870);
        assert_eq!(world.all_of_sources(&asked, 0..80).len(), 1870);
        assert_eq!(world.located(77 << 40), 1);
        assert_eq!(world.located(1), 0);
        world.merge_all();
    }
}

#[test]
fn a_segment_with_missing_or_broken_rows_is_an_error_and_never_a_panic() {
    let mut world = World::default();
    let items = (0..300).map(|n| (n << 50, n as i64, vec![format!("word{n} all")])).collect();
    world.play(Step::Deliver { source: 1, items });
    world.play(Step::Index);
    let asked = Asked::parse("word1* all").unwrap();
    assert!(world.breaking_every_row(&asked) > 10);
}
