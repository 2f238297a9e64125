//! Logging in, and keys.

use pergola_accounts::Role;
use pergola_config::Secret;
use pergola_store::people::UserChange;

use super::{House, PASSWORD, READ, call};

#[tokio::test(flavor = "multi_thread")]
async fn an_app_reads_with_an_app_password_until_it_is_revoked() {
    let house = House::open().await;
    let ada = house.user("Ada", Role::Reader).await;
    let (number, password) = house.place.node.make_app_password(ada, "phone").await.unwrap();
    let answer = house.try_log_in("ada", &password).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let lines: Vec<_> = answer.text.lines().filter_map(|line| line.split_once('=')).collect();
    let names: Vec<_> = lines.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["SID", "LSID", "Auth"]);
    assert!(!lines[2].1.contains(char::is_whitespace));
    // However it is typed, and for apps that want an address of mail.
    let typed = password.to_uppercase().replace('-', " ");
    let app = house.log_in("ADA@pergola.example", &typed).await;
    let user = app.json("user-info?output=json").await;
    assert_eq!((&user["userName"], &user["userId"]), (&"Ada".into(), &ada.0.to_string().into()));
    assert!(house.place.node.sessions_of(ada).unwrap().is_empty(), "nothing is left behind");
    house.place.node.revoke_app_password(ada, number).await.unwrap();
    assert_eq!(app.get("user-info").await.status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_app_reads_with_the_password_of_an_account_until_it_is_changed() {
    let house = House::open().await;
    let ada = house.user("ada", Role::Reader).await;
    let app = house.log_in("ada", PASSWORD).await;
    assert_eq!(app.json("user-info").await["userName"], "ada");
    let change = UserChange { password: Some("battery staple".into()), ..UserChange::default() };
    house.place.node.change_user(ada, change).await.unwrap();
    assert_eq!(app.get("user-info").await.status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_password_is_refused_as_apps_expect_it() {
    let house = House::open().await;
    house.user("ada", Role::Reader).await;
    for (name, password) in [("ada", "wrong"), ("grace", PASSWORD), ("", ""), ("operator", "x")] {
        let answer = house.try_log_in(name, password).await;
        assert_eq!((answer.status, answer.text.as_str()), (401, "Error=BadAuthentication\n"));
    }
    let url = house.place.url("/reader-api/reader/api/0/user-info");
    for header in
        ["", "GoogleLogin auth=", "GoogleLogin auth=0.here", "GoogleLogin auth=1.abc", "Bearer x"]
    {
        let asked = house.place.client.get(&url).header("authorization", header);
        let answer = call(asked).await;
        assert_eq!((answer.status, answer.text.as_str()), (401, "Unauthorized\n"), "{header}");
        assert!(answer.headers["www-authenticate"].to_str().unwrap().starts_with("GoogleLogin"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn after_many_wrong_passwords_an_app_waits() {
    let house = House::open().await;
    house.user("ada", Role::Reader).await;
    let mut last = house.try_log_in("ada", "wrong").await;
    for _ in 0..20 {
        if last.status != 401 {
            break;
        }
        last = house.try_log_in("ada", "wrong").await;
    }
    assert_eq!(last.status, 429, "{last:?}");
    assert!(last.headers["retry-after"].to_str().unwrap().parse::<u64>().unwrap() > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_runs_a_node_without_accounts_reads_with_any_password() {
    let house = House::open().await;
    house.source("/one", &[(1, 10)]).await;
    let app = house.log_in("anybody", "anything").await;
    assert_eq!(app.titles("feed/x", "").await, Vec::<String>::new());
    assert_eq!(app.all().await.len(), 1, "the built-in user follows everything");
    let form = [("Email", "anybody"), ("Passwd", "anything")];
    let passed_on = house.post("/reader-api/accounts/ClientLogin", &form);
    let answer = call(passed_on.header("x-forwarded-for", "192.0.2.7")).await;
    assert_eq!(answer.status, 401, "{answer:?}");
    let url = house.place.url("/reader-api/reader/api/0/user-info");
    let passed_on = app.signed(house.place.client.get(url)).header("x-forwarded-for", "192.0.2.7");
    assert_eq!(call(passed_on).await.status, 401);
    house.user("ada", Role::Admin).await;
    assert_eq!(app.get("user-info").await.status, 401, "now there is an account");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_token_of_a_node_without_accounts_is_a_password() {
    let house =
        House::open_with(|config| config.api.token = Some(Secret::new("open-sesame-1234"))).await;
    assert_eq!(house.try_log_in("me", "anything").await.status, 401);
    let app = house.log_in("me", "open-sesame-1234").await;
    assert_eq!(app.json("user-info").await["userId"], "0");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_token_of_a_change_is_refused_and_a_missing_one_is_not() {
    let house = House::open().await;
    let app = house.reader().await;
    let token = app.get("token").await;
    assert!(token.status == 200 && token.text.len() >= 32 && !token.text.ends_with('\n'));
    let form = |token| [("i", "1"), ("a", READ), ("T", token)];
    let wrong = app.post("edit-tag", &form("wrong")).await;
    assert_eq!((wrong.status, wrong.text.as_str()), (401, "Unauthorized\n"));
    assert_eq!(wrong.headers["x-reader-google-bad-token"], "true");
    for good in [token.text.as_str(), "", "x"] {
        app.post("edit-tag", &form(good)).await.is_ok();
    }
    app.post("edit-tag", &[("i", "1"), ("a", READ)]).await.is_ok();
}

#[tokio::test(flavor = "multi_thread")]
async fn apps_send_no_origin_and_pages_of_other_sites_cannot_log_in() {
    let house = House::open().await;
    let form = [("Email", "anybody"), ("Passwd", "anything")];
    let from_page = house.post("/reader-api/accounts/ClientLogin", &form);
    let answer = call(from_page.header("origin", "https://evil.example")).await;
    assert_eq!(answer.status, 403, "{answer:?}");
    // A program made of a browser says where it comes from, and has a key that no page has.
    let app = house.log_in("anybody", "anything").await;
    let change = house.post("/reader-api/reader/api/0/edit-tag", &[("i", "1"), ("a", READ)]);
    call(app.signed(change).header("origin", "file://")).await.is_ok();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_api_is_where_apps_look_for_it() {
    let house = House::open().await;
    for place in ["/reader-api", "/reader-api/", "/api/greader.php"] {
        let answer = call(house.place.client.get(house.place.url(place))).await;
        assert!(answer.status == 200 && answer.text.starts_with("OK"), "{place}: {answer:?}");
    }
    let form = [("Email", "a"), ("Passwd", "b"), ("output", "json")];
    let answer = call(house.post("/api/greader.php/accounts/ClientLogin", &form)).await.json();
    assert_eq!(answer["Auth"], answer["SID"]);
    let url = "/api/greader.php/accounts/ClientLogin?Email=a&Passwd=b";
    assert_eq!(call(house.place.client.get(house.place.url(url))).await.status, 200);
}
