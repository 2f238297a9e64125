//! Why a fetch brought no answer, with advice.

use std::error::Error as StdError;
use std::fmt;
use std::net::IpAddr;

use pergola_feed::address::masked;
use pergola_manners::courtesy::FailureKind;
use pergola_manners::reply::Failure;
use thiserror::Error;
use url::Url;

use crate::guard::{Forbidden, NOT_NAMED, ResolveError};
use crate::surroundings::ExchangeError;
use crate::tls::{self, TlsError};

/// Why a fetch brought no answer.
#[derive(Debug, Clone, Error)]
pub enum FetchError {
    /// No address was found for the name.
    #[error("{message}")]
    Dns {
        /// What the resolver said, with advice.
        message: String,
    },
    /// The address is in a private network.
    #[error("{0}")]
    PrivateAddress(Forbidden),
    /// The configuration names the host as a private one, but the source does not.
    #[error("{host} is a private host: {NOT_NAMED}")]
    NotNamed { host: String },
    #[error("cannot connect to {host}: {why}; check that the address and port are right")]
    Connect { host: String, why: String },
    /// There is no trusted connection; `why` says what to do about it.
    #[error("no trusted connection to {host}: {why}")]
    Tls { host: String, why: String },
    #[error("{host} was too slow {stage}: it is tried again later")]
    Timeout { host: String, stage: Stage },
    /// The body is larger than allowed.
    #[error("{url} sends more than {most} bytes: raise crawl.max_body if that is wanted")]
    TooLarge { url: String, most: usize },
    /// The body decompresses to far more than it should.
    #[error("{url} unpacks to more than {ratio} times its size: this is not a feed but an attack")]
    Bomb { url: String, ratio: usize },
    #[error("{url} redirects again after {most} redirects: give the final address of the source")]
    TooManyRedirects { url: String, most: usize },
    /// A redirect that cannot be followed.
    #[error("{url} redirects to `{location}`, which cannot be followed: ask its owner to fix it")]
    BadRedirect { url: String, location: String },
    /// The answer breaks the rules of HTTP.
    #[error("{url} does not speak proper HTTP ({why}): it is tried again later")]
    Protocol { url: String, why: String },
    /// The address may not be fetched.
    #[error("{}", .0.words)]
    Disallowed(Failure),
    /// The address is not one that can be fetched.
    #[error("`{url}` cannot be fetched: give an address that begins with http:// or https://")]
    BadUrl { url: String },
    /// Certificates cannot be read.
    #[error(transparent)]
    Certificates(#[from] TlsError),
    /// The fetcher cannot be set up.
    #[error("{what} cannot be used: {why}; correct the crawl section of the configuration")]
    Settings { what: String, why: String },
}

/// Where a request got stuck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Resolving the name or connecting.
    Connect,
    /// Before the headers.
    Headers,
    /// In the body.
    Body,
}

impl fmt::Display for Stage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Connect => "to connect",
            Self::Headers => "to answer",
            Self::Body => "to send its document",
        })
    }
}

impl FetchError {
    /// The kind of failure, for courtesy and metrics.
    pub fn kind(&self) -> FailureKind {
        match self {
            Self::Dns { .. } => FailureKind::Dns,
            Self::PrivateAddress(_) | Self::NotNamed { .. } => FailureKind::PrivateAddress,
            Self::Connect { .. } => FailureKind::Connect,
            Self::Tls { .. } => FailureKind::Tls,
            Self::Timeout { .. } => FailureKind::Timeout,
            Self::TooLarge { .. } => FailureKind::TooLarge,
            Self::Bomb { .. } => FailureKind::Bomb,
            Self::TooManyRedirects { .. } | Self::BadRedirect { .. } => FailureKind::Redirect,
            Self::Protocol { .. } => FailureKind::Protocol,
            Self::Disallowed(failure) => failure.kind,
            Self::BadUrl { .. } | Self::Settings { .. } | Self::Certificates(_) => {
                FailureKind::BadUrl
            }
        }
    }

    /// What went wrong, for whoever does not know how sources are fetched: its kind, and this error with its
    /// causes in one line.
    pub fn failure(&self) -> Failure {
        let mut words = self.to_string();
        let mut cause = StdError::source(self);
        while let Some(inner) = cause {
            let said = inner.to_string();
            if !words.contains(&said) {
                words = format!("{words}: {said}");
            }
            cause = inner.source();
        }
        Failure { kind: self.kind(), words }
    }

    /// The private address that was refused, if that is what happened.
    pub fn private_address(&self) -> Option<IpAddr> {
        match self {
            Self::PrivateAddress(forbidden) => Some(forbidden.address),
            _ => None,
        }
    }

    pub fn timeout(url: &Url, stage: Stage) -> Self {
        Self::Timeout { host: host(url), stage }
    }

    /// What a failed TLS handshake means.
    pub fn of_handshake(error: &std::io::Error, url: &Url) -> Self {
        let why = tls::cause(error).map_or_else(|| error.to_string(), distrust);
        Self::Tls { host: host(url), why }
    }

