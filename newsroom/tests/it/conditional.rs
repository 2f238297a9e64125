//! Conditional requests, HEAD and Cache-Control.

use pergola_newsroom::serve::Quirks;
use reqwest::Method;

use crate::{Stage, header};

const PATH: &str = "/sources/news";

#[tokio::test]
async fn an_unchanged_source_is_not_sent_again() {
    let stage = Stage::with_times(&[0.0, 60.0], |source| source).await;
    let answer = stage.get(PATH).await;
    let tag = header(answer.headers(), "etag").unwrap().to_owned();
    let modified = header(answer.headers(), "last-modified").unwrap().to_owned();
    assert!(tag.starts_with('"') && tag.ends_with('"'), "{tag} is a strong tag");
    assert_eq!(modified, "Mon, 21 Sep 2026 14:13:20 GMT");
    for condition in [("if-none-match", &tag), ("if-modified-since", &modified)] {
        let condition = [(condition.0, condition.1.as_str())];
        stage.hand.forward(20.0);
        let again = stage.send(Method::GET, PATH, &condition).await;
        assert_eq!(again.status(), 304);
        assert_eq!(header(again.headers(), "etag"), Some(tag.as_str()));
        assert_eq!(again.bytes().await.unwrap().len(), 0);
    }
    stage.hand.forward(20.0);
    for condition in [("if-none-match", &tag), ("if-modified-since", &modified)] {
        let changed = stage.send(Method::GET, PATH, &[(condition.0, condition.1)]).await;
        assert_eq!(changed.status(), 200);
        assert_ne!(header(changed.headers(), "etag"), Some(tag.as_str()));
    }
}

#[tokio::test]
async fn the_two_encodings_have_tags_of_their_own_and_either_proves_a_fresh_copy() {
    let stage = Stage::with_times(&[0.0], |source| source).await;
    let gzip = ("accept-encoding", "gzip");
    let plain = stage.get(PATH).await;
    let packed = stage.send(Method::GET, PATH, &[gzip]).await;
    let plain = header(plain.headers(), "etag").unwrap();
    let packed = header(packed.headers(), "etag").unwrap();
    assert_ne!(plain, packed);
    for tag in [plain, packed] {
        let again = stage.send(Method::GET, PATH, &[gzip, ("if-none-match", tag)]).await;
        assert_eq!(again.status(), 304);
    }
}

#[tokio::test]
async fn two_items_within_one_second_have_different_tags() {
    let stage = Stage::with_times(&[], |source| source).await;
    let mut tags = Vec::new();
    for _ in 0..3 {
        stage.newsroom.publish_now("news", 1).unwrap();
        let answer = stage.get(PATH).await;
        tags.push(header(answer.headers(), "etag").unwrap().to_owned());
    }
    assert!(tags[0] != tags[1] && tags[1] != tags[2], "{tags:?}");
}

#[tokio::test]
async fn head_is_get_without_the_body() {
    let stage = Stage::with_times(&[0.0], |source| source).await;
    let head = stage.send(Method::HEAD, PATH, &[]).await;
    let get = stage.get(PATH).await;
    let headers = ["etag", "last-modified", "content-type", "content-length", "date"];
    for name in headers {
        assert!(header(get.headers(), name).is_some(), "{name}");
        assert_eq!(header(head.headers(), name), header(get.headers(), name), "{name}");
    }
    assert_eq!(head.bytes().await.unwrap().len(), 0);
    let length = get.bytes().await.unwrap().len() as u64;
    assert_eq!(stage.newsroom.counters("news").unwrap().bytes, length);
}

#[tokio::test]
async fn the_date_of_an_answer_is_that_of_the_clock() {
    let stage = Stage::with_times(&[], |source| source).await;
    stage.hand.forward(86_400.0);
    let answer = stage.get(PATH).await;
    assert_eq!(header(answer.headers(), "date"), Some("Tue, 22 Sep 2026 14:13:20 GMT"));
}

#[tokio::test]
async fn max_age_is_sent_only_where_it_is_set() {
    let stage = Stage::with_times(&[0.0], |source| source.max_age(900)).await;
    let answer = stage.get(PATH).await;
    assert_eq!(header(answer.headers(), "cache-control"), Some("max-age=900"));
    let stage = Stage::with_times(&[0.0], |source| source).await;
    let answer = stage.get(PATH).await;
    assert_eq!(header(answer.headers(), "cache-control"), None);
}

#[tokio::test]
async fn a_source_may_lack_validators_or_ignore_them_or_refuse_all() {
    let quirks = |quirks| Stage::with_times(&[0.0], move |source| source.quirks(quirks));
    let stage = quirks(Quirks { without_validators: true, ..Quirks::default() }).await;
    let answer = stage.send(Method::GET, PATH, &[("if-none-match", "*")]).await;
    assert_eq!(answer.status(), 200);
    assert_eq!(header(answer.headers(), "etag"), None);
    assert_eq!(header(answer.headers(), "last-modified"), None);
    let stage = quirks(Quirks { ignores_conditions: true, ..Quirks::default() }).await;
    let answer = stage.send(Method::GET, PATH, &[("if-none-match", "*")]).await;
    assert_eq!(answer.status(), 200);
    assert!(header(answer.headers(), "etag").is_some());
    let stage = quirks(Quirks { status: Some(410), ..Quirks::default() }).await;
    assert_eq!(stage.text(PATH).await, (410, String::new()));
}
