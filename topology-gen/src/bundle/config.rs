//! The configuration of one node.

use std::fmt::Write as _;

use super::options::{INNER_PORT, Platform};
use super::plan::{Node, Plan};
use crate::count::many;

/// A TOML string.
pub(super) fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// The text of the file.
pub(super) fn text(plan: &Plan, node: &Node) -> String {
    let mut text = settings(plan, node);
    if plan.options.speed != 1.0 {
        let _ = write!(
            text,
            "\n# For experiments. All nodes and the newsroom have the same speed, and the same start of the\n\
             # clock in PERGOLA_CLOCK__EPOCH.\n[clock]\nspeed = {:?}\n",
            plan.options.speed
        );
    }
    text.push('\n');
    hosts(node, &mut text);
    for (name, url) in &node.sources {
        let _ = write!(text, "[[source]]\ntitle = {}\nurl = {}\n\n", quoted(name), quoted(url));
    }
    for (_, statement) in &node.feeds {
        let _ = write!(text, "[[feed]]\nquery = {}\n\n", lines(statement));
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

/// The paths and the address of a node.
struct Paths {
    listen: String,
    data: String,
    token: String,
}

impl Paths {
    fn new(plan: &Plan, node: &Node) -> Self {
        match plan.options.platform {
            Platform::Local => Self {
                listen: format!("127.0.0.1:{}", node.port.unwrap_or_default()),
                data: format!("../data/{}", node.name),
                token: format!("../secrets/{}.token", node.name),
            },
            Platform::Compose | Platform::Kubernetes => Self {
                listen: format!("0.0.0.0:{INNER_PORT}"),
                data: "/data".to_owned(),
                token: "/run/secrets/token".to_owned(),
            },
        }
    }
}

/// The tables that every node has.
fn settings(plan: &Plan, node: &Node) -> String {
    let Paths { listen, data, token } = Paths::new(plan, node);
    let cooperate = plan.options.cooperate.0.iter();
    let cooperate: Vec<String> = cooperate.map(|one| quoted(one.name())).collect();
    let refreshes = plan.options.refreshes_per_hour;
    let budget = (node.subscriptions as f64 * refreshes / 60.0).max(0.01);
    // Six decisions between two refreshes of a source, so that the node follows hints promptly.
    let cycle = ((3_600.0 / refreshes / 6.0).clamp(0.25, 10.0) * 100.0).round() / 100.0;
    format!(
        r#"# One node of a mesh, written by topology-gen. pergola.example.toml explains every key.
# After a change run `pergola config check --config` with this file.

[node]
name = {name}
listen = {listen}
# The address at which other nodes of the mesh reach this one. If it has another address for readers
# outside the mesh, use that one.
public_url = {url}
data = {data}
connections = 512

[store]
# A small cache, because a mesh has many nodes. redb survives a power failure without loss.
backend = "redb"
cache = "4 MiB"

[budget]
# {subscriptions}, each refreshed {refreshes} times per hour on average.
refreshes_per_minute = {budget:.2}

[schedule]
cycle = "{cycle} s"

[crawl]
parallel = 8
max_body = "4 MiB"

[websub]
# Hubs outside the mesh cannot reach this node.
subscribe = false

[api]
token_file = {token}

[peers]
cooperate = [{cooperate}]
max_message = "1 MiB"
"#,
        name = quoted(&node.name),
        listen = quoted(&listen),
        url = quoted(&format!("{}/", node.url)),
        data = quoted(&data),
        subscriptions = many(node.subscriptions, "subscription"),
        token = quoted(&token),
        cooperate = cooperate.join(", "),
    )
}

fn hosts(node: &Node, text: &mut String) {
    if !node.private.is_empty() {
        text.push_str(
            "# Neighbours: the only hosts in private networks that the node may reach.\n",
        );
    }
    for (host, peer) in &node.private {
        let _ = write!(
            text,
            "[hosts.{}]\nprivate = true\npeer = {peer}\nspacing = 0\nfloor = \"1 s\"\nper_domain = 8\n\n",
            quoted(host)
        );
    }
}

/// A TOML string of several lines, without escapes if possible.
fn lines(text: &str) -> String {
    let plain = |c: char| c == '\n' || !c.is_control();
    match !text.contains("'''") && !text.ends_with('\'') && text.chars().all(plain) {
        true => format!("'''\n{text}\n'''"),
        false => quoted(text),
    }
}
