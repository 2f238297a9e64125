//! What a provider says of itself, and what it is asked.

use pergola_openid::{BadProvider, Begun, Client, Grant, NoGrant, Provider, configuration_of};
use serde_json::{Value, json};
use url::Url;

const ISSUER: &str = "https://id.example.org/realms/home";

fn said() -> Value {
    json!({
        "issuer": ISSUER,
        "authorization_endpoint": "https://id.example.org/login?theme=dark",
        "token_endpoint": "https://id.example.org/token",
        "jwks_uri": "https://keys.example.org/",
        "end_session_endpoint": "https://id.example.org/out",
    })
}

fn read(said: &Value, issuer: &str) -> Result<Provider, BadProvider> {
    Provider::read(said.to_string().as_bytes(), issuer)
}

#[test]
fn a_provider_says_where_to_ask_it_what() {
    let address = configuration_of(ISSUER).unwrap();
    assert_eq!(address.as_str(), format!("{ISSUER}/.well-known/openid-configuration"));
    assert_eq!(configuration_of(&format!("{ISSUER}/")).unwrap(), address);
    for wrong in ["id.example.org", "ftp://id.example.org", "https://id.example.org/?a=b", ""] {
        assert_eq!(configuration_of(wrong), Err(BadProvider::Issuer(wrong.to_owned())));
    }
    let provider = read(&said(), &format!("{ISSUER}/")).unwrap();
    assert_eq!(provider.issuer, ISSUER, "as it calls itself");
    assert_eq!(provider.userinfo, None);
}

#[test]
fn a_provider_that_says_something_strange_is_refused_with_a_reason() {
    let told = |said: &Value| read(said, ISSUER).unwrap_err().to_string();
    let mut other = said();
    other["issuer"] = "https://evil.example".into();
    assert!(told(&other).contains("calls itself `https://evil.example`"), "{}", told(&other));
    for (key, value) in [("token_endpoint", "file:///etc/passwd"), ("jwks_uri", "keys")] {
        let mut strange = said();
        strange[key] = value.into();
        let told = told(&strange);
        assert!(told.contains(key) && told.contains(value), "{told}");
    }
    let mut less = said();
    less.as_object_mut().unwrap().remove("jwks_uri");
    assert!(told(&less).contains("jwks_uri"), "{}", told(&less));
    assert!(Provider::read(b"<html>", ISSUER).is_err());
}

#[test]
fn a_login_carries_a_state_a_nonce_and_a_challenge() {
    let provider = read(&said(), ISSUER).unwrap();
    let redirect = Url::parse("https://feeds.example.org/login/openid/back").unwrap();
    let client = Client { id: "pergola", secret: None, redirect: &redirect };
    let begun = Begun::new(&[7; 32], "read");
    let scopes = ["profile".to_owned(), "openid".to_owned()];
    let address = client.login_at(&provider, &begun, &scopes);
    let value = |name: &str| {
        let mut pairs = address.query_pairs();
        pairs.find(|(own, _)| own == name).map(|(_, value)| value.into_owned()).unwrap()
    };
    assert_eq!((value("theme"), value("response_type")), ("dark".into(), "code".into()));
    assert_eq!((value("state"), value("nonce")), (begun.state(), begun.nonce()));
    assert_eq!(
        (value("scope"), value("redirect_uri")),
        ("openid profile".into(), redirect.to_string())
    );
    assert_eq!(value("code_challenge"), begun.challenge());
    assert!(!address.as_str().contains(&begun.verifier()), "only its digest is told");
    let out = client.logout_at(&provider, &redirect).unwrap();
    assert!(out.as_str().starts_with("https://id.example.org/out?client_id=pergola&"), "{out}");
}

#[test]
fn the_client_proves_itself_as_the_provider_wants_it() {
    let redirect = Url::parse("https://feeds.example.org/login/openid/back").unwrap();
    let client = Client { id: "per:gola", secret: Some("s e"), redirect: &redirect };
    let begun = Begun::new(&[7; 32], "read");
    let usual = client.token_for(&read(&said(), ISSUER).unwrap(), &begun, "c&d");
    // "per%3Agola:s+e"
    assert_eq!(usual.authorization.as_deref(), Some("Basic cGVyJTNBZ29sYTpzK2U="));
    assert!(usual.body.contains("code=c%26d") && !usual.body.contains("client_secret"));
    let mut posts = said();
    posts["token_endpoint_auth_methods_supported"] = json!(["client_secret_post"]);
    let posted = client.token_for(&read(&posts, ISSUER).unwrap(), &begun, "c");
    assert_eq!(posted.authorization, None);
    assert!(posted.body.contains("client_id=per%3Agola&client_secret=s+e"), "{}", posted.body);
    let public = Client { secret: None, ..client };
    let public = public.token_for(&read(&said(), ISSUER).unwrap(), &begun, "c");
    assert!(public.authorization.is_none() && public.body.ends_with("client_id=per%3Agola"));
    assert!(public.body.contains(&begun.verifier()));
}

#[test]
fn why_a_code_was_refused_is_told() {
    let body = br#"{"error": "invalid_grant", "error_description": "code\nexpired"}"#;
    let refused = Grant::read(400, body).err().unwrap();
    let expected = "the OpenID provider refused the code of the login: invalid_grant (codeexpired)";
    assert_eq!(refused.to_string(), expected);
    assert_eq!(Grant::read(502, b"<html>").err(), Some(NoGrant::Unreadable(502)));
    assert_eq!(Grant::read(200, b"{}").err(), Some(NoGrant::Unreadable(200)));
}
