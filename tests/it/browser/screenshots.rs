//! Pictures of every page, wide and narrow, light and dark. No page is wider than its screen.
//!
//! `cargo run -p pergola-tests --bin screenshots -- DIR` keeps the pictures, and takes those of the README.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::json;

use super::pages::{Look, furnished};
use super::town::Town;
use super::window::{Scripts, Window};
use crate::demo::Demonstration;
use crate::harness::{run, within};

/// Pixels of a picture from top to bottom; longer pages are cut off.
const HIGHEST: u64 = 4_000;
/// Longer than a day of the demonstration takes.
const PATIENCE: Duration = Duration::from_secs(300);

#[tokio::test(flavor = "multi_thread")]
async fn screenshots_of_every_page_fit_their_screen() {
    let Some(window) =
        Window::open("screenshots_of_every_page_fit_their_screen", Scripts::On).await
    else {
        return;
    };
    let kept = std::env::var_os("PERGOLA_SCREENSHOTS").map(PathBuf::from);
    let town = Town::start().await;
    let mut wider = Vec::new();
    for (name, path) in furnished(&town).await {
        for (wide, dark) in [(true, false), (true, true), (false, false), (false, true)] {
            let look = Look { wide, dark };
            look.at(&window).await;
            window.goes_to(&town.node().url(&path)).await;
            let beyond = "return document.documentElement.scrollWidth - document.documentElement.clientWidth";
            let beyond = window.driver.script(beyond).await.unwrap().as_i64().unwrap();
            if beyond > 0 {
                wider.push(format!("{name} ({}) by {beyond} pixels", look.name()));
            }
            if let Some(folder) = &kept {
                let high = "return document.documentElement.scrollHeight";
                let high = window.driver.script(high).await.unwrap().as_u64().unwrap();
                look.as_high_as(&window, high.min(HIGHEST)).await;
                keep(&window, folder, &format!("{name}-{}.png", look.name())).await;
            }
        }
    }
    assert!(wider.is_empty(), "wider than the screen: {}", wider.join(", "));
}

/// The pictures of the README: a node of the demonstration, after a day of its time.
#[tokio::test(flavor = "multi_thread")]
async fn screenshots_of_the_demonstration_for_the_readme() {
    let Some(kept) = std::env::var_os("PERGOLA_SCREENSHOTS").map(PathBuf::from) else { return };
    let test = "screenshots_of_the_demonstration_for_the_readme";
    let Some(window) = Window::open(test, Scripts::On).await else { return };
    let demo = Demonstration::start(&[]).await;
    let folder = kept.join("docs");
    // Smaller than the usual screen, so that the files stay small.
    let screen = json!({ "width": 1100, "height": 780, "deviceScaleFactor": 1, "mobile": false });
    window.driver.command("Emulation.setDeviceMetricsOverride", screen).await;
    window.goes_to(&demo.overview).await;
    // Points of a chart that shows a day by quarters of an hour.
    let points = "return document.querySelector('[data-live=\"chart-freshness\"] polyline')?.points.length ?? 0";
    within(PATIENCE, "a day of the demonstration", async || {
        let drawn = window.driver.script(points).await?;
        if drawn.as_u64() >= Some(90) { Ok(()) } else { Err(drawn.to_string()) }
    })
    .await;
    keep(&window, &folder, "overview.png").await;
    window.presses("Read").await;
    window.clicks("//aside//a[contains(., 'World')]").await;
    window.clicks("//article//a[contains(@class, 'open')]").await;
    window.sees("via World (").await;
    keep(&window, &folder, "read.png").await;
}

/// Writes a picture of what the screen shows.
async fn keep(window: &Window, folder: &Path, file: &str) {
    std::fs::create_dir_all(folder).unwrap();
    let taken = window.driver.command("Page.captureScreenshot", json!({ "format": "png" })).await;
    let encoded = folder.join(format!("{file}.base64"));
    std::fs::write(&encoded, taken["data"].as_str().unwrap()).unwrap();
    let mut decode = Command::new("sh");
    decode
        .args(["-c", "base64 -d \"$1\" > \"$2\" && rm \"$1\"", "sh"])
        .arg(&encoded)
        .arg(folder.join(file));
    assert_eq!(run(decode).await.code, Some(0));
}
