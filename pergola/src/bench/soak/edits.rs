//! What is known of items by the ids that the newsroom gives them, and items that are edited after a while.

use super::faults::draw;

/// How every id begins; then follow the source's name, the item's number and the second of its publication.
const START: &str = "tag:newsroom.example,2026:";
/// Of so many items one is edited.
const ONE_OF: u64 = 5;
/// Seconds after its publication at which an item is edited.
const AFTER: f64 = 2.0 * 3_600.0;
/// How the title of an edited item ends.
const CORRECTED: &str = " (corrected)";

/// What an id says of its item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Named<'a> {
    pub(super) source: &'a str,
    pub(super) number: u64,
    pub(super) at: u64,
}

impl<'a> Named<'a> {
    /// By the text that an id begins, which may go on behind it.
    pub(super) fn read(text: &'a str) -> Option<Self> {
        let mut parts = text.strip_prefix(START)?.splitn(3, '/');
        let (source, number, rest) = (parts.next()?, parts.next()?, parts.next()?);
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        Some(Self { source, number: number.parse().ok()?, at: rest[..end].parse().ok()? })
    }

    fn is_edited(self, now: f64) -> bool {
        draw((self.source, self.number)).is_multiple_of(ONE_OF) && now > self.at as f64 + AFTER
    }
}

/// The items that a document shows.
pub(super) fn items(document: &str) -> impl Iterator<Item = Named<'_>> {
    document.match_indices(START).filter_map(|(at, _)| Named::read(&document[at..]))
}

/// An RSS document at an instant: some items have got another title since they were published. Documents of other
/// formats stay as they are.
pub(super) fn edited(document: &str, now: f64) -> String {
    let mut parts = document.split("<item>");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text.push_str("<item>");
        match items(part).next() {
            Some(item) if item.is_edited(now) => {
                text.push_str(&part.replacen("</title>", &format!("{CORRECTED}</title>"), 1));
            }
            _ => text.push_str(part),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_known_by_its_id_and_edited_once() {
        let item = |number: u64| {
            format!("<item><title>T{number}</title><guid>{START}news/{number}/1000</guid></item>")
        };
        let document =
            format!("<rss><title>News</title>{}</rss>", (0..50).map(item).collect::<String>());
        let numbers: Vec<u64> = items(&document).map(|item| item.number).collect();
        assert_eq!(numbers, (0..50).collect::<Vec<_>>());
        assert!(items(&document).all(|item| item.source == "news" && item.at == 1_000));
        assert_eq!(edited(&document, 1_000.0), document);
        let later = edited(&document, 1_001.0 + AFTER);
        assert!((3..20).contains(&later.matches(" (corrected)</title>").count()), "{later}");
        assert_eq!(later.replace(" (corrected)", ""), document);
        assert_eq!(Named::read("tag:newsroom.example,2026:news"), None);
        assert_eq!(edited("{\"items\": []}", 1e9), "{\"items\": []}");
    }
}
