//! Two nodes and a site: a person's own node is empty, a neighbour's node has a feed.

use std::process::Command;

use crate::harness::{Home, Node, eventually, now};
use crate::origin::{Origin, Reply};

/// The site is reached by a name, as sites are.
const BY_NAME: &str =
    "[hosts.\"localhost\"]\nspacing = 0\nfloor = 0\nprivate = true\nper_domain = 8\n";

/// A site, a neighbour that reads a part of it, and the node of a person.
pub(crate) struct Town {
    pub(crate) origin: Origin,
    garden: Node,
    // Dropped before its home, which holds the log that a failed test shows.
    node: Node,
    _home: Home,
    _garden_home: Home,
}

const SNOW: [(&str, &str); 2] =
    [("More snow", "<p>Deeper.</p>"), ("Snow in the garden", "<p>Deep.</p>")];

/// A document with items: title and text.
pub(crate) fn rss(title: &str, items: &[(&str, &str)]) -> String {
    let items: String = items
        .iter()
        .enumerate()
        .map(|(place, (title, text))| {
            let (title, text, dated) =
                (escaped(title), escaped(text), hours_ago(5 * place as u64 + 1));
            format!(
                "<item><title>{title}</title><guid isPermaLink=\"false\">{title}</guid>\
                 <pubDate>{dated}</pubDate><description>{text}</description></item>"
            )
        })
        .collect();
    let title = escaped(title);
    format!("<rss version=\"2.0\"><channel><title>{title}</title>{items}</channel></rss>")
}

/// A date as publishers write it.
fn hours_ago(hours: u64) -> String {
    let at = now() as u64 - 3600 * hours;
    let date = Command::new("date").args(["-u", "-R", "-d", &format!("@{at}")]).output().unwrap();
    String::from_utf8(date.stdout).unwrap().trim().to_owned()
}

/// Text as it stands in XML.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A folder for a node that is called `name`.
pub(crate) fn home(name: &str, more: &str) -> Home {
    let home = Home::new(&format!("{BY_NAME}{more}"));
    let file = home.path().join("pergola.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    let named = text.replacen("[node]", &format!("[node]\nname = \"{name}\""), 1);
    std::fs::write(&file, named).unwrap();
    home
}

impl Town {
    pub(crate) async fn start() -> Self {
        let page = "<html><head><title>Mountain Herald</title><link rel=alternate \
                    type='application/rss+xml' href='/feed.xml'></head><body>Hello</body></html>";
        let herald = [
            ("A volcano wakes", "<p>It smokes.</p>"),
            ("Lava flows", "<p>Slowly, into the sea.</p>"),
            ("Rain", "<p>All week.</p>"),
        ];
        let origin = Origin::builder()
            .page("/", Reply::ok(page).header("content-type", "text/html"))
            .page("/feed.xml", Reply::ok(rss("Mountain Herald", &herald)))
            .page("/snow.xml", Reply::ok(rss("Snow", &SNOW[1..])))
            .start()
            .await;
        let garden_home = home("Garden", "");
        let garden = garden_home.start().await;
        let snow = origin.url("/snow.xml");
        garden.create_feed(&format!("CREATE FEED Winter AS RETURN \"{snow}\";")).await;
        garden.shows("Winter", "Snow in the garden").await;
        let home = home("Terrace", "");
        let node = home.start().await;
        Self { origin, garden, node, _home: home, _garden_home: garden_home }
    }

    pub(crate) fn node(&self) -> &Node {
        &self.node
    }

    /// The site as people name it: without a scheme.
    pub(crate) fn site(&self) -> String {
        format!("localhost:{}", self.origin.url("/").port().unwrap())
    }

    /// Waits until the person's node knows that the neighbour is a node, too; then the neighbour has something new.
    pub(crate) async fn it_snows_again(&self) {
        let feed = self.garden_feed();
        eventually("the neighbour to be read as a node", async || {
            let source = self.node().source(&feed).await;
            if source["via"] == "peer" { Ok(()) } else { Err(source.to_string()) }
        })
        .await;
        self.origin.set("/snow.xml", Reply::ok(rss("Snow", &SNOW)));
    }

    /// The address of the neighbour's feed.
    pub(crate) fn garden_feed(&self) -> String {
        self.garden.url("/feeds/Winter")
    }
}
