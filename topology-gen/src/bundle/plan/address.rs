//! The host names, ports and addresses of nodes and sources.

use std::collections::HashMap;

use pergola_wiring::mesh::{Mesh, Source};
use url::{Host, Url};

use super::error::{LONGEST_LABEL, PlanError};
use crate::bundle::options::{INNER_PORT, NEWSROOM, Options, Platform, Published};
use crate::hosts::Hosts;

/// A name as a label of a host name: lower-case letters, digits and hyphens.
pub(super) fn label(name: &str) -> Option<String> {
    let label = name.to_ascii_lowercase().replace(['_', '.'], "-");
    let valid = label.starts_with(|c: char| c.is_ascii_lowercase())
        && label.ends_with(|c: char| c.is_ascii_alphanumeric())
        && label.len() <= LONGEST_LABEL
        && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    valid.then_some(label)
}

/// The host name of each node.
pub(super) fn labels(hosts: &Hosts, options: &Options) -> Result<Vec<String>, PlanError> {
    let mut taken: HashMap<String, &String> = HashMap::new();
    let mut labels = Vec::with_capacity(hosts.names.len());
    for name in &hosts.names {
        let host = label(name).ok_or_else(|| PlanError::BadHost { name: name.clone() })?;
        if options.newsroom && host == NEWSROOM {
            return Err(PlanError::NamedNewsroom { name: name.clone() });
        }
        if let Some(&one) = taken.get(&host) {
            return Err(PlanError::SameHost { one: one.clone(), other: name.clone(), host });
        }
        taken.insert(host.clone(), name);
        labels.push(host);
    }
    Ok(labels)
}

pub(super) fn newsroom_url(options: &Options) -> String {
    match options.platform {
        Platform::Local => format!("http://127.0.0.1:{}", options.port),
        Platform::Compose | Platform::Kubernetes => format!("http://{NEWSROOM}:{INNER_PORT}"),
    }
}

/// The URL of each source.
pub(super) fn origins(mesh: &Mesh, options: &Options) -> Result<Vec<Url>, PlanError> {
    let origin = |source: &Source| {
        let name = source.name.clone();
        let url = match (&source.url, options.newsroom) {
            (_, true) => format!("{}/sources/{name}", newsroom_url(options)),
            (Some(url), false) => url.clone(),
            (None, false) => return Err(PlanError::NoAddress { name }),
        };
        let parsed = Url::parse(&url).ok();
        let valid = |url: &Url| matches!(url.scheme(), "http" | "https") && url.has_host();
        parsed.filter(valid).ok_or(PlanError::BadAddress { name, url })
    };
    mesh.sources.iter().map(origin).collect()
}

/// The address of a node.
#[derive(Clone, Debug)]
pub(super) struct Address {
    pub(super) host: String,
    pub(super) port: Option<u16>,
    pub(super) url: String,
}

impl Address {
    pub(super) fn new(options: &Options, labels: &[String], hosts: &Hosts, node: usize) -> Self {
        let host = labels[node].clone();
        let own = options.port + 1 + node as u16;
        let published = match &options.publish {
            Published::All => true,
            Published::These(names) => names.contains(&hosts.names[node]),
        };
        match options.platform {
            Platform::Local => {
                Self { host, port: Some(own), url: format!("http://127.0.0.1:{own}") }
            }
            Platform::Compose | Platform::Kubernetes => {
                let url = format!("http://{host}:{INNER_PORT}");
                Self { host, port: published.then_some(own), url }
            }
        }
    }
}

/// Whether a host is in a private network.
pub(super) fn is_private(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => *name == "localhost" || !name.contains('.'),
        Host::Ipv4(at) => at.is_private() || at.is_loopback() || at.is_link_local(),
        Host::Ipv6(at) => at.is_loopback() || at.is_unique_local() || at.is_unicast_link_local(),
    }
}
