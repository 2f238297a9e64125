//! The ID token, and whether it is valid (OpenID Connect Core 1.0, section 3.1.3.7).

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::Deserialize;

use crate::claims::{BadClaims, Claims};
use crate::keys::{KeySet, Unverified};

/// Seconds by which clocks may differ.
pub const SKEW: f64 = 120.0;
/// The longest token.
const LONGEST: usize = 64 << 10;

/// What a token must say.
#[derive(Debug, Clone, Copy)]
pub struct Expected<'a> {
    /// Who signs it.
    pub issuer: &'a str,
    /// Whom it is for.
    pub client: &'a str,
    /// For which login.
    pub nonce: &'a str,
    /// What time it is.
    pub now: f64,
}

/// Why a token is not believed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BadToken {
    #[error("the token of the OpenID provider cannot be read")]
    Unreadable,
    #[error("the token of the OpenID provider is not believed: {0}")]
    Unverified(#[from] Unverified),
    #[error(transparent)]
    Claims(#[from] BadClaims),
    #[error("the token is signed by `{0}`, another OpenID provider")]
    Issuer(String),
    #[error(
        "the token of the OpenID provider is for another program than this one: check `openid.client_id`"
    )]
    Audience,
    #[error("the token of the OpenID provider is for another login")]
    Nonce,
    #[error("the token of the OpenID provider does not say until when it is good")]
    NoEnd,
    #[error("the token of the OpenID provider was over {0:.0} seconds ago")]
    Over(f64),
    #[error("the token of the OpenID provider is good only in {0:.0} seconds")]
    Early(f64),
}

impl BadToken {
    /// Perhaps the provider has changed its keys since they were read.
    pub fn is_by_unknown_key(&self) -> bool {
        matches!(self, Self::Unverified(Unverified::UnknownKey))
    }

    /// The clocks of the two differ, or one of them is slow to answer.
    pub fn is_about_time(&self) -> bool {
        matches!(self, Self::Over(_) | Self::Early(_))
    }
}

#[derive(Deserialize)]
struct Head {
    alg: String,
    kid: Option<String>,
}

/// What a token says, if it can be believed.
pub fn verified(token: &str, keys: &KeySet, expected: Expected<'_>) -> Result<Claims, BadToken> {
    if token.len() > LONGEST {
        return Err(BadToken::Unreadable);
    }
    let (signed, signature) = token.rsplit_once('.').ok_or(BadToken::Unreadable)?;
    let (head, body) = signed.split_once('.').ok_or(BadToken::Unreadable)?;
    let [head, body, signature] = [head, body, signature]
        .map(|part| URL_SAFE_NO_PAD.decode(part).map_err(|_| BadToken::Unreadable));
    let (head, body, signature) = (head?, body?, signature?);
    let head: Head = serde_json::from_slice(&head).map_err(|_| BadToken::Unreadable)?;
    keys.verify(&head.alg, head.kid.as_deref(), signed.as_bytes(), &signature)?;
    let claims = Claims::read(&body)?;
    check(&claims, expected)?;
    Ok(claims)
}

fn check(claims: &Claims, expected: Expected<'_>) -> Result<(), BadToken> {
    let issuer = claims.text("iss").unwrap_or_default();
    if issuer != expected.issuer {
        return Err(BadToken::Issuer(issuer.to_owned()));
    }
    let audience = claims.texts("aud");
    let party = claims.text("azp");
    let is_party = party.is_none_or(|party| party == expected.client);
    if !audience.contains(&expected.client) || !is_party || audience.len() > 1 && party.is_none() {
        return Err(BadToken::Audience);
    }
    if claims.text("nonce") != Some(expected.nonce) {
        return Err(BadToken::Nonce);
    }
    let over = expected.now - claims.time("exp").ok_or(BadToken::NoEnd)?;
    if over.is_nan() || over >= SKEW {
        return Err(BadToken::Over(over));
    }
    let begins = ["iat", "nbf"].into_iter().filter_map(|name| claims.time(name));
    let early = begins.fold(f64::MIN, f64::max) - expected.now;
    if early > SKEW { Err(BadToken::Early(early)) } else { Ok(()) }
}
