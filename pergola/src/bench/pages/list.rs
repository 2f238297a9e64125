//! Every page of a node. A test compares the list with the routes of the site.

use super::filled::{feed, folder};

/// What the node has that pages are about.
pub(super) struct Contents {
    /// The numbers of the sources that the user follows.
    pub(super) sources: Vec<u32>,
    /// The numbers of some items that the user sees.
    pub(super) items: Vec<u64>,
    pub(super) folders: u32,
    /// A word that many items have, and one that few have.
    pub(super) words: [String; 2],
}

/// Who asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Who {
    Stranger,
    /// Somebody who has logged in and manages the node.
    Admin,
    /// A reader app.
    App,
}

/// The fields of a form.
pub(super) type Body = Vec<(&'static str, &'static str)>;

/// A page.
pub(super) struct Page {
    pub(super) what: &'static str,
    pub(super) who: Who,
    /// Its addresses, by turns.
    pub(super) paths: Vec<String>,
    pub(super) body: Option<Body>,
    pub(super) status: u16,
}

impl Page {
    fn of(who: Who, what: &'static str, paths: Vec<String>) -> Self {
        Self { what, who, paths, body: None, status: 200 }
    }
}

/// Different addresses of a page.
const DIFFERENT: usize = 20;
const API: &str = "/reader-api/reader/api/0";
const ALL: &str = "user/-/state/com.google/reading-list";
const READ: &str = "user/-/state/com.google/read";
/// What somebody types who makes a feed.
const QUERY: &str =
    "CREATE FEED Tried AS RETURN FOLDER \"Folder 0\" WHERE ITEM CONTAINS \"ba\" WINDOW 50;";

/// All pages.
pub(super) fn pages(node: &Contents) -> Vec<Page> {
    let mut all = managing(node);
    all.extend(reading(node));
    all.extend(account());
    all.extend(public(node));
    all.extend(typing());
    all.extend(apps(node));
    all
}

fn one(path: &str) -> Vec<String> {
    vec![path.to_owned()]
}

fn some(path: impl Fn(usize) -> String) -> Vec<String> {
    (0..DIFFERENT).map(path).collect()
}

fn managing(node: &Contents) -> Vec<Page> {
    let page = |what, paths| Page::of(Who::Admin, what, paths);
    let source = |after: &str| {
        let id = |n: usize| node.sources[n * 37 % node.sources.len()];
        some(|n| format!("/sources/{}{after}", id(n)))
    };
    let last = node.sources.len() / 50;
    vec![
        page("overview", one("/")),
        page("overview, a week", one("/?period=week")),
        page("sources", one("/sources")),
        page(
            "sources, a later page",
            some(|n| format!("/sources?page={}", n * 7 % last.max(1) + 1)),
        ),
        page("sources, searched", some(|n| format!("/sources?search=district+{n}"))),
        page("sources of a folder", some(|n| format!("/sources?folder=Folder+{n}"))),
        page("sources that work", one("/sources?standing=well")),
        page("sources by rate", one("/sources?sort=items-per-day&descending=yes")),
        page("sources by last refresh", one("/sources?sort=last-refresh&descending=yes")),
        page("a source", source("")),
        page("a source, edited", source("/edit")),
        page("a source, before it is removed", source("/remove")),
        page("a new source", one("/sources/new")),
        page("sources, imported", one("/sources/import")),
        page("removed sources", one("/sources/removed")),
        page("feeds", one("/feeds")),
        page("a new feed", one("/feeds/new")),
        page("a feed, managed", some(|n| format!("/feeds/{}/manage", feed(n as u32)))),
        page("mesh", one("/mesh")),
        page("settings", one("/settings")),
        page("a prediction", one("/settings/prediction?refreshes_per_minute=120")),
        page("users", one("/settings/users")),
        page("a user, before it is removed", one("/settings/users/remove?name=ada")),
        page("metrics, as a page", one("/metrics")),
    ]
}

fn reading(node: &Contents) -> Vec<Page> {
    let page = |what, paths| Page::of(Who::Admin, what, paths);
    let source = |n: usize| node.sources[(n * 37 + 1) % node.sources.len()];
    let item = |n: usize| node.items[n * 11 % node.items.len()];
    let [common, rare] = &node.words;
    vec![
        page("read", one("/read")),
        page("read, all of it", one("/read?all=&show=all")),
        page("read, a source", some(|n| format!("/read?source={}&show=all", source(n)))),
        page(
            "read, a folder",
            some(|n| format!("/read?folder=Folder+{}", n % node.folders as usize)),
        ),
        page("read, starred", one("/read?starred=")),
        page("read, an item open", some(|n| format!("/read?all=&show=all&open={}", item(n)))),
        page("read, searched for a common word", one(&format!("/read?q={common}"))),
        page("read, searched for a rare word", one(&format!("/read?q={rare}"))),
        page("an item", some(|n| format!("/read/item/{}", item(n)))),
        page("subscriptions", one("/read/subscriptions")),
        page(
            "subscriptions, a later page",
            some(|n| format!("/read/subscriptions?page={}", n * 7 + 1)),
        ),
        page("subscriptions, searched", some(|n| format!("/read/subscriptions?q=district+{n}"))),
        page(
            "subscriptions, something new",
            some(|n| format!("/read/subscriptions?find=district+{n}")),
        ),
    ]
}

