//! The node's hub, as a subscriber sees it.

use std::time::Duration;

use http::StatusCode;
use pergola_config::Config;

use super::reader::{Confirms, Reader};
use super::{eventually_counts, metric, newsstand, publish, restarted};
use crate::house::{House, eventually};

const SUBSCRIPTIONS: &str = "pergola_websub_subscriptions";

fn deliveries(outcome: &str) -> String {
    format!("pergola_websub_deliveries_total{{outcome=\"{outcome}\"}}")
}

/// Failed deliveries are tried again at once.
fn impatient(config: &mut Config) {
    config.websub.backoff = Duration::from_millis(20);
}

async fn asks_for(house: &House, reader: &Reader, mode: &str, callback: &str) -> StatusCode {
    let (topic, callback) = (house.url("/feeds/News.atom"), reader.url(callback));
    let fields = [("hub.mode", mode), ("hub.topic", &*topic), ("hub.callback", &*callback)];
    reader.asks(house, &fields).await.0
}

#[tokio::test(flavor = "multi_thread")]
async fn every_form_of_a_feed_names_its_hub_and_itself() {
    let (_press, house) = newsstand(|_| {}).await;
    let hub = house.url("/hub");
    for form in ["atom", "rss", "json"] {
        let own = house.url(&format!("/feeds/News.{form}"));
        for request in [house.client.get(&own), house.client.head(&own)] {
            let answer = request.send().await.unwrap();
            let expected = format!("<{hub}>; rel=\"hub\", <{own}>; rel=\"self\"");
            assert_eq!(answer.headers()["link"], expected);
        }
        let text = house.client.get(&own).send().await.unwrap().text().await.unwrap();
        let document = pergola_feed::parse(text.as_bytes(), &Default::default()).unwrap();
        assert_eq!((document.hub(), document.self_link()), (Some(&*hub), Some(&*own)), "{text}");
    }
    // Who negotiates hears which form it was given; a page is told of by its Atom form.
    for (accept, form) in [("application/feed+json", "json"), ("text/html", "atom")] {
        let request = house.client.get(house.url("/feeds/News")).header("accept", accept);
        let link = request.send().await.unwrap().headers()["link"].to_str().unwrap().to_owned();
        assert!(link.contains(&format!("/feeds/News.{form}>; rel=\"self\"")), "{accept}: {link}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_hub_none_is_named_and_none_answers() {
    let (_press, house) = newsstand(|config| config.websub.hub = false).await;
    let answer = house.client.get(house.url("/feeds/News.atom")).send().await.unwrap();
    assert!(answer.headers().get("link").is_none());
    assert!(!answer.text().await.unwrap().contains("rel=\"hub\""));
    let reader = Reader::start().await;
    assert_eq!(asks_for(&house, &reader, "subscribe", "/cb").await, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_confirmed_subscriber_is_sent_each_change_signed() {
    let (press, house) = newsstand(|_| {}).await;
    publish(&press, &house, "Before").await;
    let reader = Reader::start().await;
    let more = [("hub.lease_seconds", "3600"), ("hub.secret", "shh"), ("hub.unknown", "x")];
    reader.subscribes(&house, "/cb?user=1&hub.mode=mine", &more).await;
    let asked = reader.was_asked(1).await;
    assert_eq!(asked["hub.mode"], "subscribe");
    assert_eq!(asked["hub.topic"], house.url("/feeds/News.atom"));
    assert_eq!(asked["hub.lease_seconds"], "3600");
    assert_eq!(asked["user"], "1", "the callback's own query is kept");
    assert!(asked["hub.challenge"].len() >= 32);
    publish(&press, &house, "After").await;
    let sent = reader.was_sent(1).await;
    assert_eq!(sent.path, "/cb?user=1&hub.mode=mine");
    assert!(sent.contains("After") && sent.contains("Before"), "the whole document");
    assert_eq!(sent.header("content-type"), "application/atom+xml; charset=utf-8");
    let (hub, own) = (house.url("/hub"), house.url("/feeds/News.atom"));
    assert_eq!(sent.header("link"), format!("<{hub}>; rel=\"hub\", <{own}>; rel=\"self\""));
    assert!(sent.is_signed_with("shh"), "{}", sent.header("x-hub-signature"));
    let served = house.client.get(&own).send().await.unwrap().bytes().await.unwrap();
    assert_eq!(sent.body, served, "what is sent is what is served");
    assert!(sent.header("user-agent").starts_with("Pergola/"));
    publish(&press, &house, "Third").await;
    assert!(reader.was_sent(2).await.contains("Third"));
    assert_eq!(reader.sent().len(), 2, "nothing is sent without a change");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_topic_may_be_any_form_and_without_a_secret_nothing_is_signed() {
    let (press, house) = newsstand(|_| {}).await;
    let reader = Reader::start().await;
    for (path, topic) in [("/rss", "News.rss"), ("/json", "News.json"), ("/bare", "News")] {
        let topic = house.url(&format!("/feeds/{topic}"));
        reader.subscribes(&house, path, &[("hub.topic", &topic)]).await;
    }
    publish(&press, &house, "Once").await;
    reader.was_sent(3).await;
    let sent = reader.sent();
    for (path, kind) in [("/rss", "rss+xml"), ("/json", "feed+json"), ("/bare", "atom+xml")] {
        let one = sent.iter().find(|sent| sent.path == path).unwrap();
        assert_eq!(one.header("content-type"), format!("application/{kind}; charset=utf-8"));
        assert_eq!(one.header("x-hub-signature"), "");
        assert!(one.contains("Once"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_does_not_confirm_is_sent_nothing() {
    let (press, house) = newsstand(|_| {}).await;
    let failed = "pergola_websub_verifications_total{outcome=\"failed\"}";
    let mut readers = Vec::new();
    for (count, confirms) in
        [Confirms::No, Confirms::Wrongly, Confirms::Elsewhere].iter().enumerate()
    {
        let reader = Reader::start().await;
        reader.confirms(*confirms);
        assert_eq!(asks_for(&house, &reader, "subscribe", "/cb").await, StatusCode::ACCEPTED);
        eventually_counts(&house, failed, (count + 1) as f64).await;
        readers.push(reader);
    }
    let other = Reader::start().await;
    other.subscribes(&house, "/cb", &[]).await;
    assert_eq!(metric(&house, SUBSCRIPTIONS).await, 1.0);
    publish(&press, &house, "News").await;
    other.was_sent(1).await;
    for reader in readers {
        assert!(reader.sent().is_empty());
        assert_eq!(reader.asked().len(), 1, "a redirect is not followed");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_published_here_is_denied_with_a_reason() {
    let (_press, house) = newsstand(|_| {}).await;
    let reader = Reader::start().await;
    let topics =
        [house.url("/feeds/Nothing.atom"), "https://elsewhere.example/feeds/News.atom".to_owned()];
    for (times, topic) in topics.iter().enumerate() {
        let callback = reader.url("/cb?id=7");
        let fields =
            [("hub.mode", "subscribe"), ("hub.topic", topic), ("hub.callback", callback.as_str())];
        assert_eq!(reader.asks(&house, &fields).await.0, StatusCode::ACCEPTED);
        let denied = reader.was_asked(times + 1).await;
        assert_eq!((&*denied["hub.mode"], &denied["hub.topic"]), ("denied", topic));
        assert!(denied["hub.reason"].contains("no feed"), "{denied:?}");
        assert_eq!(denied["id"], "7");
        assert!(!denied.contains_key("hub.challenge"));
    }
    assert_eq!(metric(&house, SUBSCRIPTIONS).await, 0.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn beyond_the_limits_nobody_is_taken_in_and_renewals_are() {
    let (_press, house) = newsstand(|config| config.websub.per_feed = 1).await;
    let reader = Reader::start().await;
    reader.subscribes(&house, "/one", &[]).await;
    assert_eq!(asks_for(&house, &reader, "subscribe", "/two").await, StatusCode::ACCEPTED);
    let denied = reader.was_asked(2).await;
    assert_eq!(denied["hub.mode"], "denied");
    assert!(denied["hub.reason"].contains("as many subscriptions"), "{denied:?}");
    reader.subscribes(&house, "/one", &[]).await;
    assert_eq!(metric(&house, SUBSCRIPTIONS).await, 1.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lease_is_clamped_and_told_and_when_it_ends_so_does_the_subscription() {
    let (press, house) = newsstand(|config| {
        config.websub.lease_min = Duration::from_secs(1);
        config.websub.lease_max = Duration::from_secs(86_400);
    })
    .await;
    let reader = Reader::start().await;
    reader.subscribes(&house, "/long", &[("hub.lease_seconds", "999999999")]).await;
    assert_eq!(reader.was_asked(1).await["hub.lease_seconds"], "86400");
    reader.subscribes(&house, "/short", &[("hub.lease_seconds", "1")]).await;
    assert_eq!(reader.was_asked(2).await["hub.lease_seconds"], "1");
    eventually_counts(&house, SUBSCRIPTIONS, 1.0).await;
    publish(&press, &house, "Too late").await;
    assert_eq!(reader.was_sent(1).await.path, "/long");
    eventually_counts(&house, &deliveries("delivered"), 1.0).await;
    assert_eq!(reader.sent().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_renewal_replaces_the_secret_once_it_is_confirmed() {
    let (press, house) = newsstand(|_| {}).await;
    let reader = Reader::start().await;
    reader.subscribes(&house, "/cb", &[("hub.secret", "old")]).await;
    reader.confirms(Confirms::No);
    let (topic, callback) = (house.url("/feeds/News.atom"), reader.url("/cb"));
    let forged = [
        ("hub.mode", "subscribe"),
        ("hub.topic", &*topic),
        ("hub.callback", &*callback),
        ("hub.secret", "stranger"),
    ];
    reader.asks(&house, &forged).await;
    reader.was_asked(2).await;
    publish(&press, &house, "First").await;
    assert!(
        reader.was_sent(1).await.is_signed_with("old"),
        "what is not confirmed changes nothing"
    );
    reader.confirms(Confirms::Yes);
    reader.subscribes(&house, "/cb", &[("hub.secret", "new")]).await;
    publish(&press, &house, "Second").await;
    assert!(reader.was_sent(2).await.is_signed_with("new"));
    assert_eq!(metric(&house, SUBSCRIPTIONS).await, 1.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_leaves_is_sent_nothing_more_if_it_was_they_who_asked() {
    let (press, house) = newsstand(|_| {}).await;
    let reader = Reader::start().await;
    reader.subscribes(&house, "/cb", &[]).await;
    reader.confirms(Confirms::No);
    assert_eq!(asks_for(&house, &reader, "unsubscribe", "/cb").await, StatusCode::ACCEPTED);
    assert_eq!(reader.was_asked(2).await["hub.mode"], "unsubscribe");
    publish(&press, &house, "Still here").await;
    reader.was_sent(1).await;
    reader.confirms(Confirms::Yes);
    assert_eq!(asks_for(&house, &reader, "unsubscribe", "/cb").await, StatusCode::ACCEPTED);
    eventually_counts(&house, SUBSCRIPTIONS, 0.0).await;
    let witness = Reader::start().await;
    witness.subscribes(&house, "/cb", &[]).await;
    publish(&press, &house, "Gone").await;
    witness.was_sent(1).await;
    assert_eq!(reader.sent().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_not_taken_is_sent_again_with_what_is_newest() {
    let (press, house) =
        newsstand(|config| config.websub.backoff = Duration::from_millis(700)).await;
    let reader = Reader::start().await;
    reader.subscribes(&house, "/cb", &[("hub.secret", "s")]).await;
    reader.answers([500, 302]);
    publish(&press, &house, "First").await;
    reader.was_sent(1).await;
    publish(&press, &house, "Second").await;
    let last = reader.was_sent(3).await;
    assert!(last.contains("First") && last.contains("Second") && last.is_signed_with("s"));
    eventually_counts(&house, &deliveries("delivered"), 1.0).await;
    assert_eq!(metric(&house, &deliveries("delayed")).await, 2.0);
    assert_eq!(reader.sent().len(), 3, "two changes and two failures are three documents");
    assert!(reader.asked().len() == 1, "a redirect is a failure and not followed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_delivery_is_given_up_and_the_next_change_delivered_all_the_same() {
    let (press, house) = newsstand(|config| {
        impatient(config);
        config.websub.tries = 3.try_into().unwrap();
    })
    .await;
    let reader = Reader::start().await;
    reader.subscribes(&house, "/cb", &[]).await;
    reader.answers([500, 503, 404]);
    publish(&press, &house, "First").await;
    eventually_counts(&house, &deliveries("given-up"), 1.0).await;
    assert_eq!(reader.sent().len(), 3);
    publish(&press, &house, "Second").await;
    assert!(reader.was_sent(4).await.contains("Second"));
    eventually_counts(&house, &deliveries("delivered"), 1.0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subscriber_that_is_gone_is_left_alone() {
    let (press, house) = newsstand(impatient).await;
    let reader = Reader::start().await;
    reader.subscribes(&house, "/cb", &[]).await;
    reader.answers([410]);
    publish(&press, &house, "First").await;
    eventually_counts(&house, SUBSCRIPTIONS, 0.0).await;
    let witness = Reader::start().await;
    witness.subscribes(&house, "/cb", &[]).await;
    publish(&press, &house, "Second").await;
    witness.was_sent(1).await;
    assert_eq!(reader.sent().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subscriber_that_never_answers_holds_up_nobody() {
    // The same machine by another name is another host.
    let localhost = |config: &mut Config| {
        config.crawl.allow_private.push("localhost".parse().unwrap());
    };
    let (press, house) = newsstand(localhost).await;
    let (silent, quick) = (Reader::start().await, Reader::start().await);
    silent.falls_silent();
    for number in 0..6 {
        silent.subscribes(&house, &format!("/cb{number}"), &[]).await;
    }
    let callback = quick.url("/cb").replace("127.0.0.1", "localhost");
    quick.subscribes(&house, "/cb", &[("hub.callback", &callback)]).await;
    publish(&press, &house, "First").await;
    quick.was_sent(1).await;
    publish(&press, &house, "Second").await;
    assert!(quick.was_sent(2).await.contains("Second"));
    silent.was_sent(4).await;
    assert_eq!(silent.sent().len(), 4, "the others of this host wait for their turn");
}

#[tokio::test(flavor = "multi_thread")]
async fn subscriptions_and_what_is_still_to_be_delivered_survive_a_restart() {
    let (press, house) = newsstand(|config| config.websub.backoff = Duration::from_secs(2)).await;
    let reader = Reader::start().await;
    reader.subscribes(&house, "/cb", &[("hub.secret", "s")]).await;
    reader.answers([500]);
    publish(&press, &house, "Before").await;
    reader.was_sent(1).await;
    eventually_counts(&house, &deliveries("delayed"), 1.0).await;
    let house = restarted(house).await;
    let sent = reader.was_sent(2).await;
    assert!(sent.contains("Before") && sent.is_signed_with("s"));
    eventually_counts(&house, &deliveries("delivered"), 1.0).await;
    let house = restarted(house).await;
    publish(&press, &house, "After").await;
    assert!(reader.was_sent(3).await.contains("After"));
    assert_eq!(reader.sent().len(), 3, "what was delivered is not delivered again");
    assert_eq!(reader.asked().len(), 1, "nobody had to subscribe again");
}

#[tokio::test(flavor = "multi_thread")]
async fn when_a_feed_is_dropped_its_subscribers_are_told() {
    let (_press, house) = newsstand(|_| {}).await;
    let reader = Reader::start().await;
    reader.subscribes(&house, "/cb", &[]).await;
    house.node().run_script("DROP FEED News;", "test").await.unwrap();
    let denied = reader.was_asked(2).await;
    assert_eq!(denied["hub.mode"], "denied");
    assert!(denied["hub.reason"].contains("no longer"), "{denied:?}");
    eventually_counts(&house, SUBSCRIPTIONS, 0.0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_makes_no_sense_is_refused_in_plain_words() {
    let (_press, house) = newsstand(|_| {}).await;
    let reader = Reader::start().await;
    let (topic, callback) = (house.url("/feeds/News.atom"), reader.url("/cb"));
    let fields =
        |callback| [("hub.mode", "subscribe"), ("hub.topic", &*topic), ("hub.callback", callback)];
    let bad = reader.asks(&house, &fields(&callback)[..2]).await;
    assert_eq!(bad.0, StatusCode::BAD_REQUEST);
    assert!(bad.1.contains("hub.callback"), "{}", bad.1);
    for private in ["http://127.0.0.2:80/", "http://169.254.169.254/latest", "http://[::1]/cb"] {
        let (status, text) = reader.asks(&house, &fields(private)).await;
        assert_eq!(status, StatusCode::BAD_REQUEST, "{private}");
        assert!(text.contains("does not send to"), "{text}");
    }
    let url = house.url("/hub");
    let json = house.client.post(&url).header("content-type", "application/json").body("{}");
    assert_eq!(json.send().await.unwrap().status(), StatusCode::UNSUPPORTED_MEDIA_TYPE);
    let long = vec![b'x'; 100_000];
    let form = "application/x-www-form-urlencoded";
    // Whoever still sends when the answer comes may lose the connection instead.
    let status = eventually("an answer to too much", async || {
        let request = house.client.post(&url).header("content-type", form).body(long.clone());
        request.send().await.map(|answer| answer.status()).map_err(|error| error.to_string())
    })
    .await;
    assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
    // The client may try the connection once more that it has just lost.
    let read = eventually("an answer to a GET", async || {
        let answer = house.client.get(&url).send().await;
        answer.map(|answer| answer.status()).map_err(|error| error.to_string())
    })
    .await;
    assert_eq!(read, StatusCode::METHOD_NOT_ALLOWED);
    assert!(reader.asked().is_empty());
}
