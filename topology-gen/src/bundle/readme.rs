//! `README.md` of a bundle: how to start, watch, stop and change it.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::options::{NEWSROOM, Platform};
use super::plan::{Node, Plan};
use crate::count::many;

/// The text of the file.
pub(super) fn text(plan: &Plan, made_by: &str, inputs: &[&str]) -> String {
    let mut text = format!(
        "# A mesh of {}\n\n![Who reads from whom](graph.svg)\n\nMade by\n\n```sh\n{made_by}\n```\n\n",
        many(plan.nodes.len(), "node"),
    );
    text.push_str("| node | publishes | reads |");
    text.push_str(match plan.options.platform {
        Platform::Kubernetes => "\n|---|---|---|\n",
        _ => " on this machine |\n|---|---|---|---|\n",
    });
    plan.nodes.iter().for_each(|node| row(plan, node, &mut text));
    text.push('\n');
    if plan.options.newsroom {
        text.push_str(
            "A newsroom publishes made-up items for all sources, so the nodes send no request outside the \
             mesh. `newsroom.toml` says what it publishes. `/truth` at its address lists what it has published \
             so far, `/truth?source=NAME` every item of one source.\n\n",
        );
    }
    match plan.options.platform {
        Platform::Compose => compose(plan, &mut text),
        Platform::Local => local(plan, &mut text),
        Platform::Kubernetes => kubernetes(plan, &mut text),
    }
    change(plan, inputs, &mut text);
    text
}

fn row(plan: &Plan, node: &Node, text: &mut String) {
    let feeds: Vec<String> = node.feeds.iter().map(|(name, _)| format!("`{name}`")).collect();
    let _ = write!(
        text,
        "| {} | {} | {} |",
        node.name,
        feeds.join(", "),
        many(node.subscriptions, "subscription")
    );
    let _ = match (plan.options.platform, node.port) {
        (Platform::Kubernetes, _) => writeln!(text),
        (_, Some(port)) => writeln!(text, " <http://127.0.0.1:{port}/> |"),
        (_, None) => writeln!(text, " – |"),
    };
}

fn change(plan: &Plan, inputs: &[&str], text: &mut String) {
    let nodes = match plan.options.platform {
        Platform::Kubernetes => "`kubernetes/node-*.yaml`",
        _ => "`nodes/*.toml`",
    };
    let inputs = match inputs {
        [] => "the options above".to_owned(),
        names => names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
    };
    let _ = writeln!(
        text,
        "## Change it\n\nYou can edit the configuration of each node ({nodes}): add sources and feeds, or change \
         budgets. Who reads from whom follows from {inputs}. For another wiring change that, and make the \
         bundle again in a new folder."
    );
}

/// A feed to show: the last one of the last node with a port.
fn example(plan: &Plan) -> Option<(&Node, &str)> {
    let last = plan.nodes.iter().rfind(|node| node.port.is_some())?;
    last.feeds.last().map(|(name, _)| (last, name.as_str()))
}

/// How to ask the mesh who reads from whom.
fn observe(plan: &Plan, text: &mut String) {
    let read: BTreeSet<usize> = plan.nodes.iter().flat_map(|node| node.after.clone()).collect();
    // Addresses of processes are valid for us, too, so we can follow them. Containers must all be named.
    let named = |place: &usize| plan.options.platform != Platform::Local || !read.contains(place);
    let ports = (0..plan.nodes.len()).filter(named).map(|place| plan.nodes[place].port);
    let Some(ports) = ports.collect::<Option<Vec<u16>>>() else { return };
    let urls: Vec<String> = ports.iter().map(|port| format!("127.0.0.1:{port}")).collect();
    let _ = writeln!(
        text,
        "topology-gen observe {} \\\n    --secrets secrets                        # who really reads from whom",
        urls.join(" ")
    );
}

