//! A real reader: newsboat, subscribed to a feed of a running node.

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::clashing;
use crate::harness::{Home, Press, eventually, missing, run, silent};

/// Prints the titles that newsboat's cache holds, one per line.
const TITLES: &str = "import sqlite3, sys\n\
    rows = sqlite3.connect(sys.argv[1]).execute('SELECT title FROM rss_item ORDER BY id')\n\
    for (title,) in rows: print(title)";

#[tokio::test(flavor = "multi_thread")]
async fn newsboat_gets_every_item_of_a_feed_once_in_every_form() {
    let test = "newsboat_gets_every_item_of_a_feed_once_in_every_form";
    if missing("newsboat", test) || missing("python3", test) {
        return;
    }
    let press = Press::start([silent("news")]).await;
    let home = Home::new("");
    let node = home.start().await;
    press.publish("news", "First & foremost <b>");
    press.publish("news", "Zwölf Boxkämpfer");
    node.create_feed(&format!(r#"CREATE FEED News AS RETURN "{}";"#, press.url("news"))).await;
    eventually("two items", async || archived(node.archive("News", 0).await, 2)).await;
    for form in ["atom", "rss"] {
        let reader = Reader::new(&node.url(&format!("/feeds/News.{form}")));
        reader.reload().await;
        assert_eq!(reader.titles().await, node_titles(&node).await, "{form}");
    }
    let reader = Reader::new(&node.url("/feeds/News"));
    reader.reload().await;
    press.publish("news", "Third");
    eventually("three items", async || archived(node.archive("News", 0).await, 3)).await;
    reader.reload().await;
    assert_eq!(reader.titles().await, node_titles(&node).await, "negotiated");
    assert_eq!(reader.unread().await, "3 unread articles");
    reader.reload().await;
    assert_eq!(reader.unread().await, "3 unread articles", "nothing was new");
}

#[tokio::test(flavor = "multi_thread")]
async fn newsboat_shows_every_item_of_a_merged_feed_whose_sources_use_the_same_ids() {
    let test = "newsboat_shows_every_item_of_a_merged_feed_whose_sources_use_the_same_ids";
    if missing("newsboat", test) || missing("python3", test) {
        return;
    }
    let site = clashing::site().await;
    let home = Home::new("");
    let node = home.start().await;
    node.create_feed(&clashing::query(&site)).await;
    eventually("all items", async || archived(node.archive("Merged", 0).await, clashing::ITEMS))
        .await;
    let mut wanted = node.titles("Merged").await;
    wanted.sort();
    for form in ["atom", "rss"] {
        let reader = Reader::new(&node.url(&format!("/feeds/Merged.{form}")));
        reader.reload().await;
        assert_eq!(reader.titles().await, wanted, "{form}");
        assert_eq!(reader.unread().await, format!("{} unread articles", clashing::ITEMS));
    }
}

fn archived<T>(items: Option<Vec<T>>, wanted: usize) -> Result<(), String> {
    let count = items.map_or(0, |items| items.len());
    if count == wanted { Ok(()) } else { Err(format!("{count} items")) }
}

/// The titles, sorted.
async fn node_titles(node: &crate::harness::Node) -> Vec<String> {
    let mut titles = node.titles("News").await;
    titles.sort();
    titles
}

/// Newsboat with a home and a cache of its own.
struct Reader {
    folder: TempDir,
}

impl Reader {
    fn new(url: &str) -> Self {
        let folder = TempDir::new().unwrap();
        std::fs::write(folder.path().join("urls"), format!("{url}\n")).unwrap();
        std::fs::write(folder.path().join("config"), "").unwrap();
        Self { folder }
    }

    async fn reload(&self) {
        self.newsboat("reload").await;
    }

    async fn unread(&self) -> String {
        self.newsboat("print-unread").await.trim().to_owned()
    }

    /// The titles in its cache, sorted.
    async fn titles(&self) -> Vec<String> {
        let mut python = Command::new("python3");
        python.args(["-c", TITLES]).arg(self.file("cache.db")).env("PYTHONIOENCODING", "utf-8");
        let output = run(python).await;
        assert_eq!(output.code, Some(0), "{output:?}");
        let mut titles: Vec<String> = output.stdout.lines().map(str::to_owned).collect();
        titles.sort();
        titles
    }

    async fn newsboat(&self, command: &str) -> String {
        let mut newsboat = Command::new("newsboat");
        newsboat.env("HOME", self.folder.path()).env("LC_ALL", "C.UTF-8");
        newsboat.arg("-u").arg(self.file("urls")).arg("-c").arg(self.file("cache.db"));
        newsboat.arg("-C").arg(self.file("config")).args(["-x", command]);
        let output = run(newsboat).await;
        assert_eq!(output.code, Some(0), "{output:?}");
        output.stdout
    }

    fn file(&self, name: &str) -> std::path::PathBuf {
        Path::join(self.folder.path(), name)
    }
}
