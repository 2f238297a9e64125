//! The Google Reader API: what reader apps use to list, read, mark and follow.
//!
//! It is answered under `/reader-api`, and under the path that FreshRSS has, because some apps offer nothing else.
//! What its ids, parameters and answers look like is in `pergola_reader_api`; here the node is asked.
//!
//! An app proves itself by a header that no page of another site can make a browser send, never by a cookie. So nothing
//! here needs the check for pages of other sites, but for logging in.

mod refused;
mod who;

mod lists;
mod marking;
mod reading;
mod streams;
mod subscribing;

use std::future::Future;
use std::sync::Arc;

use axum::extract::DefaultBodyLimit;
use axum::routing::{get, post};
use axum::{Json, Router};
use pergola_node::node::Node;
use pergola_reader_api::answer::{Friends, Preferences, StreamPreferences};

use crate::site::Site;
use refused::Refused;
pub(crate) use streams::Addresses;
pub(crate) use subscribing::at;
use who::Call;

/// Where the API is: ours, and where apps look for FreshRSS.
const PLACES: [&str; 2] = ["/reader-api", "/api/greader.php"];
/// Bytes of a request: a long list of subscriptions.
const LARGEST: usize = 11 << 20;

/// The routes of the API.
pub(crate) fn routes() -> Router<Site> {
    let mut all = Router::new();
    for place in PLACES {
        all = all.nest(place, api()).route(&format!("{place}/"), get(refused::alive));
    }
    all.layer(DefaultBodyLimit::max(LARGEST))
}

fn api() -> Router<Site> {
    Router::new()
        .route("/", get(refused::alive))
        .route("/accounts/ClientLogin", get(who::login).post(who::login))
        .route("/reader/atom/{*stream}", get(reading::atom))
        .nest("/reader/api/0", calls())
}

fn calls() -> Router<Site> {
    Router::new()
        .route("/token", get(who::token).post(who::token))
        .route("/user-info", get(streams::user_info))
        .route("/tag/list", get(streams::tags))
        .route("/unread-count", get(streams::unread))
        .route("/subscription/list", get(streams::subscriptions))
        .route("/subscription/export", get(lists::export))
        .route("/subscription/import", post(lists::import))
        .route("/subscription/edit", post(subscribing::edit))
        .route("/subscription/quickadd", post(subscribing::quick_add))
        .route("/rename-tag", post(subscribing::rename_label))
        .route("/disable-tag", post(subscribing::drop_label))
        .route("/stream/items/ids", get(reading::ids).post(reading::ids))
        .route("/stream/items/contents", get(reading::items).post(reading::items))
        .route("/stream/contents", get(reading::contents))
        .route("/stream/contents/", get(reading::contents))
        .route("/stream/contents/{*stream}", get(reading::contents_of))
        .route("/edit-tag", post(marking::edit))
        .route("/mark-all-as-read", post(marking::read_all))
        .route("/preference/list", get(async |_: Call| Json(Preferences::default())))
        .route("/preference/stream/list", get(async |_: Call| Json(StreamPreferences::default())))
        .route("/friend/list", get(async |_: Call| Json(Friends::default())))
}

/// Asks the node for something on a thread that may wait for the disk.
async fn ask<T, E>(
    site: &Site,
    question: impl FnOnce(&Node) -> Result<T, E> + Send + 'static,
) -> Result<T, Refused>
where
    T: Send + 'static,
    E: Into<Refused> + Send + 'static,
{
    let node = Arc::clone(&site.node);
    let done = node.blocking().run(move || question(&node)).await;
    done.map_err(Refused::failed)?.map_err(Into::into)
}

/// Completes a change even if the app hangs up, so that nothing is left half done.
async fn to_the_end<T: Send + 'static>(
    change: impl Future<Output = Result<T, Refused>> + Send + 'static,
) -> Result<T, Refused> {
    tokio::spawn(change).await.map_err(Refused::failed)?
}
