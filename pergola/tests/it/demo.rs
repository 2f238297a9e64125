//! The demonstration: everything it promises within seconds, and nothing of it left afterwards.

use std::time::Duration;

use pergola_commands::demo::{Args, Arrival, Demo, run};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

async fn get(url: &str) -> String {
    let (address, path) = url.trim_start_matches("http://").split_once('/').unwrap();
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET /{path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

fn names(item: &Arrival) -> Vec<&str> {
    item.way.iter().map(|stop| stop.node.as_str()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn items_come_through_the_mesh_to_its_last_node_and_nothing_is_left_behind() {
    let args = Args { speed: 3_000.0, ..Args::default() };
    let mut demo = Demo::start(&args).await.unwrap();
    let (places, folder) = (demo.places(), demo.folder());
    assert!(folder.exists());
    assert_eq!(places.nodes.len(), 5);
    let last = places.nodes.last().unwrap();
    let mut arrived = Vec::new();
    // Until something new has come to the last node, and enough was delivered to speak of quality.
    let filled = async {
        loop {
            arrived.extend(demo.arrivals().unwrap());
            let state = demo.state();
            let erupted = arrived.iter().any(|item: &Arrival| item.node == last.name);
            if erupted && state.delivered >= 100 && state.nodes.iter().all(|node| node.items > 0) {
                break state;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let state = tokio::time::timeout(Duration::from_secs(100), filled).await.unwrap();
    assert!(state.delivered + state.lost <= state.published, "{state:?}");
    assert!(state.requests > 40 && state.median_delay.unwrap() > 0.0, "{state:?}");
    for node in &state.nodes {
        assert!(node.threshold.is_finite() && node.threshold >= 0.0, "{node:?}");
        let over_links = state.links.iter().filter(|link| link.to == node.name);
        assert_eq!(over_links.map(|link| link.items).sum::<u64>(), node.items, "{node:?}");
    }
    for item in &arrived {
        assert_eq!(names(item).last(), Some(&item.node.as_str()), "{item:?}");
        assert!(item.way.iter().all(|stop| stop.age >= 0.0) && item.delay >= 0.0, "{item:?}");
        if item.node == "Volcanoes" {
            assert_eq!(names(item), ["World", "Earth", "Volcanoes"], "{item:?}");
        }
    }

    let atom = get(&format!("{}.atom", last.feed)).await;
    assert!(atom.starts_with("HTTP/1.1 200") && atom.contains("<entry>"), "{atom}");
    for entry in atom.split("<entry>").skip(1) {
        let entry = entry.to_lowercase();
        assert!(entry.contains("volcano") || entry.contains("iceland"), "{entry}");
    }
    let first = get(&format!("{}/", places.overview)).await;
    assert!(first.contains("3000 times as fast as real time"), "{first}");
    assert!(first.contains(&format!("href=\"{}/\"", places.picture)), "{first}");
    let page = get(&format!("{}/", places.picture)).await;
    for node in &places.nodes {
        assert!(page.contains(&format!("href=\"{}\"", node.page)), "{node:?} in {page}");
    }
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("<svg"), "{page}");
    let live = get(&format!("{}/live", places.picture)).await;
    assert!(!live.contains("<html") && live.contains("Seismograph"), "{live}");
    let svg = get(&format!("{}/mesh.svg", places.picture)).await;
    assert!(svg.contains("image/svg+xml"), "{svg}");
    for node in &state.nodes {
        assert!(svg.contains(&format!(">{} items", node.items)), "{node:?} in {svg}");
    }
    demo.stop().await.unwrap();
    assert!(!folder.exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_demonstration_ends_by_itself_when_its_time_is_over() {
    let args = Args { speed: 3_000.0, seconds: Some(2), json: true, ..Args::default() };
    let ended = tokio::time::timeout(Duration::from_secs(60), run(args)).await;
    ended.unwrap().unwrap();
}

#[tokio::test]
async fn a_speed_that_makes_no_sense_is_refused() {
    let args = Args { speed: f64::NAN, ..Args::default() };
    let refused = run(args).await.unwrap_err().to_string();
    assert!(refused.contains("from 1 to 50,000"), "{refused}");
}

#[tokio::test]
async fn a_port_that_is_taken_is_told_and_nothing_is_left_behind() {
    let taken = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = taken.local_addr().unwrap().port();
    let refused = run(Args { port, ..Args::default() }).await.unwrap_err().to_string();
    assert!(refused.contains(&format!("cannot listen on 127.0.0.1:{port}")), "{refused}");
}
