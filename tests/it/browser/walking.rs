//! From an empty node to reading what came by another one, with and without scripts.

use super::town::Town;
use super::window::{Scripts, Window};
use crate::harness::eventually;

#[tokio::test(flavor = "multi_thread")]
async fn a_person_adds_builds_mends_reads_and_sets_the_budget() {
    walk("a_person_adds_builds_mends_reads_and_sets_the_budget", Scripts::On).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_without_scripts_does_the_same() {
    walk("a_person_without_scripts_does_the_same", Scripts::Off).await;
}

async fn walk(test: &str, scripts: Scripts) {
    let Some(window) = Window::open(test, scripts).await else { return };
    let town = Town::start().await;
    let node = town.node();
    window.goes_to(&node.url("/")).await;
    adds_a_source(&window, &town.site()).await;
    builds_a_feed(&window).await;
    makes_and_mends_a_mistake(&window, scripts).await;
    reads_and_stars(&window).await;
    searches(&window).await;
    follows_a_way(&window, &town).await;
    sets_the_budget(&window, scripts).await;
    let host = node.address().to_string();
    window.was_good(&[&host], &[422, 400]).await;
}

/// By the bare name of a site, whose page names its feed.
async fn adds_a_source(window: &Window, site: &str) {
    window.presses("Sources").await;
    window.types("Address of a feed or a page", site).await;
    window.presses("Add").await;
    window.sees("It was added.").await;
    window.sees("Mountain Herald").await;
}

async fn builds_a_feed(window: &Window) {
    window.presses("Feeds").await;
    window.presses("New feed").await;
    // Something is missing, and what was said stays.
    window.types("Items with one of these words", "volcano, lava").await;
    window.presses("Write the query and try it").await;
    window.sees("The feed needs a name.").await;
    window.types("Name", "Fire").await;
    window.ticks("Mountain Herald").await;
    window.presses("Write the query and try it").await;
    window.sees("What it finds").await;
    window.sees("A volcano wakes").await;
    let query = window.value("#query").await;
    assert!(query.contains("volcano") && query.contains("CREATE FEED Fire"), "{query}");
}

async fn makes_and_mends_a_mistake(window: &Window, scripts: Scripts) {
    let query = window.value("#query").await;
    window.types("Query", &query.replace("CONTAINS", "CONTAINZ")).await;
    if scripts == Scripts::Off {
        window.presses("Check").await;
    }
    window.sees("Line 3, column").await;
    window.sees("CONTAINS").await;
    // A feed with a mistake cannot be saved, and the text stays.
    window.presses("Save").await;
    window.sees("Line 3, column").await;
    assert!(window.value("#query").await.contains("CONTAINZ"));
    window.types("Query", &query).await;
    window.presses("Try it").await;
    window.sees("2 items of 3 stored items would be in the feed").await;
    window.presses("Save").await;
    window.sees("Who may read it").await;
    assert!(
        window.driver.url().await.contains("/feeds/Fire/manage"),
        "{}",
        window.driver.url().await
    );
}

async fn reads_and_stars(window: &Window) {
    window.presses("Read").await;
    window.sees_after_reloading("A volcano wakes").await;
    window.presses("A volcano wakes").await;
    window.sees("It smokes.").await;
    let article = "//article[.//a[normalize-space()='A volcano wakes']]";
    window.clicks(&format!("{article}//button[contains(., 'Star')]")).await;
    window.sees("★ Starred").await;
    window.clicks("//aside//a[contains(., 'Starred')]").await;
    window.sees("A volcano wakes").await;
    let text = window.text().await;
    assert!(!text.contains("Lava flows"), "only what is starred: {text}");
}

async fn searches(window: &Window) {
    window.presses("Read").await;
    window.sees("All items").await;
    let field = window.driver.find("//input[@type='search']").await.unwrap();
    window.driver.keys(&field, "lava").await.unwrap();
    window.presses("Search").await;
    eventually("the search", async || {
        let url = window.driver.url().await;
        if url.contains("q=lava") { Ok(()) } else { Err(url) }
    })
    .await;
    window.sees_after_reloading("Lava flows").await;
    let text = window.text().await;
    assert!(!text.contains("Rain"), "only what was searched for: {text}");
}

/// An item that came by another node says so.
async fn follows_a_way(window: &Window, town: &Town) {
    window.presses("Sources").await;
    window.types("Address of a feed or a page", &town.garden_feed()).await;
    window.presses("Add").await;
    window.sees("It was added.").await;
    town.it_snows_again().await;
    window.presses("Read").await;
    window.sees_after_reloading("More snow").await;
    window.presses("More snow").await;
    window.sees("via Garden (").await;
    window.presses("Mesh").await;
    window.sees("Garden").await;
}

async fn sets_the_budget(window: &Window, scripts: Scripts) {
    window.presses("Settings").await;
    window.types("Refreshes a minute", "5000").await;
    if scripts == Scripts::Off {
        window.presses("Predict").await;
    }
    window.sees("5000").await;
    window.clicks("//form[contains(@class, 'budget')]//button[normalize-space()='Save']").await;
    window.sees("The node may make 5000 refreshes a minute").await;
}
