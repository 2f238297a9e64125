//! The pages for those who read and manage a node.

pub mod account;
pub mod editor;
pub mod feeds;
pub mod import;
pub mod login;
pub mod mesh;
pub mod metrics;
pub mod overview;
pub mod read;
pub mod settings;
pub mod sources;
pub mod subscriptions;
pub mod users;

use maud::{Markup, html};

use crate::words::span;

/// A title that leads to a page of somebody else, if that can be one.
fn link(address: Option<&str>, title: &str) -> Markup {
    let web = |address: &&str| address.starts_with("https://") || address.starts_with("http://");
    html! {
        @match address.filter(web) {
            Some(address) => a href=(address) rel="noopener noreferrer nofollow" { (title) },
            None => (title),
        }
    }
}

/// A name as a part of an address.
pub fn in_path(name: &str) -> String {
    // A name has no blanks, so that this is the same as in a form.
    url::form_urlencoded::byte_serialize(name.as_bytes()).collect()
}

/// "97.3 %", or a dash.
fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "–".to_owned(), |share| format!("{:.1} %", 100.0 * share))
}

/// A span of time, or a dash.
fn lasting(seconds: Option<f64>) -> String {
    seconds.map_or_else(|| "–".to_owned(), span)
}

/// A line about what was just done.
fn noted(note: Option<&str>) -> Markup {
    html! { @if let Some(note) = note { p.note role="status" { (note) } } }
}
