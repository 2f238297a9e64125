//! What every error of the node means to whoever asked: one status each, said here and nowhere else.
//!
//! What is our own fault is logged here, once.

use http::StatusCode;
use pergola_refresh::Invalid;
use pergola_store::StoreError;
use pergola_store::archive::ArchiveError;

use crate::node::{FeedError, ReloadError, SourceError, StartError};
use crate::publish::Problem;
use crate::writer::NotCommitted;

impl From<SourceError> for Problem {
    fn from(error: SourceError) -> Self {
        let detail = error.to_string();
        match error {
            SourceError::BadUrl { .. } => {
                Self::new(StatusCode::BAD_REQUEST, "no address of a source", detail)
                    .hint("give an absolute address that begins with http:// or https://")
            }
            SourceError::Unknown(_) => Self::new(StatusCode::NOT_FOUND, "no such source", detail),
            SourceError::StillRead { .. } => {
                Self::new(StatusCode::CONFLICT, "the source is read", detail)
                    .hint("drop or alter the feeds that read it first")
            }
            SourceError::TooEarly { until, .. } => {
                let retry_at = until.is_finite().then_some(until);
                let title = "the source is not to be asked yet";
                Self { retry_at, ..Self::new(StatusCode::TOO_MANY_REQUESTS, title, detail) }
            }
            SourceError::Unfinished(_) => unavailable(detail),
            SourceError::NotCommitted(error) => error.into(),
            SourceError::Archive(error) => error.into(),
            SourceError::Invalid(error) => error.into(),
        }
    }
}

impl From<FeedError> for Problem {
    fn from(error: FeedError) -> Self {
        let detail = error.to_string();
        match error {
            FeedError::Query { conflict: true, .. } => {
                Self::new(StatusCode::CONFLICT, "the query is in conflict with a feed", detail)
            }
            FeedError::Query { .. } => {
                Self::new(StatusCode::BAD_REQUEST, "the query is wrong", detail)
            }
            FeedError::NotOne(_) => Self::new(StatusCode::BAD_REQUEST, "not one statement", detail),
            FeedError::Unknown { nearest, .. } => {
                let problem = Self::new(StatusCode::NOT_FOUND, "no such feed", detail);
                match nearest {
                    Some(nearest) => problem.hint(format!("did you mean `{nearest}`?")),
                    None => problem.hint("GET /api/v1/feeds lists those there are"),
                }
            }
            FeedError::TooMany(_) => Self::new(StatusCode::CONFLICT, "too many feeds", detail)
                .hint("drop a feed, or raise feeds.most in the configuration"),
            FeedError::UnknownReader(_) => {
                Self::new(StatusCode::BAD_REQUEST, "no such reader", detail)
                    .hint("name it in a [[reader]] of the node's configuration first")
            }
            FeedError::Declared(_) => {
                Self::new(StatusCode::CONFLICT, "the configuration says it", detail)
                    .hint("change `readers` of its [[feed]] in the configuration and reload it")
            }
            FeedError::Source(error) => error.into(),
            FeedError::NotCommitted(error) => error.into(),
            FeedError::Archive(error) => error.into(),
        }
    }
}

impl From<ReloadError> for Problem {
    fn from(error: ReloadError) -> Self {
        let detail = error.to_string();
        match error {
            ReloadError::NoReader => Self::new(StatusCode::CONFLICT, "nothing to reload", detail),
            ReloadError::Config(_) => {
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, "the configuration is wrong", detail)
                    .hint("the configuration in force stays; put the new one right and try again")
            }
            ReloadError::Start(error) => error.into(),
        }
    }
}

impl From<StartError> for Problem {
    fn from(error: StartError) -> Self {
        let detail = error.to_string();
        match error {
            StartError::Store(error) => refused_by_store(&error),
            StartError::Archive(error) => error.into(),
            StartError::NotCommitted(error) => error.into(),
            StartError::Invalid(error) => error.into(),
            StartError::Feed { .. } | StartError::Tls(_) => {
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, "the configuration is wrong", detail)
            }
            StartError::Fetch(_) | StartError::Peers(_) | StartError::System { .. } => {
                failed(detail)
            }
        }
    }
}

impl From<NotCommitted> for Problem {
    fn from(error: NotCommitted) -> Self {
        match error {
            NotCommitted::Failed(error) => not_kept(&error),
            NotCommitted::Stopping => unavailable(error.to_string()),
        }
    }
}

impl From<ArchiveError> for Problem {
    fn from(error: ArchiveError) -> Self {
        not_kept(&error)
    }
}

impl From<Invalid> for Problem {
    fn from(error: Invalid) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, "the scheduler refuses it", error.to_string())
    }
}

fn not_kept(error: &ArchiveError) -> Problem {
    match error {
        ArchiveError::Store(error) => refused_by_store(error),
        ArchiveError::Damaged { .. } => failed(error.to_string()),
    }
}

fn refused_by_store(error: &StoreError) -> Problem {
    tracing::error!(%error, "the store refused a request");
    match error {
        StoreError::Full { .. } => {
            let detail = format!("nothing was changed: {error}");
            Problem::new(StatusCode::INSUFFICIENT_STORAGE, "the disk is full", detail)
                .hint("free some space on the disk of the data folder and try again")
        }
        StoreError::TooLarge { .. } => {
            Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too large", error.to_string())
                .hint("ask for less at once")
        }
        StoreError::Locked { .. }
        | StoreError::Newer { .. }
        | StoreError::OtherBackend { .. }
        | StoreError::Io { .. }
        | StoreError::Corrupt { .. }
        | StoreError::Engine { .. } => unavailable(error.to_string()),
    }
}

fn unavailable(detail: String) -> Problem {
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "temporarily unavailable", detail)
        .hint("try again in a few seconds; if it persists, the node's log says why")
}

/// Our own fault.
pub(super) fn failed(detail: String) -> Problem {
    tracing::error!(detail, "a request failed");
    Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "the node failed", detail)
        .hint("the node's log says more; please report it")
}
