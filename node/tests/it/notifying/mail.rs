//! Digests, sent by a real mail server.

pub(super) mod server;

use pergola_config::MailSecurity;
use serde_json::{Value, json};

use super::{LIST, ask, newsstand, only, publish};
use crate::house::{House, Press, eventually};
use crate::trust::papers::Authority;
use server::Server;

fn header<'a>(message: &'a Value, name: &str) -> Vec<&'a str> {
    let all = message["headers"].as_array().unwrap();
    all.iter().filter(|pair| pair[0] == name).map(|pair| pair[1].as_str().unwrap()).collect()
}

/// A node that sends by this server, and trusts this authority.
async fn trusting(
    server: &Server,
    security: MailSecurity,
    authority: &Authority,
) -> (Press, House) {
    newsstand(|config| {
        config.mail = Some(server.settings(security));
        config.crawl.extra_ca = vec![authority.file.clone()];
    })
    .await
}

/// Adds an hourly digest; its id.
async fn subscribed(house: &House) -> String {
    let body = json!({ "mail": { "address": "ada@reader.example", "every": "hour" } });
    let (status, added) = ask(house, "POST", LIST, Some(body)).await;
    assert_eq!(status, 201, "{added}");
    added["id"].as_str().unwrap().to_owned()
}

/// What the digest's state says, once it has failed so often.
async fn failed(house: &House, times: u64) -> Value {
    eventually("a failure", async || {
        let status = only(house).await;
        if status["failures"].as_u64() >= Some(times) {
            Ok(status)
        } else {
            Err(status.to_string())
        }
    })
    .await
}

