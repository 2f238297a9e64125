//! Turns every error of the node into a refusal with its code, here and nowhere else.
//!
//! Errors that are the node's own fault are logged here, once.

use pergola_api::Code;
use pergola_config::NotSettable;
use pergola_notify::NotifyError;
use pergola_refresh::Invalid;
use pergola_store::StoreError;
use pergola_store::archive::ArchiveError;

use crate::node::{
    FeedError, Mistake, PeopleError, ReloadError, SetError, SourceError, StartError,
};
use crate::publish::Refusal;
use crate::writer::NotCommitted;

impl From<SourceError> for Refusal {
    fn from(error: SourceError) -> Self {
        let detail = error.to_string();
        match error {
            SourceError::BadUrl { .. } => Self::new(Code::BadUrl, detail)
                .hint("give the address of a feed or a page, such as https://example.org/feed"),
            SourceError::Unknown(_) => {
                Self::new(Code::UnknownSource, detail).hint("GET /api/v1/sources lists all sources")
            }
            SourceError::StillRead { .. } => Self::new(Code::SourceInUse, detail)
                .hint("drop or alter the feeds that read it first"),
            SourceError::TooEarly { until, key, firm, .. } => too_early(detail, until, key, firm),
            SourceError::CannotRestore(_) => Self::new(Code::CannotRestore, detail)
                .hint("GET /api/v1/removed lists what can be restored"),
            SourceError::Unfinished(_) | SourceError::Busy(_) => unavailable(detail),
            SourceError::NotCommitted(error) => error.into(),
            SourceError::Archive(error) => error.into(),
            SourceError::Invalid(error) => error.into(),
        }
    }
}

fn too_early(detail: String, until: f64, key: Option<String>, firm: bool) -> Refusal {
    let refusal = match (firm, &key) {
        (true, _) => Refusal::new(Code::WantsQuiet, detail)
            .hint("wait until then: the site itself asked for it, and `force` changes nothing"),
        (false, Some(key)) => Refusal::new(Code::TooEarly, detail).hint(format!(
            "send `?force=true` to ask anyway; `{key}` in the configuration changes this"
        )),
        (false, None) => {
            Refusal::new(Code::TooEarly, detail).hint("send `?force=true` to ask anyway")
        }
    };
    let refusal = refusal.key(key);
    if until.is_finite() { refusal.retry_at(until) } else { refusal }
}

impl From<FeedError> for Refusal {
    fn from(error: FeedError) -> Self {
        let detail = error.to_string();
        match error {
            FeedError::Query { conflict, place, .. } => {
                let code = if conflict { Code::QueryConflict } else { Code::BadQuery };
                Self::new(code, detail).place(*place)
            }
            FeedError::Unreadable(_) => Self::new(Code::UnreadableAddress, detail)
                .hint("to run the statements anyway, send \"force\": true"),
            FeedError::Nothing => Self::new(Code::NotOneStatement, detail)
                .hint("write one such as CREATE FEED News AS RETURN OPML \"all\";"),
            FeedError::NotOne(_) => Self::new(Code::NotOneStatement, detail),
            FeedError::Unknown { nearest, .. } => {
                let refusal = Self::new(Code::UnknownFeed, detail);
                match nearest {
                    Some(name) => refusal.hint(format!("did you mean `{name}`?")).nearest(name),
                    None => refusal.hint("GET /api/v1/feeds lists all feeds"),
                }
            }
            FeedError::TooMany(_) => Self::new(Code::TooManyFeeds, detail)
                .hint("drop a feed, or raise feeds.most in the configuration"),
            FeedError::UnknownReader(_) => Self::new(Code::UnknownReader, detail)
                .hint("declare it in a [[reader]] of the node's configuration first"),
            FeedError::Declared(_) => Self::new(Code::Declared, detail)
                .hint("change `readers` of its [[feed]] in the configuration and reload it"),
            FeedError::CannotRestore(_) => Self::new(Code::CannotRestore, detail)
                .hint("GET /api/v1/removed lists what can be restored"),
            FeedError::Source(error) => error.into(),
            FeedError::NotCommitted(error) => error.into(),
            FeedError::Archive(error) => error.into(),
        }
    }
}

impl From<NotifyError> for Refusal {
    fn from(error: NotifyError) -> Self {
        let detail = error.to_string();
        match error {
            NotifyError::Wrong(_) => Self::new(Code::BadNotification, detail),
            NotifyError::Unknown(_) => Self::new(Code::UnknownNotification, detail)
                .hint("GET /api/v1/feeds/{name}/notifications lists them"),
            NotifyError::TooMany => Self::new(Code::TooManyNotifications, detail),
            NotifyError::NotDelivered(_) => Self::new(Code::NotDelivered, detail),
            NotifyError::NotStored(_) => unavailable(detail),
        }
    }
}

impl From<ReloadError> for Refusal {
    fn from(error: ReloadError) -> Self {
        let detail = error.to_string();
        match error {
            ReloadError::NoReader => Self::new(Code::CannotReload, detail),
            ReloadError::Config(_) => Self::new(Code::BadConfig, detail)
                .hint("the old configuration stays in force; correct the new one and try again"),
            ReloadError::Start(error) => error.into(),
        }
    }
}

