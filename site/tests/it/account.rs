//! What people change of their own accounts.

use pergola_accounts::Role;

use crate::browser::{Browser, EVIL, PASSWORD, count};
use crate::place::Place;

#[tokio::test(flavor = "multi_thread")]
async fn a_new_password_needs_the_old_one_and_ends_all_other_sessions() {
    let place = Place::start().await;
    let mut ada = Browser::of(&place, "ada", Role::Reader).await;
    let mut phone = Browser::from_afar(&place);
    assert_eq!(phone.log_in("ada", PASSWORD).await.status, 303);
    let set = [("password", "wrong horse"), ("new_password", "another horse")];
    let wrong = ada.post("/settings/account/password", &set).await;
    assert_eq!(wrong.status, 403);
    wrong.says(&["The password until now is wrong.", "action=\"../../settings/account/password\""]);
    let set = [("password", PASSWORD), ("new_password", "short")];
    let weak = ada.post("/settings/account/password", &set).await;
    assert_eq!(weak.status, 400);
    weak.says(&["A password needs at least 10 characters, and this one has 5."]);
    let set = [("password", PASSWORD), ("new_password", "another horse")];
    let done = ada.post("/settings/account/password", &set).await;
    assert_eq!((done.status, done.to.as_str()), (303, "../account?note=password"));
    ada.get("/settings/account?note=password").await.says(&["Your password is changed."]);
    assert_eq!(phone.get("/read").await.status, 303, "logged out");
    assert_eq!(phone.log_in("ada", "another horse").await.status, 303);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_app_password_is_shown_once_and_good_until_it_is_revoked() {
    let place = Place::start().await;
    let mut ada = Browser::of(&place, "ada", Role::Reader).await;
    let made = ada.post("/settings/account/app-passwords", &[("name", EVIL)]).await;
    assert_eq!(made.status, 200);
    made.says(&["shown only now", "&lt;script&gt;"]).never_says(&["<script>alert"]);
    let (_, rest) = made.text.split_once("<code class=\"address\">").unwrap();
    let password = rest.split('<').next().unwrap();
    let node = &place.running.node;
    node.check_app_password("ada", password, None).await.unwrap();
    let account = ada.get("/settings/account").await;
    account.says(&["Revoke", "last used"]).never_says(&[password, "<script>alert"]);
    let revoked = ada.post("/settings/account/revoke", &[("number", "1")]).await;
    assert_eq!((revoked.status, revoked.to.as_str()), (303, "../account?note=revoked"));
    assert!(node.check_app_password("ada", password, None).await.is_err());
    ada.get("/settings/account").await.never_says(&[">Revoke<"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_are_listed_and_ended_one_by_one_or_all_but_this_one() {
    let place = Place::start().await;
    let mut ada = Browser::of(&place, "ada", Role::Reader).await;
    let mut bob = Browser::of(&place, "bob", Role::Reader).await;
    let mut others = Vec::new();
    for _ in 0..3 {
        let mut other = Browser::from_afar(&place);
        assert_eq!(other.log_in("ada", PASSWORD).await.status, 303);
        others.push(other);
    }
    let account = ada.get("/settings/account").await;
    account.says(&["(this one)", "End all others"]);
    assert_eq!(count(&account.text, "name=\"session\""), 3);
    let (_, rest) = account.text.split_once("name=\"session\" value=\"").unwrap();
    let key = rest.split('"').next().unwrap();
    let of_another = bob.post("/settings/account/close", &[("session", key)]).await;
    assert_eq!(of_another.status, 303);
    assert_eq!(count(&ada.get("/settings/account").await.text, "name=\"session\""), 3, "not his");
    assert_eq!(ada.post("/settings/account/close", &[("session", key)]).await.status, 303);
    assert_eq!(count(&ada.get("/settings/account").await.text, "name=\"session\""), 2);
    let closed = ada.post("/settings/account/close-others", &[]).await;
    assert_eq!((closed.status, closed.to.as_str()), (303, "../account?note=others"));
    for mut other in others {
        assert_eq!(other.get("/read").await.status, 303);
    }
    assert_eq!((ada.get("/read").await.status, bob.get("/read").await.status), (200, 200));
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_runs_a_node_without_users_needs_no_account() {
    let place = Place::start().await;
    let mut browser = Browser::new(&place);
    browser.get("/settings/account").await.says(&["Nobody has an account", "starred.json"]);
    let made = browser.post("/settings/account/app-passwords", &[("name", "Phone")]).await;
    assert_eq!(made.status, 403);
}
