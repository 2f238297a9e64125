//! What only few items have: a series, pictures, details of files; and what identifies their origin.

use std::borrow::Cow;

use pergola_feed::{Credit, Details, Item, Media, OriginId, Picture, Series};
use serde::{Deserialize, Serialize};

use super::{List, Nonsense, Stored, row};

#[derive(Serialize, Deserialize)]
pub(crate) struct MoreRow<'a> {
    /// Of the origin.
    identity: Option<u128>,
    /// Of the origin.
    series: Option<SeriesRow<'a>>,
    media: Option<MediaRow<'a>>,
    /// One for each enclosure, or none.
    details: Vec<Option<DetailsRow<'a>>>,
}

impl<'a> MoreRow<'a> {
    /// The row of an item; `None` if there is nothing to store.
    pub(super) fn of(item: &'a Item) -> Option<Self> {
        let origin = item.origin.as_ref();
        let has_details = item.enclosures.iter().any(|enclosure| enclosure.details.is_some());
        let files = item.enclosures.iter().filter(|_| has_details);
        let more = Self {
            identity: origin.and_then(|origin| origin.identity).map(|identity| identity.0),
            series: origin
                .and_then(|origin| origin.series.as_deref())
                .map(|series| series.to_row()),
            media: item.media.as_deref().map(|media| media.to_row()),
            details: files.map(|file| file.details.as_deref().map(|told| told.to_row())).collect(),
        };
        let empty = more.identity.is_none() && more.series.is_none() && more.media.is_none();
        (!empty || has_details).then_some(more)
    }
}

impl MoreRow<'static> {
    /// Puts what the row holds into its item.
    pub(super) fn add_to(self, item: &mut Item) -> Result<(), Nonsense> {
        item.media = boxed(self.media)?;
        for (file, details) in item.enclosures.iter_mut().zip(self.details) {
            file.details = boxed(details)?;
        }
        if self.identity.is_some() || self.series.is_some() {
            let origin = item.origin.get_or_insert_default();
            origin.identity = self.identity.map(OriginId);
            origin.series = boxed(self.series)?;
        }
        Ok(())
    }
}

fn boxed<T: Stored>(row: Option<T::Row<'static>>) -> Result<Option<Box<T>>, Nonsense> {
    row.map(|row| T::from_row(row).map(Box::new)).transpose()
}

row!(Media as MediaRow<'a> {
    thumbnails: List<'a, Picture>,
    image: Option<Cow<'a, str>>,
    duration: Option<u32>,
    season: Option<u32>,
    episode: Option<u32>,
    kind: Option<Cow<'a, str>>,
    explicit: Option<bool>,
    title: Option<Cow<'a, str>>,
    author: Option<Cow<'a, str>>,
    subtitle: Option<Cow<'a, str>>,
    summary: Option<Cow<'a, str>>,
    credits: List<'a, Credit>,
});

row!(Picture as PictureRow<'a> {
    url: Cow<'a, str>,
    width: Option<u32>,
    height: Option<u32>,
});

row!(Credit as CreditRow<'a> { name: Cow<'a, str>, role: Option<Cow<'a, str>> });

row!(Details as DetailsRow<'a> {
    medium: Option<Cow<'a, str>>,
    width: Option<u32>,
    height: Option<u32>,
    duration: Option<u32>,
});

row!(Series as SeriesRow<'a> {
    image: Option<Cow<'a, str>>,
    author: Option<Cow<'a, str>>,
    kind: Option<Cow<'a, str>>,
    explicit: Option<bool>,
    categories: List<'a, String>,
});
