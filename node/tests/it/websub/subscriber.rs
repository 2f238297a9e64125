//! The node as a subscriber, against a hub that is told what to do.

use std::time::Duration;

use http::StatusCode;
use pergola_api::source::PushStatus;
use pergola_config::Config;
use pergola_node::node::NewSource;
use pergola_outside::clock::Clock;
use pergola_store::archive::SourceId;
use ring::hmac;

use super::site::{Asked, Names, Site, signature};
use super::{metric, node, node_by, restarted, shows};
use crate::house::{House, Scene, eventually};
use crate::origin::{Origin, Reply};

/// A node that reads a site whose feed names a hub, and what the hub was asked.
async fn reading(names: Names, change: impl FnOnce(&mut Config)) -> (House, Site, Asked) {
    let house = node(change).await;
    let site = Site::start(&house, names).await;
    read(&house, &site).await;
    let asked = site.was_asked(1).await;
    (house, site, asked)
}

async fn read(house: &House, site: &Site) {
    let query = format!(r#"CREATE FEED All AS RETURN "{}";"#, site.feed());
    house.node().run_script(&query, "test").await.unwrap();
}

fn source(house: &House, site: &Site) -> SourceId {
    house.node().find_source(&site.feed()).unwrap()
}

fn push(house: &House, site: &Site) -> PushStatus {
    house.node().push_status(source(house, site)).unwrap()
}

async fn eventually_push(house: &House, site: &Site, what: &str, is: impl Fn(&PushStatus) -> bool) {
    eventually(what, async || {
        let seen = push(house, site);
        if is(&seen) { Ok(()) } else { Err(format!("{seen:?}")) }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_that_names_a_hub_is_subscribed_to_with_a_callback_and_a_secret() {
    for names in [Names::InHeader, Names::InDocument] {
        let (house, site, asked) = reading(names, |_| {}).await;
        assert_eq!((asked.get("mode"), asked.get("topic")), ("subscribe", &*site.feed()));
        assert!(asked.get("callback").starts_with(&house.url("/websub/")));
        assert!(asked.get("callback").len() > house.url("/websub/").len() + 40, "unguessable");
        assert!((32..200).contains(&asked.get("secret").len()));
        assert_eq!(asked.get("lease_seconds"), "864000");
        assert!(!push(&house, &site).active);
        let answer = site.verifies(&asked, 3_600).await;
        assert_eq!((answer.status, &*answer.body), (StatusCode::OK, "prove-it"));
        assert_eq!(answer.headers["content-type"], "application/octet-stream");
        assert_eq!(answer.headers["x-content-type-options"], "nosniff");
        let push = push(&house, &site);
        assert!(push.active && !push.trusted && push.hub == site.hub(), "{push:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_not_asked_for_is_not_confirmed() {
    let (house, site, asked) = reading(Names::InHeader, |_| {}).await;
    let callback = asked.get("callback");
    let other = house.url("/websub/0123456789abcdef0123456789abcdef0123456789abcdef");
    let (feed, hub) = (site.feed(), site.hub());
    let long = "x".repeat(2_000);
    for (callback, mode, topic, challenge) in [
        (callback, "unsubscribe", &feed, "c"),
        (callback, "subscribe", &hub, "c"),
        (callback, "", &feed, "c"),
        (callback, "subscribe", &feed, ""),
        (callback, "subscribe", &feed, "<script>alert(1)</script> "),
        (callback, "subscribe", &feed, &long),
        (&other, "subscribe", &feed, "c"),
    ] {
        let fields = [
            ("hub.mode", mode),
            ("hub.topic", topic),
            ("hub.challenge", challenge),
            ("hub.lease_seconds", "60"),
        ];
        let answer = site.asks(callback, &fields).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{mode} {topic} {challenge}");
        assert!(!answer.body.contains("script"));
    }
    assert!(!push(&house, &site).active);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_pushed_arrives_without_a_look_and_is_the_same_when_a_look_finds_it() {
    let (house, site, asked) = reading(Names::InHeader, |_| {}).await;
    shows(&house, "All", "First").await;
    site.verifies(&asked, 3_600).await;
    // The document does not show it: nobody but the hub can have told.
    assert_eq!(site.pushes(&asked, &["Second", "First"]).await, StatusCode::NO_CONTENT);
    let items = house.node().source(source(&house, &site)).unwrap().0.items;
    assert_eq!(items, 2, "durable before it is acknowledged");
    shows(&house, "All", "Second").await;
    // A hub may send what is new only; and everything twice.
    assert_eq!(site.pushes(&asked, &["Third"]).await, StatusCode::NO_CONTENT);
    assert_eq!(site.pushes(&asked, &["Third"]).await, StatusCode::NO_CONTENT);
    shows(&house, "All", "Third").await;
    assert_eq!(house.titles("All").await, ["Third", "Second", "First"]);
    let status = push(&house, &site);
    assert_eq!((status.pushes, status.items, status.forged), (3, 2, 0));
    site.shows(&["Fourth", "Third", "Second", "First"]);
    house.node().refresh_now(source(&house, &site), true).await.unwrap();
    shows(&house, "All", "Fourth").await;
    assert_eq!(house.titles("All").await, ["Fourth", "Third", "Second", "First"]);
    let (stands, state) = house.node().source(source(&house, &site)).unwrap();
    assert_eq!(stands.items, 4);
    assert_eq!(state.tally.overruns, 0, "what a hub leaves out is not lost");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_signed_as_agreed_is_acknowledged_ignored_and_counted() {
    let (house, site, asked) = reading(Names::InHeader, |_| {}).await;
    shows(&house, "All", "First").await;
    site.verifies(&asked, 3_600).await;
    let (body, secret) = (site.document(&["Forged"]), asked.get("secret").as_bytes());
    let stranger = signature("sha256", hmac::Key::new(hmac::HMAC_SHA256, b"guess"), &body);
    let other = signature("sha256", hmac::Key::new(hmac::HMAC_SHA256, secret), "another body");
    // Over plain HTTP nothing less than SHA-256 protects the body.
    let weak = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, secret);
    let weak = signature("sha1", weak, &body);
    for sign in [None, Some("sha256=00"), Some(&*stranger), Some(&*other), Some(&*weak)] {
        assert_eq!(site.sends(&asked, &body, sign).await, StatusCode::NO_CONTENT);
    }
    assert_eq!(house.titles("All").await, ["First"]);
    let status = push(&house, &site);
    assert_eq!((status.forged, status.pushes, status.trusted), (5, 0, false));
    assert_eq!(metric(&house, "pergola_websub_pushes_total{outcome=\"forged\"}").await, 5.0);
    // Stronger ones are as good.
    let strong = signature("sha512", hmac::Key::new(hmac::HMAC_SHA512, secret), &body);
    site.sends(&asked, &body, Some(&strong)).await;
    shows(&house, "All", "Forged").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_read_or_is_too_large_does_no_harm() {
    let (house, site, asked) =
        reading(Names::InHeader, |config| config.crawl.max_body = 20_000).await;
    site.verifies(&asked, 3_600).await;
    let key = || hmac::Key::new(hmac::HMAC_SHA256, asked.get("secret").as_bytes());
    let nonsense = "this is no feed";
    let sign = signature("sha256", key(), nonsense);
    assert_eq!(site.sends(&asked, nonsense, Some(&sign)).await, StatusCode::NO_CONTENT);
    let status = push(&house, &site);
    assert_eq!((status.failures, status.pushes), (1, 0));
    assert!(status.trouble.is_some());
    let long = "x".repeat(20_001);
    let sign = signature("sha256", key(), &long);
    assert_eq!(site.sends(&asked, &long, Some(&sign)).await, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(site.pushes(&asked, &["Fine"]).await, StatusCode::NO_CONTENT);
    shows(&house, "All", "Fine").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hub_that_has_proved_itself_leaves_a_look_a_day() {
    let (house, site, asked) = reading(Names::InHeader, |_| {}).await;
    site.verifies(&asked, 864_000).await;
    site.was_refreshed().await;
    assert!(!push(&house, &site).trusted, "it has only promised");
    site.pushes(&asked, &["Second", "First"]).await;
    eventually_push(&house, &site, "trust", |push| push.trusted).await;
    let id = source(&house, &site);
    eventually("the last refresh to end", async || {
        let stands = house.node().source(id).unwrap().0;
        let wait = stands.next_refresh.unwrap().unix() - Clock::real().now();
        let fine = !stands.busy && (80_000.0..92_000.0).contains(&wait);
        if fine { Ok(()) } else { Err(format!("{} s, busy: {}", wait, stands.busy)) }
    })
    .await;
    let refreshes = site.refreshes();
    for number in 0..5 {
        let title = format!("Pushed {number}");
        site.pushes(&asked, &[&title]).await;
        shows(&house, "All", &title).await;
    }
    assert_eq!(site.refreshes(), refreshes, "news come by the hub, and the source is left alone");
    // Whoever wants to refresh may.
    house.node().refresh_now(id, true).await.unwrap();
    assert!(site.refreshes() > refreshes);
}

/// A node whose source's hub keeps two items to itself.
async fn half_told() -> (House, Site) {
    // Ten minutes, which a hub has to tell of an item, are half a second.
    let house = node_by(Clock::accelerated(1_200.0), |config| {
        config.websub.poll = Duration::from_secs(300);
        config.schedule.cycle = Duration::from_secs(24);
    })
    .await;
    let site = Site::start(&house, Names::InHeader).await;
    read(&house, &site).await;
    let asked = site.was_asked(1).await;
    site.verifies(&asked, 864_000).await;
    site.was_refreshed().await;
    site.was_refreshed().await;
    site.pushes(&asked, &["Second", "First"]).await;
    eventually_push(&house, &site, "trust", |push| push.trusted).await;
    // The safety net finds what the hub keeps to itself.
    site.shows(&["Fourth", "Third", "Second", "First"]);
    shows(&house, "All", "Fourth").await;
    (house, site)
}

pub(crate) async fn a_hub_leaves_something_out() -> Scene {
    let (house, site) = half_told().await;
    (house, Box::new(site))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hub_that_misses_items_is_found_out_and_not_trusted() {
    let (house, site) = half_told().await;
    eventually_push(&house, &site, "the missed", |push| push.missed == 2 && !push.trusted).await;
    assert_eq!(metric(&house, "pergola_websub_items_missed_total").await, 2.0);
    site.was_refreshed().await;
    assert!(push(&house, &site).active, "what it tells is still welcome");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lease_is_renewed_in_time_and_with_the_same_callback() {
    let (house, site, asked) =
        reading(Names::InHeader, |config| config.websub.lease = Duration::from_secs(4)).await;
    assert_eq!(asked.get("lease_seconds"), "4");
    let clock = Clock::real();
    site.verifies(&asked, 4).await;
    let granted = clock.now();
    let renewal = site.was_asked(2).await;
    let waited = clock.now() - granted;
    assert!((2.9..4.0).contains(&waited), "after {waited} of 4 s");
    assert!(push(&house, &site).active, "the lease still runs");
    assert_eq!(renewal.get("callback"), asked.get("callback"));
    assert_eq!((renewal.get("mode"), renewal.get("secret")), ("subscribe", asked.get("secret")));
    site.verifies(&renewal, 3_600).await;
    let until = push(&house, &site).lease_until.unwrap().unix();
    assert!(until > granted + 3_000.0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lease_that_the_hub_lets_end_ends_the_trust() {
    let (house, site, asked) =
        reading(Names::InHeader, |config| config.websub.lease = Duration::from_secs(3)).await;
    site.verifies(&asked, 3).await;
    site.pushes(&asked, &["Second"]).await;
    eventually_push(&house, &site, "trust", |push| push.trusted).await;
    site.hub_answers(500, None);
    eventually_push(&house, &site, "its end", |push| !push.active && !push.trusted).await;
    site.was_refreshed().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hub_that_refuses_is_asked_again_and_one_that_refers_is_followed() {
    let house = node(|config| config.websub.backoff = Duration::from_millis(30)).await;
    let site = Site::start(&house, Names::InDocument).await;
    site.hub_answers(503, None);
    read(&house, &site).await;
    site.was_asked(2).await;
    eventually_push(&house, &site, "the refusal", |push| {
        push.failures >= 2
            && push.trouble.as_ref().is_some_and(|said| said.contains("503 not today"))
    })
    .await;
    site.hub_answers(307, Some("/other"));
    let referred = eventually("the other hub", async || {
        let last = site.was_asked(site.asked()).await;
        if last.get("other") == "yes" { Ok(last) } else { Err(format!("{last:?}")) }
    })
    .await;
    assert_eq!(site.verifies(&referred, 3_600).await.body, "prove-it");
    assert!(push(&house, &site).active);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_denial_is_believed_and_looks_go_on() {
    let (house, site, asked) = reading(Names::InHeader, |_| {}).await;
    site.verifies(&asked, 3_600).await;
    site.pushes(&asked, &["Second"]).await;
    let topic = site.feed();
    let denied = |topic| [("hub.mode", "denied"), ("hub.topic", topic), ("hub.reason", "full")];
    let wrong = site.asks(asked.get("callback"), &denied("http://other.example/")).await;
    assert_eq!(wrong.status, StatusCode::NOT_FOUND);
    assert!(push(&house, &site).active);
    assert_eq!(site.asks(asked.get("callback"), &denied(&topic)).await.status, StatusCode::OK);
    let status = push(&house, &site);
    assert!(!status.active && !status.trusted);
    assert_eq!(status.trouble.as_deref(), Some("the hub denied it: full"));
    site.was_refreshed().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_that_is_removed_is_unsubscribed_from() {
    let (house, site, asked) = reading(Names::InHeader, |_| {}).await;
    site.verifies(&asked, 3_600).await;
    house.node().run_script("DROP FEED All;", "test").await.unwrap();
    let farewell = site.was_asked(2).await;
    assert_eq!((farewell.get("mode"), farewell.get("topic")), ("unsubscribe", &*site.feed()));
    assert_eq!(farewell.get("callback"), asked.get("callback"));
    assert_eq!(site.pushes(&asked, &["Late"]).await, StatusCode::GONE);
    assert_eq!(site.verifies(&asked, 60).await.status, StatusCode::NOT_FOUND);
    assert_eq!(site.verifies(&farewell, 60).await.body, "prove-it");
    assert_eq!(site.verifies(&farewell, 60).await.status, StatusCode::NOT_FOUND, "it is over");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_that_names_no_hub_any_more_is_unsubscribed_from() {
    let (house, site, asked) = reading(Names::InDocument, |_| {}).await;
    site.verifies(&asked, 3_600).await;
    site.names(Names::Nowhere);
    assert_eq!(site.was_asked(2).await.get("mode"), "unsubscribe");
    assert_eq!(house.node().push_status(source(&house, &site)), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_agreed_on_survives_a_restart() {
    let (house, site, asked) = reading(Names::InHeader, |_| {}).await;
    site.verifies(&asked, 3_600).await;
    site.pushes(&asked, &["Second", "First"]).await;
    let house = restarted(house).await;
    let status = push(&house, &site);
    assert!(status.active && status.trusted && status.pushes == 1, "{status:?}");
    assert_eq!(site.pushes(&asked, &["Third"]).await, StatusCode::NO_CONTENT);
    shows(&house, "All", "Third").await;
    eventually("the source to be left alone", async || {
        let next = house.node().source(source(&house, &site)).unwrap().0.next_refresh.unwrap();
        let wait = next.unix() - Clock::real().now();
        if wait > 80_000.0 { Ok(()) } else { Err(wait.to_string()) }
    })
    .await;
    assert_eq!(site.asked(), 1, "the hub is not asked again");
}

#[tokio::test(flavor = "multi_thread")]
async fn hubs_are_left_alone_if_the_node_is_told_so_or_they_could_not_reach_it() {
    let off = node(|config| config.websub.subscribe = false).await;
    let site = Site::start(&off, Names::InHeader).await;
    read(&off, &site).await;
    shows(&off, "All", "First").await;
    site.was_refreshed().await;
    let address = off.url("/websub/0123456789abcdef");
    assert_eq!(off.client.get(address).send().await.unwrap().status(), StatusCode::NOT_FOUND);
    // A hub somewhere in the world cannot reach a node that is known by the name of its own machine.
    let hidden = node(|_| {}).await;
    let document = site.document(&["First"]).replace(&site.hub(), "https://hub.example/");
    let origin = Origin::builder().page("/feed", Reply::ok(document)).start().await;
    let feed = NewSource::feed(origin.url("/feed").as_str()).unwrap();
    let id = hidden.node().add_sources(vec![feed]).await.unwrap().new[0];
    eventually("two refreshes", async || {
        let hits = origin.hits("/feed");
        if hits > 1 { Ok(()) } else { Err(hits.to_string()) }
    })
    .await;
    assert_eq!(hidden.node().push_status(id), None);
    assert_eq!(site.asked(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tally_is_told_by_the_api() {
    let (house, site, asked) = reading(Names::InHeader, |_| {}).await;
    site.verifies(&asked, 3_600).await;
    site.pushes(&asked, &["Second"]).await;
    site.sends(&asked, "forged", None).await;
    let url = house.url(&format!("/api/v1/sources/{}", source(&house, &site).0));
    let text = house.client.get(url).send().await.unwrap().text().await.unwrap();
    let answer: serde_json::Value = serde_json::from_str(&text).unwrap();
    let push = &answer["push"];
    assert_eq!(push["hub"], site.hub());
    assert_eq!(
        (&push["pushes"], &push["items"], &push["forged"]),
        (&1.into(), &1.into(), &1.into())
    );
    assert_eq!(push["active"], true);
    assert!(!text.contains(asked.get("secret")) && !text.contains("/websub/"), "no secrets");
}
