//! Reading: items of feeds and folders, what was read and starred.

mod chosen;
pub(crate) mod export;
mod marks;
mod pictures;
mod search;
mod side;
mod stream;
mod subscriptions;

use axum::Router;
use axum::routing::{get, post};

use crate::site::Site;

/// The routes of these pages.
pub(crate) fn routes() -> Router<Site> {
    Router::new()
        .route("/read", get(stream::show))
        .route("/read/item/{number}", get(stream::show_item))
        .route("/read/item/{number}/mark", post(marks::mark))
        .route("/read/mark-all", post(marks::mark_all))
        .route("/read/picture", get(pictures::show))
        .route("/read/subscriptions", get(subscriptions::show))
        .route("/read/subscriptions/follow", post(subscriptions::follow))
        .route("/read/subscriptions/change", post(subscriptions::change))
        .route("/read/subscriptions/leave", post(subscriptions::leave))
        .route("/settings/account/export/subscriptions.opml", get(export::subscriptions))
        .route("/settings/account/export/starred.json", get(export::starred))
}
