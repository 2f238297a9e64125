//! Users, managed by admins.

use pergola_accounts::Role;

use crate::browser::{Browser, EVIL, PASSWORD, add};
use crate::place::Place;

#[tokio::test(flavor = "multi_thread")]
async fn whoever_runs_the_node_adds_the_first_user_and_from_then_on_everybody_logs_in() {
    let place = Place::start().await;
    let mut browser = Browser::new(&place);
    let users = browser.get("/settings/users").await;
    users.says(&["Nobody has an account", "Add the first user", "value=\"admin\" checked"]);
    let fields = [("name", "ada"), ("password", PASSWORD), ("role", "admin")];
    let added = browser.post("/settings/users", &fields).await;
    assert_eq!((added.status, added.to.as_str()), (303, "./users?note=added"));
    let led = browser.get("/settings/users?note=added").await;
    assert_eq!(led.status, 303);
    assert!(led.to.starts_with("../login?next=settings%2Fusers"), "{}", led.to);
    assert_eq!(browser.log_in("ada", PASSWORD).await.status, 303);
    let users = browser.get("/settings/users?note=added").await;
    users.says(&["The user is added.", "Make ada a reader", "Log out"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_that_cannot_be_is_refused_with_a_reason_and_what_was_typed_stays() {
    let place = Place::start().await;
    let mut ada = Browser::of(&place, "ada", Role::Admin).await;
    for (name, password, status, reason) in [
        ("bob", "short", 400, "a password needs at least 10 characters, and this one has 5"),
        ("b b", PASSWORD, 400, "cannot be in the name `b b`"),
        (EVIL, PASSWORD, 400, "cannot be in the name"),
        ("ADA", PASSWORD, 409, "there is a user `ada` already"),
    ] {
        let fields = [("name", name), ("password", password), ("role", "reader")];
        let refused = ada.post("/settings/users", &fields).await;
        assert_eq!(refused.status, status, "{name}: {refused:?}");
        refused.says(&[reason, "role=\"alert\""]).never_says(&["<script>alert", PASSWORD]);
        let typed = name.replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;");
        refused.says(&[&format!("name=\"name\" value=\"{typed}\"")]);
    }
    assert_eq!(place.running.node.users().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn roles_and_passwords_change_at_once_and_somebody_always_manages() {
    let place = Place::start().await;
    let mut ada = Browser::of(&place, "ada", Role::Admin).await;
    let mut bob = Browser::of(&place, "bob", Role::Reader).await;
    let last = ada.post("/settings/users/role", &[("name", "ada"), ("role", "reader")]).await;
    assert_eq!(last.status, 409);
    last.says(&["`ada` is the only admin", "action=\"../../settings/users/role\""]);
    let made = ada.post("/settings/users/role", &[("name", "bob"), ("role", "admin")]).await;
    assert_eq!((made.status, made.to.as_str()), (303, "../users?note=changed"));
    assert_eq!(bob.get("/settings/users").await.status, 200, "his session goes on");
    let fields = [("name", "bob"), ("password", "another horse")];
    assert_eq!(ada.post("/settings/users/password", &fields).await.status, 303);
    assert_eq!(bob.get("/settings/users").await.status, 303, "his session has ended");
    assert_eq!(bob.log_in("bob", PASSWORD).await.status, 403);
    assert_eq!(bob.log_in("bob", "another horse").await.status, 303);
    let nobody = ada.post("/settings/users/role", &[("name", "eve"), ("role", "admin")]).await;
    assert_eq!(nobody.status, 404);
    nobody.says(&["there is no user `eve`"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn before_a_user_is_removed_it_is_told_what_goes_along() {
    let place = Place::start().await;
    let mut ada = Browser::of(&place, "ada", Role::Admin).await;
    let mut bob = Browser::of(&place, "bob", Role::Reader).await;
    bob.post("/settings/account/app-passwords", &[("name", "Phone")]).await.says(&["Phone"]);
    let before = ada.get("/settings/users/remove?name=bob").await;
    before.says(&["Remove bob?", "0 subscriptions", "1 open session", "1 app password<"]);
    let removed = ada.post("/settings/users/remove", &[("name", "bob")]).await;
    assert_eq!((removed.status, removed.to.as_str()), (303, "../users?note=removed"));
    assert_eq!(bob.get("/read").await.status, 303, "logged out");
    assert_eq!(bob.log_in("bob", PASSWORD).await.status, 403);
    assert_eq!(ada.get("/settings/users/remove?name=bob").await.status, 404);
    add(&place, "eve", Role::Reader).await;
    let last = ada.post("/settings/users/remove", &[("name", "ada")]).await;
    assert_eq!(last.status, 409);
    last.says(&["`ada` is the only admin", "Remove ada?"]);
}
