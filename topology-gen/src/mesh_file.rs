//! Reads a mesh from TOML or JSON files.
//!
//! Several files are one mesh. `pergola profiles` writes such files, so what several nodes have learnt can be
//! wired together.

mod join;
mod query;
mod raw;

use std::collections::HashSet;
use std::path::PathBuf;

use pergola_api::mesh::MeshFile;
use pergola_wiring::mesh::{Feed, Mesh, Source};
use pergola_wiring::profile::Dictionary;

use crate::file::FileError;
use crate::names::did_you_mean;

pub(crate) use query::body_of;

/// Why a mesh could not be read.
#[derive(Debug, thiserror::Error)]
pub enum MeshFileError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error("feed `{feed}` is hosted by `{node}`, which is not one of the nodes{hint}")]
    UnknownNode { feed: String, node: String, hint: String },
}

/// Reads mesh files as one mesh. Their extensions say whether they are TOML or JSON.
///
/// # Errors
/// When a file cannot be read, is not valid, or uses a keyword that its dictionary lacks, or when a feed is
/// hosted by a node that is not listed.
pub fn read(paths: &[PathBuf]) -> Result<Mesh, MeshFileError> {
    let files = paths.iter().map(|path| raw::read(path)).collect::<Result<Vec<_>, _>>()?;
    let MeshFile { dictionary: all, sources, feeds, nodes } = join::joined(files);
    let mut dictionary = Dictionary::default();
    all.iter().flatten().for_each(|word| _ = dictionary.add(&raw::folded(word)));
    let mut profile = |keywords: &[String]| {
        let words: Vec<String> = keywords.iter().map(|word| raw::folded(word)).collect();
        dictionary.profile(words.iter().map(String::as_str).filter(|word| !word.is_empty()))
    };
    let sources = sources.into_iter().map(|source| Source {
        profile: profile(&source.keywords),
        name: source.name,
        url: source.url,
        items_per_day: source.items_per_day,
        unknown: false,
    });
    let sources = sources.collect();
    let feeds = feeds.into_iter().map(|feed| Feed {
        profile: profile(&feed.keywords),
        name: feed.name,
        query: feed.query,
        node: feed.node,
    });
    let feeds = feeds.collect();
    let mesh = Mesh { dictionary, sources, feeds, nodes };
    check_hosts(&mesh)?;
    Ok(mesh)
}

/// Checks that feeds are hosted by listed nodes, if nodes are listed.
fn check_hosts(mesh: &Mesh) -> Result<(), MeshFileError> {
    let listed: HashSet<&String> = mesh.nodes.iter().collect();
    for feed in &mesh.feeds {
        if let Some(node) = &feed.node
            && !listed.is_empty()
            && !listed.contains(node)
        {
            return Err(MeshFileError::UnknownNode {
                feed: feed.name.clone(),
                node: node.clone(),
                hint: did_you_mean(node, mesh.nodes.iter().map(String::as_str)),
            });
        }
    }
    Ok(())
}
