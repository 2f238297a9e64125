//! `[crawl]`: how sources are fetched, and how politely.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use url::Url;

use super::PrivateException;
use super::reader::Reader;
use super::show::{Entry, quoted, quoted_list, quoted_url};
use super::units::{duration, size, written_duration, written_size};
use super::values::{count, list, parsed, whole};

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
    /// Between two refreshes of a source of which nothing is known.
    pub floor: Duration,
    /// Between two refreshes of a source whose history or hints justify it.
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

pub(super) const HOUR: Duration = Duration::from_secs(3600);
pub(super) const MONTH: Duration = Duration::from_secs(31 * 86_400);
/// Connections to one domain at most.
pub(super) const MOST_PER_DOMAIN: usize = 64;

impl Crawl {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let tenth = Duration::from_millis(100);
        let floor = reader.required("floor", duration(Duration::ZERO..=MONTH));
        let mut floor_known = reader.required("floor_known", duration(Duration::ZERO..=MONTH));
        if floor_known > floor {
            reader.refuse("floor_known", "must not be longer than `floor`");
            floor_known = floor;
        }
        let extra_ca = reader.required("extra_ca", list);
        let max_body = reader.required("max_body", size(1_000..=1 << 30));
        Self {
            parallel: reader.required("parallel", count(1024)),
            connect_timeout: reader.required("connect_timeout", duration(tenth..=HOUR)),
            timeout: reader.required("timeout", duration(tenth..=HOUR)),
            max_body: usize::try_from(max_body).unwrap_or(usize::MAX),
            max_redirects: reader.required("max_redirects", whole(0..=20)),
            max_items: reader.required("max_items", whole(1..=1_000_000)),
            floor,
            floor_known,
            spacing: reader.required("spacing", duration(Duration::ZERO..=HOUR)),
            per_domain: reader.required("per_domain", count(MOST_PER_DOMAIN)),
            extra_ca: extra_ca.iter().map(|path| reader.path("extra_ca", path)).collect(),
            allow_private: reader.required("allow_private", |setting| {
                list(setting)?.iter().map(|text| text.parse()).collect()
            }),
            proxy: reader.optional("proxy", proxy),
        }
    }

    pub(super) fn entries(&self) -> Vec<Entry> {
        let time = |duration| Some(quoted(written_duration(duration)));
        vec![
            ("parallel", Some(self.parallel.to_string())),
            ("connect_timeout", time(self.connect_timeout)),
            ("timeout", time(self.timeout)),
            ("max_body", Some(quoted(written_size(self.max_body as u64)))),
            ("max_redirects", Some(self.max_redirects.to_string())),
            ("max_items", Some(self.max_items.to_string())),
            ("floor", time(self.floor)),
            ("floor_known", time(self.floor_known)),
            ("spacing", time(self.spacing)),
            ("per_domain", Some(self.per_domain.to_string())),
            ("extra_ca", Some(quoted_list(self.extra_ca.iter().map(|path| path.display())))),
            ("allow_private", Some(quoted_list(&self.allow_private))),
            ("proxy", self.proxy.as_ref().map(quoted_url)),
        ]
    }
}

fn proxy(setting: &super::raw::Setting) -> Result<Url, String> {
    let allowed = "must be an address such as \"http://proxy.example:3128\"";
    let url: Url = parsed(allowed)(setting)?;
    let known = matches!(url.scheme(), "http" | "https") && url.has_host();
    if known { Ok(url) } else { Err(allowed.to_owned()) }
}