/// Every text that messages of the server hold, once one of them has this in it.
async fn told(server: &Server, wanted: &str) -> String {
    let mut all = String::new();
    for number in 0.. {
        let message = server.message(number).await;
        all.push_str(message["parts"]["text/plain"].as_str().unwrap());
        if all.contains(wanted) {
            break;
        }
    }
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn a_digest_is_one_safe_message_of_all_new_entries() {
    let test = "a_digest_is_one_safe_message_of_all_new_entries";
    let Some(server) = Server::start(MailSecurity::None, None, test) else { return };
    let settings = server.settings(MailSecurity::None);
    let (press, house) = newsstand(|config| config.mail = Some(settings)).await;
    let id = subscribed(&house).await;
    assert_eq!(ask(&house, "POST", &format!("{LIST}/{id}/test"), None).await.0, 200);
    let test = server.message(0).await;
    assert_eq!(header(&test, "subject"), ["News: this is a test"]);
    let evil = "<script>alert(1)</script> & Bcc: eve@evil.example";
    publish(&press, &house, "First").await;
    publish(&press, &house, evil).await;
    // Usually one message; two if the hour ends between the items.
    let mut digest = server.message(1).await;
    let mut all = digest["parts"]["text/plain"].as_str().unwrap().to_owned();
    if !all.contains(evil) {
        digest = server.message(2).await;
        all.push_str(digest["parts"]["text/plain"].as_str().unwrap());
    }
    assert!(all.contains("* First") && all.contains(evil), "{all}");
    assert!(all.find("* First") < all.find(evil), "{all}");
    assert_eq!(header(&digest, "to-envelope"), ["ada@reader.example"]);
    assert_eq!(header(&digest, "to"), ["ada@reader.example"]);
    assert_eq!(header(&digest, "bcc"), [""; 0]);
    assert!(header(&digest, "subject")[0].starts_with("News: "));
    assert_eq!(header(&digest, "auto-submitted"), ["auto-generated"]);
    let ids = header(&digest, "message-id");
    assert!(
        ids[0].starts_with(&format!("<{id}-")) && ids[0].ends_with("@node.example>"),
        "{ids:?}"
    );
    let html = digest["parts"]["text/html"].as_str().unwrap();
    assert!(!html.contains("<script"), "{html}");
    assert!(html.contains("&lt;script&gt;alert(1)"), "{html}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_digest_is_sent_over_tls_and_after_starttls_with_a_login() {
    let test = "a_digest_is_sent_over_tls_and_after_starttls_with_a_login";
    let authority = Authority::new("Mail authority");
    let papers = authority.papers("mail", &["127.0.0.1"]);
    for security in [MailSecurity::Tls, MailSecurity::StartTls] {
        let Some(server) = Server::start(security, Some(&papers), test) else { return };
        let (press, house) = trusting(&server, security, &authority).await;
        let id = subscribed(&house).await;
        let (status, tested) = ask(&house, "POST", &format!("{LIST}/{id}/test"), None).await;
        assert_eq!(status, 200, "{security:?}: {tested}");
        publish(&press, &house, "First").await;
        assert!(told(&server, "* First").await.contains("this is a test"), "{security:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_password_is_told_with_what_to_do_and_nothing_is_lost() {
    let test = "a_wrong_password_is_told_with_what_to_do_and_nothing_is_lost";
    let authority = Authority::new("Mail authority");
    let papers = authority.papers("mail", &["127.0.0.1"]);
    let security = MailSecurity::StartTls;
    let Some(server) = Server::start(security, Some(&papers), test) else { return };
    let (press, house) = trusting(&server, security, &authority).await;
    server.changes_its_password();
    subscribed(&house).await;
    publish(&press, &house, "First").await;
    let status = failed(&house, 2).await;
    let error = status["error"].as_str().unwrap();
    assert!(error.contains("535") && error.contains("mail.user and mail.password"), "{error}");
    assert!(!error.contains("sesame"), "{error}");
    assert_eq!((&status["waiting"], &status["paused"]), (&json!(1), &json!(false)), "{status}");
    publish(&press, &house, "Second").await;
    assert_eq!(server.taken().len(), 0);
    server.wants_the_right_password();
    let all = told(&server, "* Second").await;
    assert!(all.matches("* First").count() == 1 && all.find("* First") < all.find("* Second"));
    eventually("no trouble any more", async || {
        let status = only(&house).await;
        if status["error"].is_null() { Ok(()) } else { Err(status.to_string()) }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_that_is_not_trusted_is_told_with_what_to_do_and_nothing_is_lost() {
    let test = "a_certificate_that_is_not_trusted_is_told_with_what_to_do_and_nothing_is_lost";
    let authority = Authority::new("Mail authority");
    let stranger = Authority::new("Somebody else");
    let wrong = [
        stranger.papers("mail", &["127.0.0.1"]),
        authority.papers("elsewhere", &["mail.example"]),
        authority.papers_for("old", &["127.0.0.1"], (2020, 2021)),
    ];
    let security = MailSecurity::StartTls;
    let Some(server) = Server::start(security, Some(&wrong[0]), test) else { return };
    let (press, house) = trusting(&server, security, &authority).await;
    let id = subscribed(&house).await;
    for papers in &wrong {
        server.shows(papers);
        let (status, refused) = ask(&house, "POST", &format!("{LIST}/{id}/test"), None).await;
        let detail = refused["detail"].as_str().unwrap();
        assert_eq!(status, 422, "{refused}");
        assert!(detail.contains("certificate") && detail.contains("crawl.extra_ca"), "{detail}");
    }
    publish(&press, &house, "First").await;
    failed(&house, 2).await;
    assert_eq!(server.taken().len(), 0);
    server.shows(&authority.papers("mail", &["127.0.0.1"]));
    told(&server, "* First").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_the_security_that_is_wanted_is_told_nothing() {
    let test = "a_server_without_the_security_that_is_wanted_is_told_nothing";
    let Some(server) = Server::start(MailSecurity::None, None, test) else { return };
    for security in [MailSecurity::StartTls, MailSecurity::Tls] {
        let settings = server.settings(security);
        let (_press, house) = newsstand(|config| config.mail = Some(settings)).await;
        let id = subscribed(&house).await;
        let (status, refused) = ask(&house, "POST", &format!("{LIST}/{id}/test"), None).await;
        assert_eq!(status, 422, "{refused}");
        assert!(refused["detail"].as_str().unwrap().contains("mail.security"), "{refused}");
    }
    assert_eq!(server.taken().len(), 0);
}
