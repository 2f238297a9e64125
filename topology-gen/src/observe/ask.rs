//! Asks nodes over gRPC for their feeds and what these read, and follows them to other nodes.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::time::Duration;

use pergola_proto::v1;
use pergola_proto::v1::syndication_client::SyndicationClient;
use pergola_wiring::mesh::is_name;
use tokio::task::JoinSet;
use tonic::transport::Channel;
use tonic::{Code, Request, Status};

use super::connection::{Trust, TrustError};
use super::reads::{Upstream, origin, reads};
use super::seen::{Described, Node, Read, Seen};

/// The most nodes that are asked at the same time.
const AT_ONCE: usize = 16;
/// The most nodes that are asked.
const MOST_NODES: usize = 10_000;
/// The most feeds of one node that are read.
const MOST_FEEDS: usize = 100_000;

/// How nodes are asked.
#[derive(Clone, Debug)]
pub struct Asking {
    /// Sent to every node.
    pub token: Option<String>,
    /// A folder with files NAME.token, by the names of nodes.
    pub secrets: Option<PathBuf>,
    /// A file of certificates (PEM) to trust in addition to the public authorities.
    pub ca: Option<PathBuf>,
    /// The time that each node has to answer.
    pub timeout: Duration,
    /// Whether to ask the nodes that others read from, too.
    pub follow: bool,
}

/// Why no node could be asked.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    #[error("`{0}` is not the address of a node; use one such as http://127.0.0.1:8080")]
    Address(String),
    #[error(transparent)]
    Trust(#[from] TrustError),
    #[error("no node has answered:{}", listed(.0))]
    Silence(Vec<(String, String)>),
    #[error("the token may contain only visible ASCII characters")]
    Token,
}

fn listed(silent: &[(String, String)]) -> String {
    silent.iter().map(|(at, why)| format!("\n- {at}: {why}")).collect()
}

/// Asks the nodes at these addresses, and the nodes that they read from.
///
/// # Errors
/// When an address, the token or the certificates are not valid, or no node answers.
pub async fn ask(addresses: &[String], asking: &Asking) -> Result<Seen, AskError> {
    let trust = Trust::new(asking.ca.as_deref())?;
    if asking.token.as_deref().is_some_and(|token| bearer(token).is_none()) {
        return Err(AskError::Token);
    }
    let mut next = named(addresses)?;
    let (mut seen, mut asked) = (Seen::default(), BTreeSet::new());
    let mut by_id: HashMap<String, usize> = HashMap::new();
    while !next.is_empty() {
        let round: Vec<(String, bool)> = std::mem::take(&mut next).into_iter().collect();
        asked.extend(round.iter().map(|(at, _)| at.clone()));
        for (at, certain, answer) in ask_all(round, asking, &trust).await {
            match answer {
                Ok(node) => match by_id.get(&node.id) {
                    // A node that was asked before at another address.
                    Some(&place) => seen.nodes[place].origins.extend(node.origins),
                    None => {
                        by_id.insert(node.id.clone(), seen.nodes.len());
                        seen.nodes.push(node);
                    }
                },
                Err(why) if certain => seen.silent.push((at, why)),
                Err(_) => {}
            }
        }
        if !asking.follow {
            break;
        }
        let known: BTreeSet<&String> = seen.nodes.iter().flat_map(|node| &node.origins).collect();
        for (at, certain) in upstreams(&seen, &by_id) {
            if !asked.contains(&at) && !known.contains(&at) {
                *next.entry(at).or_default() |= certain;
            }
        }
        let room = MOST_NODES.saturating_sub(asked.len());
        if next.len() > room {
            let more = next.len() - room;
            seen.notes.push(format!("{more} nodes were not asked: the most is {MOST_NODES}"));
            next = next.into_iter().take(room).collect();
        }
    }
    if seen.nodes.is_empty() {
        return Err(AskError::Silence(seen.silent));
    }
    for node in &mut seen.nodes {
        node.origins.sort();
        node.origins.dedup();
    }
    seen.nodes.sort_by(|one, other| (&one.name, &one.id).cmp(&(&other.name, &other.id)));
    Ok(seen)
}

/// The addresses to ask first. The value says whether there is certainly a node: an address that only has the
/// form of a node's may fail without a warning.
fn named(addresses: &[String]) -> Result<BTreeMap<String, bool>, AskError> {
    let mut named = BTreeMap::new();
    for address in addresses {
        let with_scheme = match address.contains("://") {
            true => address.clone(),
            false => format!("http://{address}"),
        };
        let at = origin(&with_scheme).ok_or_else(|| AskError::Address(address.clone()))?;
        named.insert(at, true);
    }
    Ok(named)
}

/// The addresses of nodes that the nodes seen so far read from.
fn upstreams(seen: &Seen, by_id: &HashMap<String, usize>) -> Vec<(String, bool)> {
    let feeds = seen.nodes.iter().flat_map(|node| &node.feeds);
    let peer = |read: &Read| match read {
        Read::Peer { node: Some(id), .. } if by_id.contains_key(id) => None,
        Read::Peer { url, certain, .. } => origin(url).map(|at| (at, *certain)),
        _ => None,
    };
    feeds.flat_map(|feed| feed.reads.iter().filter_map(peer)).collect()
}

