//! Feeds for those who manage them: the list, one feed, and a new one.

mod list;
mod manage;
mod new;
mod notify;

use maud::{Markup, html};
use pergola_api::feed::FeedStatus;

use super::in_path;
pub use list::{Listed, list};
pub use manage::{Managed, manage};
pub use new::{Choice, NewFeed, new};
pub use notify::Typed;

/// The forms that readers subscribe to.
const FORMATS: [(&str, &str, &str); 3] = [
    ("Atom", ".atom", "application/atom+xml"),
    ("RSS", ".rss", "application/rss+xml"),
    ("JSON", ".json", "application/feed+json"),
];

/// Links to subscribe. `folder` leads from the page to the folder of feeds.
fn subscribe(folder: &str, feed: &FeedStatus) -> Markup {
    html! {
        ul.forms aria-label={ "Subscribe to " (feed.name) } {
            @for (title, extension, media_type) in FORMATS {
                li { a href={ (folder) (in_path(&feed.name)) (extension) } type=(media_type) { (title) } }
            }
        }
    }
}

/// Who may read a feed, in a word.
fn door(feed: &FeedStatus) -> Markup {
    html! {
        @if feed.closed { span.chip.shut { "closed" } } @else { span.chip { "open" } }
        @if feed.declared { " " span.chip { "declared" } }
    }
}
