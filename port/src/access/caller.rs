//! Who is calling.
//!
//! The operator is whoever knows the node's token, or may use its data folder: the socket there needs none. A node
//! without a token also takes programs of its own user for the operator that connect to it directly, by a name of this
//! machine. That excludes callers behind a proxy (it hides who asks), nodes with a public name, and web pages in a browser
//! on this machine that use a name which resolves to it. A reader is known by its token or by the
//! fingerprint of its certificate.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::extract::{ConnectInfo, FromRequestParts};
use base64::{Engine, engine::general_purpose::STANDARD_NO_PAD};
use http::header::{AUTHORIZATION, HOST, HeaderName};
use http::request::Parts;
use http::{Extensions, HeaderMap, Request, Version};
use pergola_config::{Fingerprint, Reader};
use pergola_outside::surroundings::Neighbour;
use url::{Host, Url};

use super::Known;
use super::forwarded::origin;

/// In a request's extensions: it came by the socket in the data folder, or from a process that has opened the folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByFolder;

/// In a request's extensions: where the node listens whose port it came by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListensOn(pub SocketAddr);

/// The certificate that a connection has shown, and that was found good. In a request's extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientCertificate(pub Fingerprint);

/// Who is calling.
#[derive(Clone, Debug)]
pub enum Caller {
    /// Whoever runs the node.
    Operator,
    /// Somebody with a name.
    Reader(Arc<Reader>),
    /// Anybody.
    Stranger {
        /// Where from; nothing within one process.
        address: Option<IpAddr>,
        /// It has sent a token that nobody has.
        wrong: bool,
    },
}

/// Why somebody is not taken for the operator of a node without a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotNear {
    /// The call comes from another machine.
    Far,
    /// The node has a public name or a proxy, so it trusts nobody for being near.
    Exposed,
    /// The call was passed on by a proxy.
    PassedOn,
    /// The node was called by a name that is not one of this machine.
    OtherName,
    /// The program that calls does not run as the node's user, or it is not known as whom it runs.
    OtherUser,
}

impl Caller {
    /// Whether it runs the node.
    pub fn is_operator(&self) -> bool {
        matches!(self, Self::Operator)
    }
}

/// As the check of a route found it.
impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        let found = parts.extensions.get::<Self>().cloned();
        Ok(found.unwrap_or(Self::Stranger { address: None, wrong: false }))
    }
}

pub(super) fn identify<B>(known: &Known, request: &Request<B>) -> Caller {
    let extensions = request.extensions();
    let mut wrong = false;
    match secret(request.headers()) {
        Some(Sent::Token(token)) if is_operators(known, token) => return Caller::Operator,
        Some(Sent::Token(token)) => match with_token(known, token) {
            Some(reader) => return Caller::Reader(reader),
            None => wrong = true,
        },
        Some(Sent::Password(password)) => match with_token(known, &password) {
            Some(reader) => return Caller::Reader(reader),
            None => wrong = true,
        },
        None => {}
    }
    // A token means nothing to a node that knows none.
    wrong &= known.token.is_some() || !known.readers.is_empty();
    let shown = extensions.get::<ClientCertificate>();
    let with_it =
        |reader: &&Arc<Reader>| shown.is_some_and(|shown| reader.certificates.contains(&shown.0));
    if !wrong {
        if let Some(reader) = known.readers.iter().find(with_it) {
            return Caller::Reader(Arc::clone(reader));
        }
        let by_folder = extensions.get::<ByFolder>().is_some();
        if by_folder || known.token.is_none() && near(known, request).is_ok() {
            return Caller::Operator;
        }
    }
    let address = address(extensions).map(|from| origin(&known.proxies, from, request.headers()));
    Caller::Stranger { address, wrong }
}

fn is_operators(known: &Known, token: &str) -> bool {
    known.token.as_ref().is_some_and(|own| own.matches(token))
}