    /// What it means that there is no response; `stage` is where it happened.
    pub(super) fn of_exchange(error: ExchangeError, url: &Url, stage: Stage) -> Self {
        match error {
            ExchangeError::Client(error) => Self::of_client(error, url, stage),
            ExchangeError::NoConnection(why) => Self::Connect { host: host(url), why },
        }
    }

    /// What the client's error means; `stage` is where it happened.
    pub(super) fn of_client(error: reqwest::Error, url: &Url, stage: Stage) -> Self {
        let connecting = error.is_connect();
        let error = error.without_url();
        if error.is_timeout() {
            return Self::timeout(url, if connecting { Stage::Connect } else { stage });
        }
        if error.is_builder() {
            return Self::BadUrl { url: shown(url) };
        }
        let mut cut_off = false;
        let mut deepest = error.to_string();
        let mut next: Option<&(dyn StdError + 'static)> = Some(&error);
        while let Some(cause) = next {
            if let Some(resolving) = cause.downcast_ref::<ResolveError>() {
                return Self::of_resolver(resolving);
            }
            if let Some(tls) = tls::cause(cause) {
                return Self::Tls { host: host(url), why: distrust(tls) };
            }
            cut_off |= cause.downcast_ref::<hyper::Error>().is_some_and(is_cut_off);
            deepest = cause.to_string();
            next = cause.source();
        }
        // HTTP/2 keeps only the text of an alert, or of why a connection ended.
        let said = deepest.to_lowercase();
        cut_off |= ENDED.iter().any(|words| said.contains(words));
        if cut_off && stage == Stage::Headers && url.scheme() == "https" {
            // A server may refuse our certificate only after the request was sent.
            let why = format!(
                "it closed the connection ({deepest}); if it requires a client certificate, check \
                 `certificate` and `key` of this host in the configuration"
            );
            return Self::Tls { host: host(url), why };
        }
        if connecting {
            Self::Connect { host: host(url), why: deepest }
        } else {
            Self::Protocol { url: shown(url), why: deepest }
        }
    }

    pub fn of_resolver(error: &ResolveError) -> Self {
        match error {
            ResolveError::Forbidden(forbidden) => Self::PrivateAddress(forbidden.clone()),
            other => Self::Dns { message: other.to_string() },
        }
    }
}

impl From<Forbidden> for FetchError {
    fn from(forbidden: Forbidden) -> Self {
        Self::PrivateAddress(forbidden)
    }
}

/// What errors say when the other side has closed a connection instead of answering.
const ENDED: [&str; 3] = ["fatal alert", "broken pipe", "connection reset"];

/// Whether the other side has closed a connection instead of answering.
fn is_cut_off(error: &hyper::Error) -> bool {
    error.is_closed() || error.is_canceled() || error.is_incomplete_message()
}

/// Why one side does not trust the other, and what to do about it.
fn distrust(error: &rustls::Error) -> String {
    use rustls::AlertDescription as Alert;
    use rustls::CertificateError as Bad;
    let advice = match error {
        rustls::Error::InvalidCertificate(bad) => match bad {
            Bad::Expired | Bad::ExpiredContext { .. } => {
                "its certificate has expired; its operator must renew it"
            }
            Bad::NotValidYet | Bad::NotValidYetContext { .. } => {
                "its certificate is not valid yet; check the clocks of both machines"
            }
            Bad::NotValidForName | Bad::NotValidForNameContext { .. } => {
                "its certificate is for another name; use the name that it is for"
            }
            Bad::UnknownIssuer => {
                "nobody we trust has signed its certificate; to trust it, name the issuer's \
                 certificate as `ca` of this host or in crawl.extra_ca in the configuration"
            }
            _ => "its certificate cannot be used",
        },
        rustls::Error::AlertReceived(alert) => match alert {
            Alert::CertificateRequired => {
                "it requires a client certificate; set `certificate` and `key` of this host in the \
                 configuration"
            }
            Alert::CertificateExpired => "our certificate for it has expired; renew it",
            Alert::BadCertificate
            | Alert::CertificateUnknown
            | Alert::UnknownCA
            | Alert::DecryptError => {
                "it does not accept our certificate; check `certificate` and `key` of this host in \
                 the configuration"
            }
            _ => "it refused the connection",
        },
        _ => {
            return format!(
                "{error}; if its certificate is your own, add its issuer to crawl.extra_ca in the \
                 configuration"
            );
        }
    };
    format!("{advice} ({error})")
}

/// An address as messages show it: without its secrets.
pub(super) fn shown(url: &Url) -> String {
    masked(url.as_str()).into_owned()
}

/// Where a redirect leads, as messages show it. What is no address may have a secret in its query, too.
pub(super) fn shown_location(location: &[u8]) -> String {
    let text = String::from_utf8_lossy(location);
    let relative = Url::parse(&text).is_err();
    let path = text.split_once('?').filter(|_| relative).map(|(path, _)| format!("{path}?…"));
    path.unwrap_or_else(|| masked(&text).into_owned())
}

fn host(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}
