//! People who read here: who they are, how they prove it, what they follow and have starred.

use std::borrow::Cow;

use pergola_accounts::secret::Digest;
use pergola_accounts::{AppPassword, Following, Preferences, Role, Session, UserId, UserRecord};

use super::feed::EntryRow;
use super::item::ItemRow;
use super::{List, Nonsense, Stored, inside, row, variants};
use crate::records::Starred;

inside!(UserId(u32));

row!(UserRecord as UserRow<'a> {
    name: Cow<'a, str>,
    role: RoleRow,
    password: Option<Cow<'a, str>>,
    subject: Option<Cow<'a, str>>,
    created_at: f64,
    preferences: PreferencesRow<'a>,
});

variants!(Role as RoleRow { Admin, Reader });

row!(Preferences as PreferencesRow<'a> {
    zone: Option<Cow<'a, str>>,
    others: List<'a, (String, String)>,
});

row!(Session as SessionRow<'a> {
    user: u32,
    created_at: f64,
    seen_at: f64,
    agent: Cow<'a, str>,
});

row!(AppPassword as AppPasswordRow<'a> {
    name: Cow<'a, str>,
    digest: [u8; 32],
    created_at: f64,
    used_at: Option<f64>,
});

impl Stored for Digest {
    type Row<'a> = [u8; 32];

    fn to_row(&self) -> [u8; 32] {
        self.0
    }

    fn from_row(row: [u8; 32]) -> Result<Self, Nonsense> {
        Ok(Self(row))
    }
}

row!(Following as FollowingRow<'a> {
    title: Option<Cow<'a, str>>,
    folders: Option<List<'a, String>>,
    since: f64,
});

row!(Starred as StarredRow<'a> { feed: u32, sequence: u64, entry: EntryRow, item: ItemRow<'a> });

/// The date by which people find a starred item, and when it arrived, without reading the item itself.
pub(crate) fn dates_of_starred(row: &[u8]) -> Result<(f64, f64), Nonsense> {
    type Beginning = (u32, u64, EntryRow);
    let read = postcard::take_from_bytes::<Beginning>(row);
    read.map(|((_, _, entry), _)| entry.dates()).map_err(|error| Nonsense(error.to_string()))
}
