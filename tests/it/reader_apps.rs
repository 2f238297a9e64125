//! Real reader apps at a running node: newsboat, and a client of FreshRSS from PyPI.

use std::path::PathBuf;
use std::process::Command;

use reqwest::header::{AUTHORIZATION, HeaderMap};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::harness::{
    Client, Home, Node, Press, eventually, missing, python, run, silent, workspace,
};

const ALL: &str = "stream/contents/user/-/state/com.google/reading-list";
const STARRED: &str = "stream/contents/user/-/state/com.google/starred";
const NOT_READ: &str = "xt=user/-/state/com.google/read";

/// Prints the titles in newsboat's cache that are not read, one per line.
const UNREAD: &str = "import sqlite3, sys\n\
    rows = sqlite3.connect(sys.argv[1]).execute('SELECT title FROM rss_item WHERE unread ORDER BY pubDate DESC, id')\n\
    for (title,) in rows: print(title)";

#[tokio::test(flavor = "multi_thread")]
async fn newsboat_lists_reads_and_stars_at_the_node() {
    let test = "newsboat_lists_reads_and_stars_at_the_node";
    if missing("newsboat", test) || missing("python3", test) {
        return;
    }
    let press = Press::start([silent("news")]).await;
    let home = Home::new("");
    let (node, app) = start(&home, &press).await;
    let titles = titles(&app, ALL, "").await;
    let reader = Newsboat::new(&node);
    reader.newsboat("reload").await;
    assert_eq!(reader.newsboat("print-unread").await.trim(), "3 unread articles");
    assert_eq!(reader.unread().await, sorted(titles.clone()));
    // Opens the feed and its first item, marks it with the flag for a star, and leaves.
    let keys = [
        ("Your feeds", "\\n"),
        ("Articles in feed", "\\n"),
        ("Title: ", "\\x05"),
        ("Flags: ", "s\\n"),
        ("updated", "q"),
        ("in feed", "q"),
        ("Your feeds", "q"),
    ];
    reader.press(&keys).await;
    let starred = self::titles(&app, STARRED, "").await;
    assert_eq!(starred.len(), 1, "{starred:?}");
    let rest: Vec<_> = titles.iter().filter(|title| **title != starred[0]).cloned().collect();
    eventually("one item to be read", async || {
        let left = self::titles(&app, ALL, NOT_READ).await;
        if left == rest { Ok(()) } else { Err(format!("{left:?}")) }
    })
    .await;
    // Elsewhere it is read as well, and what another app reads is read here.
    let other = Newsboat::new(&node);
    other.newsboat("reload").await;
    assert_eq!(other.unread().await, sorted(rest));
    reader.press(&[("Your feeds", "A"), ("Marking feed read", "q")]).await;
    assert_eq!(self::titles(&app, ALL, NOT_READ).await, Vec::<String>::new());
    other.newsboat("reload").await;
    assert_eq!(other.unread().await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_of_freshrss_lists_reads_marks_and_follows() {
    let test = "a_client_of_freshrss_lists_reads_marks_and_follows";
    let Some(python) = python(test, &["freshrss_mcp.client"]).await else { return };
    let press = Press::start([silent("news"), silent("more")]).await;
    let home = Home::new("");
    let (node, app) = start(&home, &press).await;
    press.publish("more", "Fourth");
    let titles = titles(&app, ALL, "").await;
    let mut command = Command::new(python);
    command.arg(workspace().join("tests/python/reader_app.py"));
    command.args([node.url(""), press.url("more")]).env("PYTHONIOENCODING", "utf-8");
    let output = run(command).await;
    assert_eq!(output.code, Some(0), "{output:?}");
    let seen: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(seen["titles"], json!(titles), "{seen}");
    assert_eq!(seen["subscriptions"].as_array().unwrap().len(), 1, "{seen}");
    assert_eq!((&seen["needs_login"], &seen["links"]), (&json!(true), &json!(true)), "{seen}");
    assert_eq!(seen["unread"], json!([3, 1, 2]), "{seen}");
    assert_eq!((&seen["marked"], &seen["subscribed"]), (&json!("OK"), &json!("OK")), "{seen}");
    assert_eq!(seen["left"], json!(titles[2..]), "{seen}");
    assert_eq!(seen["starred"], json!(titles[2..]), "{seen}");
    assert_eq!(seen["starred_no_more"], json!([]), "{seen}");
    assert_eq!(seen["folder"], json!(["Tech & more"]), "{seen}");
    assert_eq!(seen["folders"], json!(["user/-/label/Tech & more"]), "{seen}");
    assert_eq!(seen["in_folder"], json!(["Fourth"]), "{seen}");
}

/// A node that has three items of one source, and somebody who has logged in.
async fn start(home: &Home, press: &Press) -> (Node, Client) {
    for title in ["First & foremost", "Zwölf Boxkämpfer", "Third"] {
        press.publish("news", title);
    }
    let node = home.start().await;
    let (status, text) = node.post("/api/v1/sources", &json!({ "url": press.url("news") })).await;
    assert_eq!(status, 201, "{text}");
    let (_, text) = node.get("/reader-api/accounts/ClientLogin?Email=me&Passwd=here").await;
    let key = text.lines().find_map(|line| line.strip_prefix("Auth=")).unwrap();
    let header = format!("GoogleLogin auth={key}").parse().unwrap();
    let app = Client::with_headers(node.address(), HeaderMap::from_iter([(AUTHORIZATION, header)]));
    eventually("three items", async || {
        let titles = titles(&app, ALL, "").await;
        if titles.len() == 3 { Ok(()) } else { Err(format!("{titles:?}")) }
    })
    .await;
    (node, app)
}

/// The titles of a stream.
async fn titles(app: &Client, stream: &str, more: &str) -> Vec<String> {
    let page = app.json(&format!("/reader-api/reader/api/0/{stream}?n=100&{more}")).await;
    let items = page["items"].as_array().unwrap().iter();
    items.map(|item| item["title"].as_str().unwrap().to_owned()).collect()
}

fn sorted(mut titles: Vec<String>) -> Vec<String> {
    titles.sort();
    titles
}

/// Newsboat with a home and a cache of its own.
struct Newsboat {
    folder: TempDir,
}

impl Newsboat {
    fn new(node: &Node) -> Self {
        let folder = TempDir::new().unwrap();
        let config = format!(
            "urls-source \"feedhq\"\nfeedhq-url \"{}\"\nfeedhq-login \"me\"\n\
             feedhq-password \"here\"\nfeedhq-flag-star \"s\"\n\
             feedhq-show-special-feeds no\n",
            node.url("/reader-api")
        );
        std::fs::write(folder.path().join("config"), config).unwrap();
        Self { folder }
    }

    async fn newsboat(&self, command: &str) -> String {
        let mut newsboat = self.command("newsboat");
        newsboat.args(self.files()).args(["-x", command]);
        let output = run(newsboat).await;
        assert_eq!(output.code, Some(0), "{output:?}");
        output.stdout
    }

    /// Presses keys in a terminal, each when something is shown.
    async fn press(&self, keys: &[(&str, &str)]) {
        let mut python = self.command("python3");
        python.arg(workspace().join("tests/python/terminal.py")).arg("newsboat");
        python.args(self.files()).arg("--");
        for (shown, keys) in keys {
            python.args([shown, keys]);
        }
        let output = run(python).await;
        assert_eq!(output.code, Some(0), "{output:?}");
    }

    /// The titles in its cache that are not read, sorted.
    async fn unread(&self) -> Vec<String> {
        let mut python = self.command("python3");
        python.args(["-c", UNREAD]).arg(self.folder.path().join("cache.db"));
        let output = run(python).await;
        assert_eq!(output.code, Some(0), "{output:?}");
        sorted(output.stdout.lines().map(str::to_owned).collect())
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("HOME", self.folder.path()).env("LC_ALL", "C.UTF-8");
        command.env("PYTHONIOENCODING", "utf-8");
        command
    }

    fn files(&self) -> [PathBuf; 4] {
        let file = |name| self.folder.path().join(name);
        ["-c".into(), file("cache.db"), "-C".into(), file("config")]
    }
}
