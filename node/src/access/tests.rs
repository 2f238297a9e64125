//! Who is taken for whom, and what each may read and take.

use std::net::SocketAddr;

use axum::extract::ConnectInfo;
use http::header::{AUTHORIZATION, HOST};
use http::{HeaderMap, HeaderValue};
use pergola_config::Fingerprint;

use super::*;

const FEED: FeedId = FeedId(7);
const ALICES: [u8; 32] = [0xa1; 32];

fn access(token: Option<&str>) -> Access {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pergola.toml");
    let print = Fingerprint(ALICES);
    let text = format!(
        "[node]\npublic_url = \"https://node.example/\"\n[peers]\nstreams = 2\nrequests_per_minute = 3\n\
         [[reader]]\nname = \"alice\"\ntoken = \"alice's secret\"\ncertificate = \"{print}\"\n\
         [[reader]]\nname = \"bob\"\ntoken = \"bob's secret\"\nrequests_per_minute = 1\n"
    );
    std::fs::write(&file, text).unwrap();
    let mut config = Config::load(Some(&file), []).unwrap();
    config.api.token = token.map(Secret::new);
    Access::new(&config)
}

/// How a caller is called here who comes from an address and sends this.
fn who(access: &Access, from: &str, sent: Option<&str>, shown: Option<[u8; 32]>) -> String {
    let mut headers = HeaderMap::new();
    headers.insert(HOST, HeaderValue::from_static("node.example:8080"));
    if let Some(sent) = sent {
        headers.insert(AUTHORIZATION, HeaderValue::from_str(sent).unwrap());
    }
    let mut extensions = Extensions::new();
    let from: SocketAddr = format!("{from}:4711").parse().unwrap();
    extensions.insert(ConnectInfo(from));
    if let Some(shown) = shown {
        extensions.insert(ClientCertificate(Fingerprint(shown)));
    }
    match access.caller(&headers, &extensions, None) {
        Caller::Operator => "operator".to_owned(),
        Caller::Reader(reader) => reader.name.clone(),
        Caller::Stranger { wrong: true, .. } => "wrong".to_owned(),
        Caller::Stranger { .. } => "stranger".to_owned(),
    }
}

#[test]
fn callers_are_known_by_what_they_send_and_show() {
    let access = access(Some("the operator's"));
    let far = "192.0.2.1";
    for (sent, shown, expected) in [
        (None, None, "stranger"),
        (Some("Bearer the operator's"), None, "operator"),
        (Some("Bearer alice's secret"), None, "alice"),
        (Some("bearer bob's secret"), None, "bob"),
        // "anything:bob's secret", and the operator's token as a password.
        (Some("Basic YW55dGhpbmc6Ym9iJ3Mgc2VjcmV0"), None, "bob"),
        (Some("Basic eDp0aGUgb3BlcmF0b3Incw=="), None, "wrong"),
        (Some("Bearer alice's secre"), None, "wrong"),
        (Some("Bearer "), None, "wrong"),
        (None, Some(ALICES), "alice"),
        (None, Some([0; 32]), "stranger"),
        (Some("Bearer bob's secret"), Some(ALICES), "bob"),
        (Some("Bearer nobody's"), Some(ALICES), "wrong"),
    ] {
        assert_eq!(who(&access, far, sent, shown), expected, "{sent:?} {shown:?}");
    }
    assert_eq!(who(&access, "127.0.0.1", None, None), "stranger");
}

#[test]
fn without_a_token_whoever_is_near_is_the_operator_unless_it_says_otherwise() {
    let access = access(None);
    assert_eq!(who(&access, "127.0.0.1", None, None), "operator");
    assert_eq!(who(&access, "192.0.2.1", None, None), "stranger");
    assert_eq!(who(&access, "127.0.0.1", Some("Bearer alice's secret"), None), "alice");
    assert_eq!(who(&access, "127.0.0.1", Some("Bearer nobody's"), None), "wrong");
}

#[test]
fn a_closed_feed_exists_for_its_readers_and_the_operator_only() {
    let access = access(None);
    let reader = |name: &str| {
        let known = access.known();
        Caller::Reader(known.readers.iter().find(|reader| reader.name == name).unwrap().clone())
    };
    let stranger = Caller::Stranger { address: None, wrong: false };
    assert!(access.may_read(&stranger, FEED));
    access.set(FEED, Some(&["alice".to_owned()]));
    assert!(access.may_read(&reader("alice"), FEED) && access.may_read(&Caller::Operator, FEED));
    assert!(!access.may_read(&reader("bob"), FEED) && !access.may_read(&stranger, FEED));
    assert!(access.may_read(&stranger, FeedId(8)));
    access.set(FEED, Some(&[]));
    assert!(!access.may_read(&reader("alice"), FEED));
    access.set(FEED, None);
    assert!(access.may_read(&stranger, FEED) && access.all_open());
}

#[test]
fn calls_are_limited_for_each_caller_and_allowed_again_in_time() {
    let access = access(Some("the operator's"));
    let start = network_now();
    let count = |caller: &Caller, after: u64| {
        let now = start + std::time::Duration::from_secs(after);
        access.used.count(caller, access.limits(caller).requests_per_minute, now)
    };
    let bob = Caller::Reader(access.known().readers[1].clone());
    let stranger = |last| Caller::Stranger {
        address: Some(std::net::IpAddr::from([192, 0, 2, last])),
        wrong: false,
    };
    assert_eq!(count(&bob, 0), Ok(()));
    assert_eq!(count(&bob, 0), Err(TooOften { seconds: 60 }));
    for _ in 0..3 {
        assert_eq!(count(&stranger(1), 0), Ok(()));
    }
    assert_eq!(count(&stranger(1), 0), Err(TooOften { seconds: 20 }));
    assert_eq!(count(&stranger(2), 0), Ok(()));
    assert_eq!(count(&stranger(1), 21), Ok(()));
    assert!(count(&stranger(1), 21).is_err() && count(&bob, 21).is_err());
    for _ in 0..1_000 {
        assert_eq!(count(&Caller::Operator, 21), Ok(()));
    }
}
