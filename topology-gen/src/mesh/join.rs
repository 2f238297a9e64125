//! Several mesh files as one mesh, so that what each node has learnt can be wired together.
//!
//! What is at one address is one source, about all that the files say of it. A source that is a feed of one of the
//! files is no source: the wiring says who reads that feed. A name that an earlier file has gets a number.

use std::collections::{HashMap, HashSet};

use pergola_api::mesh::MeshFile;

/// All of it. Whatever is there twice within one file stays there twice, to be refused.
pub(super) fn joined(files: Vec<MeshFile>) -> MeshFile {
    let feeds = files.iter().flat_map(|file| &file.feeds);
    let published: HashSet<String> = feeds.filter_map(|feed| feed.channel.clone()).collect();
    let mut whole = MeshFile::default();
    let mut names = Names::default();
    let mut places: HashMap<String, usize> = HashMap::new();
    for file in files {
        let own_sources = file.sources.iter().map(|source| &source.name);
        names.begin(own_sources.chain(file.feeds.iter().map(|feed| &feed.name)));
        let mut own_places = Vec::new();
        for mut source in file.sources {
            if source.channel.as_ref().is_some_and(|channel| published.contains(channel)) {
                continue;
            }
            if let Some(&known) = source.url.as_ref().and_then(|url| places.get(url)) {
                let known = &mut whole.sources[known];
                known.keywords.append(&mut source.keywords);
                known.items_per_day = known.items_per_day.or(source.items_per_day);
                continue;
            }
            own_places.extend(source.url.clone().map(|url| (url, whole.sources.len())));
            source.name = names.free(source.name);
            whole.sources.push(source);
        }
        places.extend(own_places);
        for mut feed in file.feeds {
            feed.name = names.free(feed.name);
            whole.feeds.push(feed);
        }
        let known: HashSet<String> = whole.nodes.iter().cloned().collect();
        whole.nodes.extend(file.nodes.into_iter().filter(|node| !known.contains(node)));
        if let Some(words) = file.dictionary {
            whole.dictionary.get_or_insert_default().extend(words);
        }
    }
    whole
}

/// The names that there are.
#[derive(Default)]
struct Names {
    earlier: HashSet<String>,
    own: HashSet<String>,
}

impl Names {
    /// Another file begins, which uses these.
    fn begin<'a>(&mut self, own: impl Iterator<Item = &'a String>) {
        self.earlier.extend(std::mem::take(&mut self.own));
        self.own = own.cloned().collect();
    }

    /// The name, or one like it that no earlier file has.
    fn free(&mut self, name: String) -> String {
        if !self.earlier.contains(&name) {
            return name;
        }
        let mut numbered = (2..).map(|number| format!("{name}-{number}"));
        let free = numbered.find(|name| !self.earlier.contains(name) && !self.own.contains(name));
        let free = free.unwrap_or(name);
        self.own.insert(free.clone());
        free
    }
}
