//! A query by itself, to try it before it is anybody's feed.

use pergola_feed::Item;
use pergola_query::syntax::{FeedBody, SourceRef};
use pergola_query::{QueryError, Scratch};
use pergola_store::archive::{FeedId, SourceId};

use super::queries::Queries;
use super::{Desk, Texts, of};

/// The number of a query that is only tried.
const TRIED: FeedId = FeedId(u32::MAX);

/// One query, and those of the feeds that it reads.
pub struct Alone {
    queries: Queries,
}

impl Desk {
    /// A query by itself. `resolve` says which sources a clause stands for.
    pub fn alone(
        &self,
        body: &FeedBody,
        mut resolve: impl FnMut(&SourceRef) -> Vec<SourceId>,
    ) -> Result<Alone, QueryError> {
        let mut alone = Queries::default();
        for card in self.read().read_by(body) {
            alone.put(card.id, &card.name, &card.body, &mut resolve)?;
        }
        // No feed can have this name.
        alone.put(TRIED, "", body, &mut resolve)?;
        Ok(Alone { queries: alone })
    }
}

impl Alone {
    /// The sources that it reads, directly or through other feeds.
    pub fn sources(&self) -> &[SourceId] {
        self.queries.sources_of(TRIED)
    }

    /// Whether it keeps an item.
    pub fn keeps(
        &self,
        source: SourceId,
        item: &Item,
        texts: &Texts<'_>,
        now: f64,
        scratch: &mut Scratch,
    ) -> bool {
        let found = self.queries.matches(source, &texts.view(item), now as i64, scratch);
        found.iter().any(|found| found.query == of(TRIED))
    }
}
