//! Writes a graph piece by piece, so that a graph of a million feeds is never one text in memory.

use std::io::{self, Write};

use pergola_wiring::graph::Graph;
use pergola_wiring::mesh::Mesh;
use pergola_wiring::profile::Profile;

/// Writes JSON that refers to sources and feeds by name. Each source, feed and edge is a line of its own.
/// Sources and feeds have their keywords, and their URL or node if that is known.
///
/// # Errors
/// When `out` cannot be written.
pub fn write_json(graph: &Graph, mesh: &Mesh, out: &mut impl Write) -> io::Result<()> {
    // Names need no escaping. Keywords may be any text.
    let words = mesh.dictionary.words().iter();
    let words: Vec<String> = words.map(|word| serde_json::json!(word).to_string()).collect();
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
    listed(out, graph.edges.iter(), |out, edge| {
        let (from, to) = (mesh.name(edge.from), &mesh.feeds[edge.to as usize].name);
        let (source, hops) = (&mesh.sources[edge.source as usize].name, edge.hops);
        write!(
            out,
            "{{\"from\":\"{from}\",\"to\":\"{to}\",\"source\":\"{source}\",\"hops\":{hops}}}"
        )
    })?;
    out.write_all(b"]}\n")
}

/// Writes DOT for Graphviz: one edge per subscription. Its label is the number of sources whose items it
/// carries.
///
/// # Errors
/// When `out` cannot be written.
pub fn write_dot(graph: &Graph, mesh: &Mesh, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "digraph mesh {{\n  rankdir=LR;\n  node [shape=ellipse];")?;
    for source in &mesh.sources {
        writeln!(out, "  \"{}\" [shape=box];", source.name)?;
    }
    for feed in &mesh.feeds {
        writeln!(out, "  \"{}\";", feed.name)?;
    }
    for link in graph.links() {
        let (from, to) = (mesh.name(link.from), &mesh.feeds[link.to as usize].name);
        writeln!(out, "  \"{from}\" -> \"{to}\" [label={}];", link.sources)?;
    }
    writeln!(out, "}}")
}

/// Writes a source or feed. The caller may add members and writes the closing brace.
fn vertex(out: &mut impl Write, words: &[String], name: &str, profile: &Profile) -> io::Result<()> {
    write!(out, "{{\"name\":\"{name}\",\"keywords\":[")?;
    for (index, &word) in profile.keywords().iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        write!(out, "{comma}{}", words[word as usize])?;
    }
    out.write_all(b"]")
}

/// Writes the elements of a JSON array, one per line.
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
