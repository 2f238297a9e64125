//! Search as a page: what sources and feeds are about, and which are like a feed.

use maud::{Markup, html};

use pergola_api::search::{FoundKind, SearchResult, SearchedPeers};

use crate::frame::{Frame, Place, Viewer};

/// Words shown of what something is about.
const WORDS: usize = 8;

/// What somebody wants to find.
pub enum Wanted {
    /// Nothing yet.
    Nothing,
    /// More words than are searched for.
    TooMuch {
        /// Bytes that can be.
        most: usize,
    },
    /// What a text is about.
    Text(String),
    /// What is like a feed.
    Like(String),
}

/// The box to type in: whether it offers to ask peers, and whether they were asked.
pub struct Offer {
    /// The caller may ask peers.
    pub peers: bool,
    /// It has.
    pub asked: bool,
}

/// What was found.
pub fn page(
    node: &str,
    wanted: &Wanted,
    offer: &Offer,
    found: &[SearchResult],
    heard: Option<&SearchedPeers>,
) -> Markup {
    let subject = match wanted {
        Wanted::Nothing | Wanted::TooMuch { .. } => "Search".to_owned(),
        Wanted::Text(text) => format!("Search: {text}"),
        Wanted::Like(feed) => format!("Like {feed}"),
    };
    let text = if let Wanted::Text(text) = wanted { text } else { "" };
    let content = html! {
        h1 { @match wanted { Wanted::Like(_) => (subject), _ => "Search" } }
        (form("", text, offer))
        @match wanted {
            Wanted::Nothing => p.soft {
                "Finds " @if offer.peers { "sources and " } "feeds by the words of what they published lately."
            },
            Wanted::TooMuch { most } => p.card { "That is too much to search for: " (most) " bytes at most." },
            Wanted::Text(_) => @if found.is_empty() {
                p.card { "Nothing here is about that." }
                p.soft { "Words are compared as they are written: try others, or other forms of them." }
            },
            Wanted::Like(feed) => {
                p.soft {
                    "About the same as " a href={ "feeds/" (feed) } { (feed) }
                    ", but not read by it."
                }
                @if found.is_empty() { p.card { "Nothing here is like it." } }
            }
        }
        @if let Some(heard) = heard { (missing(heard)) }
        @for one in found { (card(one)) }
    };
    let title = format!("{subject} – {node}");
    let frame =
        Frame { title: &title, root: "./", place: Some(Place::Search), viewer: Viewer::Anybody };
    frame.page(html! {}, content)
}

/// The box to type in. `root` leads from the page to the node's own address.
pub(super) fn form(root: &str, text: &str, offer: &Offer) -> Markup {
    html! {
        form.search method="get" action={ (root) "search" } role="search" {
            input type="search" name="q" value=(text) maxlength="1000" placeholder="volcano iceland"
                aria-label="Words to search for" autocapitalize="off";
            button { "Search" }
            @if offer.peers {
                label {
                    input type="checkbox" name="peers" value="true" checked[offer.asked];
                    " Ask the nodes that this one reads from, too"
                }
            }
        }
    }
}

fn card(found: &SearchResult) -> Markup {
    let words: Vec<&str> = found.terms.iter().map(String::as_str).take(WORDS).collect();
    html! {
        article.card {
            h2 {
                @match found.kind {
                    FoundKind::Feed => a href={ "feeds/" (found.name) } { (found.name) },
                    FoundKind::Source | FoundKind::Peer => a href=(found.url) rel="noopener noreferrer nofollow" {
                        (found.name)
                    },
                }
            }
            p.soft { (kind(found)) }
            @if !words.is_empty() { p.about { "About " (words.join(", ")) } }
            @if found.kind != FoundKind::Feed {
                p.soft { "Address: " code.address { (found.url) } }
            }
        }
    }
}

fn kind(found: &SearchResult) -> Markup {
    html! {
        @match (found.kind, &found.node) {
            (FoundKind::Feed, _) => "Feed of this node",
            (FoundKind::Source, None) => "Source",
            (FoundKind::Source, Some(node)) => { "Source, a feed of the node " (node) }
            (FoundKind::Peer, node) => {
                "Feed of the node " (node.as_deref().unwrap_or("?"))
                @if found.source.is_some() { ", read by this node" } @else { ", not read by this node" }
            }
        }
    }
}

/// Whose answer is missing.
fn missing(heard: &SearchedPeers) -> Markup {
    html! {
        @for silent in &heard.silent {
            p.card {
                "The node " strong { (silent.node) } " at " code { (silent.url) }
                " has not answered, so what it has is missing here: " (silent.why) "."
            }
        }
        @if heard.asked == 0 { p.soft { "This node reads from no other node that could be asked." } }
        @if heard.left_out > 0 { p.soft { (heard.left_out) " more nodes were not asked." } }
    }
}
