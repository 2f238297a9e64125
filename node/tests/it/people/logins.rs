//! Accounts: names, passwords, sessions, app passwords.

use std::net::IpAddr;

use pergola_accounts::secret::Token;
use pergola_accounts::{Preferences, Role};
use pergola_node::node::{Mistake, PeopleError};
use pergola_store::people::{NewUser, UserChange};

use super::{PASSWORD, Study};

fn new(name: &str, password: &str) -> NewUser {
    let (name, password) = (name.to_owned(), Some(password.to_owned()));
    NewUser { name, role: Role::Reader, password, subject: None }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_logs_in_by_its_name_and_password_only() {
    let study = Study::open().await;
    let ada = study.user("Ada", Role::Admin).await;
    let node = &study.node;
    assert_eq!(node.check_password("ada", PASSWORD, None).await.unwrap().id, ada);
    for (name, password) in [("ada", "wrong horse"), ("grace", PASSWORD), ("operator", "")] {
        let refused = node.check_password(name, password, None).await.unwrap_err();
        assert!(matches!(refused, PeopleError::WrongPassword), "{refused}");
    }
    let taken = node.add_user(new("ADA", PASSWORD)).await.unwrap_err();
    assert!(matches!(taken, PeopleError::Mistake(Mistake::NameTaken(_))), "{taken}");
    let weak = node.add_user(new("grace", "short")).await.unwrap_err().to_string();
    assert_eq!(weak, "a password needs at least 10 characters, and this one has 5");
    assert_eq!(node.users().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn after_some_wrong_tries_the_right_password_waits_too() {
    let study = Study::open().await;
    study.user("ada", Role::Admin).await;
    let from = Some(IpAddr::from([192, 0, 2, 1]));
    for _ in 0..5 {
        study.node.check_password("ada", "wrong horse", from).await.unwrap_err();
    }
    let early = study.node.check_password("ada", PASSWORD, from).await.unwrap_err();
    let PeopleError::TooEarly(early) = early else { panic!("{early}") };
    assert!(early.seconds > 0.0 && early.seconds <= 1.0, "{early}");
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_end_when_they_are_closed_or_the_password_changes() {
    let study = Study::open().await;
    let ada = study.user("ada", Role::Admin).await;
    let node = &study.node;
    let one = node.open_session(ada, "Browser/1").await.unwrap();
    let two = node.open_session(ada, "Browser/2").await.unwrap();
    assert_eq!(node.session(&one).await.unwrap().unwrap().id, ada);
    assert_eq!(node.session(&Token::new([7; 32])).await.unwrap(), None);
    assert_eq!(node.sessions_of(ada).unwrap().len(), 2);
    node.close_session(&one).await.unwrap();
    assert_eq!(node.session(&one).await.unwrap(), None);
    assert!(node.session(&two).await.unwrap().is_some());
    let password = Some("battery staple".to_owned());
    node.change_user(ada, UserChange { password, ..UserChange::default() }).await.unwrap();
    assert_eq!(node.session(&two).await.unwrap(), None);
    assert!(node.check_password("ada", PASSWORD, None).await.is_err());
    assert!(node.check_password("ada", "battery staple", None).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_app_password_is_good_until_it_is_revoked() {
    let study = Study::open().await;
    let ada = study.user("ada", Role::Reader).await;
    let node = &study.node;
    let (number, shown) = node.make_app_password(ada, "My phone").await.unwrap();
    assert!(node.check_password("ada", &shown, None).await.is_err(), "not for logging in");
    assert_eq!(node.check_app_password("Ada", &shown, None).await.unwrap().id, ada);
    assert!(node.check_app_password("ada", PASSWORD, None).await.is_err());
    let all = node.app_passwords(ada).unwrap();
    assert_eq!((all.len(), all[0].1.name.as_str()), (1, "My phone"));
    assert!(all[0].1.used_at.is_some());
    node.revoke_app_password(ada, number).await.unwrap();
    assert!(node.check_app_password("ada", &shown, None).await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn somebody_stays_who_may_change_everything() {
    let study = Study::open().await;
    let ada = study.user("ada", Role::Admin).await;
    let grace = study.user("grace", Role::Reader).await;
    let node = &study.node;
    let demote = UserChange { role: Some(Role::Reader), ..UserChange::default() };
    let refused = node.change_user(ada, demote.clone()).await.unwrap_err().to_string();
    assert_eq!(refused, "`ada` is the only admin: make somebody else an admin first");
    assert!(node.remove_user(ada).await.is_err());
    let promote = UserChange { role: Some(Role::Admin), ..UserChange::default() };
    node.change_user(grace, promote).await.unwrap();
    node.change_user(ada, demote).await.unwrap();
    let mut preferences =
        Preferences { zone: Some("Europe/Rome".into()), ..Preferences::default() };
    preferences.set("order", Some("oldest"));
    let change = UserChange { preferences: Some(preferences.clone()), ..UserChange::default() };
    node.change_user(ada, change).await.unwrap();
    assert_eq!(node.find_user("Ada").unwrap().unwrap().preferences, preferences);
}
