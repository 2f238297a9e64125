//! Pictures of every page, wide and narrow, light and dark. No page is wider than its screen.
//!
//! `PERGOLA_SCREENSHOTS=DIR cargo test --workspace --test end-to-end screenshots` keeps the pictures.

use std::path::PathBuf;
use std::process::Command;

use super::pages::{Look, furnished};
use super::town::Town;
use super::window::{Scripts, Window};
use crate::harness::run;

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
                keep(&window, folder, &format!("{name}-{}.png", look.name())).await;
            }
        }
    }
    assert!(wider.is_empty(), "wider than the screen: {}", wider.join(", "));
}

/// Writes a picture of what the screen shows.
async fn keep(window: &Window, folder: &PathBuf, file: &str) {
    std::fs::create_dir_all(folder).unwrap();
    let taken = window
        .driver
        .command("Page.captureScreenshot", serde_json::json!({ "format": "png" }))
        .await;
    let encoded = folder.join(format!("{file}.base64"));
    std::fs::write(&encoded, taken["data"].as_str().unwrap()).unwrap();
    let mut decode = Command::new("sh");
    decode
        .args(["-c", "base64 -d \"$1\" > \"$2\" && rm \"$1\"", "sh"])
        .arg(&encoded)
        .arg(folder.join(file));
    assert_eq!(run(decode).await.code, Some(0));
}
