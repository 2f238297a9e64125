//! Tokens, signed with keys of our own.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use pergola_openid::{BadClaims, BadToken, Claims, Expected, KeySet, SKEW, Unverified, verified};
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _,
};
use serde_json::{Value, json};

/// A key of the provider, and a token signed by it with another program.
const MODULUS: &str = "vrOMMuFrIhr6uTnX3Hi1aD4Z-IN_aXcyg52NluHqJHCeBlxxdtxz1TOJBiEuCbsc4z90hG92RSrf4wm_oAMRipD8zrj1ZH3TIvEC\
     AFhN0r_8qB_VHdL1vlGVSrD2qlq0D9ahYOJPdrvw4-0lP-CGdJlYXzapeR4Pkf2LCsrfnHb8MAA3pt_TYKlVWAzMeAFesy4z36RH\
     wJyWoqo__QwV5hVKV-_TBc6LmPW97josSyY02jS1fjPmquD3CXWA-BWnd95AptqtCEqvB_AGOlhkJQtrFmKbOASwhrpWPTXKIlXM\
     ECz-CFJ9GngwTIVnWDvAsTcFIWJ0naY4UdHo-uggGw";
const TOKEN: &str = "eyJ0eXAiOiJKV1QiLCJhbGciOiJSUzI1NiIsImtpZCI6InJzYS0xIn0.eyJpc3MiOiJodHRwczovL2lkLmV4YW1wbGUub3JnIiwi\
     YXVkIjoicGVyZ29sYSIsInN1YiI6ImFkYSIsIm5vbmNlIjoibi0xIiwiaWF0IjoxNzkwMDAwMDAwLCJleHAiOjE3OTAwMDA2MDB9\
     .TpThDv_vtUE-DaIAqjVOxGRO76xfMZpav1Y4aDDnmRNFZlmeYjjE8ceJ94dZsaUaQAUD5qu7oJy4pgnF79_omVKULCL7FM69WcZ\
     ptB6vAcbJOjrILOXsXYDEcyTmM-uLe2Tv6l-ap7mhdXgsPqLsFMoimMPRwtBhNFPUuDm7lDtHCX_ReB-cUPIVWPATr5s6OzffFpd\
     0RmYZ9szIT2IMUlNWEOq3MndksHoAteDvmh7YK52K2u11USioSA-n0cEelF00e0kr-VO5-rDQe2ULMxS7h-mZ1AQjcr-jLiLn3Wy\
     f346yHCafsjTMN_OnKC13to0rjsetWQ5Ak1bk4zgbLA";

const NOW: f64 = 1_790_000_000.0;

fn expected() -> Expected<'static> {
    Expected { issuer: "https://id.example.org", client: "pergola", nonce: "n-1", now: NOW }
}

fn said() -> Value {
    json!({
        "iss": "https://id.example.org", "aud": "pergola", "sub": "ada", "nonce": "n-1",
        "iat": NOW, "exp": NOW + 600.0,
    })
}

/// Somebody who signs.
struct Signer {
    random: SystemRandom,
    pair: EcdsaKeyPair,
}

impl Signer {
    fn new() -> Self {
        let random = SystemRandom::new();
        let kind = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let document = EcdsaKeyPair::generate_pkcs8(kind, &random).unwrap();
        let pair = EcdsaKeyPair::from_pkcs8(kind, document.as_ref(), &random).unwrap();
        Self { random, pair }
    }

    fn keys(&self) -> KeySet {
        let point = self.pair.public_key().as_ref();
        let (x, y) = (base64(&point[1..33]), base64(&point[33..]));
        let key = json!({ "kty": "EC", "crv": "P-256", "kid": "ec-1", "x": x, "y": y });
        let others = [json!({ "kty": "oct", "k": "AAAA" }), json!("nonsense"), key];
        KeySet::read(json!({ "keys": others }).to_string().as_bytes()).unwrap()
    }

    fn token(&self, said: &Value) -> String {
        self.token_with(&json!({ "alg": "ES256", "kid": "ec-1" }), said)
    }

    fn token_with(&self, head: &Value, said: &Value) -> String {
        let text = unsigned(head, said);
        let signature = self.pair.sign(&self.random, text.as_bytes()).unwrap();
        format!("{text}.{}", base64(signature.as_ref()))
    }
}

fn unsigned(head: &Value, said: &Value) -> String {
    format!("{}.{}", base64(head.to_string().as_bytes()), base64(said.to_string().as_bytes()))
}

