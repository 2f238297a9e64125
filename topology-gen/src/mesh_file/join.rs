//! Joins several mesh files into one mesh.
//!
//! Sources with the same URL are one source with the keywords of all. A source that is a feed of one of the
//! files is dropped: the wiring decides who reads that feed. A name that an earlier file uses gets a number.

use std::collections::{HashMap, HashSet};

use pergola_api::mesh::MeshFile;

use crate::names::unused;

/// All files as one. Duplicates within one file stay, and are refused later.
pub(super) fn joined(files: Vec<MeshFile>) -> MeshFile {
    let feeds = files.iter().flat_map(|file| &file.feeds);
    let published: HashSet<String> = feeds.filter_map(|feed| feed.channel.clone()).collect();
    let mut whole = MeshFile::default();
    let mut names = Names::default();
    // The sources of earlier files by URL.
    let mut known: HashMap<String, usize> = HashMap::new();
    for file in files {
        let own_sources = file.sources.iter().map(|source| &source.name);
        names.begin(own_sources.chain(file.feeds.iter().map(|feed| &feed.name)));
        let mut added = Vec::new();
        for mut source in file.sources {
            if source.channel.as_ref().is_some_and(|channel| published.contains(channel)) {
                continue;
            }
            if let Some(&same) = source.url.as_ref().and_then(|url| known.get(url)) {
                let same = &mut whole.sources[same];
                same.keywords.append(&mut source.keywords);
                same.items_per_day = same.items_per_day.or(source.items_per_day);
                continue;
            }
            added.extend(source.url.clone().map(|url| (url, whole.sources.len())));
            source.name = names.free(source.name);
            whole.sources.push(source);
        }
        known.extend(added);
        for mut feed in file.feeds {
            feed.name = names.free(feed.name);
            whole.feeds.push(feed);
        }
        let listed: HashSet<String> = whole.nodes.iter().cloned().collect();
        whole.nodes.extend(file.nodes.into_iter().filter(|node| !listed.contains(node)));
        if let Some(words) = file.dictionary {
            whole.dictionary.get_or_insert_default().extend(words);
        }
    }
    whole
}

/// The names in use.
#[derive(Default)]
struct Names {
    earlier: HashSet<String>,
    own: HashSet<String>,
}

impl Names {
    /// Begins another file, which uses these names.
    fn begin<'a>(&mut self, own: impl Iterator<Item = &'a String>) {
        self.earlier.extend(std::mem::take(&mut self.own));
        self.own = own.cloned().collect();
    }

    /// The name, with a number if an earlier file uses it.
    fn free(&mut self, name: String) -> String {
        if !self.earlier.contains(&name) {
            return name;
        }
        let free = unused(name, |name| self.earlier.contains(name) || self.own.contains(name));
        self.own.insert(free.clone());
        free
    }
}
