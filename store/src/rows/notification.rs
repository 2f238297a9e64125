//! Who is sent the new entries of a feed.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::{Nonsense, Stored, row, variants};
use crate::records::{Every, Notification, Trouble, Way};

/// Where notifications go.
#[derive(Serialize, Deserialize)]
pub(crate) enum WayRow<'a> {
    Webhook { url: Cow<'a, str>, secret: Cow<'a, str> },
    Mail { address: Cow<'a, str>, every: EveryRow },
}

impl Stored for Way {
    type Row<'a> = WayRow<'a>;

    fn to_row(&self) -> WayRow<'_> {
        match self {
            Self::Webhook { url, secret } => {
                WayRow::Webhook { url: url.to_row(), secret: secret.to_row() }
            }
            Self::Mail { address, every } => {
                WayRow::Mail { address: address.to_row(), every: every.to_row() }
            }
        }
    }

    fn from_row(row: WayRow<'static>) -> Result<Self, Nonsense> {
        Ok(match row {
            WayRow::Webhook { url, secret } => {
                Self::Webhook { url: url.into_owned(), secret: secret.into_owned() }
            }
            WayRow::Mail { address, every } => {
                Self::Mail { address: address.into_owned(), every: Every::from_row(every)? }
            }
        })
    }
}

variants!(Every as EveryRow { Hour, Day, Week });

row!(Trouble as TroubleRow<'a> { since: f64, tries: u32, last: Cow<'a, str> });

row!(Notification as NotificationRow<'a> {
    id: Cow<'a, str>,
    way: WayRow<'a>,
    since: f64,
    next: u64,
    until: u64,
    due_at: f64,
    delivered_at: Option<f64>,
    trouble: Option<TroubleRow<'a>>,
    paused: bool,
});
