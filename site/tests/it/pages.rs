//! Who may see which page: the table of docs/security.md, held against the routes and the answers.

use std::collections::BTreeSet;
use std::path::Path;

use pergola_accounts::Role;

use crate::browser::{Answer, Browser};
use crate::origin::{Origin, Reply};
use crate::place::{Place, rss};

const SECURITY: &str = include_str!("../../../docs/security.md");
/// What this is depends on who asks; the text below the table says how.
const OTHERWISE: &str = "/feeds/new";
/// The answer to an admin does not end.
const ENDLESS: &str = "/live";

/// The rows: pages, and what strangers, readers and admins are answered.
fn rows() -> Vec<(Vec<&'static str>, [&'static str; 3])> {
    let (_, rest) = SECURITY.split_once("<!-- pages:begin -->").unwrap();
    let lines = rest.split("<!-- pages:end -->").next().unwrap().lines().skip(3);
    lines
        .map(|line| {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            let [pages, stranger, reader, admin] = cells[..] else { panic!("{line}") };
            let pages = pages.split(", ").map(|page| page.trim_matches('`')).collect();
            (pages, [stranger, reader, admin])
        })
        .collect()
}

/// The routes of pages, as the source names them.
fn routes(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        // Apps are let in by keys of their own.
        if path.file_stem().is_some_and(|name| name == "reader_api") {
            continue;
        }
        if path.is_dir() {
            routes(&path, found);
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let named = text.split(".route(").skip(1).filter_map(|rest| {
            let route = rest.trim_start().strip_prefix('"')?.split('"').next()?;
            (!route.starts_with("/api/")).then(|| route.to_owned())
        });
        found.extend(named);
    }
}

#[test]
fn every_page_is_in_the_table_of_who_may_see_it() {
    let mut found = BTreeSet::new();
    routes(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut found);
    let told = rows().into_iter().flat_map(|(pages, _)| pages).chain([OTHERWISE]);
    let told: BTreeSet<String> = told.map(str::to_owned).collect();
    assert_eq!(found, told, "docs/security.md");
}

/// What somebody was answered, in the words of the table. What is not there was not refused.
fn word(answer: &Answer) -> &'static str {
    match answer.status {
        401 | 403 => "refused",
        303 if answer.to.contains("login?next=") => "log in",
        _ => "yes",
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_and_their_forms_are_answered_as_the_table_says() {
    let feed = Reply::ok(rss("News", &[("1", "One")]));
    let origin = Origin::builder().page("/feed", feed).start().await;
    let place = Place::start().await;
    let query = format!("CREATE FEED News AS RETURN \"{}\";", origin.url("/feed"));
    place.node.run_script(&query, "test").await.unwrap();
    let mut ada = Browser::of(&place, "ada", Role::Admin).await;
    let mut bob = Browser::of(&place, "bob", Role::Reader).await;
    let mut stranger = Browser::from_afar(&place);
    for (pages, expected) in rows() {
        for page in pages {
            let path = page.replace("{id}", "1").replace("{number}", "1").replace("{name}", "News");
            let mut answers = vec![stranger.get(&path).await, bob.get(&path).await];
            if page != ENDLESS {
                answers.push(ada.get(&path).await);
            }
            // Some only take forms.
            if answers.iter().all(|answer| answer.status != 405) {
                let words: Vec<&str> = answers.iter().map(word).collect();
                assert_eq!(words, expected[..words.len()], "{page}: {answers:?}");
            }
            for (browser, expected) in [(&mut stranger, expected[0]), (&mut bob, expected[1])] {
                if expected != "yes" {
                    let answer = browser.post(&path, &[]).await;
                    let refused = word(&answer) == "refused" || answer.status == 405;
                    assert!(refused, "{page}: {answer:?}");
                }
            }
        }
    }
}
