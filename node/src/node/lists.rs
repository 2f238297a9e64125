//! Lists that bring their own sources, and the sources that a clause of a query stands for.

use std::collections::HashSet;

use pergola_feed::address::Shown;
use pergola_manners::heard::Member;
use pergola_query::syntax::SourceRef;
use pergola_store::archive::{Commit, SourceId};

use super::sources::{EVERY_SOURCE, SourceError};
use super::{NewSource, Node, normal_url};

impl Node {
    /// What stands on a list is subscribed to, and what has left it is not.
    pub(super) async fn take_over_list(
        &self,
        list: SourceId,
        found: Vec<Member>,
    ) -> Result<(), SourceError> {
        let _turn = self.turn.acquire().await;
        if self.archive.source(list)?.is_none() {
            return Ok(());
        }
        let mut sources = Vec::new();
        let mut named = HashSet::new();
        let mandate = self.crawler.mandate_of(list);
        for Member { url, title } in found {
            // An address that cannot be crawled is the list's mistake, not ours.
            let Ok(new) = NewSource::feed(&url) else { continue };
            if !self.crawler.may_lead(&mandate, None, &new.url)? {
                let url = Shown(new.url.as_str());
                tracing::warn!(list = list.0, %url, "a list names a private address, or one with credentials: it is left out");
                continue;
            }
            if named.insert(new.url.to_string()) {
                sources.push(NewSource { title, wanted: false, list: Some(list), ..new });
            }
        }
        self.add_sources_in_turn(sources).await?;
        let members = self.members.lock().get(&list).cloned().unwrap_or_default();
        let mut commit = Commit::new();
        let mut gone = Vec::new();
        for member in members {
            let Some(mut record) = self.archive.source(member)? else { continue };
            let stays = named.contains(&record.url)
                || record.formerly.iter().any(|old| named.contains(old));
            if !stays {
                record.lists.retain(|other| *other != list);
                commit.source(member).put_record(&record);
                gone.push(member);
            }
        }
        if !gone.is_empty() {
            self.commit(commit).await?;
            if let Some(members) = self.members.lock().get_mut(&list) {
                members.retain(|member| !gone.contains(member));
            }
        }
        self.rebind_readers_of(&HashSet::new());
        self.reap_sources(&gone).await
    }

    /// The source with this URL.
    pub(crate) fn at(&self, url: &str) -> Option<SourceId> {
        let url = normal_url(url).ok()?;
        self.crawler.by_address(url.as_str())
    }

    /// The sources that a clause of a query stands for.
    pub(super) fn resolve(&self, clause: &SourceRef) -> Vec<SourceId> {
        match clause {
            SourceRef::Url(url) => self.at(url).into_iter().collect(),
            SourceRef::Opml(list) if list == EVERY_SOURCE => self.crawler.ids(),
            SourceRef::Folder(name) => self.in_folder(name),
            SourceRef::Opml(list) => self
                .at(list)
                .and_then(|list| self.members.lock().get(&list).cloned())
                .unwrap_or_default(),
            SourceRef::Peer { node, feed } => {
                self.at(&peer_address(node, feed)).into_iter().collect()
            }
            SourceRef::Feed(_) => Vec::new(),
        }
    }
}

/// Where a peer publishes a feed, as long as nothing better is agreed on.
pub(super) fn peer_address(node: &str, feed: &str) -> String {
    format!("{}/feeds/{feed}.atom", node.trim_end_matches('/'))
}
