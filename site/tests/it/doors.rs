//! Who may see and change what.

use pergola_accounts::Role;
use pergola_config::Secret;

use crate::browser::{Browser, PASSWORD, add, count};
use crate::place::Place;

/// Pages for those who manage.
const MANAGED: [&str; 2] = ["/settings/users", "/settings/users/remove?name=ada"];
/// Pages for those who read.
const READ: [&str; 6] = [
    "/read",
    "/read/item/1",
    "/read/subscriptions",
    "/settings/account",
    "/settings/account/export/subscriptions.opml",
    "/settings/account/export/starred.json",
];
/// Changes by those who manage.
const MANAGING: [&str; 4] = [
    "/settings/users",
    "/settings/users/role",
    "/settings/users/password",
    "/settings/users/remove",
];
/// Changes by those who read.
const READING: [&str; 11] = [
    "/read/item/1/mark",
    "/read/mark-all",
    "/read/subscriptions/follow",
    "/read/subscriptions/change",
    "/read/subscriptions/leave",
    "/settings/account/password",
    "/settings/account/app-passwords",
    "/settings/account/revoke",
    "/settings/account/close",
    "/settings/account/close-others",
    "/logout",
];
/// Fields that every form of these takes.
const FIELDS: [(&str, &str); 8] = [
    ("name", "ada"),
    ("role", "reader"),
    ("password", PASSWORD),
    ("source", "1"),
    ("until", "1"),
    ("number", "1"),
    ("session", "00"),
    ("star", "1"),
];

#[tokio::test(flavor = "multi_thread")]
async fn strangers_see_only_what_is_open() {
    let place = Place::start().await;
    add(&place, "ada", Role::Admin).await;
    // Also on the node's own machine: somebody has an account.
    for mut browser in [Browser::from_afar(&place), Browser::new(&place)] {
        for path in MANAGED.iter().chain(&READ) {
            let answer = browser.get(path).await;
            assert_eq!(answer.status, 303, "{path}: {answer:?}");
            assert!(answer.to.contains("login?next="), "{path}: {}", answer.to);
        }
        for path in MANAGING.iter().chain(&READING) {
            let answer = browser.post_as_it_is(path, &FIELDS).await;
            assert_eq!(answer.status, 403, "{path}: {answer:?}");
        }
        for path in ["/", "/about", "/search", "/opml", "/healthz", "/login"] {
            assert_eq!(browser.get(path).await.status, 200, "{path}");
        }
        browser.get("/").await.says(&["Feeds of "]).never_says(&["href=\"./sources\""]);
    }
    let node = &place.running.node;
    assert_eq!(node.users().unwrap().len(), 1);
    assert!(node.find_user("ada").unwrap().unwrap().is_admin(), "nothing was changed");
}