/// The reader with this token. All are compared, so that the time says nothing about who it is.
fn with_token(known: &Known, token: &str) -> Option<Arc<Reader>> {
    let mut found = None;
    for reader in &known.readers {
        if reader.token.as_ref().is_some_and(|own| own.matches(token)) {
            found = Some(Arc::clone(reader));
        }
    }
    found
}

/// What a request proves itself by.
enum Sent<'h> {
    Token(&'h str),
    /// Browsers send it of their own accord, so it never makes anybody the operator.
    Password(String),
}

fn secret(headers: &HeaderMap) -> Option<Sent<'_>> {
    let (scheme, sent) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    if scheme.eq_ignore_ascii_case("bearer") {
        return Some(Sent::Token(sent.trim()));
    }
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    // Some clients leave the padding out.
    let decoded = STANDARD_NO_PAD.decode(sent.trim().trim_end_matches('=')).ok()?;
    let decoded = String::from_utf8(decoded).ok()?;
    let (_, password) = decoded.split_once(':')?;
    Some(Sent::Password(password.to_owned()))
}

/// Whether a call comes directly from a program of the node's own user on this machine, under a name of this machine.
/// Looking for the user comes last, because it takes longest.
pub(super) fn near<B>(known: &Known, request: &Request<B>) -> Result<(), NotNear> {
    let client =
        connected(request.extensions()).filter(|from| from.ip().to_canonical().is_loopback());
    let Some(client) = client else { return Err(NotNear::Far) };
    if known.exposed {
        return Err(NotNear::Exposed);
    }
    // Some proxies add nothing to a request, but still speak the HTTP of 1996.
    if request.version() <= Version::HTTP_10 || request.headers().keys().any(is_of_proxy) {
        return Err(NotNear::PassedOn);
    }
    let named = request.headers().get(HOST).map(|host| host.to_str().unwrap_or("?"));
    let named = named.or(request.uri().authority().map(|authority| authority.as_str()));
    let own = |host: &str| {
        let name = host_name(host);
        let ip = name.parse::<IpAddr>();
        name.eq_ignore_ascii_case("localhost") || ip.is_ok_and(|ip| ip.to_canonical().is_loopback())
    };
    if !named.is_some_and(own) {
        return Err(NotNear::OtherName);
    }
    let port = request.extensions().get::<ListensOn>().map(|listens| listens.0.port());
    let neighbour = request.extensions().get::<Neighbour>().cloned().unwrap_or_default();
    match port.is_some_and(|port| neighbour.is_same_user(client, port)) {
        true => Ok(()),
        false => Err(NotNear::OtherUser),
    }
}

/// Whether only proxies send a header.
fn is_of_proxy(name: &HeaderName) -> bool {
    const NAMES: [&str; 9] = [
        "forwarded",
        "via",
        "cdn-loop",
        "x-real-ip",
        "x-client-ip",
        "x-cluster-client-ip",
        "true-client-ip",
        "cf-connecting-ip",
        "x-envoy-external-address",
    ];
    let name = name.as_str();
    NAMES.contains(&name)
        || ["x-forwarded", "x-original-"].iter().any(|begin| name.starts_with(begin))
}

/// Whether an address means this machine to everybody who uses it, so that it leads nobody here from elsewhere.
pub(super) fn is_here(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => IpAddr::from(address).to_canonical().is_loopback(),
        None => false,
    }
}

fn connected(extensions: &Extensions) -> Option<SocketAddr> {
    extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0)
}

fn address(extensions: &Extensions) -> Option<IpAddr> {
    connected(extensions).map(|from| from.ip().to_canonical())
}

/// A host without its port and without the brackets of an IPv6 address.
fn host_name(host: &str) -> &str {
    if let Some((inside, _)) = host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return inside;
    }
    host.rsplit_once(':').map_or(host, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_named_without_its_port() {
        for (host, name) in [
            ("localhost:8080", "localhost"),
            ("localhost", "localhost"),
            ("[::1]:8080", "::1"),
            ("[::1]", "::1"),
            ("127.0.0.1:1", "127.0.0.1"),
        ] {
            assert_eq!(host_name(host), name);
        }
    }
}
