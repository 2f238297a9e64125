//! Notifications as the API and pages show them: without secrets. Pure.

use pergola_api::Instant;
use pergola_api::notification::{NotificationStatus, Often};
use pergola_feed::address::masked;
use pergola_store::archive::{Every, Notification, Way};

use crate::course;

/// A notification of a feed whose next entry gets the number `come`.
pub(crate) fn shown(notification: &Notification, come: u64) -> NotificationStatus {
    let Notification { id, way, since, next, delivered_at, trouble, paused, .. } = notification;
    let (webhook, mail, every) = match way {
        Way::Webhook { url, .. } => (Some(masked(url).into_owned()), None, None),
        Way::Mail { address, every } => (None, Some(address.clone()), Some(often(*every))),
    };
    NotificationStatus {
        id: id.clone(),
        webhook,
        mail,
        every,
        since: Instant::from_unix(*since),
        waiting: come.saturating_sub(*next),
        delivered_at: delivered_at.map(Instant::from_unix),
        next_at: course::due(notification, come).map(Instant::from_unix),
        failures: trouble.as_ref().map_or(0, |trouble| trouble.tries),
        error: trouble.as_ref().map(|trouble| trouble.last.clone()),
        paused: *paused,
        secret: None,
    }
}

/// What the operator is told of a notification that is paused.
pub(crate) fn notice(feed: &str, notification: &Notification) -> Option<String> {
    let trouble = notification.trouble.as_ref().filter(|_| notification.paused)?;
    let to = match &notification.way {
        Way::Webhook { url, .. } => format!("the webhook {}", masked(url)),
        Way::Mail { address, .. } => format!("the digest for {address}"),
    };
    Some(format!(
        "{to} of the feed {feed} failed too often and is paused ({}): when it is mended, run `pergola feed notify \
         {feed} --resume {}`; nothing is lost until the feed's entries expire",
        trouble.last, notification.id
    ))
}

fn often(every: Every) -> Often {
    match every {
        Every::Hour => Often::Hour,
        Every::Day => Often::Day,
        Every::Week => Often::Week,
    }
}
