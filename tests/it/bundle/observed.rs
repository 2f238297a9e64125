//! A running mesh reports the graph that was deployed.

use super::*;
use crate::harness::eventually;

/// Runs `topology-gen observe`.
async fn observe(bundle: &Bundle, nodes: &[&str], options: &[&str]) -> Output {
    let mut command = topology_gen();
    command.args(["observe", "--json", "--timeout", "30"]).args(options);
    command.args(nodes.iter().map(|name| bundle.client(name).url("")));
    run(command).await
}

#[tokio::test(flavor = "multi_thread")]
async fn observing_gives_back_the_graph_that_was_deployed() {
    let bundle = Bundle::new(EXAMPLE, &["--keep-reach", "--speed", "30"]).await;
    bundle.does(&["start"]).await;
    let deployed = bundle.graph();
    // No node reads these; all others are found by following their links.
    let ends = ["airports", "economy", "outdoors", "transport"];
    let secrets = bundle.path().join("secrets");
    let with_tokens = ["--secrets", secrets.to_str().unwrap()];
    let output = observe(&bundle, &ends, &with_tokens).await;
    assert_eq!((output.code, output.stderr.as_str()), (Some(0), ""), "{output:?}");
    let seen = Graph::read(&output.stdout);
    assert_eq!(seen.links, deployed.links);
    assert_eq!(seen.wanted, deployed.wanted);
    assert!(seen.unknown.is_empty());

    // The observed graph can be drawn and counted.
    let file = bundle.folder.path().join("observed.json");
    fs::write(&file, &output.stdout).unwrap();
    let picture = bundle.folder.path().join("observed.svg");
    let mut command = topology_gen();
    command.arg("draw").arg(&file).arg("--plot").arg(&picture);
    assert_eq!(run(command).await.code, Some(0));
    assert!(fs::read_to_string(&picture).unwrap().contains(">volcano-observatory</text>"));
    let mut command = topology_gen();
    command.arg("stats").arg(&file).arg("--json");
    let stats: Value = serde_json::from_str(&run(command).await.stdout).unwrap();
    assert_eq!((&stats["nodes"], &stats["reach"]), (&7.into(), &Value::Null));
    assert_eq!(stats["subscriptions"], deployed.links.len());

    // Without a token the answer about open feeds is the same, but without the operator's names of sources.
    let output = observe(&bundle, &ends, &[]).await;
    assert_eq!(output.code, Some(0), "{output:?}");
    assert_eq!(Graph::read(&output.stdout).links.len(), deployed.links.len());

    // A node that is down is named, and the rest is reported.
    bundle.does(&["stop", "world"]).await;
    let output = observe(&bundle, &ends, &with_tokens).await;
    assert_eq!(output.code, Some(3), "{output:?}");
    let gone = bundle.client("world").url("");
    assert!(output.stderr.contains(&gone), "{}", output.stderr);
    let seen = Graph::read(&output.stdout);
    assert_eq!(seen.unknown, BTreeSet::from(["World".to_owned()]));
    let left: BTreeSet<_> =
        deployed.links.iter().filter(|(_, to)| to != "World").cloned().collect();
    assert_eq!(seen.links, left);

    bundle.does(&["stop"]).await;
    let output = observe(&bundle, &ends, &[]).await;
    assert_eq!((output.code, output.stdout.as_str()), (Some(2), ""));
    assert!(output.stderr.contains("no node has answered"), "{}", output.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_node_is_told_so() {
    let folder = TempDir::new().unwrap();
    let bundle = Bundle::new(&two_nodes(folder.path()), &[]).await;
    bundle.does(&["start", "newsroom"]).await;
    eventually("the newsroom", async || bundle.newsroom().try_get("/truth").await.map(drop)).await;
    let mut command = topology_gen();
    command.args(["observe", &bundle.newsroom().url("/"), "--timeout", "30"]);
    let output = run(command).await;
    assert_eq!(output.code, Some(2), "{output:?}");
    assert!(output.stderr.contains("is it a Pergola node?"), "{}", output.stderr);
    bundle.does(&["stop"]).await;
}
