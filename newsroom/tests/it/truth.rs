//! The ground truth.

use serde_json::Value;

use crate::{OPENING, Stage};

async fn json(stage: &Stage, path: &str) -> Value {
    let (status, text) = stage.text(path).await;
    assert_eq!(status, 200, "{text}");
    serde_json::from_str(&text).unwrap()
}

#[tokio::test]
async fn the_truth_tells_numbers_instants_and_keywords_of_all_items() {
    let stage = Stage::with_times(&[-5.0, 0.5, 20.0, 40.0], |source| source.window(2)).await;
    stage.hand.forward(30.0);
    let truth = json(&stage, "/truth?source=news").await;
    assert_eq!((&truth["now"], &truth["opening"]), (&(OPENING + 30.0).into(), &OPENING.into()));
    let source = &truth["sources"][0];
    assert_eq!((&source["published"], &source["window"]), (&3.into(), &2.into()));
    assert_eq!((&source["before_opening"], &source["forgotten"]), (&1.into(), &0.into()));
    let items = source["items"].as_array().unwrap();
    let instants: Vec<f64> = items.iter().map(|item| item["at"].as_f64().unwrap()).collect();
    assert_eq!(instants, [OPENING - 5.0, OPENING + 0.5, OPENING + 20.0]);
    // The last two are those of the document, newest first there.
    let document = stage.document("/sources/news").await;
    assert_eq!(document.items.len(), 2);
    for (shown, item) in document.items.iter().rev().zip(&items[1..]) {
        assert_eq!(item["guid"], shown.guid.as_deref().unwrap());
        assert_eq!(item["link"], shown.link.as_deref().unwrap());
        assert_eq!(item["title"], shown.title.as_deref().unwrap());
        let terms: Vec<&str> = shown.categories.iter().map(|c| c.term.as_str()).collect();
        assert_eq!(item["keywords"], Value::from(terms));
    }
}

#[tokio::test]
async fn the_truth_can_be_asked_for_what_is_new() {
    let stage = Stage::with_times(&[-5.0, -4.0, -3.0], |source| source).await;
    for (after, expected) in [("0", vec![1, 2]), ("1", vec![2]), ("2", vec![]), ("99", vec![])] {
        let truth = json(&stage, &format!("/truth?source=news&after={after}")).await;
        let items = truth["sources"][0]["items"].as_array().unwrap();
        let numbers: Vec<u64> = items.iter().map(|item| item["number"].as_u64().unwrap()).collect();
        assert_eq!(numbers, expected);
    }
    let all = json(&stage, "/truth").await;
    assert_eq!(all["sources"][0]["published"], 3);
    assert_eq!(all["sources"][0]["items"], Value::Array(vec![]));
}

#[tokio::test]
async fn what_is_remembered_is_bounded_and_what_is_forgotten_is_told() {
    let stage = Stage::open(|builder| {
        let process = pergola_newsroom::Process::Recorded(Vec::new());
        builder.remember(10).source(pergola_newsroom::serve::Source::new("news", process).window(3))
    })
    .await;
    let headline = pergola_newsroom::serve::Headline::new("Old", &[]);
    stage.newsroom.publish_headline("news", headline).unwrap();
    stage.newsroom.publish_now("news", 24).unwrap();
    let truth = stage.newsroom.truth("news").unwrap();
    assert_eq!((truth.published, truth.forgotten, truth.items.len()), (25, 15, 10));
    assert_eq!(truth.items[0].number, 15);
    assert_eq!(stage.text("/items/news/0").await.0, 410);
    assert_eq!(stage.text("/items/news/15").await.0, 200);
    assert_eq!(stage.text("/items/news/25").await.0, 404);
}
