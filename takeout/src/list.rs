//! Subscriptions in OPML.

use std::collections::HashMap;

use pergola_feed::opml::{FlawKind, Opml, folder_name};

use crate::error::Unreadable;
use crate::takeout::{Flaw, Subscription, Takeout};

/// Reads a list. One that is cut off is not read at all.
pub(crate) fn list(bytes: &[u8], place: &str, takeout: &mut Takeout) -> Result<(), Unreadable> {
    let bad = |reason: String| Unreadable::BadList { place: place.to_owned(), reason };
    let (list, flaws) = Opml::inspect(bytes).map_err(|error| bad(error.to_string()))?;
    if let Some(flaw) = flaws.iter().find(|flaw| flaw.kind != FlawKind::NoAddress) {
        let what = match flaw.kind {
            FlawKind::TooMany => "it has more entries than are read at once, from",
            _ => "it is cut off, in",
        };
        return Err(bad(format!("{what} line {}; nothing was imported", flaw.line)));
    }
    for flaw in flaws {
        let title = Some(flaw.text).filter(|text| !text.is_empty());
        let (place, reason) = (format!("{place}, line {}", flaw.line), "it has no address".into());
        takeout.leave_out(Flaw { place, title, address: None, reason });
    }
    let known = takeout.subscriptions.iter().enumerate();
    let mut places: HashMap<String, usize> =
        known.map(|(at, own)| (own.address.clone(), at)).collect();
    for (path, outline) in list.subscriptions() {
        let Some(address) = outline.feed.clone() else { continue };
        let folder = folder_name(path);
        if let Some(&at) = places.get(&address) {
            let folders = &mut takeout.subscriptions[at].folders;
            match folder.filter(|folder| !folders.contains(folder)) {
                Some(folder) => folders.push(folder),
                None => takeout.duplicates += 1,
            }
            continue;
        }
        places.insert(address.clone(), takeout.subscriptions.len());
        let title = Some(outline.text.clone()).filter(|text| !text.is_empty() && *text != address);
        takeout.subscriptions.push(Subscription {
            address,
            title,
            folders: folder.into_iter().collect(),
            page: outline.page.clone(),
            place: place.to_owned(),
        });
    }
    Ok(())
}
