//! What is stored.

use pergola_store::Order;
use pergola_store::archive::{Archive, ArchiveError};

use super::Promises;

/// Checks every feed of a node that nobody writes to now.
pub fn check(node: &str, archive: &Archive, promises: &Promises) {
    match violations(archive) {
        Ok(violations) => {
            for violation in violations {
                promises.broken(format!("the store of {node}: {violation}"));
            }
        }
        Err(error) => promises.broken(format!("the store of {node} cannot be read: {error}")),
    }
}

fn violations(archive: &Archive) -> Result<Vec<String>, ArchiveError> {
    let mut wrong = Vec::new();
    for (feed, record) in archive.feeds()? {
        let name = &record.name;
        let tally = archive.feed_tally(feed)?;
        let entries = archive.entries(feed, 0, u64::MAX, Order::Ascending, usize::MAX)?;
        for (expected, (sequence, entry)) in (0..).zip(&entries) {
            if *sequence != expected {
                wrong.push(format!("{name}: entry {sequence} stands where {expected} should"));
                break;
            }
            if archive.member(feed, entry.key)? != Some(*sequence) {
                wrong.push(format!("{name}: the item of entry {sequence} is not found by its key"));
            }
        }
        if entries.len() as u64 != tally.next {
            let (count, next) = (entries.len(), tally.next);
            wrong.push(format!("{name}: {count} entries, but the next one is number {next}"));
        }
        let count = entries.len();
        let items = archive.with_items(entries)?.len();
        if items != count {
            wrong.push(format!("{name}: {count} entries but {items} items"));
        }
    }
    Ok(wrong)
}
