//! `README.md` of a bundle: how to start, watch, stop and change it.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::plan::{Node, Plan};
use super::{NEWSROOM, Place};

/// The file's text.
pub(super) fn text(plan: &Plan, made_by: &str, inputs: &[&str]) -> String {
    let mut text = format!(
        "# A mesh of {}\n\n![Who reads from whom](graph.svg)\n\nMade by\n\n```sh\n{made_by}\n```\n\n",
        super::config::many(plan.nodes.len(), "node"),
    );
    text.push_str("| node | publishes | reads |");
    text.push_str(match plan.options.place {
        Place::Kubernetes => "\n|---|---|---|\n",
        _ => " on this machine |\n|---|---|---|---|\n",
    });
    plan.nodes.iter().for_each(|node| row(plan, node, &mut text));
    text.push('\n');
    if plan.options.newsroom {
        text.push_str(
            "The world is a newsroom: sources that publish made-up items, so nothing outside is asked. \
             `newsroom.toml` says what they publish; `/truth` at its address tells what they have \
             published, `/truth?source=NAME` with every item.\n\n",
        );
    }
    match plan.options.place {
        Place::Compose => compose(plan, &mut text),
        Place::Local => local(plan, &mut text),
        Place::Kubernetes => kubernetes(plan, &mut text),
    }
    text.push_str("## Change it\n\n");
    let nodes = match plan.options.place {
        Place::Kubernetes => "`kubernetes/node-*.yaml`",
        _ => "`nodes/*.toml`",
    };
    let _ = writeln!(
        text,
        "Each node's configuration ({nodes}) is yours: add sources, feeds, budgets. Who reads from whom \
         follows from {}, so for another wiring change that and make the bundle again, into a new \
         folder.",
        match inputs {
            [] => "the options above".to_owned(),
            names => names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
        },
    );
    text
}

fn row(plan: &Plan, node: &Node, text: &mut String) {
    let feeds: Vec<String> = node.feeds.iter().map(|(name, _)| format!("`{name}`")).collect();
    let _ = write!(
        text,
        "| {} | {} | {} |",
        node.name,
        feeds.join(", "),
        super::config::many(node.subscriptions, "subscription")
    );
    let _ = match (plan.options.place, node.port) {
        (Place::Kubernetes, _) => writeln!(text),
        (_, Some(port)) => writeln!(text, " <http://127.0.0.1:{port}/> |"),
        (_, None) => writeln!(text, " – |"),
    };
}

/// A feed to show, of the node that is farthest from the sources.
fn leaf(plan: &Plan) -> Option<(&Node, &str)> {
    let last = plan.nodes.iter().rfind(|node| node.port.is_some())?;
    last.feeds.last().map(|(name, _)| (last, name.as_str()))
}

/// How to ask the mesh who reads from whom.
fn observe(plan: &Plan, text: &mut String) {
    let read: BTreeSet<usize> = plan.nodes.iter().flat_map(|node| node.after.clone()).collect();
    // Processes find each other where we do; of containers, each has to be named.
    let end = |place: &usize| plan.options.place != Place::Local || !read.contains(place);
    let ports = (0..plan.nodes.len()).filter(end).map(|place| plan.nodes[place].port);
    let Some(ports) = ports.collect::<Option<Vec<u16>>>() else { return };
    let urls: Vec<String> = ports.iter().map(|port| format!("127.0.0.1:{port}")).collect();
    let _ = writeln!(
        text,
        "topology-gen observe {} \\\n    --secrets secrets                        # who really reads from whom",
        urls.join(" ")
    );
}

fn watch(plan: &Plan, text: &mut String) {
    if let Some((node, feed)) = leaf(plan) {
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
            "curl http://127.0.0.1:{}/truth                       # what there was to arrive",
            plan.options.port
        );
    }
}

fn compose(plan: &Plan, text: &mut String) {
    let _ = write!(
        text,
        "## Start\n\nWith an image `{}` whose entry point is `pergola` (`deploy/Dockerfile` of the project \
         makes one):\n\n```sh\ndocker-compose up -d        # or: docker compose up -d\n```\n\nNodes start after \
         those that they read from; all are healthy within a minute.\n\n## Watch\n\n```sh\ndocker-compose ps\n\
         docker-compose logs -f {}\n",
        plan.options.image,
        plan.nodes.last().map_or("", |node| &node.host),
    );
    watch(plan, text);
    observe(plan, text);
    text.push_str(
        "```\n\nPorts are open on this machine's loopback only. `secrets/` holds the token of each node, which \
         is asked for whenever something is changed; only you can enter the folder. Make new ones with \
         `openssl rand -hex 32`, then `docker-compose restart`.\n\n## Stop\n\n```sh\ndocker-compose \
         stop                   # data stay\ndocker-compose down -v                # and now they are gone\n```\n\n",
    );
}

fn local(plan: &Plan, text: &mut String) {
    text.push_str(
        "## Start\n\n```sh\n./mesh start        # and come back, or\n./mesh run          # until Ctrl-C\n```\n\n\
         `pergola` must be on the PATH, or `PERGOLA` must say where it is. Everything that is written lies in \
         `data/`, `logs/` and `run/` beside the script.\n\n## Watch\n\n```sh\n./mesh status\n",
    );
    let _ = writeln!(text, "./mesh logs {}", plan.nodes.last().map_or("", |node| &node.name));
    watch(plan, text);
    observe(plan, text);
    text.push_str("```\n\n");
    if plan.options.speed != 1.0 {
        let _ = write!(
            text,
            "Time passes {} times as fast as in life, for all alike, from the instant in `data/epoch`, which the \
             first start writes. It goes on while the mesh is stopped.\n\n",
            plan.options.speed
        );
    }
    text.push_str(
        "## Stop\n\n```sh\n./mesh stop         # data stay; `rm -r data` for a new beginning\n```\n\n\
         One member alone is stopped, started and restarted by its name: `./mesh restart ",
    );
    let first = plan.nodes.first().map_or("", |node| &node.name);
    let _ = write!(text, "{first}`.\n\n");
}

fn kubernetes(plan: &Plan, text: &mut String) {
    let namespace = &plan.options.namespace;
    let last = plan.nodes.last().map_or("", |node| &node.host);
    let _ = write!(
        text,
        "## Start\n\n```sh\nkubectl apply -f kubernetes/\nkubectl -n {namespace} rollout status statefulset\n```\n\n\
         The image is `{}`; its entry point must be `pergola`. Every node is a StatefulSet of one with a volume \
         of its own. Only pods of the namespace reach the nodes: `00-mesh.yaml` is the place to let others \
         in. `01-secrets.yaml` holds the tokens and is for you alone.\n\n## Watch\n\n```sh\nkubectl -n \
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
        "```\n\nAfter a change of a configuration: `kubectl apply -f kubernetes/`, then `kubectl -n {namespace} \
         rollout restart statefulset/NAME`.\n\n## Stop\n\n```sh\nkubectl delete -f kubernetes/          # volumes \
         stay until the namespace is gone\n```\n\n",
    );
}
