//! Why a request was refused: problem details (RFC 9457) with a code for programs.

use http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::instant::Instant;

/// The media type of a [`Problem`].
pub const MEDIA_TYPE: &str = "application/problem+json";

/// Why a request was refused. `code` says it to programs, `title`, `detail` and `hint` say it to people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename = "about:blank")]
pub struct Problem {
    /// The HTTP status code.
    pub status: u16,
    /// What kind of problem it is.
    #[serde(default)]
    pub code: Code,
    /// The kind in a few words.
    pub title: String,
    /// What went wrong with this request.
    pub detail: String,
    /// What to do next, for somebody who sends requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// The name or URL that is most like the one that does not exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nearest: Option<String>,
    /// When to try again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_at: Option<Instant>,
    /// The key of the configuration that stands in the way, such as `crawl.floor`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Where the mistake in a query is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Place>,
    /// URLs of feeds that were found instead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub feeds: Vec<String>,
    /// Paths that may help.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<String>,
}

impl Problem {
    /// A problem with the status and title of its code.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self {
            status: code.status().as_u16(),
            code,
            title: code.title().to_owned(),
            detail: detail.into(),
            hint: None,
            nearest: None,
            retry_at: None,
            key: None,
            place: None,
            feeds: Vec::new(),
            links: Vec::new(),
        }
    }
}

/// Where a mistake in a query is, and what would be right.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Place {
    /// The line, from 1.
    pub line: usize,
    /// The column in the line, from 1, in characters.
    pub column: usize,
    /// The first character of the mistake in the whole text, from 0.
    pub start: usize,
    /// The character after the last.
    pub end: usize,
    /// What is wrong.
    pub message: String,
    /// What could stand there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expected: Vec<String>,
    /// What was probably meant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// Declares the codes, each with its status and title.