fn base64(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

fn with(name: &str, value: Value) -> Value {
    let mut said = said();
    said[name] = value;
    said
}

#[test]
fn a_token_in_which_everything_is_right_is_believed() {
    let signer = Signer::new();
    let several = with("groups", json!(["readers", "admins", 7]));
    let claims = verified(&signer.token(&several), &signer.keys(), expected()).unwrap();
    assert_eq!(claims.subject(), "ada");
    assert_eq!(claims.texts("groups"), ["readers", "admins"]);
    let mut many = with("aud", json!(["other", "pergola"]));
    many["azp"] = "pergola".into();
    verified(&signer.token(&many), &signer.keys(), expected()).unwrap();
    let rsa = json!({ "keys": [{ "kty": "RSA", "kid": "rsa-1", "use": "sig", "n": MODULUS, "e": "AQAB" }] });
    let rsa = KeySet::read(rsa.to_string().as_bytes()).unwrap();
    assert_eq!(verified(TOKEN, &rsa, expected()).unwrap().subject(), "ada");
}

#[test]
fn a_token_in_which_one_thing_is_wrong_is_not_believed() {
    let signer = Signer::new();
    let keys = signer.keys();
    let why = |said: &Value| verified(&signer.token(said), &keys, expected()).unwrap_err();
    let evil = "https://evil.example";
    assert_eq!(why(&with("iss", evil.into())), BadToken::Issuer(evil.into()));
    assert_eq!(why(&with("aud", "another".into())), BadToken::Audience);
    assert_eq!(why(&with("aud", json!(["pergola", "another"]))), BadToken::Audience, "no azp");
    assert_eq!(why(&with("azp", "another".into())), BadToken::Audience);
    assert_eq!(why(&with("nonce", "n-2".into())), BadToken::Nonce);
    assert_eq!(why(&with("nonce", Value::Null)), BadToken::Nonce);
    assert_eq!(why(&with("exp", Value::Null)), BadToken::NoEnd);
    assert_eq!(why(&with("exp", (NOW - SKEW).into())), BadToken::Over(SKEW));
    assert_eq!(why(&with("iat", (NOW + 500.0).into())), BadToken::Early(500.0));
    assert_eq!(why(&with("nbf", (NOW + 500.0).into())), BadToken::Early(500.0));
    for wrong in [Value::Null, "".into(), "a\u{7}b".into(), "x".repeat(256).into(), json!(7)] {
        assert_eq!(why(&with("sub", wrong)), BadToken::Claims(BadClaims::Nobody));
    }
}

#[test]
fn clocks_may_differ_a_little() {
    let signer = Signer::new();
    let mut late = with("exp", (NOW - SKEW + 1.0).into());
    late["iat"] = (NOW + SKEW).into();
    verified(&signer.token(&late), &signer.keys(), expected()).unwrap();
}

#[test]
fn a_token_that_somebody_else_signed_or_nobody_is_not_believed() {
    let (signer, other) = (Signer::new(), Signer::new());
    let keys = signer.keys();
    let why = |token: &str| verified(token, &keys, expected()).unwrap_err();
    assert_eq!(why(&other.token(&said())), Unverified::Wrong.into());
    let unknown = signer.token_with(&json!({ "alg": "ES256", "kid": "ec-2" }), &said());
    assert!(why(&unknown).is_by_unknown_key());
    for algorithm in ["none", "HS256", "NONE", ""] {
        let head = json!({ "alg": algorithm, "kid": "ec-1" });
        let expected = BadToken::from(Unverified::Algorithm(algorithm.into()));
        assert_eq!(why(&signer.token_with(&head, &said())), expected);
        assert_eq!(why(&format!("{}.", unsigned(&head, &said()))), expected);
    }
    // The key of one kind is not used for another.
    let head = json!({ "alg": "RS256", "kid": "ec-1" });
    assert!(why(&signer.token_with(&head, &said())).is_by_unknown_key());
    let token = signer.token(&said());
    let (signed, _) = token.rsplit_once('.').unwrap();
    let (head, _) = signed.split_once('.').unwrap();
    let other = with("sub", "grace".into());
    let changed =
        token.replace(signed, &format!("{head}.{}", base64(other.to_string().as_bytes())));
    assert_eq!(why(&changed), Unverified::Wrong.into());
    for nonsense in ["", ".", "..", "a.b.c", "ä.ä.ä", "e30.e30.", &"a".repeat(1 << 17)] {
        assert_eq!(why(nonsense), BadToken::Unreadable, "{nonsense:.20}");
    }
}

#[test]
fn signatures_of_the_edwards_curve_count_as_well() {
    let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).unwrap();
    let pair = Ed25519KeyPair::from_pkcs8(document.as_ref()).unwrap();
    let x = base64(pair.public_key().as_ref());
    let keys = json!({ "keys": [{ "kty": "OKP", "crv": "Ed25519", "x": x }] });
    let keys = KeySet::read(keys.to_string().as_bytes()).unwrap();
    let text = unsigned(&json!({ "alg": "EdDSA" }), &said());
    let token = format!("{text}.{}", base64(pair.sign(text.as_bytes()).as_ref()));
    assert_eq!(verified(&token, &keys, expected()).unwrap().subject(), "ada");
}

#[test]
fn keys_of_unknown_kinds_alone_are_refused() {
    let read = |document: &str| KeySet::read(document.as_bytes()).unwrap_err().to_string();
    assert!(read("{\"keys\": [{\"kty\": \"oct\", \"k\": \"AAAA\"}]}").contains("has no key"));
    assert!(read("<html>").contains("cannot be read"));
}

#[test]
fn what_else_a_provider_says_must_be_of_the_same_person_and_never_overrides_what_was_signed() {
    let signer = Signer::new();
    let signed = with("realm_access", json!({ "roles": ["admin"] }));
    let claims = || verified(&signer.token(&signed), &signer.keys(), expected()).unwrap();
    let more = |more: Value| Claims::completed(claims(), more.to_string().as_bytes());
    let more_said = json!({ "sub": "ada", "name": " Ada ", "realm_access": { "roles": ["evil"] } });
    let whole = more(more_said).unwrap();
    assert_eq!(
        (whole.text("name"), whole.texts("realm_access.roles")),
        (Some("Ada"), vec!["admin"])
    );
    assert!(!whole.has("realm_access.groups") && !whole.has("e-mail"));
    assert_eq!(more(json!({ "sub": "grace" })), Err(BadClaims::Another));
    assert_eq!(more(json!({ "name": "Ada" })), Err(BadClaims::Nobody));
}
