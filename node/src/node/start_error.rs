//! What can keep a node from starting.

use pergola_refresh::Invalid;
use pergola_store::StoreError;
use pergola_store::archive::ArchiveError;

use crate::fetch::FetchError;
use crate::peers::LoadError;
use crate::tls::TlsError;
use crate::writer::NotCommitted;

/// Why a node cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The data folder cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// What is kept cannot be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The client cannot be set up.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// What is known of peers cannot be had.
    #[error(transparent)]
    Peers(#[from] LoadError),
    /// A number that the scheduler refuses.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// A first commit that failed.
    #[error(transparent)]
    NotCommitted(#[from] NotCommitted),
    /// A thread or socket that could not be had.
    #[error("{what}: {source}")]
    System {
        /// What was attempted.
        what: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// Certificates that cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// A stored or declared feed that is refused.
    #[error("feed `{name}` cannot be put in force: {reason}")]
    Feed {
        /// The feed.
        name: String,
        /// Why.
        reason: String,
    },
}
