//! What came of an exchange, in a fixed vocabulary that metrics can use as labels.

use url::Url;

/// What one exchange means for the next.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The scheduler does not ask before; infinite once the source has ended.
    pub next_at: f64,
    pub outcome: Outcome,
    /// The source asks for quiet until then, whoever wants to ask.
    pub quiet_until: Option<f64>,
    /// The source's new address.
    pub adopt: Option<Url>,
    /// The answer asked for quiet until then, and the host may mean all of its URLs: hand it to
    /// [`HostPauses::report`](super::HostPauses::report), which knows whether enough URLs agree. Always
    /// `None` for peers.
    pub host_pause: Option<f64>,
    /// A sentence for the log, only when something has changed.
    pub note: Option<String>,
}

impl Verdict {
    pub(crate) fn new(outcome: Outcome, next_at: f64) -> Self {
        Self { next_at, outcome, quiet_until: None, adopt: None, host_pause: None, note: None }
    }
}

/// What came of an exchange. A new address is no outcome of its own: see [`Verdict::adopt`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// Another document than last time.
    Changed,
    /// Nothing new (304, a page without entries), or the document that we have.
    Unchanged,
    /// Only what is new (226, a page after a cursor, a push).
    Delta,
    /// The source wants quiet (429, 503, several 403, a busy peer). This is no error.
    Paused,
    /// The source has ended (410).
    Gone,
    /// It did not work.
    Failed(FailureKind),
}

impl Outcome {
    /// The source answered as it should, with or without news.
    pub fn is_good(self) -> bool {
        matches!(self, Self::Changed | Self::Unchanged | Self::Delta)
    }

    /// The name of the outcome, the same in logs, metrics and the API.
    pub fn name(self) -> &'static str {
        match self {
            Self::Changed => "changed",
            Self::Unchanged => "unchanged",
            Self::Delta => "delta",
            Self::Paused => "paused",
            Self::Gone => "gone",
            Self::Failed(_) => "failed",
        }
    }
}

/// Why an exchange did not work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailureKind {
    /// The name could not be resolved.
    Dns,
    /// The name or address belongs to a private network.
    PrivateAddress,
    /// No connection.
    Connect,
    /// No trustworthy connection.
    Tls,
    /// Too slow.
    Timeout,
    /// The body is larger than allowed.
    TooLarge,
    /// The body decompresses to far more than it should.
    Bomb,
    /// Too many redirects, or one that leads nowhere.
    Redirect,
    /// The answer breaks the rules of HTTP.
    Protocol,
    /// The address is not one that can be fetched.
    BadUrl,
    /// 403, not yet often enough to be a pause.
    Forbidden,
    /// 404.
    NotFound,
    /// Another 4xx.
    ClientError,
    /// A 5xx other than 503.
    ServerError,
    /// A status that means nothing here, such as 204.
    UnexpectedStatus,
    /// A page or something else instead of a feed.
    NotAFeed,
    /// A feed that cannot be read.
    Unreadable,
}

impl FailureKind {
    /// Every kind, for whoever registers metrics.
    pub const ALL: [Self; 17] = [
        Self::Dns,
        Self::PrivateAddress,
        Self::Connect,
        Self::Tls,
        Self::Timeout,
        Self::TooLarge,
        Self::Bomb,
        Self::Redirect,
        Self::Protocol,
        Self::BadUrl,
        Self::Forbidden,
        Self::NotFound,
        Self::ClientError,
        Self::ServerError,
        Self::UnexpectedStatus,
        Self::NotAFeed,
        Self::Unreadable,
    ];

    /// The name of the kind, the same in logs, metrics and the API.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dns => "dns",
            Self::PrivateAddress => "private-address",
            Self::Connect => "connect",
            Self::Tls => "tls",
            Self::Timeout => "timeout",
            Self::TooLarge => "too-large",
            Self::Bomb => "bomb",
            Self::Redirect => "redirect",
            Self::Protocol => "protocol",
            Self::BadUrl => "bad-url",
            Self::Forbidden => "forbidden",
            Self::NotFound => "not-found",
            Self::ClientError => "client-error",
            Self::ServerError => "server-error",
            Self::UnexpectedStatus => "unexpected-status",
            Self::NotAFeed => "not-a-feed",
            Self::Unreadable => "unreadable",
        }
    }

    /// The answer was good and its body was not: a 304 says that nothing has changed about that.
    pub(super) fn is_about_the_body(self) -> bool {
        matches!(self, Self::TooLarge | Self::Bomb | Self::NotAFeed | Self::Unreadable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_variants() {
        fn kebab(variant: &str) -> String {
            let mut name = String::new();
            for letter in variant.chars() {
                if letter.is_uppercase() && !name.is_empty() {
                    name.push('-');
                }
                name.push(letter.to_ascii_lowercase());
            }
            name
        }
        for kind in FailureKind::ALL {
            assert_eq!(kebab(&format!("{kind:?}")), kind.name());
        }
        for outcome in
            [Outcome::Changed, Outcome::Unchanged, Outcome::Delta, Outcome::Paused, Outcome::Gone]
        {
            assert_eq!(kebab(&format!("{outcome:?}")), outcome.name());
        }
    }
}
