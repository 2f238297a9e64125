//! An item's texts as queries see them: without markup.

use std::borrow::Cow;

use pergola_feed::Item;
use pergola_feed::html::plain_text;
use pergola_query::ItemView;

/// The texts of one item, borrowed where they can be.
pub struct Texts<'a> {
    content: Cow<'a, str>,
    authors: Vec<&'a str>,
    categories: Vec<&'a str>,
    source: Vec<&'a str>,
}

impl<'a> Texts<'a> {
    /// The texts of an item from a source with this address and title.
    pub fn of(item: &'a Item, url: &'a str, title: Option<&'a str>) -> Self {
        // A summary often is the content cut short; both are searched only if both are there.
        let content = match (&item.content, &item.summary) {
            (Some(content), None) => plain_text(content),
            (None, Some(summary)) => plain_text(summary),
            (Some(content), Some(summary)) => {
                Cow::Owned(format!("{}\n{}", plain_text(summary), plain_text(content)))
            }
            (None, None) => Cow::Borrowed(""),
        };
        let origin = item.origin.as_ref();
        let named =
            [origin.and_then(|o| o.feed.as_deref()), origin.and_then(|o| o.title.as_deref())];
        Self {
            content,
            authors: item.authors.iter().filter_map(|author| author.label()).collect(),
            categories: item.categories.iter().map(|category| category.term.as_str()).collect(),
            source: [Some(url), title].into_iter().chain(named).flatten().collect(),
        }
    }

    /// What the matcher reads.
    pub fn view(&'a self, item: &'a Item) -> ItemView<'a> {
        ItemView {
            title: item.title.as_deref().unwrap_or(""),
            content: &self.content,
            authors: &self.authors,
            categories: &self.categories,
            link: item.link.as_deref().unwrap_or(""),
            source: &self.source,
            published: item.published.or(item.first_seen).map(|at| at.unix()),
        }
    }
}
