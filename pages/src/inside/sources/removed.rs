//! Sources that were removed and can be restored.

use maud::{Markup, html};
use pergola_api::Problem;
use pergola_api::source::RemovedSource;

use super::{note, trouble};
use crate::figures::moment;
use crate::frame::{Frame, Place, Viewer};

/// The list.
pub fn page(
    viewer: Viewer<'_>,
    removed: &[RemovedSource],
    now: f64,
    said: Option<&str>,
    problem: Option<&Problem>,
) -> Markup {
    let content = html! {
        p.soft { a href="../sources" { "Sources" } }
        h1 { "Removed sources" }
        (note(said))
        @if let Some(problem) = problem { (trouble(problem)) }
        @if removed.is_empty() { p.card { "Nothing was removed in the last week." } }
        @for source in removed {
            section.card {
                h2 { (source.title.as_deref().unwrap_or(&source.url)) }
                p.address { (source.url) }
                p.soft {
                    "Removed " (moment(source.removed_at, now)) "; can be restored until "
                    (moment(source.restorable_until, now)) "."
                }
                form method="post" action={ "../sources/" (source.id) "/restore" } {
                    button { "Restore" }
                }
            }
        }
    };
    let frame =
        Frame { title: "Removed sources", root: "../", place: Some(Place::Sources), viewer };
    frame.page(html! {}, content)
}
