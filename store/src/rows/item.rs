//! Items.

use std::borrow::Cow;

use pergola_feed::{
    Category, Enclosure, Hop, Item, ItemId, Link, Millis, NodeId, Origin, Person, Text, TextKind,
    Timestamp,
};

use super::{List, Nonsense, Stored, inside, row, variants};

row!(Item as ItemRow<'a> {
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
});

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

row!(Enclosure as EnclosureRow<'a> {
    url: Cow<'a, str>,
    media_type: Option<Cow<'a, str>>,
    length: Option<u64>,
});

row!(Origin as OriginRow<'a> {
    id: Option<Cow<'a, str>>,
    title: Option<Cow<'a, str>>,
    feed: Option<Cow<'a, str>>,
    home: Option<Cow<'a, str>>,
});

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