type Answer = (String, bool, Result<Node, String>);

async fn ask_all(round: Vec<(String, bool)>, asking: &Asking, trust: &Trust) -> Vec<Answer> {
    let mut answers = Vec::with_capacity(round.len());
    let mut waiting = round.into_iter();
    let mut tasks: JoinSet<Answer> = JoinSet::new();
    loop {
        while tasks.len() < AT_ONCE
            && let Some((at, certain)) = waiting.next()
        {
            let (asking, trust) = (asking.clone(), trust.clone());
            tasks.spawn(async move {
                let answer = tokio::time::timeout(asking.timeout, one(&at, &asking, &trust)).await;
                let seconds = asking.timeout.as_secs_f64();
                let late = || Err(format!("no answer within {seconds} seconds"));
                (at, certain, answer.unwrap_or_else(|_| late()))
            });
        }
        match tasks.join_next().await {
            Some(Ok(answer)) => answers.push(answer),
            Some(Err(_)) => {} // These tasks neither panic nor are they cancelled.
            None => break,
        }
    }
    // The order of arrival differs from run to run.
    answers.sort_by(|one, other| one.0.cmp(&other.0));
    answers
}

/// Asks one node for all of its feeds.
async fn one(at: &str, asking: &Asking, trust: &Trust) -> Result<Node, String> {
    let mut client = SyndicationClient::new(trust.connect(at)?);
    let mut token = asking.token.clone();
    let (mut node, mut names, mut after) = (None, Vec::new(), String::new());
    loop {
        let request = v1::ListFeedsRequest { limit: 0, after: after.clone() };
        let page = client.list_feeds(signed(request, token.as_deref())).await;
        let page = page.map_err(|status| told(&status))?.into_inner();
        let info = page.node.ok_or("it does not identify itself")?;
        let first = node.is_none();
        node.get_or_insert_with(|| info.clone());
        // The first answer tells the node's name, hence which token to send. With the token the node lists
        // closed feeds, too, so ask again.
        if first && token.is_none() {
            token = secret(asking.secrets.as_deref(), &info.name);
            if token.is_some() {
                continue;
            }
        }
        let last = page.feeds.last().map(|feed| feed.name.clone());
        names.extend(page.feeds.into_iter().map(|feed| feed.name));
        match last {
            Some(last) if page.more && last > after && names.len() < MOST_FEEDS => after = last,
            _ => break,
        }
    }
    let info = node.unwrap_or_default();
    let mut feeds = Vec::with_capacity(names.len());
    for name in names {
        feeds.extend(describe(&mut client, name, token.as_deref()).await?);
    }
    let origins = std::iter::once(at.to_owned()).chain(origin(&info.public_url)).collect();
    let name = if info.name.is_empty() { at.to_owned() } else { info.name };
    let id = if info.id.is_empty() { at.to_owned() } else { info.id };
    Ok(Node { id, name, origins, feeds })
}

async fn describe(
    client: &mut SyndicationClient<Channel>,
    name: String,
    token: Option<&str>,
) -> Result<Option<Described>, String> {
    let request = signed(v1::DescribeRequest { feed: name.clone() }, token);
    let described = match client.describe(request).await {
        Ok(described) => described.into_inner(),
        // The feed was dropped after it was listed.
        Err(status) if status.code() == Code::NotFound => return Ok(None),
        Err(status) => return Err(told(&status)),
    };
    let upstreams: Vec<Upstream> = described
        .upstreams
        .into_iter()
        .map(|v1::Upstream { url, node, feed, title, .. }| Upstream { url, node, feed, title })
        .collect();
    let keywords = described.profile.map(|profile| profile.keywords).unwrap_or_default();
    Ok(Some(Described { name, keywords, reads: reads(&described.query, &upstreams) }))
}

fn signed<T>(message: T, token: Option<&str>) -> Request<T> {
    let mut request = Request::new(message);
    if let Some(value) = token.and_then(bearer) {
        request.metadata_mut().insert("authorization", value);
    }
    request
}

fn bearer(token: &str) -> Option<tonic::metadata::MetadataValue<tonic::metadata::Ascii>> {
    let mut value: tonic::metadata::MetadataValue<_> = format!("Bearer {token}").parse().ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// The token of a node, if the folder has a file for it. A name with slashes is not used as a file name.
fn secret(folder: Option<&Path>, node: &str) -> Option<String> {
    let path = folder.filter(|_| is_name(node))?.join(format!("{node}.token"));
    let token = std::fs::read_to_string(path).ok()?;
    Some(token.trim().to_owned()).filter(|token| !token.is_empty())
}

/// Why a call failed: the innermost cause.
fn told(status: &Status) -> String {
    let mut next = std::error::Error::source(status);
    let mut last = None;
    while let Some(cause) = next {
        last = Some(cause.to_string());
        next = cause.source();
    }
    let hint = match status.code() {
        Code::Unimplemented | Code::Unknown | Code::Internal => " (is it a Pergola node?)",
        Code::Unauthenticated | Code::PermissionDenied => " (--token or --secrets say which token)",
        _ => "",
    };
    format!("{}{hint}", last.unwrap_or_else(|| status.message().to_owned()))
}
