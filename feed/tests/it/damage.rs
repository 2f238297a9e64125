//! Kinds of damage seen in real feeds: small documents, and the items that must survive.
//!
//! The documents are in `fixtures/damage`, the expected items in `fixtures/damage.json`. Only documents
//! whose name starts with `bad-` cannot be read.

use std::collections::HashSet;
use std::path::PathBuf;

use pergola_feed::{Document, ParseOptions, parse};
use serde_json::Value;

use super::{read, rss};

fn fixtures() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

fn expected() -> serde_json::Map<String, Value> {
    let text = std::fs::read_to_string(fixtures().join("damage.json")).expect("the table");
    serde_json::from_str(&text).expect("a JSON object")
}

fn document(name: &str) -> Vec<u8> {
    std::fs::read(fixtures().join("damage").join(name)).expect("a fixture")
}

/// What is wrong with a document, if anything.
fn complaint(document: &Document, expected: &Value) -> Option<String> {
    let titles: Vec<Option<&str>> = document.items.iter().map(|i| i.title.as_deref()).collect();
    let wanted: Vec<Option<&str>> =
        expected["titles"].as_array()?.iter().map(Value::as_str).collect();
    if titles != wanted {
        return Some(format!("titles {titles:?}, not {wanted:?}"));
    }
    let first = document.items.first()?;
    let fields = [
        ("link", first.link.clone()),
        ("author", first.authors.first().and_then(|a| a.label()).map(str::to_owned)),
        ("category", first.categories.first().map(|c| c.term.clone())),
        ("content", first.content.as_ref().map(|t| t.body.clone())),
        ("published", first.published.map(|at| at.to_rfc3339())),
    ];
    fields.into_iter().find_map(|(field, found)| {
        let wanted = expected["first"].get(field)?.as_str();
        let found = found.as_deref();
        (found != wanted).then(|| format!("{field} {found:?}, not {wanted:?}"))
    })
}

#[test]
fn all_items_survive_every_kind_of_damage() {
    let mut complaints = Vec::new();
    for (name, expected) in expected() {
        let result = parse(&document(&name), &ParseOptions::default());
        let complaint = match (result, expected["error"].as_str()) {
            (Ok(document), None) => complaint(&document, &expected),
            (Err(error), Some(wanted)) if error.to_string().starts_with(wanted) => None,
            (Ok(_), Some(wanted)) => Some(format!("was read, instead of: {wanted}")),
            (Err(error), _) => Some(error.to_string()),
        };
        complaints.extend(complaint.map(|complaint| format!("{name}: {complaint}")));
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn every_document_of_the_corpus_has_expected_items() {
    let listed: HashSet<String> = expected().keys().cloned().collect();
    let files = std::fs::read_dir(fixtures().join("damage")).unwrap();
    let found: HashSet<String> =
        files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(found, listed);
    assert!(found.len() > 200, "the corpus has shrunk to {}", found.len());
}

#[test]
fn reading_a_damaged_document_twice_gives_the_same_unique_ids() {
    for (name, expected) in expected() {
        if expected["error"].is_string() {
            continue;
        }
        let bytes = document(&name);
        let [first, second] = [(); 2].map(|()| parse(&bytes, &ParseOptions::default()).unwrap());
        assert_eq!(first, second, "{name}");
        let ids: HashSet<_> = first.items.iter().map(|item| &item.id).collect();
        assert_eq!(ids.len(), first.items.len(), "{name}");
    }
}

#[test]
fn a_repair_is_always_reported() {
    for name in ["ent-raw-amp.xml", "cut-in-description.xml", "pro-php-warning.xml", "chr-nul.xml"]
    {
        let document = parse(&document(name), &ParseOptions::default()).unwrap();
        assert!(!document.warnings.is_empty(), "{name}");
    }
    for name in ["clean-rss2.xml", "clean-atom.xml", "rdf-clean.xml", "json-clean.json"] {
        let document = parse(&document(name), &ParseOptions::default()).unwrap();
        assert_eq!(document.warnings, Vec::<String>::new(), "{name}");
    }
}

#[test]
fn a_document_that_is_cut_off_loses_a_partial_id_but_keeps_a_partial_text() {
    let cut = parse(&document("cut-in-guid.xml"), &ParseOptions::default()).unwrap();
    let last = cut.items.last().unwrap();
    assert_eq!(last.guid, None);
    assert_eq!(last.link.as_deref(), Some("https://example.org/three"));
    let cut = parse(&document("cut-in-description.xml"), &ParseOptions::default()).unwrap();
    let last = cut.items.last().unwrap();
    assert_eq!(last.summary.as_ref().map(|text| text.body.as_str()), Some("About T"));
}

#[test]
fn the_error_for_a_page_names_the_feeds_that_it_links_to() {
    let error = parse(&document("bad-html.html"), &ParseOptions::default()).unwrap_err();
    assert!(error.to_string().contains("/feed.xml"), "{error}");
}

#[test]
fn a_document_that_ends_in_an_item_says_so_and_one_that_ends_behind_it_does_not() {
    let item = "<item><guid>a</guid><title>One</title><description>Some words</description></item>";
    let whole = rss(&item.repeat(2));
    let end = whole.rfind("</item>").unwrap();
    let cut_off = |length: usize| read(&whole[..length]).cut_off;
    assert!(!read(&whole).cut_off);
    assert!(cut_off(end) && cut_off(end - 20) && cut_off(end - 40));
    assert!(!cut_off(end + "</item>".len()), "its items are whole");
}
