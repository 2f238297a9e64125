//! Bad requests and impossible newsrooms: every refusal says what to do next.

use std::error::Error;
use std::sync::Arc;

use pergola_newsroom::Process;
use pergola_newsroom::serve::{Newsroom, Source};
use reqwest::Method;

use crate::Stage;

#[tokio::test]
async fn an_unknown_address_is_answered_with_the_known_ones() {
    let stage = Stage::with_times(&[0.0], |source| source).await;
    let cases = [
        ("/sources/nobody", "there is no source `nobody`; /opml lists the sources there are\n"),
        ("/sources/news/", "there is no source `news/`; /opml lists the sources there are\n"),
        ("/truth?source=x", "there is no source `x`; /opml lists the sources there are\n"),
        ("/items/news/7", "item 7 of `news` is not published yet; there are 1 so far\n"),
        ("/items/news/x", "`news/x` names no item; ask for /items/{source}/{number}\n"),
        ("/items/who/1", "there is no source `who`; /opml lists the sources there are\n"),
        (
            "/elsewhere",
            "there is nothing here; try /, /opml, /truth, /sources/{name} and /items/{name}/{number}\n",
        ),
    ];
    for (path, expected) in cases {
        assert_eq!(stage.text(path).await, (404, expected.to_owned()), "{path}");
    }
    assert_eq!(stage.send(Method::POST, "/sources/news", &[]).await.status(), 405);
}

#[tokio::test]
async fn a_bad_question_is_answered_with_a_good_one() {
    let stage = Stage::with_times(&[0.0], |source| source).await;
    let cases = [
        ("/truth?after=3", "`after` needs a source; give source=NAME"),
        ("/truth?source=news&after=soon", "give source=NAME, and with it after=NUMBER"),
        ("/truth?sauce=news", "unknown field `sauce`"),
        ("/opml?first=-1", "give first=NUMBER and count=NUMBER"),
    ];
    for (path, expected) in cases {
        let (status, text) = stage.text(path).await;
        assert_eq!(status, 400, "{path}");
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn an_impossible_newsroom_is_refused_by_name() {
    let build = |sources: Vec<Source>| {
        let wrong = Newsroom::builder(Arc::new(|| 0.0)).sources(sources).build().err().unwrap();
        wrong.source().map_or(wrong.to_string(), |cause| format!("{wrong}: {cause}"))
    };
    let source = |name: &str| Source::new(name, Process::Constant { rate: 0.1 });
    for name in ["", "a b", "/a", "a//b", "a/../b", "ä", &"x".repeat(201)] {
        assert!(build(vec![source(name)]).contains("cannot be a source's name"), "{name}");
    }
    assert!(build(vec![source("a"), source("b"), source("a")]).contains("two sources named `a`"));
    assert!(build(vec![source("a").window(0)]).contains("window of source `a` is 0"));
    let wrong = build(vec![Source::new("a", Process::Constant { rate: -1.0 })]);
    assert!(wrong.ends_with("publication rate is -1, but must be at least 0"), "{wrong}");
    let wrong = build(vec![Source::new("a", Process::Constant { rate: 1e6 })]);
    assert!(wrong.contains("1000000 items per second"), "{wrong}");
    assert!(Newsroom::builder(Arc::new(|| f64::NAN)).build().is_err());
}
