//! Every page of a node that has something to show.

use serde_json::json;

use super::town::Town;
use super::window::Window;
use crate::harness::eventually;

/// A page by a short name, and its path.
pub(crate) type Page = (&'static str, String);

/// Gives a person's node sources, feeds and items, and lists its pages.
pub(crate) async fn furnished(town: &Town) -> Vec<Page> {
    let node = town.node();
    let herald = format!("http://{}/feed.xml", town.site());
    for (url, folder) in [(herald.as_str(), "News/Mountains"), (&town.garden_feed(), "Neighbours")]
    {
        let (status, text) =
            node.post("/api/v1/sources", &json!({ "url": url, "folders": [folder] })).await;
        assert_eq!(status, 201, "{text}");
    }
    let gone = format!("http://{}/gone.xml", town.site());
    let (status, text) = node
        .post(
            "/api/v1/sources",
            &json!({ "url": gone, "title": "An old newspaper", "refresh": false }),
        )
        .await;
    assert_eq!(status, 201, "{text}");
    node.create_feed(&format!(
        "CREATE FEED Fire AS RETURN \"{herald}\" WHERE ITEM CONTAINS (\"volcano\" OR \"lava\") WINDOW 50 KEEP 30 DAYS;"
    ))
    .await;
    node.create_feed("CREATE FEED Everything AS RETURN OPML \"all\";").await;
    node.shows("Fire", "Lava flows").await;
    town.it_snows_again().await;
    node.shows("Everything", "More snow").await;
    let id = node.source(&herald).await["id"].as_u64().unwrap();
    let item = eventually("an item to read", async || {
        let (_, text) = node.get("/read?all=&show=all").await;
        let (_, rest) = text.split_once("data-whole=\"./").ok_or_else(|| text.clone())?;
        Ok(rest.split('"').next().unwrap().to_owned())
    })
    .await;
    let page = |name, path: &str| (name, path.to_owned());
    vec![
        page("overview", "/"),
        page("sources", "/sources"),
        page("source-new", "/sources/new"),
        page("source-import", "/sources/import"),
        page("source-removed", "/sources/removed"),
        ("source", format!("/sources/{id}")),
        ("source-edit", format!("/sources/{id}/edit")),
        ("source-remove", format!("/sources/{id}/remove")),
        page("feeds", "/feeds"),
        page("feed-new", "/feeds/new"),
        page("feed", "/feeds/Fire"),
        page("feed-manage", "/feeds/Fire/manage"),
        page("read", "/read?all=&show=all"),
        ("item", format!("/{item}")),
        page("starred", "/read?starred="),
        page("subscriptions", "/read/subscriptions"),
        page("mesh", "/mesh"),
        page("settings", "/settings"),
        page("users", "/settings/users"),
        page("search", "/search?q=volcano"),
        page("about", "/about"),
        page("metrics", "/metrics"),
        page("login", "/login"),
        page("lost", "/no/such/page"),
    ]
}

/// How a page is looked at.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    pub(crate) wide: bool,
    pub(crate) dark: bool,
}

impl Look {
    pub(crate) fn name(self) -> String {
        let width = if self.wide { "wide" } else { "narrow" };
        format!("{width}-{}", if self.dark { "dark" } else { "light" })
    }

    pub(crate) async fn at(self, window: &Window) {
        let scheme = if self.dark { "dark" } else { "light" };
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        window.driver.command("Emulation.setEmulatedMedia", json!({ "features": features })).await;
        self.as_high_as(window, 0).await;
    }

    /// On a screen that is as high as its page, if that is higher than the usual one.
    pub(crate) async fn as_high_as(self, window: &Window, page: u64) {
        let (width, height) = if self.wide { (1280, 900) } else { (390, 844) };
        let height = page.max(height);
        let screen = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": !self.wide });
        window.driver.command("Emulation.setDeviceMetricsOverride", screen).await;
    }
}
