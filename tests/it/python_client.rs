//! A client in Python that knows only the .proto, with the gRPC library from PyPI.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::harness::{Home, Press, eventually, python, silent, workspace};

#[tokio::test(flavor = "multi_thread")]
async fn a_client_generated_from_the_proto_lists_fetches_and_watches() {
    let test = "a_client_generated_from_the_proto_lists_fetches_and_watches";
    let Some(python) = python(test, &["grpc", "grpc_tools"]).await else { return };
    let press = Press::start([silent("news")]).await;
    let home = Home::new("");
    let node = home.start().await;
    let titles = ["Lava in Iceland", "Lava & ash", "Zwölf Lavaströme und Lava"];
    titles.iter().for_each(|title| press.publish("news", title));
    let url = press.url("news");
    let query = format!(r#"CREATE FEED News AS RETURN "{url}" WHERE ITEM CONTAINS "lava";"#);
    node.create_feed(&query).await;
    eventually("three items", async || {
        let count = node.archive("News", 0).await.map_or(0, |items| items.len());
        if count == 3 { Ok(()) } else { Err(format!("{count} items")) }
    })
    .await;
    let workspace = workspace();
    let address = node.url("").trim_start_matches("http://").trim_end_matches('/').to_owned();
    let mut command = Command::new(python);
    command.arg(workspace.join("tests/python/client.py")).arg(workspace.join("proto"));
    command.args([&address, "News", "5"]).env("PYTHONIOENCODING", "utf-8");
    let mut client = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(client.stdout.take().unwrap()).lines();
    // A thread of its own reads the lines, so that the test can publish meanwhile.
    let (told, mut heard) = tokio::sync::mpsc::channel::<Value>(8);
    let reading = tokio::task::spawn_blocking(move || {
        while let Some(Ok(line)) = lines.next() {
            let parsed = serde_json::from_str(&line).unwrap();
            told.blocking_send(parsed).unwrap();
        }
    });
    let first = heard.recv().await.expect("it lists and fetches");
    assert_eq!(first["feeds"], serde_json::json!(["News"]));
    assert_eq!(first["keywords"], serde_json::json!(["lava"]));
    let mut fetched: Vec<&str> =
        first["titles"].as_array().unwrap().iter().map(|title| title.as_str().unwrap()).collect();
    fetched.sort_unstable();
    let mut expected = titles;
    expected.sort_unstable();
    assert_eq!(fetched, expected);
    press.publish("news", "Still more lava");
    press.publish("news", "Lava everywhere");
    let second = heard.recv().await.expect("it watches");
    assert_eq!(second["titles"].as_array().unwrap().len(), 2, "{second}");
    assert_eq!(second["cursor"], true, "the head that was told is where the fetch ended");
    let third = heard.recv().await.expect("it is refused");
    assert_eq!(third["code"], "NOT_FOUND", "{third}");
    reading.await.unwrap();
    assert!(client.wait().unwrap().success());
}
