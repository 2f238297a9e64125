//! `[crawl]`: how the node fetches sources, and how politely.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use pergola_manners::networks::PrivateException;
use toml::Value;
use url::Url;

use crate::codec::{count, http_url_as, list_of, paths, whole};
use crate::table::Table;
use crate::units::{duration, memory_size};

/// `[crawl]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crawl {
    pub parallel: NonZeroUsize,
    pub connect_timeout: Duration,
    pub timeout: Duration,
    /// In bytes, decoded.
    pub max_body: usize,
    pub max_redirects: usize,
    pub max_items: usize,
    /// Between two refreshes of a source of which nothing is known.
    pub floor: Duration,
    /// Between two refreshes of a source whose history or hints justify it; never above `floor`.
    pub floor_known: Duration,
    pub spacing: Duration,
    pub per_domain: NonZeroUsize,
    pub extra_ca: Vec<PathBuf>,
    pub allow_private: Vec<PrivateException>,
    pub proxy: Option<Url>,
}

const TENTH: Duration = Duration::from_millis(100);
pub(crate) const HOUR: Duration = Duration::from_secs(3600);
pub(crate) const MONTH: Duration = Duration::from_secs(31 * 86_400);
pub(crate) const MOST_PER_DOMAIN: usize = 64;

impl Crawl {
    pub(crate) fn declare(table: &mut Table<'_, Self>) -> Self {
        table.about("How the node fetches sources, and how politely.");
        let mut crawl = Self {
            parallel: table
                .key("parallel", "The most fetches at the same time, over all domains.")
                .required(count(1024), 64, |crawl| crawl.parallel),
            connect_timeout: table
                .key("connect_timeout", "How long to wait for a connection.")
                .required(duration(TENTH..=HOUR), "10 s", |crawl| crawl.connect_timeout),
            timeout: table
                .key("timeout", "How long a whole request may take.")
                .required(duration(TENTH..=HOUR), "30 s", |crawl| crawl.timeout),
            max_body: table
                .key("max_body", "The largest response that is read, after decompression.")
                .required(memory_size(1_000..=1 << 30), "10 MiB", |crawl| crawl.max_body),
            max_redirects: table
                .key("max_redirects", "The most redirects that one request follows.")
                .required(whole(0..=20), 5, |crawl| crawl.max_redirects),
            max_items: table
                .key("max_items", "The most items that are read from one document.")
                .required(whole(1..=1_000_000), 10_000, |crawl| crawl.max_items),
            floor: table
                .key("floor", "The shortest time between two refreshes of a source that is new.")
                .reloads()
                .required(duration(Duration::ZERO..=MONTH), "60 min", |crawl| crawl.floor),
            floor_known: table
                .key(
                    "floor_known",
                    "The same once the history of a source, or what it says about itself, justifies \
                     more refreshes.",
                )
                .reloads()
                .required(duration(Duration::ZERO..=MONTH), "15 min", |crawl| crawl.floor_known),
            spacing: table
                .key("spacing", "The shortest time between two requests to one domain.")
                .required(duration(Duration::ZERO..=HOUR), "2 s", |crawl| crawl.spacing),
            per_domain: table
                .key("per_domain", "The most connections to one domain at the same time.")
                .required(count(MOST_PER_DOMAIN), 1, |crawl| crawl.per_domain),
            extra_ca: table
                .key("extra_ca", "Files of certificates (PEM) to trust besides the public ones.")
                .required(paths(), Value::Array(Vec::new()), |crawl| crawl.extra_ca.clone()),
            allow_private: table
                .key(
                    "allow_private",
                    "Hosts, addresses and networks that the node may reach although they are not \
                     public, such as \"10.0.0.0/8\".",
                )
                .reloads()
                .required(
                    list_of().described("a list of hosts, addresses and networks"),
                    Value::Array(Vec::new()),
                    |crawl| crawl.allow_private.clone(),
                ),
            proxy: table
                .key("proxy", "A proxy for all fetches. It must refuse private addresses itself.")
                .optional(
                    http_url_as("a URL such as \"http://proxy.example:3128\""),
                    "http://proxy.example.org:3128/",
                    |crawl| crawl.proxy.clone(),
                ),
        };
        if crawl.floor_known > crawl.floor {
            table.refuse("floor_known", "must not be longer than `floor`");
            crawl.floor_known = crawl.floor;
        }
        crawl
    }
}
