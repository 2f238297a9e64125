//! The list of sources: searched, sorted, in pages.

use maud::{Markup, html};
use pergola_api::source::{
    FolderSize, SourceKind, SourcePage, SourceSort, SourceStanding, SourceStatus,
};

use super::{live_part, name, note};
use crate::figures::count;
use crate::frame::{Frame, Place, Viewer};
use crate::inside::overview::live;

/// Sources on one page.
pub const PER_PAGE: usize = 50;

/// What somebody wants to see.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted<'a> {
    pub search: &'a str,
    pub standing: Option<SourceStanding>,
    pub folder: &'a str,
    pub sort: Option<SourceSort>,
    pub descending: bool,
    /// From 1 on.
    pub page: usize,
}

impl Wanted<'_> {
    /// The address of the same list, from the page itself.
    fn address(&self) -> String {
        let mut fields: Vec<(&str, String)> = Vec::new();
        let mut say = |name, value: &str| {
            if !value.is_empty() {
                fields.push((name, value.to_owned()));
            }
        };
        say("search", self.search);
        say("standing", self.standing.map_or("", SourceStanding::name));
        say("folder", self.folder);
        say("sort", self.sort.map_or("", SourceSort::name));
        say("descending", if self.descending { "yes" } else { "" });
        say("page", &if self.page > 1 { self.page.to_string() } else { String::new() });
        if fields.is_empty() {
            return "./sources".to_owned();
        }
        let mut text = url::form_urlencoded::Serializer::new(String::new());
        format!("./sources?{}", text.extend_pairs(fields).finish())
    }

    fn is_filtered(&self) -> bool {
        !self.search.is_empty() || self.standing.is_some() || !self.folder.is_empty()
    }
}

/// What the list shows.
#[derive(Debug, Clone, Copy)]
pub struct List<'a> {
    pub viewer: Viewer<'a>,
    pub wanted: Wanted<'a>,
    pub page: &'a SourcePage,
    pub folders: &'a [FolderSize],
    pub now: f64,
    /// What was done just before.
    pub note: Option<&'a str>,
}

/// The list.
pub fn page(list: &List<'_>) -> Markup {
    let total = list.page.total.unwrap_or(list.page.sources.len());
    let ids: Vec<String> = list.page.sources.iter().map(|source| source.id.to_string()).collect();
    let content = html! {
        h1 { "Sources" }
        (note(list.note))
        (adding())
        (filters(list))
        p.soft role="status" { (range(&list.wanted, total)) }
        @if list.page.sources.is_empty() {
            p.card {
                @if list.wanted.is_filtered() {
                    "No source is like that. " a href="./sources" { "Show all" }
                } @else { "There are no sources yet. Add one above." }
            }
        } @else {
            div.sources data-live-sources=(ids.join(",")) { (table(list)) }
            (pages(&list.wanted, total))
        }
        p.away data-live-note hidden role="status" {}
    };
    let frame =
        Frame { title: "Sources", root: "./", place: Some(Place::Sources), viewer: list.viewer };
    frame.page(live("./"), content)
}

fn adding() -> Markup {
    html! {
        section.card aria-labelledby="add" {
            h2 #add { "Add a source" }
            form.row method="post" action="./sources/new" {
                label for="url" { "Address of a feed or a page" }
                input #url name="url" required placeholder="example.org" autocapitalize="off"
                    spellcheck="false" inputmode="url";
                button.main { "Add" }
            }
            p.soft {
                a href="./sources/new" { "With a title, folders or a password" } " · "
                a href="./sources/import" { "Import OPML" } " · "
                a href="./api/v1/opml" download { "Export OPML" } " · "
                a href="./sources/removed" { "Removed sources" }
            }
        }
    }
}

fn filters(list: &List<'_>) -> Markup {
    let wanted = &list.wanted;
    let standings = [
        SourceStanding::Well,
        SourceStanding::New,
        SourceStanding::Paused,
        SourceStanding::Failing,
        SourceStanding::Ended,
    ];
    html! {
        form.filters method="get" action="./sources" role="search" {
            p.field {
                label for="search" { "Search" }
                input #search type="search" name="search" value=(wanted.search);
            }
            p.field {
                label for="standing" { "Standing" }
                select #standing name="standing" {
                    option value="" { "any" }
                    @for one in standings {
                        option value=(one.name()) selected[wanted.standing == Some(one)] { (one.name()) }
                    }
                }
            }
            @if !list.folders.is_empty() {
                p.field {
                    label for="folder" { "Folder" }
                    select #folder name="folder" {
                        option value="" { "any" }
                        @for folder in list.folders {
                            option value=(folder.name) selected[wanted.folder == folder.name] {
                                (folder.name) " (" (folder.sources) ")"
                            }
                        }
                    }
                }
            }
            @if let Some(sort) = wanted.sort { input type="hidden" name="sort" value=(sort.name()); }
            @if wanted.descending { input type="hidden" name="descending" value="yes"; }
            p.field { button { "Show" } }
        }
    }
}

