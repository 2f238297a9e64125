//! An OpenID provider, which does as it is told, also wrong things.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use axum::extract::{Form, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use url::Url;

/// What it does when it is asked for a token.
pub(super) struct Ways {
    /// What stands in its tokens, beside what must.
    pub(super) claims: Value,
    /// What it says of somebody elsewhere.
    pub(super) userinfo: Value,
    /// It signs with a key that it does not publish, under the name of the one it does.
    pub(super) forges: bool,
    /// It signs with a new key, under a new name.
    pub(super) renewed: bool,
    /// It answers nothing but this.
    pub(super) broken: Option<StatusCode>,
    /// As the last login began.
    nonce: String,
    challenge: String,
}

struct Inner {
    issuer: String,
    old: EcdsaKeyPair,
    new: EcdsaKeyPair,
    ways: Mutex<Ways>,
}

/// A provider on a port of its own.
#[derive(Clone)]
pub(super) struct Provider(Arc<Inner>);

fn pair() -> EcdsaKeyPair {
    let (kind, random) = (&ECDSA_P256_SHA256_FIXED_SIGNING, SystemRandom::new());
    let document = EcdsaKeyPair::generate_pkcs8(kind, &random).unwrap();
    EcdsaKeyPair::from_pkcs8(kind, document.as_ref(), &random).unwrap()
}

impl Provider {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let issuer = format!("http://{}", listener.local_addr().unwrap());
        let ways = Ways {
            claims: json!({ "sub": "s-1", "preferred_username": "ada" }),
            userinfo: json!({ "sub": "s-1" }),
            forges: false,
            renewed: false,
            broken: None,
            nonce: String::new(),
            challenge: String::new(),
        };
        let inner = Inner { issuer, old: pair(), new: pair(), ways: Mutex::new(ways) };
        let own = Self(Arc::new(inner));
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(configuration))
            // Asked as a realm that it does not have, it still gives its own name.
            .route("/realms/other/.well-known/openid-configuration", get(configuration))
            .route("/keys", get(keys))
            .route("/token", post(token))
            .route("/userinfo", get(userinfo))
            .with_state(own.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        own
    }

    pub(super) fn issuer(&self) -> &str {
        &self.0.issuer
    }

    /// Tells it to do something else.
    pub(super) fn set(&self, change: impl FnOnce(&mut Ways)) {
        change(&mut self.0.ways.lock().unwrap());
    }

    /// Somebody logs in here: where it is led back to.
    pub(super) fn log_in(&self, led: &str) -> String {
        let asked = Url::parse(led).unwrap();
        assert!(led.starts_with(&format!("{}/authorize?", self.issuer())), "{led}");
        let value: HashMap<String, String> = asked.query_pairs().into_owned().collect();
        self.set(|ways| {
            ways.nonce.clone_from(&value["nonce"]);
            ways.challenge.clone_from(&value["code_challenge"]);
        });
        assert!(value["redirect_uri"].ends_with("/login/openid/back"), "{led}");
        format!("/login/openid/back?code=c-1&state={}", value["state"])
    }
}

async fn configuration(State(own): State<Provider>) -> Response {
    if let Some(status) = own.0.ways.lock().unwrap().broken {
        return status.into_response();
    }
    let at = |path: &str| format!("{}/{path}", own.issuer());
    Json(json!({
        "issuer": own.issuer(),
        "authorization_endpoint": at("authorize"),
        "token_endpoint": at("token"),
        "jwks_uri": at("keys"),
        "userinfo_endpoint": at("userinfo"),
        "end_session_endpoint": at("out"),
    }))
    .into_response()
}

async fn keys(State(own): State<Provider>) -> Json<Value> {
    let renewed = own.0.ways.lock().unwrap().renewed;
    let (pair, id) = if renewed { (&own.0.new, "k-2") } else { (&own.0.old, "k-1") };
    let point = pair.public_key().as_ref();
    let (x, y) = (base64(&point[1..33]), base64(&point[33..]));
    Json(json!({ "keys": [{ "kty": "EC", "crv": "P-256", "kid": id, "x": x, "y": y }] }))
}

async fn token(
    State(own): State<Provider>,
    headers: HeaderMap,
    Form(sent): Form<HashMap<String, String>>,
) -> Response {
    let ways = own.0.ways.lock().unwrap();
    let proof = digest(&SHA256, sent["code_verifier"].as_bytes());
    let wrong =
        |error: &str| (StatusCode::BAD_REQUEST, Json(json!({ "error": error }))).into_response();
    // "pergola:hidden one", as in a form.
    if headers.get("authorization").is_none_or(|own| own != "Basic cGVyZ29sYTpoaWRkZW4rb25l") {
        return wrong("invalid_client");
    }
    if base64(proof.as_ref()) != ways.challenge || sent["code"] != "c-1" {
        return wrong("invalid_grant");
    }
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
    let mut claims = json!({
        "iss": own.issuer(), "aud": "pergola", "nonce": ways.nonce, "iat": now, "exp": now + 300,
    });
    let others = ways.claims.as_object().unwrap().clone();
    claims.as_object_mut().unwrap().extend(others);
    let id = if ways.renewed { "k-2" } else { "k-1" };
    let pair = if ways.renewed || ways.forges { &own.0.new } else { &own.0.old };
    let head = json!({ "alg": "ES256", "kid": id });
    let text = format!(
        "{}.{}",
        base64(head.to_string().as_bytes()),
        base64(claims.to_string().as_bytes())
    );
    let signature = pair.sign(&SystemRandom::new(), text.as_bytes()).unwrap();
    let token = format!("{text}.{}", base64(signature.as_ref()));
    Json(json!({ "id_token": token, "access_token": "a-1", "token_type": "Bearer" }))
        .into_response()
}

async fn userinfo(State(own): State<Provider>, headers: HeaderMap) -> Response {
    match headers.get("authorization") {
        Some(token) if token == "Bearer a-1" => {
            Json(own.0.ways.lock().unwrap().userinfo.clone()).into_response()
        }
        _ => StatusCode::UNAUTHORIZED.into_response(),
    }
}

fn base64(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}
