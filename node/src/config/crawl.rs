//! `[crawl]`: how sources are fetched, and how politely.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use url::Url;

use super::PrivateException;

/// `[crawl]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crawl {
    /// Fetches at the same time, over all domains.
    pub parallel: NonZeroUsize,
    /// Time for a connection.
    pub connect_timeout: Duration,
    /// Time for a whole request.
    pub timeout: Duration,
    /// Bytes of a decoded answer at most.
    pub max_body: usize,
    /// Redirects followed at most.
    pub max_redirects: usize,
    /// Items read of one document at most.
    pub max_items: usize,
    /// Between two looks at a source of which nothing is known.
    pub floor: Duration,
    /// Between two looks at a source whose history or hints justify it.
    pub floor_known: Duration,
    /// Between two requests to one domain.
    pub spacing: Duration,
    /// Connections to one domain.
    pub per_domain: NonZeroUsize,
    /// Files of certificates that are trusted besides the usual ones.
    pub extra_ca: Vec<PathBuf>,
    /// What may be reached in private networks.
    pub allow_private: Vec<PrivateException>,
    /// A proxy for all fetches.
    pub proxy: Option<Url>,
}
