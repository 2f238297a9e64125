//! What a provider publishes about itself (OpenID Connect Discovery 1.0).

use serde::Deserialize;
use url::Url;

/// A provider: where to ask it what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provider {
    /// As it stands in its tokens.
    pub issuer: String,
    /// Where people log in.
    pub authorization: Url,
    /// Where a code becomes a token.
    pub token: Url,
    /// Where its keys are.
    pub keys: Url,
    /// Where it says more of somebody.
    pub userinfo: Option<Url>,
    /// Where people log out.
    pub end_session: Option<Url>,
    /// The client proves itself in a header; otherwise in the form.
    pub in_header: bool,
}

/// Why what a provider says of itself is of no use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadProvider {
    /// The issuer is no address.
    #[error("`{0}` is not the address of an OpenID provider: it begins with https://")]
    Issuer(String),
    /// Not JSON, or something is missing.
    #[error("the configuration of the OpenID provider cannot be read: {0}")]
    Unreadable(String),
    /// It says that it is somebody else.
    #[error(
        "the OpenID provider calls itself `{said}`: write that as `openid.issuer`, which is `{expected}`"
    )]
    OtherIssuer { said: String, expected: String },
    /// An address that cannot be asked.
    #[error(
        "the OpenID provider's {what} `{address}` is not an address that begins with http:// or https://"
    )]
    Address { what: &'static str, address: String },
}

#[derive(Deserialize)]
struct Said {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    jwks_uri: String,
    userinfo_endpoint: Option<String>,
    end_session_endpoint: Option<String>,
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
}

/// Where a provider says what it is.
pub fn configuration_of(issuer: &str) -> Result<Url, BadProvider> {
    let address = format!("{}/.well-known/openid-configuration", issuer.trim_end_matches('/'));
    Url::parse(&address)
        .ok()
        .filter(|url| is_web(url) && Url::parse(issuer).is_ok_and(|url| is_plain(&url)))
        .ok_or_else(|| BadProvider::Issuer(issuer.to_owned()))
}

/// An issuer has no query and no fragment.
fn is_plain(url: &Url) -> bool {
    url.query().is_none() && url.fragment().is_none() && url.username().is_empty()
}

fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && url.has_host()
}

impl Provider {
    /// Reads what the provider of this issuer says of itself.
    pub fn read(document: &[u8], issuer: &str) -> Result<Self, BadProvider> {
        let said: Said = serde_json::from_slice(document)
            .map_err(|error| BadProvider::Unreadable(error.to_string()))?;
        // A slash at the end is easily forgotten; the token is compared with what the provider says.
        if said.issuer.trim_end_matches('/') != issuer.trim_end_matches('/') {
            let expected = issuer.to_owned();
            return Err(BadProvider::OtherIssuer { said: said.issuer, expected });
        }
        let methods = said.token_endpoint_auth_methods_supported;
        let has = |wanted: &str| {
            methods.as_ref().is_some_and(|all| all.iter().any(|method| method == wanted))
        };
        Ok(Self {
            authorization: address("authorization_endpoint", &said.authorization_endpoint)?,
            token: address("token_endpoint", &said.token_endpoint)?,
            keys: address("jwks_uri", &said.jwks_uri)?,
            userinfo: optional("userinfo_endpoint", said.userinfo_endpoint.as_deref())?,
            end_session: optional("end_session_endpoint", said.end_session_endpoint.as_deref())?,
            in_header: has("client_secret_basic") || !has("client_secret_post"),
            issuer: said.issuer,
        })
    }
}

fn optional(what: &'static str, text: Option<&str>) -> Result<Option<Url>, BadProvider> {
    text.map(|text| address(what, text)).transpose()
}

fn address(what: &'static str, text: &str) -> Result<Url, BadProvider> {
    let wrong = || BadProvider::Address { what, address: text.to_owned() };
    Url::parse(text).ok().filter(is_web).ok_or_else(wrong)
}
