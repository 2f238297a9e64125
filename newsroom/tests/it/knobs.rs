//! What can be done to a newsroom while it runs.

use pergola_newsroom::Process;
use pergola_newsroom::serve::{Counters, Headline, Source};
use reqwest::Method;
use tokio::net::TcpListener;

use crate::{Stage, client, header};

#[tokio::test]
async fn items_published_by_hand_appear_at_once_and_in_order() {
    let stage = Stage::with_times(&[0.0, 10.0], |source| source).await;
    assert_eq!(stage.newsroom.publish_now("news", 2).unwrap(), 1..3);
    let own = Headline::new("Ash over the harbour", &["volcano", "harbour"]);
    assert_eq!(stage.newsroom.publish_headline("news", own).unwrap(), 3);
    stage.hand.forward(10.0);
    let document = stage.document("/sources/news").await;
    assert_eq!(document.items.len(), 5);
    let own = &document.items[1];
    assert_eq!(own.title.as_deref(), Some("Ash over the harbour"));
    assert_eq!(own.categories.len(), 2);
    let truth = stage.newsroom.truth("news").unwrap();
    assert!(truth.items.iter().map(|item| item.at).is_sorted());
    let shown: Vec<_> = document.items.iter().rev().map(|item| item.guid.clone()).collect();
    let published: Vec<_> = truth.items.into_iter().map(|item| Some(item.guid)).collect();
    assert_eq!(shown, published);
}

#[tokio::test]
async fn all_rates_can_be_changed_from_now_on() {
    let day = 86_400.0;
    let stage = Stage::open(|builder| {
        builder.source(Source::new("busy", Process::Constant { rate: 100.0 / day }))
    })
    .await;
    let published = || stage.newsroom.truth("busy").unwrap().published;
    let mut counts = vec![published()];
    for factor in [1.0, 10.0, 0.0, 1.0] {
        stage.newsroom.set_all_rates(factor).unwrap();
        stage.hand.forward(10.0 * day);
        counts.push(published());
    }
    let steps: Vec<u64> = counts.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!((850..1_150).contains(&steps[0]), "{steps:?}");
    assert!((9_500..10_500).contains(&steps[1]), "{steps:?}");
    assert_eq!(steps[2], 0);
    assert!((850..1_150).contains(&steps[3]), "{steps:?}");
    for factor in [-1.0, f64::NAN, 1e9] {
        assert!(stage.newsroom.set_all_rates(factor).is_err());
    }
}

#[tokio::test]
async fn a_change_of_rates_is_the_same_whether_requested_before_or_after() {
    let open = || {
        Stage::open(|builder| builder.source(Source::new("busy", Process::Constant { rate: 1e-3 })))
    };
    let (watched, unwatched) = (open().await, open().await);
    for factor in [3.0, 0.5] {
        for stage in [&watched, &unwatched] {
            stage.hand.forward(5_000.0);
            stage.newsroom.set_all_rates(factor).unwrap();
            stage.hand.forward(5_000.0);
        }
        watched.document("/sources/busy").await;
    }
    let mut seen = Vec::new();
    for stage in [&watched, &unwatched] {
        let instants = |truth: pergola_newsroom::serve::SourceTruth| {
            truth.items.into_iter().map(|item| item.at).collect::<Vec<f64>>()
        };
        seen.push(instants(stage.newsroom.truth("busy").unwrap()));
    }
    assert_eq!(seen[0], seen[1]);
}

#[tokio::test]
async fn a_stopped_newsroom_answers_503_and_publishes_on() {
    let stage = Stage::with_times(&[10.0], |source| source).await;
    stage.newsroom.stop_answering();
    let answer = stage.get("/sources/news").await;
    assert_eq!(answer.status(), 503);
    assert_eq!(header(answer.headers(), "retry-after"), Some("30"));
    stage.hand.forward(10.0);
    stage.newsroom.start_answering();
    assert_eq!(stage.document("/sources/news").await.items.len(), 1);
    stage.newsroom.set_answering("news", false).unwrap();
    assert_eq!(stage.get("/sources/news").await.status(), 503);
    stage.newsroom.set_answering("news", true).unwrap();
    assert_eq!(stage.get("/sources/news").await.status(), 200);
}

#[tokio::test]
async fn requests_304s_and_bytes_are_counted() {
    let stage = Stage::open(|builder| {
        let source = |name: &str| Source::new(name, Process::Recorded(vec![0.0]));
        builder.source(source("one")).source(source("two"))
    })
    .await;
    let mut bytes = 0;
    for path in ["/sources/one", "/sources/one", "/sources/two"] {
        bytes += stage.get(path).await.bytes().await.unwrap().len() as u64;
    }
    let packed = stage.send(Method::GET, "/sources/two", &[("accept-encoding", "gzip")]).await;
    bytes += packed.bytes().await.unwrap().len() as u64;
    stage.send(Method::GET, "/sources/one", &[("if-none-match", "*")]).await;
    let expected = Counters { requests: 5, not_modified: 1, bytes };
    assert_eq!(stage.newsroom.total_counters(), expected);
    let one = stage.newsroom.counters("one").unwrap();
    assert_eq!((one.requests, one.not_modified), (3, 1));
}

#[tokio::test]
async fn serving_ends_when_it_is_told_to() {
    let stage = Stage::with_times(&[0.0], |source| source).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let newsroom = stage.newsroom.clone();
    let server =
        tokio::spawn(
            async move { newsroom.serve(listener, async move { drop(stopped.await) }).await },
        );
    let client = client();
    assert_eq!(client.get(&url).send().await.unwrap().status(), 200);
    stop.send(()).unwrap();
    server.await.unwrap().unwrap();
    assert!(client.get(&url).send().await.is_err());
}
