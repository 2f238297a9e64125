//! The demonstration: everything it promises within seconds, and nothing of it left afterwards.

use std::net::SocketAddr;
use std::time::Duration;

use pergola_node::demo::{Args, Arrival, Demo, run};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

async fn get(address: SocketAddr, path: &str) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

fn is_in(item: &Arrival, feed: &str) -> bool {
    item.feeds.iter().any(|name| name == feed)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_demonstration_shows_filtered_feeds_and_leaves_nothing_behind() {
    let args = Args { speed: 3_000.0, ..Args::default() };
    let mut demo = Demo::start(&args).await.unwrap();
    let (address, folder) = (demo.address(), demo.folder());
    assert!(folder.exists());
    let mut arrived = Vec::new();
    // Until every feed has items and enough was delivered to speak of quality.
    let filled = async {
        loop {
            arrived.extend(demo.arrivals().unwrap());
            let state = demo.state().unwrap();
            let full = state.feeds.iter().all(|(_, items)| *items > 0);
            let erupted = arrived.iter().any(|item: &Arrival| is_in(item, "Volcanoes"));
            if full && erupted && state.delivered >= 100 {
                break state;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let state = tokio::time::timeout(Duration::from_secs(60), filled).await.unwrap();
    assert_eq!(state.feeds.len(), 5);
    assert!(state.threshold.is_finite() && state.threshold > 0.0, "{state:?}");
    assert!(state.delivered + state.lost <= state.published, "{state:?}");
    assert!(state.requests > 40, "{state:?}");
    assert!(state.median_delay.unwrap() > 0.0, "{state:?}");
    let [estimated, truth] = state.freshness;
    assert!((0.0..=1.0).contains(&estimated) && (0.0..=1.0).contains(&truth), "{state:?}");
    for item in &arrived {
        let about = item.title.contains("volcano") || item.title.contains("iceland");
        assert!(is_in(item, "Volcanoes") || !about, "{item:?}");
        assert!(is_in(item, "Sport") || !is_in(item, "OnTheWater"), "{item:?}");
    }
    let atom = get(address, "/feeds/Volcanoes.atom").await;
    assert!(atom.starts_with("HTTP/1.1 200") && atom.contains("<entry>"), "{atom}");
    for entry in atom.split("<entry>").skip(1) {
        let entry = entry.to_lowercase();
        assert!(entry.contains("volcano") || entry.contains("iceland"), "{entry}");
    }
    let rss = get(address, "/feeds/Sport.rss").await;
    assert!(rss.starts_with("HTTP/1.1 200") && rss.contains("<item>"), "{rss}");
    let json = get(address, "/feeds/Code.json").await;
    assert!(json.starts_with("HTTP/1.1 200") && json.contains("\"items\""), "{json}");
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