#[tokio::test(flavor = "multi_thread")]
async fn readers_manage_nothing() {
    let place = Place::start().await;
    add(&place, "ada", Role::Admin).await;
    let mut bob = Browser::of(&place, "bob", Role::Reader).await;
    for path in MANAGED {
        let answer = bob.get(path).await;
        assert_eq!(answer.status, 403, "{path}");
        answer.says(&["bob may read here, and nothing else"]);
    }
    for path in MANAGING {
        let answer = bob.post(path, &FIELDS).await;
        assert_eq!(answer.status, 403, "{path}: {answer:?}");
    }
    let first = bob.get("/").await;
    assert_eq!((first.status, first.to.as_str()), (303, "./read"));
    for (method, path, access) in pergola_node::api::listed() {
        if access == pergola_node::api::Access::Operator {
            let url = place.url(&path.replace(['{', '}'], ""));
            let answer = bob.send(place.client.request(method.clone(), url)).await;
            assert_eq!(answer.status, 403, "{method} {path}: {answer:?}");
        }
    }
    assert!(place.running.node.find_user("ada").unwrap().unwrap().is_admin());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_without_the_token_of_its_session_changes_nothing() {
    let place = Place::start().await;
    let mut ada = Browser::of(&place, "ada", Role::Admin).await;
    let mut bob = Browser::of(&place, "bob", Role::Admin).await;
    let of_bob = bob.token().unwrap().to_owned();
    assert_ne!(ada.token(), bob.token());
    for path in MANAGING.iter().chain(&READING) {
        for token in [None, Some(""), Some("0"), Some(of_bob.as_str())] {
            let mut fields = FIELDS.to_vec();
            fields.extend(token.map(|token| ("form_token", token)));
            let answer = ada.post_as_it_is(path, &fields).await;
            assert_eq!(answer.status, 403, "{path}: {answer:?}");
            answer.says(&["this form belongs to another session"]);
        }
    }
    assert_eq!(place.running.node.users().unwrap().len(), 2);
    let request = |site: &str| {
        let sent =
            place.client.post(place.url("/logout")).header("sec-fetch-site", site.to_owned());
        // As browsers send it that hide where a form comes from.
        sent.header("origin", "null").header("x-form-token", of_bob.clone())
    };
    for site in ["same-site", "none"] {
        assert_eq!(bob.send(request(site)).await.status, 403, "{site}");
    }
    let hidden = place.client.post(place.url("/logout")).header("origin", "null");
    assert_eq!(bob.send(hidden).await.status, 403, "nobody knows where it comes from");
    let cross = bob.send(request("cross-site")).await;
    assert_eq!(cross.status, 403);
    cross.says(&["a page of another site may not change this node"]);
    assert_eq!(bob.send(request("same-origin")).await.status, 303, "a script may send it so");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_form_of_every_page_carries_the_token() {
    let place = Place::start().await;
    let mut ada = Browser::of(&place, "ada", Role::Admin).await;
    for path in ["/", "/read", "/read/subscriptions", "/settings/account", "/settings/users"] {
        let answer = ada.get(path).await;
        assert_eq!(answer.status, 200, "{path}");
        let forms = count(&answer.text, "method=\"post\"");
        assert!(forms > 0, "{path}");
        assert_eq!(forms, count(&answer.text, "name=\"form_token\""), "{path}: {}", answer.text);
        assert_eq!(answer.headers["referrer-policy"], "same-origin", "or browsers hide the origin");
        let length = answer.headers["content-length"].to_str().unwrap();
        assert_eq!(length, answer.text.len().to_string(), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_token_of_the_node_manages_also_where_people_log_in() {
    let place = Place::with(|config| config.api.token = Some(Secret::new("open sesame"))).await;
    add(&place, "ada", Role::Admin).await;
    let ask = |token: &str| {
        let asked = place.client.get(place.url("/settings/users"));
        asked.header("authorization", format!("Bearer {token}"))
    };
    let mut browser = Browser::new(&place);
    let users = browser.send(ask("open sesame")).await;
    assert_eq!(users.status, 200);
    users.says(&["ada"]);
    assert_eq!(browser.send(ask("open window")).await.status, 303);
    let read = place.client.get(place.url("/read")).header("authorization", "Bearer open sesame");
    browser.send(read).await.says(&["log in as one of them to read"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_manages_sees_closed_feeds_in_a_browser_and_nobody_else_does() {
    let place = Place::start().await;
    let node = &place.running.node;
    let query = "CREATE FEED Hidden AS RETURN OPML \"all\";";
    node.run_script(query, "test").await.unwrap();
    node.set_readers("Hidden", Some(Vec::new())).await.unwrap();
    assert_eq!(Browser::new(&place).get("/feeds/Hidden").await.status, 200, "no users yet");
    let mut ada = Browser::of(&place, "ada", Role::Admin).await;
    let mut bob = Browser::of(&place, "bob", Role::Reader).await;
    assert_eq!(ada.get("/feeds/Hidden").await.status, 200);
    assert_eq!(bob.get("/feeds/Hidden").await.status, 404);
    assert_eq!(Browser::from_afar(&place).get("/feeds/Hidden").await.status, 404);
    assert_eq!(Browser::new(&place).get("/feeds/Hidden").await.status, 404, "near is not enough");
    bob.get("/read/subscriptions").await.never_says(&["Hidden"]);
    ada.get("/read/subscriptions").await.says(&["Hidden"]);
}
