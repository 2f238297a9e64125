//! An item as queries see it: a view that borrows the texts, so that this crate does not depend on
//! how items are read, stored or sent.

use crate::syntax::Field;

/// The texts of one item, without markup, and its time of publication.
#[derive(Clone, Copy, Debug, Default)]
pub struct ItemView<'a> {
    pub title: &'a str,
    /// The content or, without one, the summary.
    pub content: &'a str,
    /// Names of the authors.
    pub authors: &'a [&'a str],
    pub categories: &'a [&'a str],
    pub link: &'a str,
    /// The address and title of the source.
    pub source: &'a [&'a str],
    /// When the item was published or first seen, in Unix seconds.
    pub published: Option<i64>,
}

impl<'a> ItemView<'a> {
    /// Each non-empty text with its field.
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
    pub(crate) const FIELDS: usize = 6;

    /// The numbers of the fields in the set.
    pub(crate) fn each(self) -> impl Iterator<Item = usize> {
        (0..Self::FIELDS).filter(move |field| self.0 & 1 << field != 0)
    }

    /// The fields whose numbers satisfy `is_in`.
    pub(crate) fn those(is_in: impl Fn(usize) -> bool) -> Self {
        let bits = (0..Self::FIELDS).filter(|field| is_in(*field)).map(|field| 1 << field);
        Self(bits.sum())
    }

    /// The elementary fields of a field: itself or, for ITEM, all that a reader sees.
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

    /// The union.
    pub(crate) fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the sets overlap.
    pub(crate) fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}
