//! A new feed: by a form, or as a query.

use maud::{Markup, html};

use crate::assets;
use crate::frame::{Frame, Place, Viewer};
use crate::inside::editor::{self, Draft, Edited};

/// A source that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    pub url: String,
    pub title: Option<String>,
    pub chosen: bool,
}

/// A feed that is being made.
#[derive(Debug, Clone, Copy)]
pub struct NewFeed<'a> {
    pub draft: &'a Draft,
    /// What is missing in the form, by its field.
    pub unsaid: Option<(&'a str, &'a str)>,
    /// Those that were chosen, and some that fit what is searched for.
    pub sources: &'a [Choice],
    /// There are more that fit.
    pub more: bool,
    /// What sources are searched for.
    pub find: &'a str,
    pub folders: &'a [String],
    pub edited: Edited<'a>,
    /// An address leads nowhere: the feed can be saved all the same.
    pub may_force: bool,
}

/// The page of a new feed.
pub fn new(viewer: Viewer<'_>, made: &NewFeed<'_>) -> Markup {
    let content = html! {
        h1 { "New feed" }
        p.soft {
            "Say in the form what it should bring, or write the query yourself. "
            "Nothing is saved before you save it."
        }
        form method="post" action="new" {
            // What Enter does in a field.
            button.unseen name="do" value="write" tabindex="-1" aria-hidden="true" { "Write" }
            (form(made))
            section aria-labelledby="as-query" {
                h2 #as-query { "As a query" }
                (editor::area("../", &made.edited))
                @if made.may_force {
                    label { input type="checkbox" name="force" value="yes"; " Save although an address leads nowhere now" }
                }
                p.buttons {
                    button name="do" value="check" { "Check" }
                    button name="do" value="try" { "Try it" }
                    button.main name="do" value="save" { "Save" }
                }
            }
        }
        (editor::result(&made.edited))
        details.card { summary { "The language in short" } (language()) }
    };
    let head = html! { script src=(assets::address("../", "editor.js")) defer {} };
    let frame = Frame { title: "New feed", root: "../", place: Some(Place::Feeds), viewer };
    frame.page(head, content)
}

fn form(made: &NewFeed<'_>) -> Markup {
    let draft = made.draft;
    let wrong =
        |field: &str| made.unsaid.filter(|(missing, _)| *missing == field).map(|(_, why)| why);
    html! {
        section.card aria-labelledby="in-words" {
            h2 #in-words { "In words" }
            p.field {
                label for="name" { "Name" }
                input #name name="name" value=(draft.name) autocomplete="off"
                    aria-invalid=[wrong("name").map(|_| "true")];
                (told(wrong("name")))
            }
            fieldset {
                legend { "Sources" }
                (told(wrong("sources")))
                label { input type="checkbox" name="all" value="yes" checked[draft.all]; " All sources of this node" }
                @if !made.folders.is_empty() {
                    fieldset.inset {
                        legend.soft { "Folders, with those inside them" }
                        @for folder in made.folders {
                            label {
                                input type="checkbox" name="folder" value=(folder) checked[draft.folders.contains(folder)];
                                " " (folder)
                            }
                        }
                    }
                }
                p.line {
                    label for="find" { "Find sources" }
                    input #find name="find" value=(made.find) autocomplete="off";
                    button name="do" value="find" { "Find" }
                }
                @if !made.sources.is_empty() {
                    fieldset.inset.choices {
                        legend.soft { "One by one" }
                        @for source in made.sources {
                            label title=(source.url) {
                                input type="checkbox" name="source" value=(source.url) checked[source.chosen];
                                " " (source.title.as_deref().unwrap_or(&source.url))
                            }
                        }
                    }
                }
                @if made.more { p.soft { "There are more. Search for a part of a title or an address." } }
                p.field {
                    label for="addresses" { "Other addresses, one in a line" }
                    textarea #addresses name="addresses" rows="2" spellcheck="false" { "\n" (draft.addresses) }
                }
            }
            p.field {
                label for="contain" { "Items with one of these words or phrases (one in a line, or between commas); all if empty" }
                textarea #contain name="contain" rows="2" { "\n" (draft.contain) }
            }
            p.field {
                label for="exclude" { "But with none of these" }
                textarea #exclude name="exclude" rows="2" { "\n" (draft.exclude) }
            }
            p.pair {
                label for="window" { "Items in a document" }
                input #window name="window" inputmode="numeric" value=(draft.window) placeholder="as usual"
                    aria-invalid=[wrong("window").map(|_| "true")];
                label for="keep" { "Days to keep items" }
                input #keep name="keep" inputmode="numeric" value=(draft.keep) placeholder="as usual"
                    aria-invalid=[wrong("keep").map(|_| "true")];
                (told(wrong("window").or(wrong("keep"))))
            }
            p.buttons { button.main name="do" value="write" { "Write the query and try it" } }
        }
    }
}

fn told(why: Option<&str>) -> Markup {
    html! { @if let Some(why) = why { span.wrong role="alert" { (why) } } }
}

fn language() -> Markup {
    let example = "CREATE FEED Volcanoes AS\n\
                   RETURN \"https://example.org/rss\" AS $news |\n       \
                   FOLDER \"Science\"\n\
                   WHERE ITEM CONTAINS (\"volcano\" OR \"lava\") AND NOT TITLE CONTAINS \"film\"\n  \
                   AND $news[PUBLISHED WITHIN 7 DAYS]\n\
                   WINDOW 50 KEEP 30 DAYS;";
    html! {
        pre.query { (editor::highlighted(example)) }
        p.soft {
            "Sources: an address in quotes, " code { "OPML \"all\"" } ", " code { "FOLDER \"…\"" } ", "
            code { "FEED name" } ", " code { "PEER \"https://…\" FEED name" } ". Fields: "
            code { "TITLE" } ", " code { "CONTENT" } ", " code { "AUTHOR" } ", " code { "LINK" } ", "
            code { "CATEGORY" } ", " code { "SOURCE" } ", " code { "ITEM" } " (all that a reader sees)."
        }
    }
}
