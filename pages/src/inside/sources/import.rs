//! Importing subscriptions, and what became of each.

use maud::{Markup, html};
use pergola_api::Problem;
use pergola_api::operation::Imported;

use super::{tick, trouble};
use crate::figures::count;
use crate::frame::{Frame, Place, Viewer};
use crate::words::counted;

/// Entries of the report that are shown one by one.
const SHOWN: usize = 200;

/// The form, and the report of the last import.
pub fn page(viewer: Viewer<'_>, report: Option<&Imported>, problem: Option<&Problem>) -> Markup {
    let content = html! {
        p.soft { a href="../sources" { "Sources" } }
        h1 { "Import subscriptions" }
        @if let Some(report) = report { (told(report)) }
        @if let Some(problem) = problem { (trouble(problem)) }
        form.card.stack method="post" action="../sources/import" enctype="multipart/form-data" {
            p { "Nearly every feed reader can export its subscriptions as an OPML file. Folders are kept; sources that are here already stay as they are." }
            p.field {
                label for="file" { "OPML file" }
                input #file name="file" type="file" accept=".opml,.xml,text/x-opml,text/xml,application/xml" required;
            }
            (tick("only_new", "Only what is published from now on: items that the sources show today are old", false))
            p { button.main { "Import" } }
        }
    };
    let frame =
        Frame { title: "Import subscriptions", root: "../", place: Some(Place::Sources), viewer };
    frame.page(html! {}, content)
}

fn told(report: &Imported) -> Markup {
    let broken = report.skipped.len();
    html! {
        section.card role="status" {
            h2 { "What the import did" }
            dl.figures {
                div { dt { "Added" } dd { (count(report.new as u64)) } }
                div { dt { "Known already" } dd { (count(report.known as u64)) } }
                div { dt { "Named twice" } dd { (count(report.duplicates as u64)) } }
                div { dt { "Broken" } dd { (count(broken as u64)) } }
            }
            @if !report.folders.is_empty() {
                p { (counted(report.folders.len() as u64, "folder")) ": " (shortened(&report.folders)) }
            }
            @if broken > 0 {
                div.wide tabindex="0" role="region" aria-label="Entries that are not sources" { table {
                    thead { tr {
                        th.number scope="col" { "Line" } th scope="col" { "Entry" } th scope="col" { "Why it was left out" }
                    } }
                    tbody { @for entry in report.skipped.iter().take(SHOWN) { tr {
                        td.number { @if let Some(line) = entry.line { (line) } }
                        td { (entry.title.as_deref().unwrap_or(&entry.url)) }
                        td { (entry.reason) }
                    } } }
                } }
                @if broken > SHOWN { p.soft { (broken - SHOWN) " more are not shown." } }
            }
            p { a href="../sources" { "To the sources" } }
        }
    }
}

fn shortened(folders: &[String]) -> String {
    const MOST: usize = 20;
    let mut text = folders.iter().take(MOST).cloned().collect::<Vec<_>>().join(", ");
    if folders.len() > MOST {
        text.push_str(", …");
    }
    text
}
