//! Open feeds that read closed ones: what is not for everybody is then for everybody under another name.

use pergola_api::feed::Applied;
use pergola_query::syntax::SourceRef;

use crate::node::Node;
use crate::select::FeedCard;

impl Node {
    /// A warning for each feed that more people may read than a feed that it reads.
    pub(in crate::node) fn leak_notices(&self) -> Vec<String> {
        self.desk.feeds().iter().flat_map(|card| self.leaks_of(card)).collect()
    }

    /// Warnings about the feeds that were just created or altered; in the log, too.
    pub(super) fn leaks_after(&self, applied: &[Applied]) -> Vec<String> {
        let names = applied.iter().filter_map(|done| match done {
            Applied::Created { name, .. } | Applied::Changed { name, .. } => Some(name),
            _ => None,
        });
        let cards = names.filter_map(|name| self.desk.feed(name));
        let leaks: Vec<String> = cards.flat_map(|card| self.leaks_of(&card)).collect();
        leaks.iter().for_each(|leak| tracing::warn!("{leak}"));
        leaks
    }

    /// Warnings about a feed that more people may read than a feed that it reads.
    fn leaks_of(&self, card: &FeedCard) -> Vec<String> {
        let own = self.access.readers_of(card.id);
        let read = card.body.sources.iter().filter_map(|clause| match &clause.source.value {
            SourceRef::Feed(name) => self.desk.feed(name),
            _ => None,
        });
        let leaks = read.filter_map(|of| {
            let may = self.access.readers_of(of.id)?;
            let more =
                own.as_ref().is_none_or(|own| own.iter().any(|reader| !may.contains(reader)));
            more.then(|| {
                let who = if own.is_none() { "open to everybody" } else { "open to more readers" };
                format!(
                    "feed {} is {who} and reads {}, which is closed: close it, too",
                    card.name, of.name
                )
            })
        });
        leaks.collect()
    }
}
