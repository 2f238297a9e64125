//! Whether the feed of everything holds every item exactly once.

use std::collections::HashMap;

use anyhow::Result;
use serde::{Deserialize, Serialize};

use super::origin::{ITEMS_EACH, crowd_title, flood_title, news_title};
use super::watchers::{connect, question};
use super::{ALL, Args};

/// What the feed holds, beside what was published.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// Items that were published.
    pub published: usize,
    /// Items that the feed does not hold.
    pub lost: usize,
    /// Entries beyond the first of an item.
    pub twice: usize,
    /// Entries that nobody published.
    pub strange: usize,
    /// Numbers between two entries that no entry has.
    pub gaps: u64,
}

/// Reads the whole feed over gRPC.
pub(super) async fn compare(args: &Args, node: &str, news: usize) -> Result<Kept> {
    let mut client = connect(node, 0).await?;
    let (mut titles, mut cursor) = (Vec::new(), String::new());
    loop {
        let answer = client.fetch(question(ALL, &cursor)).await?.into_inner();
        let entries = answer.entries.into_iter().filter(|entry| !entry.edited);
        titles.extend(entries.map(|entry| {
            (entry.sequence, entry.item.and_then(|item| item.title).unwrap_or_default())
        }));
        cursor = answer.cursor;
        if !answer.more {
            break;
        }
    }
    Ok(kept(expected(args, news), titles))
}

fn expected(args: &Args, news: usize) -> impl Iterator<Item = String> {
    let (items, sources) = (args.items, args.sources);
    let crowd =
        (0..sources).flat_map(|source| (0..ITEMS_EACH).map(move |n| crowd_title(source, n)));
    (0..items).map(flood_title).chain(crowd).chain((0..news).map(news_title))
}

fn kept(expected: impl Iterator<Item = String>, entries: Vec<(u64, String)>) -> Kept {
    let mut found: HashMap<String, usize> = expected.map(|title| (title, 0)).collect();
    let mut kept = Kept { published: found.len(), ..Kept::default() };
    let mut next = 0;
    for (sequence, title) in entries {
        kept.gaps += sequence.abs_diff(next);
        next = sequence + 1;
        match found.get_mut(&title) {
            Some(times) => *times += 1,
            None => kept.strange += 1,
        }
    }
    kept.lost = found.values().filter(|times| **times == 0).count();
    kept.twice = found.values().map(|times| times.saturating_sub(1)).sum();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_repeated_strange_or_left_out_is_counted() {
        let expected = || ["a", "b", "c"].map(str::to_owned).into_iter();
        let entries = |some: &[(u64, &str)]| {
            some.iter().map(|(number, title)| (*number, (*title).to_owned())).collect::<Vec<_>>()
        };
        let all = kept(expected(), entries(&[(0, "b"), (1, "a"), (2, "c")]));
        assert_eq!(all, Kept { published: 3, ..Kept::default() });
        let odd = kept(expected(), entries(&[(0, "a"), (1, "a"), (4, "d")]));
        assert_eq!(odd, Kept { published: 3, lost: 2, twice: 1, strange: 1, gaps: 2 });
    }
}
