//! Searching what is read: the field, and what to do if nothing was found.

use maud::{Markup, html};

use super::{Chosen, Stream, View};

/// Characters of a search at most.
const MOST: usize = 1_000;

/// The field, above the items of a stream; a search stays within that stream.
pub(super) fn form(stream: &Stream) -> Markup {
    let view = &stream.view;
    let (name, value) = view.chosen.field();
    let text = view.search.as_deref().unwrap_or_default();
    let wrong = stream.wrong.as_deref();
    let all = View { search: None, after: None, unread_only: true, ..view.clone() };
    html! {
        form.search method="get" action="./read" role="search" {
            input type="hidden" name=(name) value=(value);
            input #q type="search" name="q" value=(text) maxlength=(MOST) autocapitalize="off"
                aria-label={ "Search in " (stream.title) } placeholder={ "Search in " (stream.title) }
                aria-invalid=[wrong.map(|_| "true")] aria-describedby=[wrong.map(|_| "q-wrong")];
            button { "Search" }
            @if view.search.is_some() { a href={ "./" (all.address()) } { "End the search" } }
        }
        @if let Some(wrong) = wrong { p.wrong #q-wrong role="alert" { "This cannot be searched for: " (wrong) "." } }
    }
}

/// Why there is nothing, and what to try.
pub(super) fn nothing(stream: &Stream) -> Markup {
    let view = &stream.view;
    let everywhere = View { chosen: Chosen::All, after: None, ..view.clone() };
    html! {
        div.card {
            @if stream.wrong.is_some() {
                (help())
            } @else if stream.next.is_some() {
                p { "None of the newer items has these words. There may be older ones." }
            } @else {
                p {
                    @if view.after.is_some() { "There are no older items with these words." }
                    @else { "No item here has these words." }
                    @if view.chosen != Chosen::All {
                        " " a href={ "./" (everywhere.address()) } { "Search everything that you follow" }
                    }
                }
                (help())
            }
        }
    }
}

fn help() -> Markup {
    html! {
        p.soft {
            "All words must be there, in any order. " code { "\"ash cloud\"" } " finds words next to each other, "
            code { "volc*" } " finds words that begin so, and " code { "-sport" } " leaves out items that have a word."
        }
    }
}
