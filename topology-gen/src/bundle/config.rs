//! The configuration of one node, as `pergola config check` accepts it.

use std::fmt::Write as _;

use super::plan::{Node, Plan};
use super::{INNER_PORT, Place};

/// Text as TOML.
pub(super) fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// Where the node finds its data and its token.
struct Paths {
    listen: String,
    data: String,
    token: String,
}

impl Paths {
    fn new(plan: &Plan, node: &Node) -> Self {
        match plan.options.place {
            Place::Local => Self {
                listen: format!("127.0.0.1:{}", node.port.unwrap_or_default()),
                data: format!("../data/{}", node.name),
                token: format!("../secrets/{}.token", node.name),
            },
            Place::Compose | Place::Kubernetes => Self {
                listen: format!("0.0.0.0:{INNER_PORT}"),
                data: "/data".to_owned(),
                token: "/run/secrets/token".to_owned(),
            },
        }
    }
}

/// The file's text.
pub(super) fn text(plan: &Plan, node: &Node) -> String {
    let Paths { listen, data, token } = Paths::new(plan, node);
    let options = &plan.options;
    let looks = options.looks_per_hour;
    let budget = (node.subscriptions as f64 * looks / 60.0).max(0.01);
    // Six decisions between two looks at one thing, so that hints are followed promptly.
    let cycle = ((3_600.0 / looks / 6.0).clamp(0.25, 10.0) * 100.0).round() / 100.0;
    let ways: Vec<String> = options.cooperate.0.iter().map(|way| quoted(way.name())).collect();
    let mut text = format!(
        r#"# One node of a mesh, written by topology-gen. Every key there is, with its reason, is in
# pergola.example.toml; `pergola config check --config` this file after a change.

[node]
name = {name}
listen = {listen}
# Where the other nodes of the mesh find it. If it is read from outside by another address, say that one.
public_url = {url}
data = {data}
connections = 512

[store]
# Little memory, because a mesh has many nodes; and nothing is lost when the plug is pulled.
backend = "redb"
cache = "4 MiB"

[budget]
# {subscriptions} to look at, each {looks} times an hour on average.
refreshes_per_minute = {budget:.2}

[schedule]
cycle = "{cycle} s"

[crawl]
parallel = 8
max_body = "4 MiB"

[websub]
# Hubs of the outside could not call back.
subscribe = false

[api]
token_file = {token}

[peers]
cooperate = [{ways}]
max_message = "1 MiB"
"#,
        name = quoted(&node.name),
        listen = quoted(&listen),
        url = quoted(&format!("{}/", node.url)),
        data = quoted(&data),
        subscriptions = many(node.subscriptions, "thing"),
        token = quoted(&token),
        ways = ways.join(", "),
    );
    if options.speed != 1.0 {
        let _ = write!(
            text,
            "\n# For experiments: the same as the newsroom's. PERGOLA_CLOCK__EPOCH says since when, the same \
             for all.\n[clock]\nspeed = {:?}\n",
            options.speed
        );
    }
    if !node.private.is_empty() {
        text.push_str("\n# Neighbours: the only hosts in private networks that are reached.\n");
    }
    for (host, peer) in &node.private {
        let _ = write!(
            text,
            "[hosts.{}]\nprivate = true\npeer = {peer}\nspacing = 0\nfloor = \"1 s\"\nper_domain = 8\n\n",
            quoted(host)
        );
    }
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

/// Several lines as TOML, readable if possible.
fn lines(text: &str) -> String {
    let plain = |c: char| c == '\n' || !c.is_control();
    match !text.contains("'''") && !text.ends_with('\'') && text.chars().all(plain) {
        true => format!("'''\n{text}\n'''"),
        false => quoted(text),
    }
}

pub(super) fn many(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
