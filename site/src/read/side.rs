//! What is shown beside a stream: folders and subscriptions, with how much is unread.

use std::collections::BTreeMap;

use pergola_node::node::{Subscribed, Unread};
use pergola_pages::inside::read::{Chosen, Entry, Group, Side};

use super::chosen;

/// As many subscriptions are all shown, in their folders; of more, only those of the folder that is read.
const ALL: usize = 80;
/// Subscriptions shown of one folder.
const OF_ONE: usize = 60;
/// Folders shown.
const FOLDERS: usize = 100;

/// The folders and subscriptions to show beside `current`.
pub(super) fn side(subscribed: &[Subscribed], unread: &Unread, current: &Chosen) -> Side {
    let mut folders: BTreeMap<Option<&str>, Vec<&Subscribed>> = BTreeMap::new();
    for name in unread.folders.keys() {
        folders.entry(Some(name)).or_default();
    }
    for one in subscribed {
        for folder in &one.folders {
            folders.entry(Some(folder)).or_default().push(one);
        }
        if one.folders.is_empty() {
            folders.entry(None).or_default().push(one);
        }
    }
    let loose = folders.remove(&None);
    let all = subscribed.len() <= ALL;
    let is_current = |name: Option<&str>, inside: &[&Subscribed]| match current {
        Chosen::Folder(folder) => name == Some(folder),
        Chosen::All | Chosen::Starred => name.is_none(),
        what => inside.iter().any(|one| chosen::of(one.what) == *what),
    };
    let group = |name: Option<&str>, inside: Vec<&Subscribed>| {
        let shown = all || is_current(name, &inside);
        let count = name.and_then(|name| unread.folders.get(name)).map_or(0, |(count, _)| *count);
        let (entries, left_out) = entries(inside, shown, current);
        Group { folder: name.map(|name| (name.to_owned(), count)), entries, left_out }
    };
    let mut groups: Vec<Group> = folders
        .into_iter()
        .filter(|(_, inside)| !inside.is_empty() || all)
        .take(FOLDERS)
        .map(|(name, inside)| group(name, inside))
        .collect();
    groups.extend(loose.map(|inside| group(None, inside)));
    Side { unread: unread.all, groups }
}

/// The subscriptions of a folder that are shown, by title, and how many are not. If there are too many, those with
/// something unread come first, and the current one always does.
fn entries(mut inside: Vec<&Subscribed>, shown: bool, current: &Chosen) -> (Vec<Entry>, usize) {
    let total = inside.len();
    if !shown {
        inside.clear();
    }
    if total > OF_ONE {
        inside.sort_by_key(|one| (chosen::of(one.what) != *current, u32::MAX - one.unread));
        inside.truncate(OF_ONE);
    }
    inside.sort_by_cached_key(|one| one.title.to_lowercase());
    let entries: Vec<Entry> = inside
        .into_iter()
        .map(|one| Entry {
            what: chosen::of(one.what),
            title: one.title.clone(),
            unread: one.unread,
        })
        .collect();
    let left_out = total - entries.len();
    (entries, left_out)
}

#[cfg(test)]
mod tests {
    use pergola_node::node::Followed;
    use pergola_store::archive::{FeedId, SourceId};

    use super::*;

    fn subscribed(number: u32, folder: Option<&str>, unread: u32) -> Subscribed {
        Subscribed {
            what: Followed::Source(SourceId(number)),
            feed: FeedId(number),
            title: format!("Source {number:05}"),
            folders: folder.map(str::to_owned).into_iter().collect(),
            address: None,
            home: None,
            since: 0.0,
            unread,
            newest: None,
        }
    }

    fn counts(folders: &[&str]) -> Unread {
        let folders = folders.iter().map(|name| ((*name).to_owned(), (7, None))).collect();
        Unread { folders, all: 9, ..Unread::default() }
    }

    #[test]
    fn a_few_subscriptions_are_all_shown_in_their_folders() {
        let all = [
            subscribed(2, Some("Tech"), 1),
            subscribed(1, Some("Tech"), 0),
            subscribed(3, None, 4),
        ];
        let side = side(&all, &counts(&["Tech"]), &Chosen::All);
        let shape: Vec<_> =
            side.groups.iter().map(|group| (group.folder.clone(), group.entries.len())).collect();
        assert_eq!(shape, [(Some(("Tech".to_owned(), 7)), 2), (None, 1)]);
        assert_eq!(side.groups[0].entries[0].title, "Source 00001");
        assert_eq!(side.unread, 9);
    }

    #[test]
    fn of_many_subscriptions_a_bounded_number_is_shown_with_the_current_one_among_them() {
        let folder = |n: u32| if n.is_multiple_of(2) { Some("Even") } else { None };
        let all: Vec<_> = (0..10_000).map(|n| subscribed(n, folder(n), n % 5)).collect();
        let current = Chosen::Source(4_000);
        let side = side(&all, &counts(&["Even"]), &current);
        let [even, odd] = side.groups.as_slice() else { panic!("{side:?}") };
        assert_eq!((even.entries.len(), even.left_out), (OF_ONE, 5_000 - OF_ONE));
        assert!(even.entries.iter().any(|entry| entry.what == current));
        assert_eq!((odd.entries.len(), odd.left_out), (0, 5_000));
    }
}
