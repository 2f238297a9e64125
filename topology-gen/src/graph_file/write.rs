//! A graph as other programs read it. Written piece by piece: a million feeds are never a text in memory.

use std::io::{self, Write};

use super::Graph;
use crate::mesh::Mesh;
use crate::profile::Profile;

impl Graph {
    /// As JSON, by name: sources and feeds with their keywords, and with address and node if they are
    /// known; edges; one of them a line.
    ///
    /// # Errors
    /// What `out` says.
    pub fn write_json(&self, mesh: &Mesh, out: &mut impl Write) -> io::Result<()> {
        // Names are checked to be plain; keywords may be anything.
        let words: Vec<String> = mesh
            .dictionary
            .words()
            .iter()
            .map(|word| serde_json::json!(word).to_string())
            .collect();
        out.write_all(b"{\"sources\":[")?;
        listed(out, mesh.sources.iter(), |out, source| {
            vertex(out, &words, &source.name, &source.profile)?;
            if let Some(url) = &source.url {
                write!(out, ",\"url\":{}", serde_json::json!(url))?;
            }
            if source.unknown {
                out.write_all(b",\"unknown\":true")?;
            }
            out.write_all(b"}")
        })?;
        out.write_all(b"],\"feeds\":[")?;
        listed(out, mesh.feeds.iter(), |out, feed| {
            vertex(out, &words, &feed.name, &feed.profile)?;
            match &feed.node {
                Some(node) => write!(out, ",\"node\":\"{node}\"}}"),
                None => out.write_all(b"}"),
            }
        })?;
        out.write_all(b"],\"edges\":[")?;
        listed(out, self.edges.iter(), |out, edge| {
            let (from, to) = (mesh.name(edge.from), &mesh.feeds[edge.to as usize].name);
            let (source, hops) = (&mesh.sources[edge.source as usize].name, edge.hops);
            write!(
                out,
                "{{\"from\":\"{from}\",\"to\":\"{to}\",\"source\":\"{source}\",\"hops\":{hops}}}"
            )
        })?;
        out.write_all(b"]}\n")
    }

    /// In the language of Graphviz: one edge per subscription, labelled by how many sources come over it.
    ///
    /// # Errors
    /// What `out` says.
    pub fn write_dot(&self, mesh: &Mesh, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "digraph mesh {{\n  rankdir=LR;\n  node [shape=ellipse];")?;
        for source in &mesh.sources {
            writeln!(out, "  \"{}\" [shape=box];", source.name)?;
        }
        for feed in &mesh.feeds {
            writeln!(out, "  \"{}\";", feed.name)?;
        }
        for link in self.links() {
            let (from, to) = (mesh.name(link.from), &mesh.feeds[link.to as usize].name);
            writeln!(out, "  \"{from}\" -> \"{to}\" [label={}];", link.sources)?;
        }
        writeln!(out, "}}")
    }
}

/// A source or feed, still open for more.
fn vertex(out: &mut impl Write, words: &[String], name: &str, profile: &Profile) -> io::Result<()> {
    write!(out, "{{\"name\":\"{name}\",\"keywords\":[")?;
    for (index, &word) in profile.keywords().iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        write!(out, "{comma}{}", words[word as usize])?;
    }
    out.write_all(b"]")
}

/// The elements of a JSON array, one a line.
fn listed<W: Write, T>(
    out: &mut W,
    elements: impl Iterator<Item = T>,
    mut each: impl FnMut(&mut W, T) -> io::Result<()>,
) -> io::Result<()> {
    for (index, element) in elements.enumerate() {
        out.write_all(if index == 0 { b"\n" } else { b",\n" })?;
        each(out, element)?;
    }
    Ok(())
}
