//! What was read, and what is starred.

use std::sync::Arc;

use axum::extract::State;
use pergola_reader_api::request::{Marking, ReadAll, Scope};
use pergola_reader_api::{State as ItemState, Stream as StreamId};
use pergola_store::archive::ItemNumber;

use super::reading::stream;
use super::refused::{Refused, ok};
use super::who::Change;
use super::{ask, to_the_end};
use crate::site::Site;

/// Seconds by which the instants that apps are told may differ from those of streams: both are rounded.
const ROUNDED: f64 = 0.001;

/// Marks items as read or not, and as starred or not.
pub(super) async fn edit(
    State(site): State<Site>,
    Change(call): Change,
) -> Result<&'static str, Refused> {
    let Marking { items, read, starred } = Marking::read(&call.form)?;
    let items: Vec<ItemNumber> = items.into_iter().map(|item| ItemNumber(item.0)).collect();
    let (node, user) = (Arc::clone(&site.node), call.id());
    to_the_end(async move {
        if let Some(read) = read {
            node.mark_read(user, &items, read).await?;
        }
        if let Some(starred) = starred {
            node.mark_starred(user, &items, starred).await?;
        }
        Ok(ok())
    })
    .await
}

/// Marks everything as read that a stream has had at an instant.
pub(super) async fn read_all(
    State(site): State<Site>,
    Change(call): Change,
) -> Result<&'static str, Refused> {
    let all = ReadAll::read(&call.form)?;
    let scope = match all.stream {
        StreamId::State(ItemState::ReadingList | ItemState::KeptUnread) => Scope::All,
        StreamId::State(ItemState::Starred) => Scope::Starred,
        StreamId::Label(name) => Scope::Label(name),
        StreamId::Feed(feed) => Scope::Feed(feed),
        StreamId::State(ItemState::Read) | StreamId::Other(_) => Scope::Nothing,
    };
    let user = call.id();
    let Some(stream) = ask(&site, move |node| stream(node, user, scope)).await? else {
        return Ok(ok());
    };
    let node = Arc::clone(&site.node);
    let until = all.until.map_or_else(|| node.clock.now(), |until| until + ROUNDED);
    to_the_end(async move {
        node.mark_all_read(user, &stream, until).await?;
        Ok(ok())
    })
    .await
}
