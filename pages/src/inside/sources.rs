//! Sources: the list, one source, adding, importing and restoring them.

pub mod add;
pub mod edit;
pub mod import;
pub mod list;
pub mod one;
pub mod removed;

use maud::{Markup, html};
use pergola_api::source::{SourceStanding, SourceStatus};
use pergola_api::{Code, Problem};

use crate::figures::{moment, per_day};

/// What the stylesheet and people call a standing: a sign, and a word.
pub(crate) fn standing(source: &SourceStatus) -> Markup {
    let (sign, word) = match source.standing {
        SourceStanding::New => ("○", "new"),
        SourceStanding::Well => ("●", "well"),
        SourceStanding::Paused if source.paused => ("‖", "paused by hand"),
        SourceStanding::Paused => ("‖", "paused by its site"),
        SourceStanding::Failing => ("▲", "failing"),
        SourceStanding::Ended => ("■", "ended"),
    };
    html! {
        span class={ "standing " (source.standing.name()) } {
            span aria-hidden="true" { (sign) } " " (word)
        }
    }
}

/// What a source is called.
pub(crate) fn name(source: &SourceStatus) -> &str {
    source.title.as_deref().filter(|title| !title.trim().is_empty()).unwrap_or(&source.url)
}

/// What changes of a source while its page is open: a key for the script, and the markup.
pub fn live_parts(source: &SourceStatus, now: f64) -> Vec<(&'static str, Markup)> {
    let at = |at: Option<_>, never: &str| match at {
        Some(at) => moment(at, now),
        None => html! { (never) },
    };
    let next = match source.busy {
        true => html! { "being refreshed" },
        // From now on the budget decides, and only the source's own page foresees when.
        false if source.next_refresh.is_some_and(|at| at.unix() <= now) => {
            html! { span title="It may be refreshed at any time; the budget decides when that is worth it" { "when worth it" } }
        }
        false => at(source.next_refresh, "none"),
    };
    vec![
        ("standing", standing(source)),
        ("last", at(source.last_refresh, "never")),
        ("next", next),
        ("rate", html! { (per_day(source.items_per_day)) }),
    ]
}

/// A cell or line that a script keeps up to date.
pub(crate) fn live_part(source: &SourceStatus, key: &str, now: f64) -> Markup {
    let parts = live_parts(source, now).into_iter();
    let markup = parts.filter(|(other, _)| *other == key).map(|(_, markup)| markup).next();
    html! { span data-live={ "source-" (source.id) "-" (key) } { @if let Some(markup) = markup { (markup) } } }
}

/// What went wrong, next to what was typed.
pub(crate) fn trouble(problem: &Problem) -> Markup {
    html! {
        div.problem role="alert" {
            p { (capital(&problem.detail)) "." }
            @if let Some(nearest) = &problem.nearest { p { "Did you mean " strong { (nearest) } "?" } }
            @if let Some(key) = &problem.key { p.soft { "The setting " code { (key) } " changes this." } }
            @if let Some(hint) = hint(problem) { p.soft { (hint) "." } }
        }
    }
}

/// What to do next, for somebody at a page: hints about requests are of no use there.
fn hint(problem: &Problem) -> Option<&str> {
    match problem.code {
        Code::TooEarly | Code::WantsQuiet | Code::UnusableSource | Code::UnknownSource => None,
        _ => {
            problem.hint.as_deref().filter(|hint| !hint.contains("GET /") && !hint.contains("send"))
        }
    }
}

/// A sentence that begins with a capital letter, without its full stop.
fn capital(text: &str) -> String {
    let mut rest = text.trim_end_matches('.').chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}

/// A link to another site, if it is one that a browser may follow safely.
pub(crate) fn outward(address: &str) -> Markup {
    let is_web = address.starts_with("http://") || address.starts_with("https://");
    html! {
        @if is_web { a href=(address) rel="noopener noreferrer nofollow" { (address) } }
        @else { (address) }
    }
}

/// A short line about what was done, from the address of the page.
pub(crate) fn note(note: Option<&str>) -> Markup {
    let words = match note {
        Some("added") => "It was added.",
        Some("known") => "It was here already.",
        Some("changed") => "The changes are saved.",
        Some("paused") => "It is paused: nothing is asked of it until you resume it.",
        Some("resumed") => "It is resumed.",
        Some("refreshed") => "It was refreshed.",
        Some("unchanged") => "It was refreshed; nothing was new.",
        Some("failed") => "It was asked, and that failed.",
        Some("removed") => "It was removed. It can be restored for a week.",
        Some("restored") => "It was restored.",
        _ => return html! {},
    };
    html! { p.note role="status" { (words) } }
}

/// A text field with its label.
pub(crate) fn field(id: &str, label: &str, value: &str, placeholder: &str) -> Markup {
    html! {
        p.field {
            label for=(id) { (label) }
            input id=(id) name=(id) value=(value) placeholder=(placeholder) autocomplete="off";
        }
    }
}

/// A box to tick, with its label.
pub(crate) fn tick(id: &str, label: &str, ticked: bool) -> Markup {
    html! {
        p.field.tick {
            input type="checkbox" id=(id) name=(id) value="yes" checked[ticked];
            label for=(id) { (label) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_web_are_links() {
        assert!(outward("https://example.org/").into_string().contains("rel=\"noopener"));
        for address in ["javascript:alert(1)", "data:text/html,x", "JAVASCRIPT:x", "//example.org"]
        {
            assert!(!outward(address).into_string().contains("href"), "{address}");
        }
    }

    #[test]
    fn a_problem_is_told_without_hints_for_programs() {
        let problem = Problem {
            hint: Some("send `?force=true` to ask anyway".to_owned()),
            key: Some("crawl.floor".to_owned()),
            ..Problem::new(Code::BadRequest, "it is <early>.")
        };
        let told = trouble(&problem).into_string();
        assert!(told.contains("It is &lt;early&gt;.") && told.contains("crawl.floor"), "{told}");
        assert!(!told.contains("force"), "{told}");
    }
}
