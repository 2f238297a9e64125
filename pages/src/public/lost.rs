//! A page for unknown addresses, with guesses of what was meant.

use maud::{Markup, html};

use crate::frame::{Frame, Viewer};

/// Where people go, and what they find there.
const PLACES: [(&str, &str); 8] = [
    ("", "how the node is doing"),
    ("read", "read what came in"),
    ("feeds", "the feeds of this node"),
    ("sources", "what this node reads"),
    ("mesh", "nodes around this one"),
    ("settings", "budget and other settings"),
    ("search", "search sources and feeds"),
    ("about", "what this node is"),
];
/// Those that anybody may see.
const PUBLIC: [&str; 4] = ["", "feeds", "search", "about"];
/// Words that people use for a place.
const ALSO: [(&str, &str); 10] = [
    ("source", "sources"),
    ("feed", "feeds"),
    ("rss", "feeds"),
    ("atom", "feeds"),
    ("index.html", ""),
    ("home", ""),
    ("config", "settings"),
    ("admin", "settings"),
    ("opml.xml", "opml"),
    ("api", "api/openapi.json"),
];

/// The page for a path that nobody knows.
pub fn page(viewer: Viewer<'_>, path: &str) -> Markup {
    let root = root_of(path);
    let inside = matches!(viewer, Viewer::Inside { .. });
    let shown: String = path.chars().take(120).collect();
    let content = html! {
        section.card {
            h1 { "There is nothing here" }
            p { "No page of this node has the address " code { (shown) } "." }
            @if let Some(meant) = meant(path) {
                p { "Did you mean " a href={ (root) (meant) } { "/" (meant) } "?" }
            }
            ul {
                @for (place, what) in PLACES.iter().filter(|(place, _)| inside || PUBLIC.contains(place)) {
                    li { a href={ (root) (place) } { "/" (place) } " – " (what) }
                }
            }
        }
    };
    let frame = Frame { title: "There is nothing here", root: &root, place: None, viewer };
    frame.page(html! {}, content)
}

/// Leads from a path to the node's own address.
fn root_of(path: &str) -> String {
    match path.matches('/').count() {
        0 | 1 => "./".to_owned(),
        many => "../".repeat(many - 1),
    }
}

/// What was probably meant: the same address under a place that exists.
fn meant(path: &str) -> Option<String> {
    let path = path.trim_matches('/');
    let (first, rest) = path.split_once('/').unwrap_or((path, ""));
    let first = first.to_ascii_lowercase();
    let known = PLACES.iter().map(|(place, _)| *place).find(|place| *place == first);
    let also = ALSO.iter().find(|(word, _)| *word == first).map(|(_, place)| *place);
    let place = also.or_else(|| known.filter(|_| first != path))?;
    let is_number = !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit());
    Some(match place {
        "sources" if is_number => format!("sources/{rest}"),
        place => place.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_for_a_place_leads_there() {
        for (path, place) in [
            ("/source/12", Some("sources/12")),
            ("/Source", Some("sources")),
            ("/feed/news", Some("feeds")),
            ("/SETTINGS", Some("settings")),
            ("/settings/budget/old", Some("settings")),
            ("/home", Some("")),
            ("/xyz", None),
            ("/", None),
        ] {
            assert_eq!(meant(path).as_deref(), place, "{path}");
        }
    }

    #[test]
    fn the_address_is_shown_and_does_no_harm() {
        let page = page(Viewer::Anybody, "/<script>alert(1)").into_string();
        assert!(page.contains("&lt;script&gt;alert(1)"), "{page}");
        assert!(!page.contains("href=\"./sources\""), "only what anybody may see");
    }
}
