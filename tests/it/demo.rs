//! The demonstration, as a new user runs it.

use std::fs::{self, File};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use pergola_feed::{Document, Format, Item, ParseOptions, parse};
use serde_json::Value;
use tempfile::TempDir;

use crate::harness::{eventually, missing, pergola, run, within};

#[tokio::test(flavor = "multi_thread")]
async fn the_demonstration_publishes_in_three_formats_that_agree_and_leaves_nothing_behind() {
    let test = "the_demonstration_publishes_in_three_formats_that_agree_and_leaves_nothing_behind";
    if missing("curl", test) {
        return;
    }
    let (folder, screen) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let said = screen.path().join("stdout");
    let mut command = pergola();
    command.args(["demo", "--seconds", "15"]).current_dir(folder.path());
    command.env("HOME", folder.path()).env("TMPDIR", folder.path());
    command.stdin(Stdio::null()).stdout(File::create(&said).unwrap());
    let mut demo = command.spawn().unwrap();

    let feed = eventually("the address of a feed on the screen", async || {
        let text = fs::read_to_string(&said).unwrap();
        let mut addresses =
            text.split_whitespace().filter(|word| word.starts_with("http://127.0.0.1:"));
        let found = addresses.find_map(|word| word.strip_suffix("/Volcanoes.atom"));
        found.map(|feeds| format!("{feeds}/Volcanoes")).ok_or(text)
    })
    .await;
    // A command tells times by the clock of its node, which is ahead of its own.
    let (base, _) = feed.split_once("/feeds/").unwrap();
    eventually("the age of the last refresh", async || {
        let mut asked = pergola();
        asked.args(["--node", base, "source", "show", "1"]);
        let told = run(asked).await;
        let line = told.stdout.lines().find(|line| line.starts_with("last refresh"));
        match line.filter(|line| line.ends_with("ago") || line.ends_with("now")) {
            Some(_) => Ok(()),
            None => Err(format!("{} {}", told.stdout, told.stderr)),
        }
    })
    .await;
    // A document may change between two requests, but not between every two.
    eventually("three documents that agree", async || {
        let atom = fetched(&format!("{feed}.atom")).await?;
        let rss = fetched(&format!("{feed}.rss")).await?;
        let json = fetched(&format!("{feed}.json")).await?;
        assert_eq!(
            [atom.format, rss.format, json.format],
            [Format::Atom, Format::Rss2, Format::Json]
        );
        let [atom, rss, json] = [atom, rss, json].map(|document| essence(&document));
        match !atom.is_empty() && atom == rss && rss == json {
            true => Ok(()),
            false => Err(format!("{atom:?}\n{rss:?}\n{json:?}")),
        }
    })
    .await;

    let status = within(Duration::from_secs(90), "the end of the demonstration", async || {
        demo.try_wait().unwrap().ok_or_else(|| "it still runs".to_owned())
    })
    .await;
    let text = fs::read_to_string(&said).unwrap();
    assert!(status.success(), "{status}: {text}");
    let wide: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
    assert!(wide.is_empty(), "wider than a terminal: {wide:?}");
    assert!(text.contains("delivered"), "there is no summary: {text}");
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(Result::unwrap).collect();
    assert!(left.is_empty(), "left behind: {left:?}");
}

/// A demonstration at work; it ends on drop.
pub(crate) struct Demonstration {
    process: Child,
    /// The first page that it names.
    pub(crate) overview: String,
    _folder: TempDir,
}

impl Demonstration {
    /// Starts it with more arguments than the usual ones.
    pub(crate) async fn start(more: &[&str]) -> Self {
        let folder = TempDir::new().unwrap();
        let said = folder.path().join("stdout");
        let mut command = pergola();
        command.args(["demo", "--json"]).args(more).current_dir(folder.path());
        command.env("HOME", folder.path()).env("TMPDIR", folder.path());
        command.stdin(Stdio::null()).stdout(File::create(&said).unwrap());
        let process = command.spawn().unwrap();
        let started: Value = eventually("the demonstration to start", async || {
            let text = fs::read_to_string(&said).unwrap();
            let (line, _) = text.split_once('\n').ok_or_else(|| text.clone())?;
            serde_json::from_str(line).map_err(|error| error.to_string())
        })
        .await;
        let overview = started["overview"].as_str().unwrap().to_owned();
        Self { process, overview, _folder: folder }
    }
}

impl Drop for Demonstration {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A document, fetched with curl.
async fn fetched(url: &str) -> Result<Document, String> {
    let mut curl = Command::new("curl");
    curl.args(["--silent", "--show-error", "--fail", "--compressed", "--max-time", "20", url]);
    let output = run(curl).await;
    if output.code != Some(0) {
        return Err(output.stderr);
    }
    parse(output.stdout.as_bytes(), &ParseOptions::default()).map_err(|error| error.to_string())
}

/// Id, title, link and date of an item.
type Essence = (String, Option<String>, Option<String>, Option<i64>);

/// The items of a document, without what depends on its format.
fn essence(document: &Document) -> Vec<Essence> {
    let one = |item: &Item| {
        let published = item.published.map(|at| at.unix());
        (item.id.0.clone(), item.title.clone(), item.link.clone(), published)
    };
    document.items.iter().map(one).collect()
}
