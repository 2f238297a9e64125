//! `compose.yaml`, for both `docker-compose` and `docker compose`.
//!
//! Formatted by hand rather than by a serialiser, because people read and change it: the settings that all
//! services share are written once, at the top. There is no `version`, because `docker compose` warns about
//! it. Memory and CPU are limited by keys that both programs understand without a swarm.

use std::fmt::Write as _;

use super::options::{INNER_PORT, NEWSROOM, USER};
use super::plan::{Node, Plan};
use super::yaml::{quoted, scalar};
use crate::count::many;

/// The memory of a container: about three times what a node of a small mesh needs.
const MEMORY: &str = "128m";

/// The text of the file.
pub(super) fn text(plan: &Plan) -> String {
    let mut text = format!(
        r#"# A mesh of {nodes}, written by topology-gen. README.md in this folder explains how to use it.

x-service: &service
  image: {image}
  # A user without an account on the machine, without capabilities, on a read-only file system.
  user: "{USER}:{USER}"
  read_only: true
  cap_drop:
    - ALL
  security_opt:
    - no-new-privileges:true
  mem_limit: {MEMORY}
  cpus: 0.5
  pids_limit: 256
  restart: unless-stopped
  stop_grace_period: 35s
  networks:
    - mesh
  healthcheck:
    test: ["CMD", "pergola", "healthcheck", "--node", "http://127.0.0.1:{INNER_PORT}/"]
    interval: 5s
    timeout: 5s
    retries: 6
    start_period: 10s

services:
"#,
        nodes = many(plan.nodes.len(), "node"),
        image = scalar(&plan.options.image),
    );
    if plan.options.newsroom {
        let _ = write!(
            text,
            r#"  # Publishes for all sources, and tells at /truth what it has published.
  {NEWSROOM}:
    <<: *service
    command: ["newsroom", "/etc/pergola/newsroom.toml", "--listen", "0.0.0.0:{INNER_PORT}", "--public-url", {url}, "--opening-file", "/data/opening"]
    ports:
      - "127.0.0.1:{port}:{INNER_PORT}"
    volumes:
      - ./newsroom.toml:/etc/pergola/newsroom.toml:ro
      - newsroom-data:/data

"#,
            url = quoted(&plan.newsroom_url()),
            port = plan.options.port,
        );
    }
    plan.nodes.iter().for_each(|node| service(plan, node, &mut text));
    named(plan, &mut text);
    text
}

/// The network, volumes and secrets that services refer to.
fn named(plan: &Plan, text: &mut String) {
    text.push_str("networks:\n  mesh: {}\n\nvolumes:\n");
    if plan.options.newsroom {
        let _ = writeln!(text, "  {NEWSROOM}-data: {{}}");
    }
    for node in &plan.nodes {
        let _ = writeln!(text, "  {}: {{}}", scalar(&volume(node)));
    }
    text.push_str("\nsecrets:\n");
    for node in &plan.nodes {
        let file = quoted(&format!("./secrets/{}.token", node.name));
        let _ = writeln!(text, "  {}:\n    file: {file}", scalar(&secret(node)));
    }
}

fn service(plan: &Plan, node: &Node, text: &mut String) {
    let feeds: Vec<&str> = node.feeds.iter().map(|(name, _)| name.as_str()).collect();
    let _ = write!(
        text,
        r#"  # Publishes {feeds}.
  {host}:
    <<: *service
    command: ["run", "--config", "/etc/pergola/pergola.toml"]
"#,
        feeds = feeds.join(", "),
        host = scalar(&node.host),
    );
    if let Some(port) = node.port {
        let _ = write!(text, "    ports:\n      - \"127.0.0.1:{port}:{INNER_PORT}\"\n");
    }
    let newsroom = plan.options.newsroom.then_some(NEWSROOM);
    let before = node.after.iter().map(|&place| plan.nodes[place].host.as_str());
    let before: Vec<&str> = newsroom.into_iter().chain(before).collect();
    if !before.is_empty() {
        text.push_str(
            "    # Only for the first start. A running node retries neighbours that are down.\n",
        );
        text.push_str("    depends_on:\n");
    }
    for host in before {
        let _ = write!(text, "      {}:\n        condition: service_healthy\n", scalar(host));
    }
    let _ = write!(
        text,
        r#"    volumes:
      - {file}
      - {volume}
    secrets:
      - source: {secret}
        target: token

"#,
        file = quoted(&format!("./nodes/{}.toml:/etc/pergola/pergola.toml:ro", node.name)),
        volume = quoted(&format!("{}:/data", volume(node))),
        secret = scalar(&secret(node)),
    );
}

fn volume(node: &Node) -> String {
    format!("{}-data", node.host)
}

fn secret(node: &Node) -> String {
    format!("{}-token", node.host)
}
