//! The text of an e-mail, as plain text and as HTML. Pure.
//!
//! Titles and texts come from strangers. A subject is one line; HTML is made by `maud`, which escapes; no picture,
//! style or script of an item is in it.

use maud::{DOCTYPE, html};
use pergola_feed::html::plain_text;
use pergola_feed::{Text, sanitize};
use pergola_store::archive::Published;

use crate::stand::FeedNow;

/// Characters of an item's text that are shown.
const EXCERPT: usize = 300;
/// Characters of a title.
const TITLE: usize = 200;

/// An e-mail.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Digest {
    pub(crate) subject: String,
    pub(crate) text: String,
    pub(crate) html: String,
}

/// One entry, as the message shows it.
struct Line {
    title: String,
    link: Option<String>,
    source: Option<String>,
    excerpt: Option<String>,
}

/// The digest of entries, oldest first; `older` more came before them and are left out.
pub(crate) fn digest(feed: &FeedNow, items: Vec<Published>, older: u64) -> Digest {
    let count = items.len() as u64 + older;
    let entries = if count == 1 { "entry" } else { "entries" };
    let subject = one_line(&format!("{}: {count} new {entries}", feed.name), TITLE);
    let lines: Vec<Line> = items.into_iter().map(line).collect();
    let left_out = (older > 0).then(|| format!("{older} older ones are left out: {}", feed.url));
    written(subject, &lines, left_out.as_deref(), feed)
}

/// A message that only shows that messages arrive.
pub(crate) fn test(feed: &FeedNow) -> Digest {
    let subject = one_line(&format!("{}: this is a test", feed.name), TITLE);
    let words = "Digests of this feed will arrive like this message.";
    written(subject, &[], Some(words), feed)
}

fn written(subject: String, lines: &[Line], note: Option<&str>, feed: &FeedNow) -> Digest {
    let mut text = format!("{subject}\n\n");
    for Line { title, link, source, excerpt } in lines {
        text.push_str(&format!("* {title}\n"));
        for more in [source, link, excerpt].into_iter().flatten() {
            text.push_str(&format!("  {more}\n"));
        }
        text.push('\n');
    }
    if let Some(note) = note {
        text.push_str(&format!("{note}\n\n"));
    }
    text.push_str(&format!("-- \n{}\n", feed.url));
    let html = html! {
        (DOCTYPE)
        html lang="en" {
            head { meta charset="utf-8"; title { (subject) } }
            body {
                h1 { (subject) }
                @for Line { title, link, source, excerpt } in lines {
                    h2 {
                        @match link {
                            Some(link) => a href=(link) { (title) },
                            None => (title),
                        }
                    }
                    @if let Some(source) = source { p { small { (source) } } }
                    @if let Some(excerpt) = excerpt { p { (excerpt) } }
                }
                @if let Some(note) = note { p { (note) } }
                hr;
                p { a href=(feed.url) { (feed.name) } }
            }
        }
    };
    Digest { subject, text, html: html.into_string() }
}

fn line(published: Published) -> Line {
    let item = published.item.normalised();
    let text = item.summary.as_ref().or(item.content.as_ref());
    let excerpt = text.map(plain).filter(|excerpt| !excerpt.is_empty());
    let title = item.title.as_deref().map(|title| one_line(title, TITLE));
    let title = title.filter(|title| !title.is_empty());
    Line {
        title: title.or_else(|| item.link.clone()).unwrap_or_else(|| "(no title)".to_owned()),
        link: item.link,
        source: item.origin.and_then(|origin| origin.title).map(|title| one_line(&title, TITLE)),
        excerpt,
    }
}

/// The beginning of a text without its markup.
fn plain(text: &Text) -> String {
    // Sanitised first, so that what stands in scripts and styles is not taken for text.
    let safe = Text::html(sanitize(text, None));
    one_line(&plain_text(&safe), EXCERPT)
}

/// A text in one line of so many characters at most, without anything that ends a line or a header.
fn one_line(text: &str, most: usize) -> String {
    let words = text.split(|sign: char| sign.is_whitespace() || sign.is_control());
    let line = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    if line.chars().count() <= most {
        return line;
    }
    line.chars().take(most - 1).chain(['…']).collect()
}
