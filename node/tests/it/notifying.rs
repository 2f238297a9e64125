//! Notifications: what a webhook is sent, and what happens when it is not taken.

mod mail;
mod receiver;

use pergola_config::Config;
use pergola_newsroom::serve::Headline;
use pergola_outside::clock::Clock;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpListener;

use crate::house::{House, Press, eventually, quick_config};
use receiver::Receiver;

const LIST: &str = "/api/v1/feeds/News/notifications";
const SECRET: &str = "a secret of many characters";

/// A minute takes a tenth of a second, so that nobody waits long for another try.
const SPEED: f64 = 600.0;

/// A node with the feed `News` of a source that says what it is told to.
async fn newsstand(change: impl FnOnce(&mut Config)) -> (Press, House) {
    let press = Press::start(&["news"]).await;
    let folder = TempDir::new().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut config = quick_config(&folder);
    config.node.public_url = format!("http://{}/", listener.local_addr().unwrap()).parse().unwrap();
    change(&mut config);
    let house = House::open_with(folder, config, Clock::accelerated(SPEED), listener).await;
    let query = format!(r#"CREATE FEED News AS RETURN "{}";"#, press.url("news"));
    house.node().run_script(&query, "test").await.unwrap();
    (press, house)
}

/// Publishes an item, and waits until the node's feed has it.
async fn publish(press: &Press, house: &House, title: &str) {
    press.newsroom.publish_headline("news", Headline::new(title, &["news"])).unwrap();
    eventually(title, async || {
        let seen = house.titles("News").await;
        if seen.iter().any(|other| other == title) { Ok(()) } else { Err(format!("{seen:?}")) }
    })
    .await;
}

async fn ask(house: &House, method: &str, path: &str, body: Option<Value>) -> (u16, Value) {
    let request = house.client.request(method.parse().unwrap(), house.url(path));
    let request = match body {
        Some(body) => request.header("content-type", "application/json").body(body.to_string()),
        None => request,
    };
    let answer = request.send().await.unwrap();
    let status = answer.status().as_u16();
    (status, serde_json::from_str(&answer.text().await.unwrap()).unwrap_or(Value::Null))
}

/// Adds a webhook; its id.
async fn hooked(house: &House, url: &str) -> String {
    let body = json!({ "webhook": { "url": url, "secret": SECRET } });
    let (status, added) = ask(house, "POST", LIST, Some(body)).await;
    assert_eq!(status, 201, "{added}");
    added["id"].as_str().unwrap().to_owned()
}

async fn only(house: &House) -> Value {
    ask(house, "GET", LIST, None).await.1["notifications"][0].clone()
}

/// Stops a node and starts it again with the same configuration.
async fn restarted(house: House) -> House {
    let address = house.running.address();
    let config = Config::clone(&house.node().config());
    let House { running, folder, .. } = house;
    running.stop(std::time::Duration::from_secs(10)).await;
    let listener = TcpListener::bind(address).await.unwrap();
    House::open_with(folder, config, Clock::accelerated(SPEED), listener).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_is_sent_exactly_the_new_entries_in_order_and_signed() {
    let (press, house) = newsstand(|_| {}).await;
    publish(&press, &house, "Before").await;
    let receiver = Receiver::start().await;
    hooked(&house, &receiver.url("/hook?key=1")).await;
    let titles: Vec<String> = (0..5).map(|number| format!("After {number}")).collect();
    for title in &titles {
        publish(&press, &house, title).await;
    }
    receiver.has_titles(&titles).await;
    for taken in receiver.taken() {
        assert!(taken.is_signed_with(SECRET));
        assert_eq!(taken.header("x-pergola-event"), "entries");
        assert_eq!(taken.header("x-pergola-delivery"), taken.json()["delivery"]);
        assert_eq!(taken.json()["feed"]["name"], "News");
        assert_eq!(taken.path, "/hook?key=1");
    }
    let status = only(&house).await;
    assert_eq!((&status["waiting"], &status["error"]), (&json!(0), &Value::Null));
    assert!(status["delivered_at"].is_string(), "{status}");
    assert!(!status.to_string().contains(SECRET), "{status}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_python_of_the_documentation_checks_a_signature() {
    let (_press, house) = newsstand(|_| {}).await;
    let receiver = Receiver::start().await;
    let id = hooked(&house, &receiver.url("/hook")).await;
    assert_eq!(ask(&house, "POST", &format!("{LIST}/{id}/test"), None).await.0, 200);
    let sent = receiver.was_asked(1).await[0].clone();
    let page = include_str!("../../../docs/notifications.md");
    let (_, block) = page.split_once("```python\n").unwrap();
    let check = block.split("```").next().unwrap();
    let asked = "is_ours(sys.argv[1], sys.argv[2].encode(), sys.argv[3])";
    let script = format!("{check}\nimport sys\nprint({asked})");
    let body = std::str::from_utf8(&sent.body).unwrap();
    let changed = body.replace("\"test\"", "\"entries\"");
    assert_ne!(body, changed);
    let signature = sent.header("x-pergola-signature");
    for (secret, body, expected) in [
        (SECRET, body, "True"),
        ("another secret of some length", body, "False"),
        (SECRET, &changed, "False"),
    ] {
        let mut python = std::process::Command::new(mail::server::python());
        let Ok(output) = python.args(["-c", &script, secret, body, signature]).output() else {
            assert!(std::env::var_os("PERGOLA_REQUIRE_ALL").is_none(), "there is no python3");
            return;
        };
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), expected, "{output:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn addresses_are_shown_without_their_secrets() {
    let (press, house) = newsstand(|_| {}).await;
    let receiver = Receiver::start().await;
    receiver.answers([410]);
    let url =
        receiver.url("/hook?token=aGVsbG8td29ybGQtMTIz").replace("http://", "http://bob:sesame@");
    let id = hooked(&house, &url).await;
    publish(&press, &house, "Secret").await;
    let notice = eventually("a notice", async || {
        let notices = house.node().notices();
        notices.iter().find(|notice| notice.contains(&id)).cloned().ok_or(format!("{notices:?}"))
    })
    .await;
    let shown = only(&house).await.to_string();
    for told in [&notice, &shown] {
        assert!(told.contains("/hook"), "{told}");
        assert!(!told.contains("sesame") && !told.contains("aGVsbG8"), "{told}");
    }
    assert_eq!(receiver.asked()[0].path, "/hook?token=aGVsbG8td29ybGQtMTIz");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_failed_is_sent_again_with_the_same_id_and_the_same_entries() {
    let (press, house) = newsstand(|_| {}).await;
    let receiver = Receiver::start().await;
    receiver.answers([500, 503]);
    hooked(&house, &receiver.url("/hook")).await;
    publish(&press, &house, "First").await;
    let tries = receiver.was_asked(3).await;
    publish(&press, &house, "Second").await;
    receiver.has_titles(&["First", "Second"]).await;
    let bodies: Vec<_> = tries.iter().map(|taken| &taken.body).collect();
    assert!(bodies.iter().all(|body| *body == bodies[0]), "{bodies:?}");
    let ids: Vec<_> = tries.iter().map(|taken| taken.header("x-pergola-delivery")).collect();
    assert!(ids.iter().all(|id| *id == ids[0]) && !ids[0].is_empty(), "{ids:?}");
    assert_ne!(receiver.taken().last().unwrap().header("x-pergola-delivery"), ids[0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_in_the_middle_loses_nothing_and_repeats_nothing_under_another_id() {
    let (press, house) = newsstand(|_| {}).await;
    let receiver = Receiver::start().await;
    hooked(&house, &receiver.url("/hook")).await;
    publish(&press, &house, "Taken").await;
    receiver.has_titles(&["Taken"]).await;
    receiver.answers([500; 1_000]);
    publish(&press, &house, "Refused").await;
    let refused = receiver.was_asked(2).await;
    let house = restarted(house).await;
    publish(&press, &house, "Later").await;
    receiver.answers([]);
    receiver.has_titles(&["Taken", "Refused", "Later"]).await;
    let again = receiver.taken()[1].clone();
    let id = |taken: &receiver::Taken| taken.header("x-pergola-delivery").to_owned();
    assert_eq!(id(&again), id(&refused[1]));
    assert_eq!(again.body, refused[1].body);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_private_address_is_refused_with_the_line_that_allows_it() {
    let (_press, house) = newsstand(|_| {}).await;
    for url in ["http://10.1.2.3/hook", "http://[::1]/hook", "http://169.254.169.254/"] {
        let body = json!({ "webhook": { "url": url } });
        let (status, refused) = ask(&house, "POST", LIST, Some(body)).await;
        let detail = refused["detail"].as_str().unwrap();
        assert_eq!((status, &refused["code"]), (400, &json!("bad-notification")), "{refused}");
        assert!(detail.contains("allow_private = ["), "{detail}");
    }
    for wrong in [
        json!({ "webhook": { "url": "ftp://example.org/" } }),
        json!({ "webhook": { "url": "https://example.org/", "secret": "short" } }),
        json!({ "mail": { "address": "ada@example.org" } }),
        json!({ "mail": { "address": "ada@example.org\r\nBcc: eve@example.org" } }),
    ] {
        let (status, refused) = ask(&house, "POST", LIST, Some(wrong.clone())).await;
        assert_eq!(status, 400, "{wrong} {refused}");
    }
    assert_eq!(ask(&house, "GET", LIST, None).await.1, json!({ "notifications": [] }));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_is_not_followed() {
    let (press, house) = newsstand(|_| {}).await;
    let (receiver, other) = (Receiver::start().await, Receiver::start().await);
    receiver.leads_to(&other.url("/private"));
    hooked(&house, &receiver.url("/hook")).await;
    publish(&press, &house, "Led").await;
    receiver.was_asked(2).await;
    let error = eventually("an error", async || {
        let status = only(&house).await;
        status["error"].as_str().map(str::to_owned).ok_or_else(|| status.to_string())
    })
    .await;
    assert!(error.contains("307") && error.contains("not followed"), "{error}");
    assert_eq!(other.asked().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_is_gone_is_paused_with_a_notice_and_goes_on_when_resumed() {
    let (press, house) = newsstand(|_| {}).await;
    let receiver = Receiver::start().await;
    receiver.answers([410]);
    let id = hooked(&house, &receiver.url("/hook")).await;
    publish(&press, &house, "Unwanted").await;
    let notice = eventually("a notice", async || {
        let notices = house.node().notices();
        notices.iter().find(|notice| notice.contains(&id)).cloned().ok_or(format!("{notices:?}"))
    })
    .await;
    assert!(notice.contains("--resume") && notice.contains("410"), "{notice}");
    assert_eq!(only(&house).await["paused"], true);
    let (status, _) = ask(&house, "POST", &format!("{LIST}/{id}/resume"), None).await;
    assert_eq!(status, 200);
    receiver.has_titles(&["Unwanted"]).await;
    assert!(house.node().notices().iter().all(|notice| !notice.contains(&id)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_test_is_sent_at_once_and_a_removed_webhook_is_sent_nothing() {
    let (press, house) = newsstand(|_| {}).await;
    let receiver = Receiver::start().await;
    let id = hooked(&house, &receiver.url("/hook")).await;
    let (status, _) = ask(&house, "POST", &format!("{LIST}/{id}/test"), None).await;
    assert_eq!(status, 200);
    let test = receiver.was_asked(1).await[0].clone();
    assert!(test.is_signed_with(SECRET));
    assert_eq!((&test.json()["event"], &test.json()["entries"]), (&json!("test"), &json!([])));
    receiver.answers([500]);
    let (status, refused) = ask(&house, "POST", &format!("{LIST}/{id}/test"), None).await;
    assert_eq!((status, &refused["code"]), (422, &json!("not-delivered")));
    assert_eq!(ask(&house, "DELETE", &format!("{LIST}/{id}"), None).await.0, 204);
    assert_eq!(ask(&house, "DELETE", &format!("{LIST}/{id}"), None).await.0, 404);
    let other = Receiver::start().await;
    hooked(&house, &other.url("/hook")).await;
    publish(&press, &house, "Later").await;
    other.has_titles(&["Later"]).await;
    assert_eq!(receiver.asked().len(), 2, "only the tests");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_feed_notifies_nobody_any_more_not_even_when_restored() {
    let (_press, house) = newsstand(|_| {}).await;
    let receiver = Receiver::start().await;
    hooked(&house, &receiver.url("/hook")).await;
    house.node().drop_feed("News").await.unwrap();
    assert_eq!(ask(&house, "GET", LIST, None).await.0, 404);
    let house = restarted(house).await;
    house.node().restore_feed("News").await.unwrap();
    assert_eq!(ask(&house, "GET", LIST, None).await.1, json!({ "notifications": [] }));
}
