//! `compose.yaml`, for `docker-compose` and for `docker compose`.
//!
//! Written by hand rather than by a serialiser, because people read and change it: what all services share
//! stands once, at the top. There is no `version`, which the newer program would complain about, and memory
//! and processors are limited by the keys that both understand without a swarm.

use std::fmt::Write as _;

use super::plan::{Node, Plan};
use super::yaml::{quoted, scalar};
use super::{INNER_PORT, NEWSROOM, USER};

/// Memory of a container: about three times what a node of a small mesh needs.
const MEMORY: &str = "128m";

/// The file's text.
pub(super) fn text(plan: &Plan) -> String {
    let mut text = format!(
        r#"# A mesh of {nodes}, written by topology-gen; README.md beside this file says how to use it.

x-service: &service
  image: {image}
  # Nobody that exists on the machine, with no rights, on a file system that cannot be written.
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
        nodes = super::config::many(plan.nodes.len(), "node"),
        image = scalar(&plan.options.image),
    );
    if plan.options.newsroom {
        let _ = write!(
            text,
            r#"  # The world: sources that publish, and the truth about them.
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
    text.push_str("networks:\n  mesh: {}\n\nvolumes:\n");
    if plan.options.newsroom {
        let _ = writeln!(text, "  {NEWSROOM}-data: {{}}");
    }
    for node in &plan.nodes {
        let _ = writeln!(text, "  {}: {{}}", key(&volume(node)));
    }
    text.push_str("\nsecrets:\n");
    for node in &plan.nodes {
        let file = quoted(&format!("./secrets/{}.token", node.name));
        let _ = writeln!(text, "  {}:\n    file: {file}", key(&secret(node)));
    }
    text
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
        host = key(&node.host),
    );
    if let Some(port) = node.port {
        let _ = write!(text, "    ports:\n      - \"127.0.0.1:{port}:{INNER_PORT}\"\n");
    }
    let world = plan.options.newsroom.then_some(NEWSROOM);
    let before = node.after.iter().map(|&place| plan.nodes[place].host.as_str());
    let before: Vec<&str> = world.into_iter().chain(before).collect();
    if !before.is_empty() {
        text.push_str("    # Only at the start: whoever is away later is waited for by the nodes themselves.\n");
        text.push_str("    depends_on:\n");
    }
    for host in before {
        let _ = write!(text, "      {}:\n        condition: service_healthy\n", key(host));
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
        secret = key(&secret(node)),
    );
}

fn volume(node: &Node) -> String {
    format!("{}-data", node.host)
}

fn secret(node: &Node) -> String {
    format!("{}-token", node.host)
}

/// A key that cannot be read as something else.
fn key(name: &str) -> String {
    scalar(name)
}
