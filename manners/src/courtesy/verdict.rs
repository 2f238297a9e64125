//! What came of an exchange, in a bounded vocabulary that metrics can use as labels.

use url::Url;

/// What one exchange means for the next.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Not before this instant; infinite once the source has ended.
    pub next_at: f64,
    /// What came of it.
    pub outcome: Outcome,
    /// The address to remember instead of the one that was asked.
    pub adopt: Option<Url>,
    /// The answer asked for quiet until then, and the host may mean all of its URLs: hand it to
    /// [`HostPauses::report`](super::HostPauses::report), which knows whether enough URLs agree.
    /// Always `None` for peers.
    pub host_pause: Option<f64>,
    /// A sentence for the log; only when something changed, so that nothing is said twice.
    pub note: Option<String>,
}

/// What came of an exchange. A new address is no outcome of its own: see [`Verdict::adopt`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// 200 with another document than last time.
    Changed,
    /// 304, or 200 with the document we have.
    Unchanged,
    /// 226: only what is new.
    Delta,
    /// 429, 503 or a burst of 403: the source wants quiet. Not an error.
    Paused,
    /// 410: the source has ended.
    Gone,
    /// It did not work.
    Failed(FailureKind),
}

impl Outcome {
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
    /// The body unpacks to far more than it should.
    Bomb,
    /// Too many redirects, or one that leads nowhere.
    Redirect,
    /// Not HTTP as we know it.
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
    /// A status that has no meaning here, such as 204.
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

    /// The answer was fine and its body was not: a 304 says that this is still so.
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
