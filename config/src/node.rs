//! `[node]`: who and where the node is.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use pergola_manners::networks::Network;
use toml::Value;
use url::Url;

use crate::codec::{flag, http_url, list_of, parsed, path, text, whole};
use crate::table::Table;
use crate::units::duration;

/// Where earlier versions kept the data, in the working directory.
pub(crate) const EARLIER: &str = "pergola-data";

/// `[node]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    pub name: String,
    pub listen: SocketAddr,
    /// The beginning of every URL that the node hands out.
    pub public_url: Url,
    pub data: PathBuf,
    /// The page that the user agent names.
    pub contact: Url,
    pub connections: usize,
    pub connections_per_address: usize,
    pub proxies: Vec<Network>,
    /// For the head of a request.
    pub head_timeout: Duration,
    /// For progress of a body, or of an answer.
    pub stall_timeout: Duration,
    /// For the next request.
    pub idle_timeout: Duration,
    /// A proxy is in front: coming from this machine means nothing.
    pub behind_proxy: bool,
}

impl Node {
    /// `secure`: whether the node speaks TLS.
    pub(crate) fn declare(table: &mut Table<'_, Self>, secure: bool) -> Self {
        table.about("Who and where the node is.");
        let name = table
            .key("name", "The name on the pages and in the feeds of the node.")
            .required(text(), "pergola", |node| node.name.clone());
        let listen = table
            .key(
                "listen",
                "The address and port on which the node listens. If other machines can reach it, \
                 changes through the API need `api.token`.",
            )
            .required(
                parsed("an address and a port such as \"127.0.0.1:8080\""),
                "127.0.0.1:8080",
                |node| node.listen,
            );
        let public_url = table
            .key(
                "public_url",
                "The URL at which others reach the node, if it is not `listen`. Every URL that the \
                 node hands out begins with it.",
            )
            .optional(http_url(), "https://feeds.example.org/", |node| {
                Some(node.public_url.clone())
            })
            .unwrap_or_else(|| local_url(listen, secure));
        let data = table
            .key(
                "data",
                "The folder in which the node keeps its data. Left out, it is the user's folder: \
                 `$XDG_DATA_HOME/pergola`, which usually is `~/.local/share/pergola`. A service of \
                 systemd uses its `StateDirectory`. A folder `pergola-data` in the working directory, \
                 which an earlier version made, is still used.",
            )
            .optional(path(), "/var/lib/pergola", |node| Some(node.data.clone()))
            .unwrap_or_else(|| EARLIER.into());
        let contact = table
            .key(
                "contact",
                "The page that the user agent names, for site owners who want to know who polls \
                 them. Left out, it is the node's own page /about.",
            )
            .optional(http_url(), "https://example.org/our-crawler", |node| {
                Some(node.contact.clone())
            })
            .unwrap_or_else(|| about_page(&public_url));
        let (connections, connections_per_address) = connections(table);
        let proxies = proxies(table);
        let [head_timeout, stall_timeout, idle_timeout] = waits(table);
        let behind_proxy = behind_proxy(table);
        Self {
            name,
            listen,
            public_url,
            data,
            contact,
            connections,
            connections_per_address,
            proxies,
            behind_proxy,
            head_timeout,
            stall_timeout,
            idle_timeout,
        }
    }
}

/// Who passes requests on to the node.
fn proxies(table: &mut Table<'_, Node>) -> Vec<Network> {
    table
        .key(
            "proxies",
            "The addresses or networks of reverse proxies in front of the node, such as \"10.0.0.7\". \
             Their connections belong to many callers, who are told apart by `X-Forwarded-For`.",
        )
        .required(
            list_of().described("a list of addresses and networks"),
            Value::Array(Vec::new()),
            |node| node.proxies.clone(),
        )
}

/// Whether somebody does, whoever it is.
fn behind_proxy(table: &mut Table<'_, Node>) -> bool {
    table
        .key(
            "behind_proxy",
            "Whether a proxy in front of the node passes requests on to it. Then nobody counts as the \
             operator for coming from this machine, only with `api.token` or by the socket in the data \
             folder. A `public_url` beyond this machine has the same effect, and so has an entry in `proxies`.",
        )
        .required(flag(), false, |node| node.behind_proxy)
}

/// How many connections there may be, in all and of one address.
fn connections(table: &mut Table<'_, Node>) -> (usize, usize) {
    let all = table
        .key(
            "connections",
            "The most connections that are open at once. Beyond that, only health checks and the \
             operator are answered; all others are told to come back later (503).",
        )
        .required(whole(16..=1_000_000), 4096, |node| node.connections);
    let per_address = table
        .key(
            "connections_per_address",
            "The most connections of one address (an IPv6 /64 counts as one); a network (IPv4 /24, \
             IPv6 /48) may have twice as many. It does not hold for this machine and for `proxies`. \
             Left out, it is a quarter of `connections`.",
        )
        .optional(whole(1..=1_000_000), 1024, |node| Some(node.connections_per_address))
        .unwrap_or(all / 4);
    (all, per_address)
}

/// How long a client is waited for: with a head, with progress, with the next request.
fn waits(table: &mut Table<'_, Node>) -> [Duration; 3] {
    let range = || duration(Duration::from_millis(100)..=Duration::from_secs(3600));
    let head = table
        .key("head_timeout", "How long a client may take for the head of a request.")
        .required(range(), "20 s", |node| node.head_timeout);
    let stall = table
        .key(
            "stall_timeout",
            "How long a client may let the body of a request or an answer stand still. Within this \
             time it must send 1 KiB, or take 16 KiB.",
        )
        .required(range(), "60 s", |node| node.stall_timeout);
    let idle = table
        .key(
            "idle_timeout",
            "How long a connection is kept without a request. If all are taken, it is 5 s.",
        )
        .required(range(), "75 s", |node| node.idle_timeout);
    [head, stall, idle]
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

fn about_page(public_url: &Url) -> Url {
    let base = public_url.as_str().trim_end_matches('/');
    Url::parse(&format!("{base}/about")).unwrap_or_else(|_| public_url.clone())
}
