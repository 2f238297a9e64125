//! Items.

use std::borrow::Cow;

use pergola_feed::{
    Category, Enclosure, Hop, Item, ItemId, Link, Millis, NodeId, Origin, Person, Text, TextKind,
    Timestamp,
};

use serde::{Deserialize, Serialize};

use super::more::MoreRow;
use super::{List, Nonsense, Stored, inside, row, variants};

/// An item. What only few items have is at its end.
#[derive(Serialize, Deserialize)]
pub(crate) struct ItemRow<'a> {
    id: Cow<'a, str>,
    guid: Option<Cow<'a, str>>,
    title: Option<Cow<'a, str>>,
    link: Option<Cow<'a, str>>,
    links: List<'a, Link>,
    summary: Option<TextRow<'a>>,
    content: Option<TextRow<'a>>,
    authors: List<'a, Person>,
    categories: List<'a, Category>,
    published: Option<i64>,
    updated: Option<i64>,
    first_seen: Option<i64>,
    enclosures: List<'a, Enclosure>,
    origin: Option<OriginRow<'a>>,
    hops: List<'a, Hop>,
    more: Option<MoreRow<'a>>,
}

impl Stored for Item {
    type Row<'a> = ItemRow<'a>;

    fn to_row(&self) -> ItemRow<'_> {
        ItemRow {
            id: self.id.to_row(),
            guid: self.guid.to_row(),
            title: self.title.to_row(),
            link: self.link.to_row(),
            links: self.links.to_row(),
            summary: self.summary.to_row(),
            content: self.content.to_row(),
            authors: self.authors.to_row(),
            categories: self.categories.to_row(),
            published: self.published.to_row(),
            updated: self.updated.to_row(),
            first_seen: self.first_seen.to_row(),
            enclosures: self.enclosures.to_row(),
            origin: self.origin.to_row(),
            hops: self.hops.to_row(),
            more: MoreRow::of(self),
        }
    }

    fn from_row(row: ItemRow<'static>) -> Result<Self, Nonsense> {
        let mut item = Self {
            id: Stored::from_row(row.id)?,
            guid: Stored::from_row(row.guid)?,
            title: Stored::from_row(row.title)?,
            link: Stored::from_row(row.link)?,
            links: Stored::from_row(row.links)?,
            summary: Stored::from_row(row.summary)?,
            content: Stored::from_row(row.content)?,
            authors: Stored::from_row(row.authors)?,
            categories: Stored::from_row(row.categories)?,
            published: Stored::from_row(row.published)?,
            updated: Stored::from_row(row.updated)?,
            first_seen: Stored::from_row(row.first_seen)?,
            enclosures: Stored::from_row(row.enclosures)?,
            media: None,
            origin: Stored::from_row(row.origin)?,
            hops: Stored::from_row(row.hops)?,
        };
        row.more.map_or(Ok(()), |more| more.add_to(&mut item))?;
        Ok(item)
    }
}

row!(Link as LinkRow<'a> {
    href: Cow<'a, str>,
    rel: Cow<'a, str>,
    media_type: Option<Cow<'a, str>>,
});

row!(Text as TextRow<'a> { kind: TextKindRow, body: Cow<'a, str> });

variants!(TextKind as TextKindRow { Plain, Html });

row!(Person as PersonRow<'a> {
    name: Option<Cow<'a, str>>,
    uri: Option<Cow<'a, str>>,
    email: Option<Cow<'a, str>>,
});

row!(Category as CategoryRow<'a> { term: Cow<'a, str>, scheme: Option<Cow<'a, str>> });

/// A file without its details, which are in [`MoreRow`].
#[derive(Serialize, Deserialize)]
pub(crate) struct EnclosureRow<'a> {
    url: Cow<'a, str>,
    media_type: Option<Cow<'a, str>>,
    length: Option<u64>,
}

impl Stored for Enclosure {
    type Row<'a> = EnclosureRow<'a>;

    fn to_row(&self) -> EnclosureRow<'_> {
        let Self { url, media_type, length, details: _ } = self;
        EnclosureRow { url: url.to_row(), media_type: media_type.to_row(), length: *length }
    }

    fn from_row(row: EnclosureRow<'static>) -> Result<Self, Nonsense> {
        let (url, media_type) = (Stored::from_row(row.url)?, Stored::from_row(row.media_type)?);
        Ok(Self { url, media_type, length: row.length, details: None })
    }
}

/// An origin without its identity and series, which are in [`MoreRow`].
#[derive(Serialize, Deserialize)]
pub(crate) struct OriginRow<'a> {
    id: Option<Cow<'a, str>>,
    title: Option<Cow<'a, str>>,
    feed: Option<Cow<'a, str>>,
    home: Option<Cow<'a, str>>,
}

impl Stored for Origin {
    type Row<'a> = OriginRow<'a>;

    fn to_row(&self) -> OriginRow<'_> {
        OriginRow {
            id: self.id.to_row(),
            title: self.title.to_row(),
            feed: self.feed.to_row(),
            home: self.home.to_row(),
        }
    }

    fn from_row(row: OriginRow<'static>) -> Result<Self, Nonsense> {
        Ok(Self {
            id: Stored::from_row(row.id)?,
            title: Stored::from_row(row.title)?,
            feed: Stored::from_row(row.feed)?,
            home: Stored::from_row(row.home)?,
            ..Self::default()
        })
    }
}

row!(Hop as HopRow<'a> {
    node: Cow<'a, str>,
    fetched: Option<i64>,
    published: Option<i64>,
});

inside!(ItemId(String), NodeId(String));

/// Seconds since 1970.
impl Stored for Timestamp {
    type Row<'a> = i64;

    fn to_row(&self) -> i64 {
        self.unix()
    }

    fn from_row(seconds: i64) -> Result<Self, Nonsense> {
        Ok(Self::from_unix(seconds))
    }
}

/// Milliseconds since 1970.
impl Stored for Millis {
    type Row<'a> = i64;

    fn to_row(&self) -> i64 {
        self.unix()
    }

    fn from_row(milliseconds: i64) -> Result<Self, Nonsense> {
        Ok(Self::from_unix(milliseconds))
    }
}
