//! An item as queries see it.
//!
//! A borrowed view of our own, so that this crate needs to know nothing of how items are read, stored
//! or sent; whoever holds an item lends its texts.

use crate::syntax::Field;

/// The texts of one item, all without markup, and the time it was published.
#[derive(Clone, Copy, Debug, Default)]
pub struct ItemView<'a> {
    /// The title.
    pub title: &'a str,
    /// The content, or the summary where there is no content.
    pub content: &'a str,
    /// The names of the authors.
    pub authors: &'a [&'a str],
    /// The categories.
    pub categories: &'a [&'a str],
    /// The address the item links to.
    pub link: &'a str,
    /// What the source is called: its address and its title.
    pub source: &'a [&'a str],
    /// When it was published (or first seen), in seconds of Unix time.
    pub published: Option<i64>,
}

impl<'a> ItemView<'a> {
    /// Each text that a field can mean, with the field it belongs to. Empty texts are left out.
    pub(crate) fn values(&self) -> impl Iterator<Item = (FieldSet, &'a str)> + use<'a> {
        let single =
            [(Field::Title, self.title), (Field::Content, self.content), (Field::Link, self.link)];
        let of = |field: Field, list: &'a [&'a str]| list.iter().map(move |text| (field, *text));
        single
            .into_iter()
            .chain(of(Field::Author, self.authors))
            .chain(of(Field::Category, self.categories))
            .chain(of(Field::Source, self.source))
            .filter(|(_, text)| !text.is_empty())
            .map(|(field, text)| (FieldSet::of(field), text))
    }
}

/// A set of the six elementary fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FieldSet(pub(crate) u8);

impl FieldSet {
    /// How many elementary fields there are.
    pub(crate) const FIELDS: usize = 6;

    /// The numbers of the fields in it.
    pub(crate) fn each(self) -> impl Iterator<Item = usize> {
        (0..Self::FIELDS).filter(move |field| self.0 & 1 << field != 0)
    }

    /// The fields for whose numbers something is true.
    pub(crate) fn those(is_in: impl Fn(usize) -> bool) -> Self {
        let bits = (0..Self::FIELDS).filter(|field| is_in(*field)).map(|field| 1 << field);
        Self(bits.sum())
    }

    /// The elementary fields that a field stands for: itself, or for ITEM what a reader sees.
    pub(crate) fn of(field: Field) -> Self {
        Self(match field {
            Field::Title => 1,
            Field::Content => 2,
            Field::Author => 4,
            Field::Category => 8,
            Field::Link => 16,
            Field::Source => 32,
            Field::Item => 1 | 2 | 4 | 8,
        })
    }

    /// The fields of either.
    pub(crate) fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the two have a field in common.
    pub(crate) fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}
