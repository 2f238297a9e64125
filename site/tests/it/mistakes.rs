//! Mistakes that people make: each gives a message to act on, and loses nothing.

use pergola_accounts::Role;
use pergola_accounts::session::IDLE;
use pergola_outside::clock::ManualClock;

use crate::browser::{Browser, PASSWORD};
use crate::origin::{Origin, Reply};
use crate::place::{Place, rss};

#[tokio::test(flavor = "multi_thread")]
async fn a_form_that_is_sent_after_the_session_has_ended_is_sent_again_after_the_login() {
    let clock = ManualClock::new(1_790_000_000.0);
    let place = Place::at(clock.clock(), |_| ()).await;
    let mut ada = Browser::of(&place, "ada", Role::Admin).await;
    clock.advance(IDLE);
    let fields = [("name", "bob"), ("password", PASSWORD), ("role", "reader")];
    let ended = ada.post("/settings/users", &fields).await;
    assert_eq!(ended.status, 403);
    ended.says(&["You are not logged in", "Log in in another window", "I have logged in: go on"]);
    ended.says(&["action=\"../settings/users\"", "name=\"name\" value=\"bob\""]);
    ended.says(&["type=\"password\" name=\"password\""]).never_says(&[PASSWORD]);
    assert_eq!(ada.log_in("ada", PASSWORD).await.status, 303);
    let again = ada.post_as_it_is("/settings/users", &fields).await;
    assert_eq!(again.status, 403, "nothing is done before it was seen");
    again.says(&["Send it once more", "name=\"name\" value=\"bob\"", "form_token"]);
    assert_eq!(place.node.users().unwrap().len(), 1);
    let done = ada.post("/settings/users", &fields).await;
    assert_eq!((done.status, done.to.as_str()), (303, "./users?note=added"));
    assert!(!place.node.find_user("bob").unwrap().unwrap().is_admin());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_that_is_sent_twice_does_it_once() {
    let place = Place::start().await;
    let mut ada = Browser::of(&place, "ada", Role::Admin).await;
    let fields = [("name", "bob"), ("password", PASSWORD), ("role", "reader")];
    assert_eq!(ada.post("/settings/users", &fields).await.status, 303);
    let twice = ada.post("/settings/users", &fields).await;
    assert_eq!(twice.status, 409);
    twice.says(&["there is a user `bob` already"]);
    assert_eq!(ada.post("/settings/users/remove", &[("name", "bob")]).await.status, 303);
    let gone = ada.post("/settings/users/remove", &[("name", "bob")]).await;
    assert_eq!(gone.status, 404);
    gone.says(&["there is no user `bob`"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_that_another_window_has_removed_is_told_of() {
    let place = Place::start().await;
    for form in ["/sources/77/edit", "/sources/77/remove", "/sources/77/pause"] {
        let (status, _, text) = place.send(form, &[("title", "Typed")]).await;
        assert_eq!(status, 404, "{form}: {text}");
        assert!(text.contains("77"), "{form}: {text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_that_another_window_has_changed_is_not_overwritten_unseen() {
    let origin =
        Origin::builder().page("/feed", Reply::ok(rss("Old", &[("1", "One")]))).start().await;
    let place = Place::start().await;
    let mut first = Browser::new(&place);
    let added = first.post("/sources/new", &[("url", origin.url("/feed").as_str())]).await;
    assert_eq!(added.status, 303, "{added:?}");
    let edit = "/sources/1/edit";
    let fields =
        |title, was| [("title", title), ("importance", "1"), ("credentials", "keep"), ("was", was)];
    let shown = hidden(&first.get(edit).await.text, "was");
    let in_first = fields("First", shown.as_str());
    assert_eq!(first.post(edit, &in_first).await.status, 303);
    // The other window still shows what was stored before.
    let mut second = first.tab();
    let stale = second.post(edit, &fields("Second", &shown)).await;
    assert_eq!(stale.status, 409, "{stale:?}");
    stale.says(&["in another window", "title &quot;First&quot;", "value=\"Second\""]);
    first.get("/sources/1").await.says(&["<h1>First</h1>"]);
    let seen = hidden(&stale.text, "was");
    assert_ne!(seen, shown);
    assert_eq!(second.post(edit, &fields("Second", &seen)).await.status, 303);
    second.get("/sources/1").await.says(&["<h1>Second</h1>"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_feed_that_another_window_has_changed_is_not_overwritten_unseen() {
    let origin =
        Origin::builder().page("/feed", Reply::ok(rss("News", &[("1", "One")]))).start().await;
    let place = Place::start().await;
    let mut first = Browser::new(&place);
    let query = |verb: &str, word: &str| {
        format!(
            "{verb} FEED News AS\nRETURN \"{}\"\nWHERE TITLE CONTAINS \"{word}\";",
            origin.url("/feed")
        )
    };
    let made =
        first.post("/feeds/new", &[("query", &query("CREATE", "one")), ("do", "save")]).await;
    assert_eq!(made.status, 303, "{made:?}");
    let manage = "/feeds/News/manage";
    let shown = hidden(&first.get(manage).await.text, "was");
    assert!(shown.contains("\"one\""), "{shown}");
    let save = async |browser: &mut Browser<'_>, word: &str, was: &str, button: &str| {
        let query = query("ALTER", word);
        browser.post(manage, &[("query", &query), ("was", was), ("do", button)]).await
    };
    let mut second = first.tab();
    assert_eq!(save(&mut first, "two", &shown, "save").await.status, 303);
    // A look in between does not make the other change disappear.
    let tried = save(&mut second, "three", &shown, "try").await;
    assert_eq!(hidden(&tried.text, "was"), shown);
    let stale = save(&mut second, "three", &shown, "save").await;
    assert_eq!(stale.status, 409, "{stale:?}");
    stale.says(&["in another window", "&quot;three&quot;", "<details open>"]);
    let seen = hidden(&stale.text, "was");
    assert!(seen.contains("two"), "{seen}");
    first.get(manage).await.says(&["&quot;two&quot;"]).never_says(&["&quot;three&quot;"]);
    assert_eq!(save(&mut second, "three", &seen, "save").await.status, 303);
    first.get(manage).await.says(&["&quot;three&quot;"]);
}

/// The value of a hidden field.
fn hidden(page: &str, name: &str) -> String {
    let (_, rest) = page.split_once(&format!("name=\"{name}\" value=\"")).unwrap();
    rest.split('"').next().unwrap().replace("&quot;", "\"")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_that_is_too_large_is_refused_with_what_to_do() {
    let place = Place::start().await;
    let (status, text) = upload(&place, None, &"x".repeat(18 << 20)).await;
    assert_eq!(status, 413, "{text}");
    assert!(text.contains("16 MiB") && text.contains("several files"), "{text}");
    let mut ada = Browser::of(&place, "ada", Role::Admin).await;
    ada.get("/settings/account").await;
    let (status, text) = upload(&place, Some(&mut ada), &"x".repeat(18 << 20)).await;
    assert_eq!(status, 413, "{text}");
    assert!(text.contains("16 MiB") && text.contains("several files"), "{text}");
}

/// Sends a file as a browser does.
async fn upload(place: &Place, browser: Option<&mut Browser<'_>>, file: &str) -> (u16, String) {
    let token = browser.as_ref().and_then(|own| own.token().map(str::to_owned)).unwrap_or_default();
    let body = format!(
        "--b\r\ncontent-disposition: form-data; name=\"form_token\"\r\n\r\n{token}\r\n--b\r\n\
         content-disposition: form-data; name=\"file\"; filename=\"a.opml\"\r\n\r\n{file}\r\n--b--\r\n"
    );
    let sent = place.client.post(place.url("/sources/import")).header("accept", "text/html");
    let kind = "multipart/form-data; boundary=b";
    let sent = sent.header("content-type", kind).header("origin", place.url("")).body(body);
    let answer = match browser {
        Some(browser) => browser.send(sent).await,
        None => Browser::new(place).send(sent).await,
    };
    (answer.status, answer.text)
}
