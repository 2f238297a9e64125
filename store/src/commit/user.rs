//! The part of a commit that belongs to one user.

use pergola_accounts::secret::Digest;
use pergola_accounts::{AppPassword, Following, Session, UserId, UserRecord};
use pergola_manners::source::ItemNumber;

use super::set;
use crate::engine::{Batch, Table};
use crate::records::{FeedId, Mark};
use crate::rows::keys::{RowKey, app_password_key, following_key, mark_key};

/// Changes to the rows of one user.
#[derive(Debug)]
pub struct UserPart {
    id: UserId,
    pub(super) rows: Batch,
}

impl UserPart {
    /// Nothing of this user changes yet.
    pub fn new(id: UserId) -> Self {
        Self { id, rows: Batch::default() }
    }

    /// Which user.
    pub fn id(&self) -> UserId {
        self.id
    }

    /// Who it is; `None` if it has no account any more. What else is the user's is deleted before.
    pub fn set_record(&mut self, record: Option<&UserRecord>) {
        set(&mut self.rows, Table::User, self.id.to_key(), record);
    }

    /// A session of the user; `None` if it is over.
    pub fn set_session(&mut self, token: Digest, session: Option<&Session>) {
        let own = session.is_none_or(|session| session.user == self.id);
        debug_assert!(own, "a row of another user");
        set(&mut self.rows, Table::Session, token.0, session);
    }

    /// A password for another program; `None` if it is revoked.
    pub fn set_app_password(&mut self, number: u32, password: Option<&AppPassword>) {
        set(&mut self.rows, Table::AppPassword, app_password_key(self.id, number), password);
    }

    /// How the user follows a feed; `None` if it does no longer.
    pub fn set_following(&mut self, feed: FeedId, following: Option<&Following>) {
        set(&mut self.rows, Table::Following, following_key(self.id, feed), following);
    }

    /// When the user has read or starred an item; `None` if it has not.
    pub fn set_mark(&mut self, mark: Mark, item: ItemNumber, at: Option<f64>) {
        set(&mut self.rows, Table::Mark, mark_key(self.id, mark, item), at.as_ref());
    }
}
