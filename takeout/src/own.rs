//! What Pergola itself writes: a ZIP file with `subscriptions.opml`, `starred-1.json` and so on (JSON Feed), and
//! `account.json` (what was read, settings).

use std::io::{Cursor, Write as _};

use pergola_feed::opml::Opml;
use pergola_feed::write::write_json;
use pergola_feed::{Document, Format, Item, Limits, ParseOptions, Text, parse};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::account::{Account, VERSION};
use crate::error::Unreadable;
use crate::takeout::{Flaw, Marked, Takeout};
use crate::value::is_web;

/// The file of the account.
const ACCOUNT: &str = "account.json";
/// Starred items of one file.
const AT_ONCE: usize = 1_000;

/// Reads `account.json`.
pub(crate) fn account(bytes: &[u8], place: &str, takeout: &mut Takeout) -> Result<(), Unreadable> {
    let bad = |error: serde_json::Error| Unreadable::BadJson {
        place: place.to_owned(),
        reason: error.to_string(),
    };
    let account: Account = serde_json::from_slice(bytes).map_err(bad)?;
    if account.version > VERSION {
        return Err(Unreadable::TooNew { place: place.to_owned() });
    }
    for (index, text) in account.read.iter().enumerate() {
        if text.parse::<u64>().is_err() {
            let reason = "it is not the number of an item".to_owned();
            let (place, title) = (format!("{place}, read[{index}]"), Some(shortened(text)));
            takeout.leave_out(Flaw { place, title, address: None, reason });
        }
    }
    takeout.account = Some(account);
    Ok(())
}

fn shortened(text: &str) -> String {
    text.chars().take(100).collect()
}

/// Reads starred items in JSON Feed.
pub(crate) fn starred(bytes: &[u8], place: &str, takeout: &mut Takeout) -> Result<(), Unreadable> {
    let limits = Limits { bytes: usize::MAX, items: usize::MAX, ..Limits::default() };
    let options = ParseOptions { limits, ..ParseOptions::default() };
    let document = parse(bytes, &options).map_err(|error| Unreadable::BadJson {
        place: place.to_owned(),
        reason: error.to_string(),
    })?;
    for (index, item) in document.items.into_iter().enumerate() {
        let place = format!("{place}, items[{index}]");
        let origin = item.origin.as_ref();
        let known = origin.is_some_and(|origin| {
            origin.identity.is_some() || origin.feed.as_deref().is_some_and(is_web)
        });
        if !known {
            let reason = "it does not say from which feed it is".to_owned();
            let (title, address) = (item.title.clone(), item.link.clone());
            takeout.leave_out(Flaw { place, title, address, reason });
            continue;
        }
        let seen = item.first_seen;
        takeout.take(Marked { item, read: false, starred: true, seen, hash: None, place });
    }
    Ok(())
}

/// A ZIP file in the making.
pub struct Packing {
    zip: ZipWriter<Cursor<Vec<u8>>>,
    starred: Vec<Item>,
    files: usize,
}

impl Packing {
    /// Begins with what is followed.
    ///
    /// # Errors
    /// Never in memory, as long as there is some; the same holds for the other steps.
    pub fn new(subscriptions: &Opml) -> std::io::Result<Self> {
        let zip = ZipWriter::new(Cursor::new(Vec::new()));
        let mut packing = Self { zip, starred: Vec::new(), files: 0 };
        packing.file("subscriptions.opml", subscriptions.write().as_bytes())?;
        Ok(packing)
    }

    /// Adds a starred item.
    pub fn star(&mut self, mut item: Item) -> std::io::Result<()> {
        // The nodes that it has passed are not where it goes.
        item.hops.clear();
        self.starred.push(item);
        if self.starred.len() < AT_ONCE { Ok(()) } else { self.write_starred() }
    }

    fn write_starred(&mut self) -> std::io::Result<()> {
        let mut document = Document::new(Format::Json);
        document.title = Some("Starred".to_owned());
        document.description = Some(Text::plain("Newest first"));
        document.items = std::mem::take(&mut self.starred);
        self.files += 1;
        let name = format!("starred-{}.json", self.files);
        self.file(&name, write_json(&document).as_bytes())
    }

    /// Ends with the account, and returns the file.
    pub fn finish(mut self, account: &Account) -> std::io::Result<Vec<u8>> {
        if !self.starred.is_empty() {
            self.write_starred()?;
        }
        let text = serde_json::to_vec_pretty(account)?;
        self.file(ACCOUNT, &text)?;
        Ok(self.zip.finish().map_err(std::io::Error::other)?.into_inner())
    }

    fn file(&mut self, name: &str, content: &[u8]) -> std::io::Result<()> {
        let how = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        self.zip.start_file(name, how).map_err(std::io::Error::other)?;
        self.zip.write_all(content)
    }
}
