//! What a user has: subscriptions, labels, and how much is unread.

use std::collections::{BTreeSet, HashMap};

use axum::Json;
use axum::extract::State;
use pergola_feed::percent;
use pergola_node::node::{Followed, Node, PeopleError, Subscribed};
use pergola_reader_api::State as ItemState;
use pergola_reader_api::answer::{
    Category, Subscription, SubscriptionList, Tag, TagList, UnreadCount, UnreadCounts, UserInfo,
    sort_id,
};
use pergola_reader_api::instant::{microseconds, milliseconds};
use pergola_reader_api::stream::{feed_id, label_id};
use pergola_store::archive::FeedId;

use super::ask;
use super::refused::Refused;
use super::who::Call;
use crate::site::Site;

pub(super) async fn user_info(call: Call) -> Json<UserInfo> {
    let id = call.id().0.to_string();
    Json(UserInfo {
        user_id: id.clone(),
        user_name: call.user.name,
        user_profile_id: id,
        user_email: String::new(),
    })
}

pub(super) async fn subscriptions(
    State(site): State<Site>,
    call: Call,
) -> Result<Json<SubscriptionList>, Refused> {
    let list = ask(&site, move |node| {
        let all = node.subscriptions(call.id())?.into_iter().enumerate();
        let addresses = Addresses::new(node);
        let subscriptions = all.map(|(place, own)| subscription(&addresses, place, own));
        Ok::<_, PeopleError>(SubscriptionList { subscriptions: subscriptions.collect() })
    });
    Ok(Json(list.await?))
}

fn subscription(addresses: &Addresses, place: usize, own: Subscribed) -> Subscription {
    let (url, html_url) = addresses.of(&own);
    let category = |label: String| Category { id: label_id(&label), label };
    Subscription {
        id: feed_id(own.feed.0),
        title: own.title,
        categories: own.folders.into_iter().map(category).collect(),
        sortid: sort_id(place + 1),
        firstitemmsec: milliseconds(own.since),
        url,
        html_url,
        icon_url: String::new(),
    }
}

/// The addresses of the node's feeds.
pub(crate) struct Addresses {
    /// What they begin with.
    base: String,
    names: HashMap<FeedId, String>,
}

impl Addresses {
    pub(crate) fn new(node: &Node) -> Self {
        let base = node.config().node.public_url.as_str().trim_end_matches('/').to_owned();
        let names = node.feeds().into_iter().map(|card| (card.id, card.name));
        Self { base: format!("{base}/feeds/"), names: names.collect() }
    }

    /// The address of something that is followed, and of its page. A feed of the node has both here.
    pub(super) fn of(&self, own: &Subscribed) -> (String, String) {
        match own.what {
            Followed::Source(_) => {
                let address = own.address.clone().unwrap_or_default();
                let home = own.home.clone().unwrap_or_else(|| address.clone());
                (address, home)
            }
            Followed::Feed(feed) => {
                let name = self.names.get(&feed);
                let address = name.map(|name| format!("{}{}", self.base, percent::encode(name)));
                let address = address.unwrap_or_default();
                (address.clone(), address)
            }
        }
    }

    /// The feed of the node at an address, in whatever form.
    pub(super) fn feed_at(&self, address: &str) -> Option<FeedId> {
        let name = percent::decode(address.strip_prefix(&self.base)?)?;
        let named = |name: &str| self.names.iter().find(|(_, own)| *own == name);
        let found = named(&name).or_else(|| named(name.rsplit_once('.')?.0));
        found.map(|(id, _)| *id)
    }
}

pub(super) async fn tags(State(site): State<Site>, call: Call) -> Result<Json<TagList>, Refused> {
    let all = ask(&site, move |node| node.subscriptions(call.id())).await?;
    let folders: BTreeSet<String> = all.into_iter().flat_map(|own| own.folders).collect();
    let state = (ItemState::Starred.id(), None);
    let folders = folders.into_iter().map(|name| (label_id(&name), Some("folder")));
    let tags = std::iter::once(state).chain(folders).enumerate();
    let tags = tags.map(|(place, (id, kind))| Tag { id, sortid: sort_id(place + 1), kind });
    Ok(Json(TagList { tags: tags.collect() }))
}

pub(super) async fn unread(
    State(site): State<Site>,
    call: Call,
) -> Result<Json<UnreadCounts>, Refused> {
    let asked = ask(&site, move |node| {
        let followed = node.subscriptions(call.id())?;
        Ok::<_, PeopleError>((followed, node.unread_counts(call.id())?))
    });
    let (followed, unread) = asked.await?;
    let newest = followed.iter().filter_map(|own| own.newest).max_by(f64::total_cmp);
    let all = (ItemState::ReadingList.id(), unread.all, newest);
    let feeds = followed.into_iter().map(|own| (feed_id(own.feed.0), own.unread, own.newest));
    let folders = unread.folders.into_iter();
    let folders = folders.map(|(name, (count, newest))| (label_id(&name), count, newest));
    let counts = std::iter::once(all).chain(folders).chain(feeds).map(|(id, count, newest)| {
        let newest_item_timestamp_usec = microseconds(newest.unwrap_or(0.0));
        UnreadCount { id, count, newest_item_timestamp_usec }
    });
    Ok(Json(UnreadCounts { max: unread.all, unreadcounts: counts.collect() }))
}
