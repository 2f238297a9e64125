//! Pages of nodes that live in fast motion: times are those of the node's clock, whatever clock the browser has.

use serde_json::json;

use super::town::home;
use super::window::{Scripts, Window};
use crate::demo::Demonstration;
use crate::harness::{eventually, http_client, now};

/// What an open page and a page that the node has just made say of the same moment.
const AGES: &str = "const done = arguments[0];
    const age = (page) => page.querySelector('time[data-relative]').textContent;
    fetch(location.href).then((answer) => answer.text()).then((html) =>
      done([age(document), age(new DOMParser().parseFromString(html, 'text/html'))]));";

#[tokio::test(flavor = "multi_thread")]
async fn an_age_on_an_open_page_grows_by_the_clock_of_the_node() {
    let test = "an_age_on_an_open_page_grows_by_the_clock_of_the_node";
    let Some(window) = Window::open(test, Scripts::On).await else { return };
    // Its clock is years ahead of the browser's.
    let epoch = now() as u64 - 3 * 86_400;
    let home = home("Fast", &format!("[clock]\nspeed = 600\nepoch = {epoch}\n"));
    let node = home.start().await;
    let source = json!({ "url": "http://localhost:9/feed", "refresh": false });
    let (status, text) = node.post("/api/v1/sources", &source).await;
    assert_eq!(status, 201, "{text}");
    let id = &node.source("http://localhost:9/feed").await["id"];
    let removing = http_client().delete(node.url(&format!("/api/v1/sources/{id}"))).send().await;
    assert!(removing.unwrap().status().is_success());
    window.goes_to(&node.url("/sources/removed")).await;
    window.sees("can be restored until").await;
    let begun = window.driver.script_async(AGES).await.unwrap()[0].clone();
    eventually("an age that has grown to what the node tells", async || {
        let ages = window.driver.script_async(AGES).await?;
        let grown = ages[0] != begun && ages[0] == ages[1];
        if grown { Ok(()) } else { Err(format!("{begun}, then {ages}")) }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_visitor_of_the_demonstration_walks_through_every_page() {
    let test = "a_visitor_of_the_demonstration_walks_through_every_page";
    let Some(window) = Window::open(test, Scripts::On).await else { return };
    let demo = Demonstration::start(&[]).await;
    window.goes_to(&demo.overview).await;
    window.sees("720 times as fast as real time").await;
    let drawn = "return document.querySelector('[data-live=\"chart-freshness\"]').innerHTML";
    let before = window.driver.script(drawn).await.unwrap();
    eventually("a chart that goes on by itself", async || {
        let now = window.driver.script(drawn).await?;
        if now == before { Err(now.to_string()) } else { Ok(()) }
    })
    .await;
    window.presses("Sources").await;
    window.sees("World").await;
    window.sees(" ago").await;
    window.presses("Feeds").await;
    window.sees("Earth").await;
    window.presses("Settings").await;
    window.sees("Refreshes a minute").await;
    window.presses("Mesh").await;
    window.sees("What this node reads").await;
    // Hop by hop.
    window.presses("Read").await;
    window.clicks("//aside//a[contains(., 'World')]").await;
    window.clicks("//article//a[contains(@class, 'open')]").await;
    window.sees("via World (").await;
    // To the picture of the mesh, and back to a node.
    window.presses("Overview").await;
    window.presses("The whole mesh").await;
    window.sees("28 sources, 5 nodes").await;
    window.clicks("//a[normalize-space()='Volcanoes']").await;
    window.sees("Over the last 24 hours").await;
}