fn range(wanted: &Wanted<'_>, total: usize) -> String {
    if total == 0 {
        return "No sources".to_owned();
    }
    let first = (wanted.page.max(1) - 1) * PER_PAGE + 1;
    let last = (first + PER_PAGE - 1).min(total);
    format!("{} to {} of {}", count(first as u64), count(last as u64), count(total as u64))
}

const COLUMNS: [(&str, SourceSort, bool); 5] = [
    ("Title", SourceSort::Title, false),
    ("Standing", SourceSort::Standing, false),
    ("Last refresh", SourceSort::LastRefresh, false),
    ("Next refresh", SourceSort::NextRefresh, false),
    ("Items a day", SourceSort::ItemsPerDay, true),
];

fn table(list: &List<'_>) -> Markup {
    html! {
        table {
            thead { tr {
                @for (label, sort, number) in COLUMNS { (head(&list.wanted, label, sort, number)) }
            } }
            tbody { @for source in &list.page.sources { (row(source, list.now)) } }
        }
    }
}

/// A head that sorts by its column, and the other way if the list is sorted by it already.
fn head(wanted: &Wanted<'_>, label: &str, sort: SourceSort, number: bool) -> Markup {
    let is_sorted = wanted.sort == Some(sort);
    let descending = is_sorted && !wanted.descending;
    let there = Wanted { sort: Some(sort), descending, page: 1, ..*wanted };
    let order = is_sorted.then_some(if wanted.descending { "descending" } else { "ascending" });
    html! {
        th scope="col" aria-sort=[order] class=[number.then_some("number")] {
            a href=(there.address()) {
                (label)
                @if is_sorted { span aria-hidden="true" { @if wanted.descending { " ↓" } @else { " ↑" } } }
            }
        }
    }
}

fn row(source: &SourceStatus, now: f64) -> Markup {
    html! {
        tr {
            th scope="row" {
                a href={ "./sources/" (source.id) } { (name(source)) }
                span.soft.line { (source.url) }
                @if !source.folders.is_empty() || source.private || source.kind != SourceKind::Feed {
                    span.chips {
                        @if source.kind != SourceKind::Feed { span.chip { (source.kind.name()) } }
                        @if source.private { span.chip { "private" } }
                        @for folder in &source.folders { span.chip { (folder) } }
                    }
                }
            }
            td data-label="Standing" { (live_part(source, "standing", now)) }
            td data-label="Last" { (live_part(source, "last", now)) }
            td data-label="Next" { (live_part(source, "next", now)) }
            td.number data-label="A day" { (live_part(source, "rate", now)) }
        }
    }
}

fn pages(wanted: &Wanted<'_>, total: usize) -> Markup {
    let last = total.div_ceil(PER_PAGE).max(1);
    let page = wanted.page.clamp(1, last);
    let at = |page: usize| Wanted { page, ..*wanted }.address();
    if last == 1 {
        return html! {};
    }
    html! {
        nav.pages aria-label="Pages of sources" {
            @if page > 1 {
                a href=(at(1)) { "First" } a href=(at(page - 1)) rel="prev" { "Previous" }
            }
            span { "Page " (page) " of " (last) }
            @if page < last {
                a href=(at(page + 1)) rel="next" { "Next" } a href=(at(last)) { "Last" }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_of_a_list_says_what_differs_from_the_usual() {
        assert_eq!(Wanted::default().address(), "./sources");
        let wanted = Wanted {
            search: "a b&c",
            standing: Some(SourceStanding::Failing),
            folder: "Tech/Rust",
            sort: Some(SourceSort::LastRefresh),
            descending: true,
            page: 3,
        };
        assert_eq!(
            wanted.address(),
            "./sources?search=a+b%26c&standing=failing&folder=Tech%2FRust&sort=last-refresh&\
             descending=yes&page=3"
        );
    }

    #[test]
    fn a_page_says_which_part_of_the_list_it_shows() {
        let at = |page| Wanted { page, ..Wanted::default() };
        assert_eq!(range(&at(1), 0), "No sources");
        assert_eq!(range(&at(1), 7), "1 to 7 of 7");
        assert_eq!(range(&at(3), 10_000), "101 to 150 of 10\u{202f}000");
    }
}
