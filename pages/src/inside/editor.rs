//! The editor for queries: the text with its parts in colour, a form that writes a query, mistakes at their place, what
//! a query finds before it is saved, and words to go on with.

mod complete;
mod draft;
mod ink;
mod trial;

use maud::{Markup, html};
use pergola_api::Problem;
use pergola_api::feed::Explained;

use crate::words::counted;
pub use complete::{Complete, Offered, Wanted, offered, wanted};
pub use draft::{Draft, renamed};
pub use ink::{highlighted, highlighted_at};
pub(super) use trial::rate;

/// What stands in an editor, and what is known of it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Edited<'a> {
    /// The text as it was typed.
    pub text: &'a str,
    /// What is wrong with it.
    pub problem: Option<&'a Problem>,
    /// What it would do.
    pub explained: Option<&'a Explained>,
    /// It was only checked, and nothing is wrong.
    pub right: bool,
}

/// The field for a query. `root` leads from the page to the node's own address.
pub(super) fn area(root: &str, edited: &Edited<'_>) -> Markup {
    let lines = edited.text.lines().count().clamp(6, 24) + 1;
    html! {
        div.editor data-check={ (root) "feeds/check" } data-complete={ (root) "feeds/complete" } {
            label for="query" { "Query" }
            div.pad {
                pre.ink aria-hidden="true" {}
                textarea #query name="query" rows=(lines) spellcheck="false" autocapitalize="off"
                    autocomplete="off" aria-describedby="mistake"
                    aria-invalid=[edited.problem.is_some().then_some("true")] { "\n" (edited.text) }
            }
            ul.offered role="listbox" aria-label="Words to go on with" hidden {}
            div #mistake.mistake aria-live="polite" { (verdict(edited)) }
        }
    }
}

/// What is to be said of the text.
pub fn verdict(edited: &Edited<'_>) -> Markup {
    html! {
        @if let Some(problem) = edited.problem { (mistake(edited.text, problem)) }
        @else if edited.right { p.well role="status" { "✓ The query can be read." } }
    }
}

/// Under the editor: what the query finds and costs.
pub(super) fn result(edited: &Edited<'_>) -> Markup {
    html! {
        @if let Some(explained) = edited.explained { (trial::shown(explained)) }
    }
}

/// A mistake, where it is, and what would be right.
fn mistake(text: &str, problem: &Problem) -> Markup {
    html! {
        div.wrong role="alert" {
            @match &problem.place {
                Some(place) => {
                    p {
                        strong { "Line " (place.line) ", column " (place.column) ": " }
                        (place.message)
                    }
                    @if !place.expected.is_empty() { p { "Expected: " (place.expected.join(", ")) } }
                    @if let Some(help) = &place.help { p { (help) } }
                    @if !text.is_empty() {
                        pre.query { (highlighted_at(text, Some((place.start, place.end)))) }
                    }
                }
                None => {
                    p { strong { (problem.title) } }
                    pre { (problem.detail) }
                }
            }
            @if let Some(nearest) = &problem.nearest { p { "Did you mean " code { (nearest) } "?" } }
            @if let Some(key) = &problem.key { p { "The key " code { (key) } " stands in the way." } }
        }
    }
}

/// "3 items, of 120 that were looked at".
fn of_all(found: u64, examined: u64) -> String {
    format!("{}, of {} that were looked at", counted(found, "item"), examined)
}
