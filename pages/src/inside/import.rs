//! Importing from another reader, and the report of the last import.

use maud::{Markup, html};
use pergola_api::Problem;
use pergola_api::user::TakenOver;

use super::sources::trouble;
use crate::figures::count;
use crate::frame::{Frame, Place, Viewer};
use crate::words::counted;

/// Entries that are shown one by one.
const SHOWN: usize = 200;
/// Folders that are named.
const FOLDERS: usize = 20;
const ROOT: &str = "../../";

/// The form, and the report of the last import.
pub fn page(viewer: Viewer<'_>, report: Option<&TakenOver>, problem: Option<&Problem>) -> Markup {
    let content = html! {
        p.soft { a href={ (ROOT) "settings/account" } { "Your account" } }
        h1 { "Import from another reader" }
        @if let Some(report) = report { (told(report)) }
        @if let Some(problem) = problem { (trouble(problem)) p { "Nothing was imported." } }
        form.card.stack method="post" action={ (ROOT) "settings/account/import" } enctype="multipart/form-data" {
            p {
                "Choose what another reader has exported: an OPML file, the ZIP file of FreshRSS or one of the files in it, entries of \
                 Miniflux in JSON, or the ZIP file of your account at another Pergola node. Subscriptions come with their folders, \
                 starred items with their contents."
            }
            p.soft { "An import keeps everything that you have. You can import a file again: nothing is added twice." }
            p.field {
                label for="file" { "File" }
                input #file name="file" type="file" accept=".opml,.xml,.json,.zip,text/x-opml,text/xml,application/json,application/zip" required;
            }
            p { button.main { "Import" } }
        }
    };
    let frame = Frame {
        title: "Import from another reader",
        root: ROOT,
        place: Some(Place::Settings),
        viewer,
    };
    frame.page(html! {}, content)
}

fn told(report: &TakenOver) -> Markup {
    let figures = [
        ("Subscriptions added", report.subscribed),
        ("Known already", report.known),
        ("Sources new to the node", report.new_sources),
        ("Starred", report.starred),
        ("Starred already", report.starred_already),
        ("Marked as read", report.read),
        ("Left out", report.broken),
    ];
    html! {
        section.card role="status" {
            h2 { "What the import did" }
            dl.figures { @for (name, number) in figures {
                div { dt { (name) } dd { (count(number as u64)) } }
            } }
            @if !report.folders.is_empty() {
                p { (counted(report.folders.len() as u64, "folder")) ": " (named(&report.folders)) }
            }
            @if report.duplicates > 0 { p { (counted(report.duplicates as u64, "subscription")) " named twice." } }
            @if report.kept > 0 {
                p { (counted(report.kept as u64, "starred item")) " kept as the file has them: no source here shows them." }
            }
            @if report.read_ahead > 0 {
                p { (counted(report.read_ahead as u64, "item")) " not here yet will count as read if they come within 60 days." }
            }
            @if report.unmarked > 0 {
                p { (counted(report.unmarked as u64, "item")) " neither read nor starred: they come with their sources." }
            }
            @if report.settings > 0 { p { (counted(report.settings as u64, "setting")) " taken over." } }
            @if report.broken > 0 { (left_out(report)) }
            p { a href={ (ROOT) "read" } { "Read" } " · " a href={ (ROOT) "read/subscriptions" } { "Your subscriptions" } }
        }
    }
}

fn left_out(report: &TakenOver) -> Markup {
    let shown = report.left_out.len().min(SHOWN);
    html! {
        div.wide tabindex="0" role="region" aria-label="Entries that were left out" { table {
            thead { tr {
                th scope="col" { "Where" } th scope="col" { "Entry" } th scope="col" { "Why it was left out" }
            } }
            tbody { @for entry in report.left_out.iter().take(SHOWN) { tr {
                td { (entry.place) }
                td { (entry.title.as_deref().or(entry.address.as_deref()).unwrap_or_default()) }
                td { (entry.reason) }
            } } }
        } }
        @if report.broken > shown { p.soft { (report.broken - shown) " more are not shown." } }
    }
}

fn named(folders: &[String]) -> String {
    let mut text = folders.iter().take(FOLDERS).cloned().collect::<Vec<_>>().join(", ");
    if folders.len() > FOLDERS {
        text.push_str(", …");
    }
    text
}
