//! Why a node cannot start.

use pergola_refresh::Invalid;
use pergola_store::StoreError;
use pergola_store::archive::ArchiveError;

use crate::writer::NotCommitted;
use pergola_outside::fetch::FetchError;
use pergola_outside::tls::TlsError;
use pergola_peers::registry::LoadError;

/// Why a node cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The data folder cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The store cannot be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The HTTP client cannot be set up.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// The peers cannot be loaded.
    #[error(transparent)]
    Peers(#[from] LoadError),
    /// The scheduler refused a number.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// The first commit failed.
    #[error(transparent)]
    NotCommitted(#[from] NotCommitted),
    /// The system refused a thread or a socket.
    #[error("{what}: {source}")]
    System {
        /// What was attempted.
        what: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// The mail server cannot be used.
    #[error("{0}; correct the mail section of the configuration")]
    Mail(String),
    /// Certificates cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// A stored or declared feed is refused.
    #[error("feed `{name}` cannot be put in force: {reason}")]
    Feed {
        /// The feed.
        name: String,
        /// Why.
        reason: String,
    },
}