impl From<SetError> for Refusal {
    fn from(error: SetError) -> Self {
        let detail = error.to_string();
        match error {
            SetError::NotSettable(NotSettable::Unknown { nearest: Some(near), .. }) => {
                Self::new(Code::UnknownKey, detail)
                    .hint(format!("did you mean `{near}`?"))
                    .nearest(near)
            }
            SetError::NotSettable(NotSettable::Unknown { .. }) => {
                Self::new(Code::UnknownKey, detail).hint("GET /api/v1/config shows all keys")
            }
            SetError::NotSettable(NotSettable::NeedsRestart { .. }) => {
                Self::new(Code::NeedsRestart, detail)
            }
            SetError::Reload(ReloadError::Config(_)) => Self::new(Code::BadConfig, detail)
                .hint("nothing was changed; give a value that is allowed"),
            SetError::Reload(error) => error.into(),
            SetError::Unwritten(_) => failed(detail),
        }
    }
}

impl From<PeopleError> for Refusal {
    fn from(error: PeopleError) -> Self {
        let detail = error.to_string();
        match error {
            PeopleError::Mistake(mistake) => by_mistake(mistake, detail),
            PeopleError::WrongPassword => Self::new(Code::NotAllowed, detail),
            PeopleError::TooEarly(_) => Self::new(Code::TooManyRequests, detail),
            PeopleError::NoRandomness | PeopleError::Ended(_) => failed(detail),
            PeopleError::Source(error) => error.into(),
            PeopleError::NotCommitted(error) => error.into(),
            PeopleError::Archive(error) => error.into(),
        }
    }
}

fn by_mistake(mistake: Mistake, detail: String) -> Refusal {
    match mistake {
        Mistake::UnknownUser(_) => {
            Refusal::new(Code::UnknownUser, detail).hint("GET /api/v1/users lists all users")
        }
        Mistake::NameTaken(_)
        | Mistake::SubjectTaken(_)
        | Mistake::LastAdmin(_)
        | Mistake::BuiltIn
        | Mistake::TooManyAppPasswords(_) => Refusal::new(Code::UserConflict, detail),
        Mistake::BadName(_)
        | Mistake::BadPassword(_)
        | Mistake::BadPreferences(_)
        | Mistake::Unreadable(_)
        | Mistake::NotFollowed(_) => Refusal::new(Code::BadUser, detail),
        Mistake::Archive(error) => error.into(),
    }
}

impl From<StartError> for Refusal {
    fn from(error: StartError) -> Self {
        let detail = error.to_string();
        match error {
            StartError::Store(error) => refused_by_store(&error),
            StartError::Archive(error) => error.into(),
            StartError::NotCommitted(error) => error.into(),
            StartError::Invalid(error) => error.into(),
            StartError::Feed { .. } | StartError::Tls(_) | StartError::Mail(_) => {
                Self::new(Code::BadConfig, detail)
            }
            StartError::Fetch(_) | StartError::Peers(_) | StartError::System { .. } => {
                failed(detail)
            }
        }
    }
}

impl From<NotCommitted> for Refusal {
    fn from(error: NotCommitted) -> Self {
        match error {
            NotCommitted::Failed(error) => refused_by_archive(&error),
            NotCommitted::Stopping => unavailable(error.to_string()),
        }
    }
}

impl From<ArchiveError> for Refusal {
    fn from(error: ArchiveError) -> Self {
        refused_by_archive(&error)
    }
}

impl From<Invalid> for Refusal {
    fn from(error: Invalid) -> Self {
        Self::new(Code::NotSchedulable, error.to_string())
    }
}

fn refused_by_archive(error: &ArchiveError) -> Refusal {
    match error {
        ArchiveError::Store(error) => refused_by_store(error),
        ArchiveError::Damaged { .. } => failed(error.to_string()),
    }
}

fn refused_by_store(error: &StoreError) -> Refusal {
    tracing::error!(%error, "the store refused a request");
    match error {
        StoreError::Full { .. } => {
            Refusal::new(Code::DiskFull, format!("nothing was changed: {error}"))
                .hint("free space on the disk of the data folder and try again")
        }
        StoreError::TooLarge { .. } => {
            Refusal::new(Code::TooLarge, error.to_string()).hint("ask for less at once")
        }
        StoreError::Locked { .. }
        | StoreError::Newer { .. }
        | StoreError::OtherBackend { .. }
        | StoreError::NotBackedUp { .. }
        | StoreError::Io { .. }
        | StoreError::Lost { .. }
        | StoreError::Corrupt { .. }
        | StoreError::Engine { .. } => unavailable(error.to_string()),
    }
}

fn unavailable(detail: String) -> Refusal {
    Refusal::new(Code::Unavailable, detail)
        .hint("try again in a few seconds; if it keeps failing, the node's log says why")
}

/// The node's own fault.
pub(super) fn failed(detail: String) -> Refusal {
    tracing::error!(detail, "a request failed");
    Refusal::new(Code::Failed, detail).hint("the node's log says more; please report it")
}
