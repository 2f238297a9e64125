//! Sources that do not let everybody in: what they are shown, and that nobody else is.

mod entering;
mod told;

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::api::{ask, feed, get, post, quiet_house, told as answered};
use crate::house::House;
use crate::origin::{Origin, Reply};

/// What must never be seen.
const SECRET: &str = "open-sesame";
/// `Authorization` for bob with that password.
const BASIC: &str = "Basic Ym9iOm9wZW4tc2VzYW1l";

/// A site that wants a password at `/basic`, a header at `/header` and a parameter at `/token`.
async fn site() -> Origin {
    let document =
        |title: &str| feed(&[title]).header("link", "</hub>; rel=\"hub\", </basic>; rel=\"self\"");
    Origin::builder()
        .page("/basic", document("Basic").only_with("authorization", BASIC))
        .page("/header", document("Header").only_with("x-token", SECRET))
        .page(&format!("/token?token={SECRET}"), document("Token"))
        .start()
        .await
}

/// An address of the site with bob's password in it.
fn with_password(origin: &Origin, path: &str) -> String {
    origin.url(path).as_str().replacen("http://", &format!("http://bob:{SECRET}@"), 1)
}

async fn change(house: &House, id: &Value, body: Value) -> (StatusCode, Value) {
    let request = ask(house, Method::PATCH, &format!("/api/v1/sources/{id}"));
    let request = request.header("content-type", "application/json").body(body.to_string());
    answered(request.send().await.unwrap()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_and_a_header_are_sent_and_only_their_kind_is_told() {
    let (house, origin) = (quiet_house().await, site().await);
    for (body, kind) in [
        (json!({"url": with_password(&origin, "/basic")}), "password"),
        (
            json!({"url": origin.url("/header").as_str(),
                   "credentials": {"header": "X-Token", "value": SECRET}}),
            "header",
        ),
    ] {
        let (status, added) = post(&house, "/api/v1/sources", body).await;
        assert_eq!(status, StatusCode::CREATED, "{added}");
        assert_eq!(added["report"]["new_items"], 1, "{added}");
        let held = json!({"kind": kind, "origin": origin.url("/").as_str().trim_end_matches('/')});
        assert_eq!(added["source"]["credentials"], held);
        assert!(!added.to_string().contains(SECRET), "{added}");
    }
    assert_eq!(origin.requests("/basic")[0].text("authorization"), BASIC);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_that_lets_nobody_in_says_what_to_do_and_credentials_can_be_changed() {
    let (house, origin) = (quiet_house().await, site().await);
    let url = origin.url("/basic").to_string();
    let (status, problem) = post(&house, "/api/v1/sources", json!({"url": url})).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{problem}");
    let detail = problem["detail"].as_str().unwrap();
    assert!(detail.contains("wants a user and a password"), "{detail}");
    assert!(detail.contains("pergola source set"), "{detail}");

    let (_, added) = post(&house, "/api/v1/sources", json!({"url": url, "refresh": false})).await;
    let id = &added["source"]["id"];
    let given = json!({"credentials": {"user": "bob", "password": SECRET}});
    let (status, source) = change(&house, id, given).await;
    assert_eq!((status, &source["credentials"]["kind"]), (StatusCode::OK, &json!("password")));
    let path = format!("/api/v1/sources/{id}/refresh");
    let (_, refreshed) = post(&house, &path, json!({})).await;
    assert_eq!(refreshed["report"]["new_items"], 1, "{refreshed}");
    let (status, source) = change(&house, id, json!({"credentials": null})).await;
    assert_eq!((status, &source["credentials"]), (StatusCode::OK, &Value::Null));
    for wrong in [
        json!({"credentials": {"user": "b:b", "password": "x"}}),
        json!({"credentials": {"header": "a b", "value": "x"}}),
        json!({"credentials": {"header": "Host", "value": "x"}}),
        json!({"credentials": {"user": "bob", "header": "X", "value": "x"}}),
        json!({"secret": true}),
    ] {
        assert_eq!(change(&house, id, wrong.clone()).await.0, StatusCode::BAD_REQUEST, "{wrong}");
    }
    assert_eq!(change(&house, &json!(77), json!({})).await.0, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_takes_credentials_nowhere_else() {
    let (house, origin) = (quiet_house().await, site().await);
    let elsewhere = Origin::builder()
        .page("/basic", Reply::redirect(302, origin.url("/basic").as_str()))
        .page("/out", feed(&["Out"]))
        .start()
        .await;
    origin.set("/away", Reply::redirect(302, elsewhere.url("/out").as_str()));
    origin.set("/near", Reply::redirect(302, "/basic"));
    for path in ["/away", "/near"] {
        let body = json!({"url": with_password(&origin, path)});
        let (status, added) = post(&house, "/api/v1/sources", body).await;
        assert_eq!(status, StatusCode::CREATED, "{path}: {added}");
        assert_eq!(origin.requests(path)[0].text("authorization"), BASIC);
    }
    assert_eq!(elsewhere.requests("/out")[0].header("authorization"), None);
    // What was given for one site is not shown to another, whoever leads there.
    let body = json!({"url": with_password(&elsewhere, "/basic")});
    let (status, problem) = post(&house, "/api/v1/sources", body).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{problem}");
    let said = problem["detail"].as_str().unwrap();
    assert!(said.contains("were given for another address"), "{said}");
    assert!(!said.contains(SECRET), "{said}");
    assert_eq!(origin.requests("/basic").last().unwrap().header("authorization"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_source_is_found_by_its_address_as_it_is_shown() {
    let (house, origin) = (quiet_house().await, site().await);
    let url = origin.url(&format!("/token?token={SECRET}")).to_string();
    let (status, added) = post(&house, "/api/v1/sources", json!({"url": url})).await;
    assert_eq!(status, StatusCode::CREATED, "{added}");
    let shown = added["source"]["url"].as_str().unwrap();
    assert!(shown.ends_with("/token?token=********"), "{shown}");
    for named in [shown, &url] {
        let path = format!("/api/v1/sources/{}", pergola_feed::percent::encode(named));
        assert_eq!(get(&house, &path).await.1["source"]["id"], added["source"]["id"]);
    }
    let (status, problem) = post(&house, "/api/v1/sources", json!({"url": shown})).await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "{problem}");
    assert!(problem["detail"].as_str().unwrap().contains("masked"), "{problem}");
}