fn account() -> Vec<Page> {
    vec![
        Page::of(Who::Admin, "account", one("/settings/account")),
        Page::of(Who::Admin, "what is brought along", one("/settings/account/import")),
        Page::of(Who::Stranger, "login", one("/login")),
    ]
}

fn public(node: &Contents) -> Vec<Page> {
    let [common, _] = &node.words;
    let page = |what, paths| Page::of(Who::Stranger, what, paths);
    let feeds = some(|n| format!("/feeds/{}", feed(n as u32)));
    vec![
        page("overview for strangers", one("/")),
        page("a feed, as a page", feeds),
        page("search in all feeds", one(&format!("/search?q={common}"))),
        page("about", one("/about")),
        Page { status: 404, ..page("nothing there", one("/no/such/page")) },
    ]
}

/// What forms ask for while somebody writes.
fn typing() -> Vec<Page> {
    let page =
        |what, path, body| Page { body: Some(body), ..Page::of(Who::Admin, what, one(path)) };
    vec![
        page("a new feed, tried out", "/feeds/new", vec![("query", QUERY), ("button", "try")]),
        page("a new feed, checked while typing", "/feeds/check", vec![("query", QUERY)]),
        page(
            "a new feed, words offered",
            "/feeds/complete",
            vec![("before", "CREATE FEED A AS RETURN \"")],
        ),
    ]
}

fn apps(node: &Contents) -> Vec<Page> {
    let page = |what, paths| Page::of(Who::App, what, paths);
    let label = folder(1).replace(' ', "%20");
    let number = |n: usize| node.items[n % node.items.len()];
    let items: String = (0..100).map(|n| format!("&i={}", number(n))).collect();
    vec![
        page(
            "app: 10,000 ids, unread",
            one(&format!("{API}/stream/items/ids?s={ALL}&n=10000&xt={READ}")),
        ),
        page("app: 10,000 ids", one(&format!("{API}/stream/items/ids?s={ALL}&n=10000"))),
        page(
            "app: 100 items by id",
            one(&format!("{API}/stream/items/contents?output=json{items}")),
        ),
        page("app: 100 items of everything", one(&format!("{API}/stream/contents/{ALL}?n=100"))),
        page(
            "app: 100 items of a folder",
            one(&format!("{API}/stream/contents/user/-/label/{label}?n=100")),
        ),
        page("app: unread counts", one(&format!("{API}/unread-count?output=json"))),
        page("app: tags", one(&format!("{API}/tag/list?output=json"))),
        page("app: subscriptions", one(&format!("{API}/subscription/list?output=json"))),
    ]
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    /// Routes that show no page: files to take away, streams, pictures, what a provider sends people back to, and where a
    /// page leads on to another.
    const NO_PAGES: [&str; 8] = [
        "/favicon.ico",
        "/live",
        "/login/openid",
        "/login/openid/back",
        "/read/picture",
        "/settings/account/export/subscriptions.opml",
        "/settings/account/export/starred.json",
        "/settings/account/export/everything.zip",
    ];

    /// Where people bring something along: named in the site, for the door knows it, too.
    const IMPORT: &str = "/settings/account/import";

    /// The routes of a folder of modules that answer GET. The API of reader apps has its own, of which only the dear ones
    /// are asked for.
    fn routes(folder: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.file_stem().unwrap() == "reader_api" {
                continue;
            }
            if path.is_dir() {
                routes(&path, found);
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            for part in text.split(".route(").skip(1) {
                let (route, handler) = part.split_once(',').unwrap();
                let handler = handler.trim_start();
                if let Some(route) = route.trim().strip_prefix('"') {
                    found.extend(
                        (!handler.starts_with("post("))
                            .then(|| route.trim_end_matches('"').to_owned()),
                    );
                }
            }
        }
    }

    /// Whether an address belongs to a route.
    fn fits(route: &str, path: &str) -> bool {
        let (path, route) = (path.split('?').next().unwrap(), route.split('/'));
        let mut parts = path.split('/');
        route
            .into_iter()
            .all(|part| parts.next().is_some_and(|own| part.starts_with('{') || part == own))
            && parts.next().is_none()
    }

    #[test]
    fn every_page_of_the_site_is_asked_for() {
        let site = Path::new(env!("CARGO_MANIFEST_DIR")).join("../site/src");
        let mut found = Vec::new();
        routes(&site, &mut found);
        found.retain(|route| !route.starts_with("/api/"));
        found.push(IMPORT.to_owned());
        assert!(found.len() > 20, "{found:?}");
        let words = ["a", "b"].map(str::to_owned);
        let node = Contents { sources: vec![1], items: vec![1], folders: 1, words };
        let asked: Vec<String> = pages(&node).into_iter().flat_map(|page| page.paths).collect();
        for route in &found {
            let is_asked = asked.iter().any(|path| fits(route, path));
            assert_ne!(
                is_asked,
                NO_PAGES.contains(&route.as_str()),
                "`{route}` is a page that `pergola bench pages` does not ask for: add it to its list"
            );
        }
    }
}
