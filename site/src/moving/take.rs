//! Everything that a user owns, as a file.

use pergola_accounts::{UserId, Wanted};
use pergola_feed::disarm;
use pergola_node::node::{MOST_ITEMS, MOST_NUMBERS, Mistake, Node, PeopleError, Stream};
use pergola_outside::surroundings::Panicked;
use pergola_takeout::{Account, Packing};

use crate::read::export::list;

/// Everything that a user owns. Blocks.
pub(super) fn take(node: &Node, user: UserId) -> Result<Vec<u8>, PeopleError> {
    let unknown = || Mistake::UnknownUser(user.0.to_string());
    let known = node.user(user)?.ok_or_else(unknown)?;
    let mut packing = Packing::new(&list(node, user)?).map_err(unpacked)?;
    let mut wanted = Wanted::newest(MOST_ITEMS);
    loop {
        let page = node.stream_items(user, &Stream::Starred, &wanted)?;
        for item in page.items {
            let mut item = item.published.item;
            disarm(&mut item);
            packing.star(item).map_err(unpacked)?;
        }
        wanted.after = page.next;
        if wanted.after.is_none() {
            break;
        }
    }
    let mut account = Account::new(known.name, read_by(node, user)?);
    account.zone = known.preferences.zone;
    account.settings = known.preferences.others.into_iter().collect();
    packing.finish(&account).map_err(unpacked)
}

/// The numbers of what a user has read, and of what is still there.
fn read_by(node: &Node, user: UserId) -> Result<Vec<u64>, PeopleError> {
    let mut all = Vec::new();
    for stream in [Stream::All, Stream::Starred] {
        let mut wanted = Wanted { read: Some(true), ..Wanted::newest(MOST_NUMBERS) };
        loop {
            let page = node.stream(user, &stream, &wanted)?;
            all.extend(page.items.into_iter().map(|item| item.number));
            wanted.after = page.next;
            if wanted.after.is_none() {
                break;
            }
        }
    }
    all.sort_unstable();
    all.dedup();
    Ok(all)
}

/// Nothing is written but memory.
fn unpacked(error: std::io::Error) -> PeopleError {
    tracing::error!(%error, "a user's data could not be packed");
    PeopleError::Ended(Panicked)
}
