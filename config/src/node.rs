//! `[node]`, `[feeds]`, `[api]` and `[log]`: who the node is and how it talks.

use std::net::SocketAddr;
use std::path::PathBuf;

use tracing_subscriber::EnvFilter;
use url::Url;

use super::Secret;
use super::reader::Reader;
use super::secret::MASK;
use super::show::{Entry, quoted};
use super::values::{http_url, one_of, parsed, text, whole};

/// `[node]`: who and where the node is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The name on its pages and in its feeds.
    pub name: String,
    /// Where it listens.
    pub listen: SocketAddr,
    /// Where others reach it: the beginning of every address it hands out.
    pub public_url: Url,
    /// The folder it keeps its data in.
    pub data: PathBuf,
    /// The page about it, named in the user agent.
    pub contact: Url,
    /// Connections open at the same time.
    pub connections: usize,
}

/// `[feeds]`: how feeds are published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feeds {
    /// Items in a feed's newest page, unless its query says otherwise.
    pub window: usize,
    /// Feeds at most.
    pub most: usize,
}

/// `[api]`: who may change the node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Api {
    /// What a request must carry to change something. Without it nothing can be changed, unless the
    /// node listens on loopback only.
    pub token: Option<Secret>,
}

/// `[log]`: what is logged, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    /// A filter that `EnvFilter` accepts, such as `info,pergola_node::crawl=debug`.
    pub level: String,
    /// Lines for people or for programs.
    pub format: LogFormat,
}

/// How a line of the log refreshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object per line.
    Json,
}

impl LogFormat {
    const NAMES: [(&str, Self); 2] = [("text", Self::Text), ("json", Self::Json)];

    /// The name used in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
        }
    }
}

impl Node {
    /// `secure`: whether it speaks TLS.
    pub(super) fn read(reader: &mut Reader<'_>, secure: bool) -> Self {
        let listen: SocketAddr = reader
            .required("listen", parsed("must be an address and a port such as \"127.0.0.1:8080\""));
        let public_url = reader.optional("public_url", http_url);
        let public_url = public_url.unwrap_or_else(|| local_url(listen, secure));
        let about = || {
            let base = public_url.as_str().trim_end_matches('/');
            Url::parse(&format!("{base}/about")).unwrap_or_else(|_| public_url.clone())
        };
        let data = reader.required("data", text);
        Self {
            name: reader.required("name", text),
            listen,
            data: reader.path("data", &data),
            contact: reader.optional("contact", http_url).unwrap_or_else(about),
            public_url,
            connections: reader.required("connections", whole(16..=1_000_000)),
        }
    }

    pub(super) fn entries(&self) -> Vec<Entry> {
        vec![
            ("name", Some(quoted(&self.name))),
            ("listen", Some(quoted(self.listen))),
            ("public_url", Some(quoted(&self.public_url))),
            ("data", Some(quoted(self.data.display()))),
            ("contact", Some(quoted(&self.contact))),
            ("connections", Some(self.connections.to_string())),
        ]
    }
}

/// How the node is reached from its own machine.
fn local_url(listen: SocketAddr, secure: bool) -> Url {
    let host = if listen.ip().is_unspecified() {
        format!("localhost:{}", listen.port())
    } else {
        listen.to_string()
    };
    let scheme = if secure { "https" } else { "http" };
    Url::parse(&format!("{scheme}://{host}/")).expect("an address with a port is a URL's authority")
}

impl Feeds {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            window: reader.required("window", whole(1..=10_000)),
            most: reader.required("most", whole(1..=1_000_000)),
        }
    }

    pub(super) fn entries(&self) -> Vec<Entry> {
        vec![("window", Some(self.window.to_string())), ("most", Some(self.most.to_string()))]
    }
}

impl Api {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        Self { token: Secret::read(reader) }
    }

    /// The token itself never leaves: it is there or not.
    pub(super) fn entries(&self) -> Vec<Entry> {
        vec![("token", self.token.as_ref().map(|_| quoted(MASK)))]
    }
}

impl Log {
    pub(super) fn read(reader: &mut Reader<'_>) -> Self {
        let level = reader.required("level", |setting| {
            let level = text(setting)?;
            let wrong =
                |_| "must be a level (error, warn, info, debug, trace) or a filter".to_owned();
            EnvFilter::try_new(&level).map(|_| level).map_err(wrong)
        });
        Self { level, format: reader.required("format", one_of(LogFormat::NAMES)) }
    }

    pub(super) fn entries(&self) -> Vec<Entry> {
        vec![("level", Some(quoted(&self.level))), ("format", Some(quoted(self.format.name())))]
    }
}