/// How to see what has arrived.
fn watch(plan: &Plan, text: &mut String) {
    if let Some((node, feed)) = example(plan) {
        let (port, name) = (node.port.unwrap_or_default(), &node.name);
        let _ = write!(
            text,
            "curl http://127.0.0.1:{port}/feeds/{feed}                    # what has arrived\n\
             PERGOLA_API__TOKEN=$(cat secrets/{name}.token) \\\n    pergola status --node http://127.0.0.1:{port}/\n"
        );
    }
    if plan.options.newsroom {
        let _ = writeln!(
            text,
            "curl http://127.0.0.1:{}/truth                       # what was published",
            plan.options.port
        );
    }
}

fn compose(plan: &Plan, text: &mut String) {
    let _ = write!(
        text,
        "## Start\n\nYou need an image `{}` with the entry point `pergola`; `deploy/Dockerfile` of the project \
         builds one.\n\n```sh\ndocker-compose up -d        # or: docker compose up -d\n```\n\nA node starts after \
         the nodes that it reads from. All are healthy within a minute.\n\n## Watch\n\n```sh\ndocker-compose ps\n\
         docker-compose logs -f {}\n",
        plan.options.image,
        plan.nodes.last().map_or("", |node| &node.host),
    );
    watch(plan, text);
    observe(plan, text);
    text.push_str(
        "```\n\nPorts are open on the loopback address of this machine only. `secrets/` holds the token of each \
         node, which every change over its API needs. Only you can enter this folder. To replace a token, write \
         the output of `openssl rand -hex 32` into its file, then run `docker-compose restart`.\n\n## Stop\n\n\
         ```sh\ndocker-compose stop                   # keeps the data\n\
         docker-compose down -v                # deletes the data\n```\n\n",
    );
}

fn local(plan: &Plan, text: &mut String) {
    text.push_str(
        "## Start\n\n```sh\n./mesh start        # in the background, or\n./mesh run          # until Ctrl-C\n\
         ```\n\n`pergola` must be on the PATH; if it is not, set `PERGOLA` to its path. All files that the mesh \
         writes are in `data/`, `logs/` and `run/` next to the script.\n\n## Watch\n\n```sh\n./mesh status\n",
    );
    let _ = writeln!(text, "./mesh logs {}", plan.nodes.last().map_or("", |node| &node.name));
    watch(plan, text);
    observe(plan, text);
    text.push_str("```\n\n");
    if plan.options.speed != 1.0 {
        let _ = write!(
            text,
            "All clocks run {} times as fast as real time, from the time in `data/epoch`, which the first start \
             writes. They go on while the mesh is stopped.\n\n",
            plan.options.speed
        );
    }
    let first = plan.nodes.first().map_or("", |node| &node.name);
    let _ = write!(
        text,
        "## Stop\n\n```sh\n./mesh stop         # keeps the data; `rm -r data` deletes them\n```\n\n\
         To stop, start or restart one member, give its name: `./mesh restart {first}`.\n\n",
    );
}

fn kubernetes(plan: &Plan, text: &mut String) {
    let namespace = &plan.options.namespace;
    let last = plan.nodes.last().map_or("", |node| &node.host);
    let _ = write!(
        text,
        "## Start\n\n```sh\nkubectl apply -f kubernetes/\nkubectl -n {namespace} rollout status statefulset\n```\n\n\
         The image is `{}`; its entry point must be `pergola`. Every node is a StatefulSet with one replica and \
         a volume of its own. Only pods of the namespace can reach the nodes; `00-mesh.yaml` is where you allow \
         others. `01-secrets.yaml` holds the tokens; only you can read it.\n\n## Watch\n\n```sh\nkubectl -n \
         {namespace} get pods\nkubectl -n {namespace} logs -f {last}-0\nkubectl -n {namespace} port-forward \
         service/{last} 8080    # then http://127.0.0.1:8080/\n",
        plan.options.image,
    );
    if plan.options.newsroom {
        let _ = writeln!(
            text,
            "kubectl -n {namespace} port-forward service/{NEWSROOM} 8100:8080    # then /truth"
        );
    }
    let _ = write!(
        text,
        "```\n\nAfter a change of a configuration run `kubectl apply -f kubernetes/`, then `kubectl -n {namespace} \
         rollout restart statefulset/NAME`.\n\n## Stop\n\n```sh\nkubectl delete -f kubernetes/          # deletes the \
         namespace and its volumes\n```\n\n",
    );
}
