//! Requests to a provider: log in, get a token, log out.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde::Deserialize;
use url::Url;
use url::form_urlencoded::{Serializer, byte_serialize};

use crate::begun::Begun;
use crate::provider::Provider;

/// This program, as a provider knows it.
#[derive(Debug, Clone, Copy)]
pub struct Client<'a> {
    pub id: &'a str,
    /// Without one it is a public client, which proves itself by PKCE alone.
    pub secret: Option<&'a str>,
    /// Where the provider sends people back to.
    pub redirect: &'a Url,
}

/// A request for a token.
#[derive(Clone, PartialEq, Eq)]
pub struct TokenRequest {
    /// A form.
    pub body: String,
    /// The value of `Authorization`.
    pub authorization: Option<String>,
}

/// What a provider gives for a code.
#[derive(Clone, Deserialize)]
pub struct Grant {
    pub id_token: String,
    /// To ask for more of the same person.
    pub access_token: Option<String>,
}

/// Why a provider gave nothing for a code.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoGrant {
    #[error("the OpenID provider refused the code of the login: {error}{}", described(.description))]
    Refused { error: String, description: Option<String> },
    #[error(
        "the OpenID provider answered the code of the login with status {0} and nothing that can be read"
    )]
    Unreadable(u16),
}

fn described(description: &Option<String>) -> String {
    description.as_ref().map(|text| format!(" ({text})")).unwrap_or_default()
}

#[derive(Deserialize)]
struct Refusal {
    error: String,
    error_description: Option<String>,
}

impl Client<'_> {
    /// Where somebody logs in, for this login. `scopes` are asked for beside `openid`.
    pub fn login_at(&self, provider: &Provider, begun: &Begun, scopes: &[String]) -> Url {
        let mut address = provider.authorization.clone();
        let others = scopes.iter().map(String::as_str).filter(|scope| *scope != "openid");
        let scope = std::iter::once("openid").chain(others).collect::<Vec<_>>().join(" ");
        address
            .query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", self.id)
            .append_pair("redirect_uri", self.redirect.as_str())
            .append_pair("scope", &scope)
            .append_pair("state", &begun.state())
            .append_pair("nonce", &begun.nonce())
            .append_pair("code_challenge", &begun.challenge())
            .append_pair("code_challenge_method", "S256");
        address
    }

    /// What to send for a token.
    pub fn token_for(&self, provider: &Provider, begun: &Begun, code: &str) -> TokenRequest {
        let mut form = Serializer::new(String::new());
        form.append_pair("grant_type", "authorization_code")
            .append_pair("code", code)
            .append_pair("redirect_uri", self.redirect.as_str())
            .append_pair("code_verifier", &begun.verifier());
        let authorization = self.secret.filter(|_| provider.in_header).map(|secret| {
            // Both are encoded as in a form first (RFC 6749, section 2.3.1).
            let [id, secret] =
                [self.id, secret].map(|text| byte_serialize(text.as_bytes()).collect::<String>());
            format!("Basic {}", STANDARD.encode(format!("{id}:{secret}")))
        });
        if authorization.is_none() {
            form.append_pair("client_id", self.id);
            self.secret.map(|secret| form.append_pair("client_secret", secret));
        }
        TokenRequest { body: form.finish(), authorization }
    }

    /// Where somebody logs out at the provider, and comes back from to this address.
    pub fn logout_at(&self, provider: &Provider, back: &Url) -> Option<Url> {
        let mut address = provider.end_session.clone()?;
        address
            .query_pairs_mut()
            .append_pair("client_id", self.id)
            .append_pair("post_logout_redirect_uri", back.as_str());
        Some(address)
    }
}

impl Grant {
    /// Reads what a provider answers to a code.
    pub fn read(status: u16, body: &[u8]) -> Result<Self, NoGrant> {
        let unreadable = |_| NoGrant::Unreadable(status);
        if status == 200 {
            return serde_json::from_slice(body).map_err(unreadable);
        }
        let Refusal { error, error_description } =
            serde_json::from_slice(body).map_err(unreadable)?;
        let short = |text: String| text.chars().filter(|c| !c.is_control()).take(200).collect();
        Err(NoGrant::Refused { error: short(error), description: error_description.map(short) })
    }
}
