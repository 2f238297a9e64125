//! The answers of EXPLAIN.

use pergola_query::syntax::SourceRef;
use pergola_query::{FoundBy, QueryId, Selectivity, SourceId, explain};

use crate::language::SEED_WITH_BRACKETS;
use crate::meaning::body;

const FEED: QueryId = QueryId(1);

fn one_each() -> impl FnMut(&SourceRef) -> Vec<SourceId> {
    let mut next = 0;
    move |_| {
        next += 1;
        vec![SourceId(next)]
    }
}

#[test]
fn a_feed_is_explained_source_by_source_with_what_was_learnt() {
    let mut learnt = Selectivity::default();
    for source in [SourceId(1), SourceId(2)] {
        learnt.begin(source, FEED, 0);
    }
    for number in 0..98 {
        learnt.observe(SourceId(1), (number < 4).then_some(FEED), 0);
    }
    let explained =
        explain("IceVolEruFeed", &body(SEED_WITH_BRACKETS), FEED, &learnt, 0, one_each()).unwrap();
    let expected = r#"feed IceVolEruFeed reads 2 sources
  "http://feeds.guardian.co.uk/theguardian/rss" AS $guardian
    keeps ITEM CONTAINS "iceland" OR ITEM CONTAINS "volcano" OR ITEM CONTAINS "eruption"
    evaluates items with "iceland" or "volcano" or "eruption"
    passes 5.0 % ± 2.2, learnt from 98 items
  "http://www.boston.com/bigpicture/index.xml" AS $picture
    keeps CATEGORY = "iceland" OR CATEGORY = "volcano" OR CATEGORY = "eruption"
    evaluates items with "iceland" or "volcano" or "eruption"
    passes: not known yet, because no item has come
costs a search for 3 phrases, 0 regular expressions, and nothing for items without the phrases
"#;
    assert_eq!(explained.to_string(), expected);
}

#[test]
fn filters_without_a_required_phrase_cost_an_evaluation_of_every_item() {
    let found = |filter: &str| {
        let text = format!("CREATE FEED f AS RETURN OPML \"list\" {filter}");
        let learnt = Selectivity::default();
        let sources = |_: &SourceRef| (0..30).map(SourceId).collect();
        let explained = explain("f", &body(&text), FEED, &learnt, 0, sources).unwrap();
        (explained.reads[0].found_by.clone(), explained.cost.every_item)
    };
    let phrases = |list: &[&str]| FoundBy::Phrases(list.iter().map(|s| (*s).to_owned()).collect());
    assert_eq!(found(""), (FoundBy::Everything, 0));
    assert_eq!(found("WHERE NOT TITLE CONTAINS \"x\""), (FoundBy::EveryItem, 30));
    assert_eq!(found("WHERE TITLE MATCHES \"x\""), (FoundBy::EveryItem, 30));
    assert_eq!(
        found("WHERE PUBLISHED WITHIN 7 DAYS AND TITLE CONTAINS \"X\""),
        (phrases(&["x"]), 0)
    );
    assert_eq!(
        found("WHERE TITLE CONTAINS \"new Volcán*\" OR EXACT \"Café\""),
        (phrases(&["new volcan*", "café"]), 0)
    );
    assert_eq!(
        found("WHERE TITLE CONTAINS (\"ice\" OR \"is\") AND ITEM CONTAINS \"volcano\""),
        (phrases(&["volcano"]), 0)
    );
}
