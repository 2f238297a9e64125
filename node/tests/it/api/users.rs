//! The people who have an account, managed by programs.

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use super::{ask, delete, get, post, quiet_house, told};
use crate::house::House;

async fn change(house: &House, user: &str, body: Value) -> (StatusCode, Value) {
    let request = ask(house, Method::PATCH, &format!("/api/v1/users/{user}"));
    let request = request.header("content-type", "application/json").body(body.to_string());
    told(request.send().await.unwrap()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn users_are_added_shown_changed_and_removed() {
    let house = quiet_house().await;
    assert_eq!(get(&house, "/api/v1/users").await.1, json!({ "users": [] }));
    let new = json!({ "name": "Zoë", "password": "correct horse" });
    let (status, added) = post(&house, "/api/v1/users", new).await;
    assert_eq!((status, &added["role"]), (StatusCode::CREATED, &json!("admin")), "the first one");
    let (_, bob) = post(&house, "/api/v1/users", json!({ "name": "bob" })).await;
    assert_eq!((&bob["role"], &bob["has_password"]), (&json!("reader"), &json!(false)));
    let (_, all) = get(&house, "/api/v1/users").await;
    let names: Vec<&Value> =
        all["users"].as_array().unwrap().iter().map(|user| &user["name"]).collect();
    assert_eq!(names, ["bob", "Zoë"]);
    assert!(!all.to_string().contains("horse") && !all.to_string().contains("argon2"), "{all}");
    let (_, shown) = get(&house, "/api/v1/users/BOB").await;
    assert_eq!((&shown["name"], &shown["subscriptions"]), (&json!("bob"), &json!(0)));
    let (status, _) = change(&house, "bob", json!({ "password": "another horse" })).await;
    assert_eq!(status, StatusCode::OK);
    assert!(house.node().check_password("bob", "another horse", None).await.is_ok());
    let (_, changed) = change(&house, "bob", json!({ "role": "admin" })).await;
    assert_eq!(changed["role"], "admin");
    assert_eq!(delete(&house, "/api/v1/users/bob").await.0, StatusCode::NO_CONTENT);
    assert_eq!(delete(&house, "/api/v1/users/bob").await.0, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_is_refused_with_a_code() {
    let house = quiet_house().await;
    post(&house, "/api/v1/users", json!({ "name": "ada" })).await;
    post(&house, "/api/v1/users", json!({ "name": "bob" })).await;
    for (body, code) in [
        (json!({ "name": "a b" }), "bad-user"),
        (json!({ "name": "eve", "password": "short" }), "bad-user"),
        (json!({ "name": "ADA" }), "user-conflict"),
        (json!({ "name": "eve", "role": "king" }), "bad-request"),
        (json!({ "name": "eve", "passwort": "correct horse" }), "bad-request"),
    ] {
        let (_, problem) = post(&house, "/api/v1/users", body).await;
        assert_eq!(problem["code"], code, "{problem}");
    }
    let (status, problem) = change(&house, "ada", json!({ "role": "reader" })).await;
    assert_eq!((status, &problem["code"]), (StatusCode::CONFLICT, &json!("user-conflict")));
    let (status, problem) = get(&house, "/api/v1/users/nobody").await;
    assert_eq!((status, &problem["code"]), (StatusCode::NOT_FOUND, &json!("unknown-user")));
}
