//! Logging in at an OpenID provider, also at one that does wrong things.

mod mock;
mod provider;

use axum::http::StatusCode;
use pergola_accounts::Role;
use pergola_config::{Config, OpenId, Secret};
use pergola_outside::clock::ManualClock;
use serde_json::{Value, json};

use crate::browser::{Answer, Browser, EVIL, PASSWORD, add};
use crate::place::Place;
use provider::Provider;

fn settings(provider: &Provider) -> OpenId {
    settings_of(provider.issuer())
}

fn settings_of(issuer: &str) -> OpenId {
    OpenId {
        issuer: issuer.to_owned(),
        client_id: "pergola".to_owned(),
        client_secret: Some(Secret::new("hidden one")),
        label: "Example ID".to_owned(),
        scopes: vec!["profile".to_owned()],
        name_claim: "preferred_username".to_owned(),
        add_users: true,
        groups_claim: "groups".to_owned(),
        user_group: None,
        admin_group: None,
    }
}

/// A node where `root` manages and people log in at a provider.
async fn start(set: impl FnOnce(&mut OpenId)) -> (Provider, Place) {
    let provider = Provider::start().await;
    let mut settings = settings(&provider);
    set(&mut settings);
    let place = Place::with(|config: &mut Config| config.openid = Some(settings)).await;
    add(&place, "root", Role::Admin).await;
    (provider, place)
}

