//! Logging in and out, and how long it lasts.

use pergola_accounts::Role;
use pergola_accounts::session::IDLE;
use pergola_outside::clock::ManualClock;

use crate::browser::{Browser, EVIL, PASSWORD, add};
use crate::place::Place;

const NOW: f64 = 1_790_000_000.0;

#[tokio::test(flavor = "multi_thread")]
async fn somebody_logs_in_by_the_form_and_is_led_to_where_it_wanted_to_go() {
    let place = Place::start().await;
    add(&place, "Ada", Role::Reader).await;
    let mut browser = Browser::from_afar(&place);
    let led = browser.get("/read?show=all&x=%26").await;
    assert_eq!((led.status, led.to.as_str()), (303, "./login?next=read%3Fshow%3Dall%26x%3D%2526"));
    let login = browser.get("/login?next=read%3Fshow%3Dall").await;
    login.says(&["name=\"next\" value=\"read?show=all\"", "autocomplete=\"current-password\""]);
    let fields = [("name", "ada"), ("password", PASSWORD), ("next", "read?show=all")];
    let answer = browser.post_as_it_is("/login", &fields).await;
    assert_eq!((answer.status, answer.to.as_str()), (303, "./read?show=all"));
    let cookie = answer.headers["set-cookie"].to_str().unwrap();
    assert!(cookie.contains("; HttpOnly; SameSite=Lax") && !cookie.contains("Secure"), "{cookie}");
    let read = browser.get("/read").await;
    assert_eq!(read.status, 200);
    read.says(&["Log out", ">Ada<"]);
    assert_eq!(read.headers["cache-control"], "private, no-cache");
    let again = browser.get("/login?next=settings/account").await;
    assert_eq!((again.status, again.to.as_str()), (303, "./settings/account"), "it is in already");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_password_is_told_and_the_name_stays() {
    let place = Place::start().await;
    add(&place, "ada", Role::Reader).await;
    let mut browser = Browser::from_afar(&place);
    let wrong = browser.log_in("ada", "wrong horse").await;
    assert_eq!(wrong.status, 403);
    wrong.says(&["The name or the password is wrong.", "value=\"ada\"", "value=\"read\""]);
    wrong.never_says(&["wrong horse"]);
    assert!(!wrong.headers.contains_key("set-cookie"));
    let unknown = browser.log_in(EVIL, PASSWORD).await;
    assert_eq!(unknown.status, 403);
    unknown.says(&["The name or the password is wrong."]).never_says(&["<script>alert"]);
    assert_eq!(browser.get("/read").await.status, 303);
}

#[tokio::test(flavor = "multi_thread")]
async fn after_too_many_tries_it_is_told_how_long_to_wait() {
    let clock = ManualClock::new(NOW);
    let place = Place::at(clock.clock(), |_| ()).await;
    add(&place, "ada", Role::Reader).await;
    let mut browser = Browser::from_afar(&place);
    for _ in 0..5 {
        assert_eq!(browser.log_in("ada", "wrong horse").await.status, 403);
    }
    let early = browser.log_in("ada", PASSWORD).await;
    assert_eq!((early.status, early.headers["retry-after"].to_str().unwrap()), (429, "1"));
    early.says(&["Wait 1 second, then you can try again."]);
    clock.advance(1.0);
    assert_eq!(browser.log_in("ada", "wrong horse").await.status, 403);
    browser.log_in("ada", PASSWORD).await.says(&["Wait 2 seconds"]);
    clock.advance(2.0);
    assert_eq!(browser.log_in("ada", PASSWORD).await.status, 303);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_logs_out_is_out_in_every_tab_and_loses_nothing_that_was_typed() {
    let place = Place::start().await;
    let mut one = Browser::of(&place, "ada", Role::Reader).await;
    let mut other = one.tab();
    assert_eq!(other.get("/read").await.status, 200);
    let out = one.post("/logout", &[]).await;
    assert_eq!((out.status, out.to.as_str()), (303, "./login?note=out"));
    one.get("/login?note=out").await.says(&["You have logged out."]);
    let led = other.get("/read").await;
    assert_eq!((led.status, led.to.as_str()), (303, "./login?next=read&note=ended"));
    let fields = [("title", EVIL), ("password", "hidden one")];
    let late = other.post("/read/subscriptions/change", &fields).await;
    assert_eq!(late.status, 403);
    late.says(&["You are not logged in", "&lt;script&gt;alert(1)", "href=\"../../login\""]);
    late.never_says(&["<script>alert", "hidden one"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_nobody_uses_ends_and_that_is_told() {
    let clock = ManualClock::new(NOW);
    let place = Place::at(clock.clock(), |_| ()).await;
    let mut browser = Browser::of(&place, "ada", Role::Reader).await;
    clock.advance(IDLE - 1.0);
    assert_eq!(browser.get("/read").await.status, 200, "it counts as used now");
    clock.advance(IDLE - 1.0);
    assert_eq!(browser.get("/settings/account").await.status, 200);
    clock.advance(IDLE);
    let led = browser.get("/settings/account").await;
    assert_eq!(led.status, 303);
    assert_eq!(led.to, "../login?next=settings%2Faccount&note=ended");
    browser.get("/login?note=ended").await.says(&["Your session has ended."]);
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_led_to_another_site_after_the_login() {
    let place = Place::start().await;
    add(&place, "ada", Role::Reader).await;
    for next in
        ["//evil.example", "https://evil.example/", "/\\evil.example", "javascript:alert(1)"]
    {
        let mut browser = Browser::from_afar(&place);
        let fields = [("name", "ada"), ("password", PASSWORD), ("next", next)];
        let answer = browser.post_as_it_is("/login", &fields).await;
        assert_eq!((answer.status, answer.to.as_str()), (303, "./"), "{next}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_tabs_at_the_login_do_not_stand_in_each_others_way() {
    let place = Place::start().await;
    let mut one = Browser::of(&place, "ada", Role::Reader).await;
    let again = one.log_in("ada", PASSWORD).await;
    assert_eq!(again.status, 303, "the form of the login has no token");
    assert_eq!(one.get("/read").await.status, 200);
    let node = &place.running.node;
    let ada = node.find_user("ada").unwrap().unwrap().id;
    assert_eq!(node.sessions_of(ada).unwrap().len(), 1, "the first session is closed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_is_reached_by_tls_sets_a_secure_cookie() {
    let public = "https://feeds.example.org/".parse().unwrap();
    let place = Place::with(|config| config.node.public_url = public).await;
    add(&place, "ada", Role::Reader).await;
    let answer = Browser::from_afar(&place).log_in("ada", PASSWORD).await;
    assert_eq!(answer.status, 303, "{answer:?}");
    assert!(answer.headers["set-cookie"].to_str().unwrap().ends_with("; Secure"));
}
