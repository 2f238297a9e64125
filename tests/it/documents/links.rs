//! Every link leads somewhere, and the index names every page.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use super::page::{Page, pages};
use crate::harness::workspace;

#[test]
fn every_link_leads_somewhere() {
    let pages = pages();
    let mut broken = String::new();
    for page in &pages {
        for (line, link) in page.links() {
            if let Err(why) = follow(page, &link, &pages) {
                broken.push_str(&format!("{}:{line}: {link}: {why}\n", page.path));
            }
        }
    }
    assert!(broken.is_empty(), "these links lead nowhere:\n{broken}");
}

#[test]
fn the_index_names_every_page() {
    let pages = pages();
    for (index, folder) in
        [("docs/README.md", "docs"), ("docs/decisions/README.md", "docs/decisions")]
    {
        let page = pages.iter().find(|page| page.path == index).expect("there is an index");
        let named: BTreeSet<PathBuf> = page
            .links()
            .iter()
            .map(|(_, link)| target(page, link.split('#').next().unwrap()))
            .collect();
        let of_folder = |page: &&Page| {
            Path::new(&page.path).parent() == Some(Path::new(folder)) && page.path != index
        };
        let missing: Vec<_> = pages.iter().filter(of_folder).map(|page| &page.path).collect();
        let missing: Vec<_> =
            missing.into_iter().filter(|path| !named.contains(Path::new(path))).collect();
        assert!(missing.is_empty(), "{index} does not name {missing:?}");
    }
}

fn follow(page: &Page, link: &str, pages: &[Page]) -> Result<(), String> {
    if link.contains("://") || link.starts_with("mailto:") {
        return Ok(());
    }
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let target = if path.is_empty() { PathBuf::from(&page.path) } else { target(page, path) };
    if !workspace().join(&target).exists() {
        return Err(format!("there is no {}", target.display()));
    }
    if anchor.is_empty() {
        return Ok(());
    }
    let led_to = pages.iter().find(|page| Path::new(&page.path) == target);
    match led_to.is_some_and(|page| page.anchors().iter().any(|it| it == anchor)) {
        true => Ok(()),
        false => Err(format!("{} has no such heading", target.display())),
    }
}

/// A path as a page names it, from the folder of the project.
fn target(page: &Page, link: &str) -> PathBuf {
    let mut path = Path::new(&page.path).parent().unwrap().to_owned();
    for part in Path::new(link).components() {
        match part {
            Component::ParentDir => {
                path.pop();
            }
            Component::Normal(name) => path.push(name),
            _ => {}
        }
    }
    path
}
