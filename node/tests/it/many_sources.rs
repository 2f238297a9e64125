//! Sources by the thousand: which model they get, and that all of them are there again after a restart.

use pergola_node::node::{NewSource, Node, close};
use pergola_outside::clock::Clock;
use pergola_refresh::Model;
use pergola_store::archive::SourceId;
use tempfile::TempDir;

use crate::house::quick_config;

fn sources(count: usize) -> Vec<NewSource> {
    let source = |n: usize| NewSource {
        importance: Some(2.0),
        ..NewSource::feed(&format!("http://127.0.0.1:9/{n}")).unwrap()
    };
    (0..count).map(source).collect()
}

fn model(node: &Node, id: SourceId) -> Model {
    node.source(id).unwrap().1.schedule.model
}

#[tokio::test(flavor = "multi_thread")]
async fn sources_added_at_once_get_the_model_of_the_node_that_they_make() {
    let folder = TempDir::new().unwrap();
    let node = Node::open_here(quick_config(&folder), Clock::real()).await.unwrap();
    let few = node.add_sources(sources(10)).await.unwrap();
    assert!(matches!(model(&node, few.new[0]), Model::Calendar(_)));
    let many = node.add_sources(sources(5_500)).await.unwrap();
    assert_eq!((many.new.len(), many.known.len()), (5_490, 10));
    assert!(matches!(model(&node, many.new[0]), Model::Gamma(_)));
    assert!(matches!(model(&node, few.new[0]), Model::Calendar(_)), "what was learnt stays");
    close(node).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_finds_every_source_and_what_its_user_thinks_of_it() {
    let folder = TempDir::new().unwrap();
    let node = Node::open_here(quick_config(&folder), Clock::real()).await.unwrap();
    let added = node.add_sources(sources(600)).await.unwrap();
    close(node).await;
    let node = Node::open_here(quick_config(&folder), Clock::real()).await.unwrap();
    let last = added.new[599];
    assert_eq!((node.status().sources, node.source(last).unwrap().0.importance), (600, 2.0));
    assert_eq!(node.find_source("http://127.0.0.1:9/599").unwrap(), last);
    let more = node.add_sources(sources(601)).await.unwrap();
    assert_eq!(more.new, [SourceId(last.0 + 1)], "no number is given twice");
    close(node).await;
}