macro_rules! codes {
    ($($(#[$doc:meta])* $code:ident = $status:ident, $title:literal;)+) => {
        /// What kind of problem it is.
        #[derive(
            Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema,
        )]
        #[serde(rename_all = "kebab-case")]
        pub enum Code {
            $($(#[$doc])* $code,)+
            /// A code of another version of the node, or none.
            #[default]
            #[serde(other)]
            Other,
        }

        impl Code {
            /// Every code that a node answers with.
            pub const ALL: &[Self] = &[$(Self::$code),+];

            /// The HTTP status that goes with the code.
            pub fn status(self) -> StatusCode {
                match self {
                    $(Self::$code => StatusCode::$status,)+
                    Self::Other => StatusCode::INTERNAL_SERVER_ERROR,
                }
            }

            /// The code in a few words.
            pub fn title(self) -> &'static str {
                match self {
                    $(Self::$code => $title,)+
                    Self::Other => "unknown problem",
                }
            }
        }
    };
}

codes! {
    /// A part of the request is missing, malformed or out of range.
    BadRequest = BAD_REQUEST, "bad request";
    /// The body is not declared as JSON.
    NotJson = UNSUPPORTED_MEDIA_TYPE, "not JSON";
    /// The body came too slowly.
    TooSlow = REQUEST_TIMEOUT, "too slow";
    /// The body, or what was asked for, is too large.
    TooLarge = PAYLOAD_TOO_LARGE, "too large";
    /// No route has this path.
    NoSuchRoute = NOT_FOUND, "no such route";
    /// The route does not take this method.
    NoSuchMethod = METHOD_NOT_ALLOWED, "no such method";
    /// A page of another site tried to change the node.
    CrossSite = FORBIDDEN, "cross-site request";
    /// The node's token is needed.
    TokenNeeded = UNAUTHORIZED, "token needed";
    /// The token is not one that the node knows.
    TokenUnknown = UNAUTHORIZED, "unknown token";
    /// The caller's token does not allow this.
    NotAllowed = FORBIDDEN, "not allowed";
    /// The node has no token, so only its own machine may do this.
    LocalOnly = FORBIDDEN, "only from the node's own machine";
    /// The caller has sent too many requests.
    TooManyRequests = TOO_MANY_REQUESTS, "too many requests";
    /// The URL cannot be the URL of a source.
    BadUrl = BAD_REQUEST, "not a URL of a source";
    /// No source has this number or URL.
    UnknownSource = NOT_FOUND, "no such source";
    /// It was not removed, or something else is in its place.
    CannotRestore = CONFLICT, "cannot be restored";
    /// A feed reads the source, so it cannot be removed.
    SourceInUse = CONFLICT, "the source is in use";
    /// The source may not be refreshed yet, unless it is forced.
    TooEarly = TOO_MANY_REQUESTS, "too early for a refresh";
    /// The site of the source has itself asked for quiet.
    WantsQuiet = TOO_MANY_REQUESTS, "the site asked for quiet";
    /// The first refresh of a new source failed for good.
    UnusableSource = UNPROCESSABLE_ENTITY, "not a usable source";
    /// An address in a statement leads nowhere; `detail` shows where it is.
    UnreadableAddress = UNPROCESSABLE_ENTITY, "an address leads nowhere";
    /// The scheduler does not accept a value.
    NotSchedulable = UNPROCESSABLE_ENTITY, "not schedulable";
    /// A statement has a mistake; `detail` shows where.
    BadQuery = BAD_REQUEST, "the query has a mistake";
    /// A statement conflicts with a feed that exists.
    QueryConflict = CONFLICT, "the query conflicts with a feed";
    /// Exactly one statement was expected.
    NotOneStatement = BAD_REQUEST, "not one statement";
    /// No feed that the caller may read has this name.
    UnknownFeed = NOT_FOUND, "no such feed";
    /// The node has as many feeds as it may.
    TooManyFeeds = CONFLICT, "too many feeds";
    /// No reader has this name.
    UnknownReader = BAD_REQUEST, "no such reader";
    /// Nobody can be notified that way.
    BadNotification = BAD_REQUEST, "nobody can be notified that way";
    /// Nobody of the feed's is notified under this id.
    UnknownNotification = NOT_FOUND, "no such notification";
    /// The feed notifies as many as it may.
    TooManyNotifications = CONFLICT, "too many notifications";
    /// The other side did not take what was sent to try it.
    NotDelivered = UNPROCESSABLE_ENTITY, "not delivered";
    /// A user cannot have this name or this password.
    BadUser = BAD_REQUEST, "not a name or password of a user";
    /// No user has this name.
    UnknownUser = NOT_FOUND, "no such user";
    /// Another user has the name, or nobody would be left to manage the node.
    UserConflict = CONFLICT, "conflict with another user";
    /// The configuration declares it, so it can only be changed there.
    Declared = CONFLICT, "declared in the configuration";
    /// The list is not OPML.
    NotOpml = BAD_REQUEST, "not an OPML list";
    /// The file is no export of a feed reader.
    NotAnExport = BAD_REQUEST, "not an export of a feed reader";
    /// The node cannot read its configuration again.
    CannotReload = CONFLICT, "cannot reload";
    /// The configuration has a mistake; the old one stays in force.
    BadConfig = UNPROCESSABLE_ENTITY, "the configuration has a mistake";
    /// The configuration has no key of this name that can be set.
    UnknownKey = NOT_FOUND, "no such key";
    /// A running node does not take this key over.
    NeedsRestart = CONFLICT, "needs a restart";
    /// No archive document has this number.
    UnknownVolume = NOT_FOUND, "no such archive document";
    /// The archive document is not complete yet.
    VolumeIncomplete = NOT_FOUND, "not yet complete";
    /// The archive document is older than the node keeps items.
    VolumeExpired = GONE, "no longer kept";
    /// The feed does not exist in the format that was asked for.
    NotAcceptable = NOT_ACCEPTABLE, "no acceptable format";
    /// The disk of the data folder is full.
    DiskFull = INSUFFICIENT_STORAGE, "the disk is full";
    /// The node or its store cannot answer now.
    Unavailable = SERVICE_UNAVAILABLE, "temporarily unavailable";
    /// The node, or the caller's address or network, has too many connections.
    Crowded = SERVICE_UNAVAILABLE, "too many connections";
    /// The node made a mistake.
    Failed = INTERNAL_SERVER_ERROR, "the node failed";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_survives_its_json() {
        let problem = Problem {
            hint: Some("list the feeds".to_owned()),
            nearest: Some("News".to_owned()),
            retry_at: Some(Instant::from_unix(12.5)),
            key: Some("crawl.floor".to_owned()),
            feeds: vec!["https://example.org/rss".to_owned()],
            links: vec!["/opml".to_owned()],
            ..Problem::new(Code::UnknownFeed, "there is no feed `Newz`")
        };
        let json = serde_json::to_value(&problem).unwrap();
        assert_eq!(json["type"], "about:blank");
        assert_eq!((&json["status"], &json["code"]), (&404.into(), &"unknown-feed".into()));
        assert_eq!(serde_json::from_value::<Problem>(json).unwrap(), problem);
    }

    #[test]
    fn a_code_of_a_newer_node_is_no_obstacle() {
        let json =
            r#"{"type":"about:blank","status":418,"code":"teapot","title":"t","detail":"d"}"#;
        let problem: Problem = serde_json::from_str(json).unwrap();
        assert_eq!((problem.status, problem.code), (418, Code::Other));
    }

    #[test]
    fn every_code_is_an_error_and_no_two_have_the_same_title() {
        let titles: std::collections::HashSet<_> =
            Code::ALL.iter().map(|code| code.title()).collect();
        assert_eq!(titles.len(), Code::ALL.len());
        for code in Code::ALL {
            assert!(code.status().is_client_error() || code.status().is_server_error(), "{code:?}");
        }
    }
}
