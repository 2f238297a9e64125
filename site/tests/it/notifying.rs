//! Who is sent the new entries of a feed, on its page.

use std::net::TcpListener;

use pergola_accounts::Role;

use crate::browser::{Browser, count};
use crate::origin::{Origin, Reply};
use crate::place::{Place, rss};

const MANAGE: &str = "/feeds/News/manage";
/// Where a webhook is, at the origin of the source.
const HOOK: &str = "/hook?token=c2VjcmV0LXRva2Vu";

/// A node with the feed `News`.
async fn newsstand() -> (Place, Origin) {
    let origin = Origin::builder()
        .page("/feed", Reply::ok(rss("News", &[("1", "One")])))
        .page(HOOK, Reply::status(204))
        .start()
        .await;
    let place = Place::start().await;
    let query = format!("CREATE FEED News AS RETURN \"{}\";", origin.url("/feed"));
    place.node.run_script(&query, "test").await.unwrap();
    (place, origin)
}

/// The id in the row of the only notification.
fn id(page: &str) -> String {
    let (_, rest) = page.split_once("name=\"notification\" value=\"").unwrap();
    rest.split('"').next().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_is_added_and_its_secret_is_shown_once() {
    let (place, origin) = newsstand().await;
    let url = origin.url(HOOK).to_string();
    let mut browser = Browser::new(&place);
    browser.get(MANAGE).await.says(&["Notifications", "Add a webhook", "Add a digest"]);
    let added = browser.post(MANAGE, &[("webhook", &url), ("do", "webhook")]).await;
    assert_eq!(added.status, 200, "{added:?}");
    let (_, rest) =
        added.text.split_once("which is not shown again: <code class=\"address\">").unwrap();
    let secret = rest.split('<').next().unwrap();
    assert!(secret.len() >= 32, "{secret}");
    let page = browser.get(MANAGE).await;
    page.says(&["/hook?token=", "fine", "Test"]).never_says(&[secret, "c2VjcmV0", "Try now"]);
    assert_eq!(count(&page.text, "name=\"notification\""), 1, "{}", page.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_is_tried_and_removed() {
    let (place, origin) = newsstand().await;
    let url = origin.url(HOOK).to_string();
    let mut browser = Browser::new(&place);
    browser.post(MANAGE, &[("webhook", &url), ("do", "webhook")]).await;
    let id = id(&browser.get(MANAGE).await.text);
    let tested = browser.post(MANAGE, &[("notification", &id), ("do", "test")]).await;
    assert_eq!((tested.status, tested.to.as_str()), (303, "manage?note=tested"), "{tested:?}");
    let sent = origin.requests(HOOK);
    assert_eq!((sent.len(), sent[0].method.as_str()), (1, "POST"));
    assert_eq!(sent[0].text("x-pergola-event"), "test");
    assert!(sent[0].text("x-pergola-signature").starts_with("sha256="));
    browser.get("/feeds/News/manage?note=tested").await.says(&["The test was taken."]);
    let removed = browser.post(MANAGE, &[("notification", &id), ("do", "unnotify")]).await;
    assert_eq!(removed.to, "manage?note=unnotified");
    browser.get(MANAGE).await.never_says(&["/hook?token="]);
    let gone = browser.post(MANAGE, &[("notification", &id), ("do", "test")]).await;
    assert_eq!(gone.status, 404);
    gone.says(&["role=\"alert\"", &id]);
    // Nobody listens there.
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    browser.post(MANAGE, &[("webhook", &format!("http://{free}/")), ("do", "webhook")]).await;
    let id = self::id(&browser.get(MANAGE).await.text);
    let failed = browser.post(MANAGE, &[("notification", &id), ("do", "test")]).await;
    assert_eq!(failed.status, 422);
    failed.says(&["role=\"alert\""]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_added_is_told_and_what_was_typed_stays() {
    let (place, origin) = newsstand().await;
    let mut browser = Browser::new(&place);
    for (url, why) in [
        ("ftp://hook.example/in", "only http:// and https:// can be posted to"),
        ("http://10.1.2.3/hook", "allow_private = ["),
    ] {
        let refused = browser.post(MANAGE, &[("webhook", url), ("do", "webhook")]).await;
        assert_eq!(refused.status, 400, "{refused:?}");
        refused.says(&["role=\"alert\"", &crate::place::escaped(why), &format!("value=\"{url}\"")]);
    }
    let fields = [("mail", "ada@example.org"), ("every", "week"), ("do", "mail")];
    let refused = browser.post(MANAGE, &fields).await;
    assert_eq!(refused.status, 400, "{refused:?}");
    refused.says(&["set mail.server and mail.from", "value=\"ada@example.org\""]);
    refused.says(&["<option value=\"week\" selected>"]);
    // Only those who manage do this.
    let mut bob = Browser::of(&place, "bob", Role::Reader).await;
    let url = origin.url(HOOK).to_string();
    assert_eq!(bob.post(MANAGE, &[("webhook", &url), ("do", "webhook")]).await.status, 403);
}