/// Logs in at the provider, and comes back.
async fn log_in(browser: &mut Browser<'_>, provider: &Provider) -> Answer {
    let led = browser.get("/login/openid?next=read%3Fshow%3Dall").await;
    assert_eq!(led.status, 303, "{led:?}");
    browser.get(&provider.log_in(&led.to)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn somebody_logs_in_at_the_provider_and_is_the_same_person_next_time() {
    let (provider, place) = start(|_| ()).await;
    let mut browser = Browser::from_afar(&place);
    let login = browser.get("/login?next=read").await;
    login.says(&["Log in with Example ID", "href=\"./login/openid?next=read\""]);
    let answer = log_in(&mut browser, &provider).await;
    assert_eq!((answer.status, answer.to.as_str()), (303, "../../read?show=all"), "{answer:?}");
    browser.get("/read").await.says(&[">ada<", "Log out"]);
    let account = browser.get("/settings/account").await;
    account.says(&["You log in with Example ID. You have no password here."]);
    account.never_says(&["Change the password", "Disconnect"]);
    // The name may change; the person stays.
    provider.set(|ways| ways.claims["preferred_username"] = "countess".into());
    let mut phone = Browser::from_afar(&place);
    assert_eq!(log_in(&mut phone, &provider).await.status, 303);
    phone.get("/read").await.says(&[">ada<"]);
    let ada = place.node.find_user("ada").unwrap().unwrap();
    assert_eq!(ada.subject, Some(format!("{} s-1", provider.issuer())));
    assert!(!ada.is_admin());
    assert_eq!(place.node.users().unwrap().len(), 2);
    let again = phone.get("/login/openid/back?code=c-1&state=old").await;
    assert_eq!((again.status, again.to.as_str()), (303, "../../"), "it is in already");
    phone.get("/settings/account").await;
    phone.post("/logout", &[]).await;
    let out = phone.get("/login?note=out").await;
    out.says(&[
        "You have logged out.",
        "Log out there as well",
        &format!("{}/out?", provider.issuer()),
    ]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_in_which_one_thing_is_wrong_lets_nobody_in() {
    let (provider, place) = start(|_| ()).await;
    let wrong = [
        ("nonce", json!("another"), "cannot be believed"),
        ("aud", json!("another"), "cannot be believed"),
        ("iss", json!("https://evil.example"), "cannot be believed"),
        ("sub", json!(""), "cannot be believed"),
        ("exp", json!(1_000_000_000), "clocks of Example ID and of this node differ"),
        ("iat", json!(9_000_000_000_u64), "clocks of Example ID and of this node differ"),
    ];
    for (name, value, told) in wrong {
        provider.set(|ways| ways.claims[name] = value);
        let mut browser = Browser::from_afar(&place);
        let refused = log_in(&mut browser, &provider).await;
        assert_eq!(refused.status, 502, "{name}: {refused:?}");
        refused.says(&[
            told,
            "href=\"../../login/openid?next=read%3Fshow%3Dall\"",
            "role=\"alert\"",
        ]);
        assert_eq!(browser.get("/read").await.status, 303, "{name}");
        provider.set(|ways| ways.claims = json!({ "sub": "s-1", "preferred_username": "ada" }));
    }
    provider.set(|ways| ways.forges = true);
    let mut browser = Browser::from_afar(&place);
    let refused = log_in(&mut browser, &provider).await;
    assert_eq!(refused.status, 502);
    refused.says(&["cannot be believed"]);
    assert_eq!(place.node.users().unwrap().len(), 1, "nobody got an account");
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_that_the_provider_has_renewed_are_asked_for_again() {
    let provider = Provider::start().await;
    let clock =
        ManualClock::new(std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs_f64());
    let own = settings(&provider);
    let place = Place::at(clock.clock(), |config| config.openid = Some(own)).await;
    add(&place, "root", Role::Admin).await;
    assert_eq!(log_in(&mut Browser::from_afar(&place), &provider).await.status, 303);
    provider.set(|ways| ways.renewed = true);
    clock.advance(60.0);
    let answer = log_in(&mut Browser::from_afar(&place), &provider).await;
    assert_eq!(answer.status, 303, "{answer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_browser_that_began_a_login_ends_it_and_only_once() {
    let (provider, place) = start(|_| ()).await;
    let (mut own, mut other) = (Browser::from_afar(&place), Browser::from_afar(&place));
    let led = own.get("/login/openid").await;
    let back = provider.log_in(&led.to);
    let refused = other.get(&back).await;
    assert_eq!(refused.status, 400);
    refused.says(&["was not begun in this browser", "Begin again", "Log in with Example ID"]);
    // Two windows of one browser log in at once.
    let second = own.get("/login/openid?next=sources").await;
    assert_eq!(own.get(&back.replace("state=", "state=x")).await.status, 400);
    assert_eq!(own.get(&provider.log_in(&led.to)).await.to, "../../");
    assert_eq!(own.get(&provider.log_in(&second.to)).await.to, "../../sources");
    let mut replayed = Browser::from_afar(&place);
    assert_eq!(replayed.get(&back).await.status, 400);
    let across = place.client.get(place.url("/login/openid?next=read"));
    let across = replayed.send(across.header("sec-fetch-site", "cross-site")).await;
    assert_eq!((across.status, across.to.as_str()), (303, "../login?next=read"));
    assert!(!across.headers.contains_key("set-cookie"), "another site begins no login");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_goes_on_after_the_node_was_restarted() {
    let (provider, place) = start(|_| ()).await;
    let mut browser = Browser::from_afar(&place);
    let led = browser.get("/login/openid?next=sources").await;
    let back = provider.log_in(&led.to);
    let kept = browser.cookies();
    let own = settings(&provider);
    let place = place.restarted(|config| config.openid = Some(own)).await;
    let mut browser = Browser::with_cookies(&place, kept);
    let answer = browser.get(&back).await;
    assert_eq!((answer.status, answer.to.as_str()), (303, "../../sources"), "{answer:?}");
    browser.get("/read").await.says(&[">ada<"]);
    // And the session goes on after the next.
    let (kept, own) = (browser.cookies(), settings(&provider));
    let place = place.restarted(|config| config.openid = Some(own)).await;
    Browser::with_cookies(&place, kept).get("/read").await.says(&[">ada<"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_calls_itself_otherwise_is_not_believed() {
    let (_provider, place) = start(|own| own.issuer.push_str("/realms/other")).await;
    let mut browser = Browser::from_afar(&place);
    let refused = browser.get("/login/openid?next=read").await;
    assert_eq!(refused.status, 502, "{refused:?}");
    refused.says(&["cannot be believed", "its log says why", "role=\"alert\""]);
    assert_eq!(browser.log_in("root", PASSWORD).await.status, 303, "the password still does");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_that_takes_too_long_is_begun_again() {
    let provider = Provider::start().await;
    let clock = ManualClock::new(1_790_000_000.0);
    let own = settings(&provider);
    let place = Place::at(clock.clock(), |config| config.openid = Some(own)).await;
    let mut browser = Browser::from_afar(&place);
    let led = browser.get("/login/openid").await;
    clock.advance(601.0);
    let late = browser.get(&provider.log_in(&led.to)).await;
    assert_eq!(late.status, 400);
    late.says(&["has taken longer than 10 minutes. Begin again."]);
}

#[tokio::test(flavor = "multi_thread")]
async fn trouble_at_the_provider_is_told_with_what_to_do() {
    let (provider, place) = start(|_| ()).await;
    let mut browser = Browser::from_afar(&place);
    provider.set(|ways| ways.broken = Some(StatusCode::SERVICE_UNAVAILABLE));
    let down = browser.get("/login/openid?next=read").await;
    assert_eq!(down.status, 502);
    down.says(&[
        "Example ID does not answer this node. Try again in a few minutes.",
        "value=\"read\"",
    ]);
    assert_eq!(browser.log_in("root", PASSWORD).await.status, 303, "the password still does");
    provider.set(|ways| ways.broken = None);
    let mut browser = Browser::from_afar(&place);
    let led = browser.get("/login/openid").await;
    let back =
        provider.log_in(&led.to).replace("code=c-1", "error=access_denied&error_description=");
    let declined = browser.get(&format!("{back}%3Cscript%3Ealert(1)")).await;
    assert_eq!(declined.status, 400, "that is another state");
    let led = browser.get("/login/openid").await;
    let said = format!(
        "error=access_denied&error_description={}",
        "%22%3E%3Cscript%3Ealert(1)%3C/script%3E"
    );
    let declined = browser.get(&provider.log_in(&led.to).replace("code=c-1", &said)).await;
    assert_eq!(declined.status, 403);
    declined
        .says(&["Example ID did not let you in. It says: "])
        .never_says(&[EVIL, "<script>alert"]);
    let led = browser.get("/login/openid").await;
    let used = browser.get(&provider.log_in(&led.to).replace("c-1", "c-2")).await;
    assert_eq!(used.status, 400);
    used.says(&["has ended this login, or it was used already. Begin again."]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_without_encryption_outside_the_allowed_networks_is_not_asked() {
    let provider = Provider::start().await;
    let mut own = settings(&provider);
    own.issuer = "http://id.example".to_owned();
    let place = Place::with(|config| config.openid = Some(own)).await;
    let refused = Browser::from_afar(&place).get("/login/openid").await;
    assert_eq!(refused.status, 502);
    refused.says(&["cannot be believed", "its log says why"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_or_an_address_leads_to_nobody_elses_account() {
    let (provider, place) = start(|_| ()).await;
    add(&place, "Ada", Role::Admin).await;
    let claims = json!({ "sub": "s-9", "preferred_username": "ada", "email": "ada", "email_verified": true });
    provider.set(|ways| ways.claims = claims);
    let mut browser = Browser::from_afar(&place);
    assert_eq!(log_in(&mut browser, &provider).await.status, 303);
    browser.get("/read").await.says(&[">ada-2<"]);
    assert_eq!(browser.get("/settings/users").await.status, 403, "a reader");
    let strange = json!({ "sub": "s-8", "preferred_username": "<b>\u{202e} ../x" });
    provider.set(|ways| ways.claims = strange);
    let mut strange = Browser::from_afar(&place);
    assert_eq!(log_in(&mut strange, &provider).await.status, 303);
    strange.get("/read").await.says(&[">b---..-x<"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn people_without_an_account_are_told_how_to_get_one_and_connect_the_one_they_have() {
    let (provider, place) = start(|own| own.add_users = false).await;
    let mut stranger = Browser::from_afar(&place);
    let unknown = log_in(&mut stranger, &provider).await;
    assert_eq!(unknown.status, 403);
    unknown.says(&["no account here is connected", "connect it on the page of your account"]);
    let mut bob = Browser::of(&place, "bob", Role::Reader).await;
    bob.get("/settings/account").await.says(&["Connect with Example ID"]);
    let onward = bob.post("/settings/account/openid", &[]).await;
    let (_, rest) = onward.text.split_once("class=\"button main\" href=\"").unwrap();
    let address = rest.split('"').next().unwrap().replace("&amp;", "&");
    let back = provider.log_in(&address);
    assert_eq!(stranger.get(&back).await.status, 400, "not by another browser");
    let connected = bob.get(&back).await;
    assert_eq!(connected.to, "../../settings/account?note=connected", "{connected:?}");
    let mut phone = Browser::from_afar(&place);
    assert_eq!(log_in(&mut phone, &provider).await.status, 303);
    phone.get("/read").await.says(&[">bob<"]);
    // The same person cannot be two.
    let mut eve = Browser::of(&place, "eve", Role::Reader).await;
    let onward = eve.post("/settings/account/openid", &[]).await;
    let (_, rest) = onward.text.split_once("class=\"button main\" href=\"").unwrap();
    let address = rest.split('"').next().unwrap().replace("&amp;", "&");
    let taken = eve.get(&provider.log_in(&address)).await;
    taken.says(&["another account here is connected"]);
    assert_eq!(place.node.find_user("eve").unwrap().unwrap().subject, None);
    let done = bob.post("/settings/account/openid/disconnect", &[]).await;
    assert_eq!(done.to, "../../account?note=disconnected");
    assert_eq!(log_in(&mut Browser::from_afar(&place), &provider).await.status, 403);
}

#[tokio::test(flavor = "multi_thread")]
async fn groups_decide_who_may_log_in_and_who_manages() {
    let (provider, place) = start(|own| {
        own.user_group = Some("readers".to_owned());
        own.admin_group = Some("admins".to_owned());
    })
    .await;
    let outside = log_in(&mut Browser::from_afar(&place), &provider).await;
    assert_eq!(outside.status, 403);
    outside.says(&["you are not in the group that may log in here"]);
    // The groups are not in the token, and are asked for.
    let groups = |names: Value| {
        provider.set(|ways| ways.userinfo = json!({ "sub": "s-1", "groups": names }))
    };
    groups(json!(["admins"]));
    let mut ada = Browser::from_afar(&place);
    assert_eq!(log_in(&mut ada, &provider).await.status, 303);
    assert_eq!(ada.get("/settings/users").await.status, 200);
    groups(json!(["readers"]));
    assert_eq!(log_in(&mut ada, &provider).await.status, 303);
    assert_eq!(ada.get("/settings/users").await.status, 403, "an admin no more");
    provider.set(|ways| ways.userinfo = json!({ "sub": "s-2", "groups": ["admins"] }));
    let another = log_in(&mut Browser::from_afar(&place), &provider).await;
    assert_eq!(another.status, 502, "that is said of somebody else");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_account_of_a_node_is_that_of_somebody_who_manages_it() {
    let provider = Provider::start().await;
    let mut own = settings(&provider);
    own.admin_group = Some("admins".to_owned());
    let place = Place::with(|config| config.openid = Some(own)).await;
    let mut browser = Browser::from_afar(&place);
    browser.get("/login").await.says(&["Nobody has an account", "Log in with Example ID"]);
    let first = log_in(&mut browser, &provider).await;
    assert_eq!(first.status, 403);
    first.says(&["Nobody manages this node yet"]);
    provider.set(|ways| ways.claims["groups"] = "admins".into());
    assert_eq!(log_in(&mut browser, &provider).await.status, 303);
    assert_eq!(browser.get("/settings/users").await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_makes_the_node_ask_the_provider_all_the_time() {
    let (provider, place) = start(|_| ()).await;
    let mut early = None;
    for _ in 0..40 {
        let mut browser = Browser::from_afar(&place);
        let led = browser.get("/login/openid").await;
        let wrong = browser.get(&provider.log_in(&led.to).replace("c-1", "c-2")).await;
        if wrong.status == 429 {
            early = Some(wrong);
            break;
        }
    }
    early.unwrap().says(&["Too many logins have failed", "try again in"]);
}
