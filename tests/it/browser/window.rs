//! A window as a person uses it: by what stands on buttons, links and fields. It remembers what pages must not do.

use serde_json::{Value, json};
use url::Url;

use super::driver::Driver;
use crate::harness::eventually;

/// Runs before every page: an alert is logged as an error, and what moves by itself is added up.
const WATCH: &str = "window.alert = (said) => console.error('EXECUTED ' + said + ' at ' + location.href);\n\
    window.moved = 0;\n\
    new PerformanceObserver((list) => {\n\
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.moved += entry.value;\n\
    }).observe({ type: 'layout-shift', buffered: true });";

/// Elements that a person presses.
const PRESSED: &str = "self::button or self::a or self::summary";

/// A window.
pub(crate) struct Window {
    pub(crate) driver: Driver,
}

/// Whether scripts of pages run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scripts {
    On,
    Off,
}

impl Window {
    /// A window; nothing if the test is to be skipped.
    pub(crate) async fn open(test: &str, scripts: Scripts) -> Option<Self> {
        let driver = Driver::start(test).await?;
        driver.command("Page.addScriptToEvaluateOnNewDocument", json!({ "source": WATCH })).await;
        let off = json!({ "value": scripts == Scripts::Off });
        driver.command("Emulation.setScriptExecutionDisabled", off).await;
        Some(Self { driver })
    }

    pub(crate) async fn goes_to(&self, url: &str) {
        self.driver.open(url).await;
    }

    /// Presses the button or link with this text, or whose text begins with it and goes on unseen.
    pub(crate) async fn presses(&self, text: &str) {
        let quoted = quoted(text);
        let path = format!(
            "//*[{PRESSED}][not(@aria-hidden)][normalize-space()={quoted} or (span[@class='unseen'] and \
             starts-with(normalize-space(), {quoted}))]"
        );
        self.clicks(&path).await;
    }

    /// Presses what XPath finds.
    pub(crate) async fn clicks(&self, path: &str) {
        eventually(&format!("`{path}` to press at {}", self.driver.url().await), async || {
            let element = self.driver.find(path).await?;
            self.driver.click(&element).await
        })
        .await;
    }

    /// Types into the field with this label, over what stands there.
    pub(crate) async fn types(&self, label: &str, text: &str) {
        let quoted = quoted(label);
        let path = format!("//*[@id = //label[starts-with(normalize-space(), {quoted})]/@for]");
        eventually(&format!("the field `{label}`"), async || {
            let element = self.driver.find(&path).await?;
            self.driver.clear(&element).await?;
            self.driver.keys(&element, text).await
        })
        .await;
    }

    /// Ticks the box with this label.
    pub(crate) async fn ticks(&self, label: &str) {
        let quoted = quoted(label);
        self.clicks(&format!("//label[contains(normalize-space(), {quoted})]/input")).await;
    }

    /// All that can be read on the page.
    pub(crate) async fn text(&self) -> String {
        let text = self.driver.script("return document.body.innerText").await;
        text.ok().and_then(|text| text.as_str().map(str::to_owned)).unwrap_or_default()
    }

    /// Waits until the page says something.
    pub(crate) async fn sees(&self, wanted: &str) {
        eventually(&format!("`{wanted}` on the page"), async || {
            let text = self.text().await;
            if text.contains(wanted) {
                Ok(())
            } else {
                Err(format!("{}: {text}", self.driver.url().await))
            }
        })
        .await;
    }

    /// Loads the page again until it says something.
    pub(crate) async fn sees_after_reloading(&self, wanted: &str) {
        eventually(&format!("`{wanted}` on the page"), async || {
            let text = self.text().await;
            if text.contains(wanted) {
                return Ok(());
            }
            self.driver.reload().await;
            Err(text)
        })
        .await;
    }

    /// What stands in the first field that XPath finds.
    pub(crate) async fn value(&self, selector: &str) -> String {
        let body = format!("return document.querySelector({}).value", json!(selector));
        self.driver.script(&body).await.unwrap().as_str().unwrap().to_owned()
    }

    /// How far things have moved by themselves since the page was loaded, or since this was asked.
    pub(crate) async fn moved(&self) -> f64 {
        let body = "const moved = window.moved; window.moved = 0; return moved";
        self.driver.script(body).await.unwrap().as_f64().unwrap()
    }

    /// Fails if a page has logged an error, or has asked anybody but these hosts for something. A form that is refused
    /// says so by its status, which browsers log as well; those of `refusals` are fine.
    pub(crate) async fn was_good(&self, hosts: &[&str], refusals: &[u16]) {
        let statuses: Vec<String> =
            refusals.iter().map(|status| format!("responded with a status of {status}")).collect();
        for entry in self.driver.log("browser").await {
            let said = entry["message"].as_str().unwrap_or_default();
            let expected = statuses.iter().any(|status| said.contains(status.as_str()));
            let fine = expected || !matches!(entry["level"].as_str(), Some("SEVERE" | "WARNING"));
            assert!(fine, "the console says {entry}");
        }
        let asked = self.asked().await;
        assert!(!asked.is_empty(), "the log of the network says what was asked for");
        for url in asked {
            let host = Url::parse(&url).ok().and_then(|url| {
                let host = url.host_str()?.to_owned();
                Some(format!("{host}:{}", url.port_or_known_default()?))
            });
            let inner =
                url.starts_with("data:") || url.starts_with("chrome:") || url.starts_with("blob:");
            let known = host.is_some_and(|host| hosts.contains(&host.as_str()));
            assert!(inner || known, "a page has asked for {url}");
        }
    }

    /// Every address that was asked for since the last time.
    async fn asked(&self) -> Vec<String> {
        let entries = self.driver.log("performance").await.into_iter();
        let urls = entries.filter_map(|entry| {
            let told: Value = serde_json::from_str(entry["message"].as_str()?).ok()?;
            let event = &told["message"];
            let sent = event["method"] == "Network.requestWillBeSent";
            sent.then(|| event["params"]["request"]["url"].as_str().map(str::to_owned))?
        });
        urls.collect()
    }
}

/// A text in XPath, which has no escapes.
fn quoted(text: &str) -> String {
    assert!(!text.contains('\''), "{text}");
    format!("'{text}'")
}
