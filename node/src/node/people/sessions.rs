//! The sessions of a user, to be looked at and ended one by one.

use pergola_accounts::secret::Digest;
use pergola_accounts::{Session, UserId};
use pergola_store::archive::{ArchiveError, Commit};

use super::super::Node;
use super::PeopleError;

impl Node {
    /// The sessions of a user that are not over, each with what it is stored by. Blocks.
    pub fn open_sessions(&self, user: UserId) -> Result<Vec<(Digest, Session)>, ArchiveError> {
        let now = self.clock.now();
        let all = self.archive.sessions()?.into_iter();
        Ok(all.filter(|(_, session)| session.user == user && !session.is_over(now)).collect())
    }

    /// Ends a session of a user, by what it is stored by; nothing happens if it is another user's, or over.
    pub async fn end_session(&self, user: UserId, digest: Digest) -> Result<(), PeopleError> {
        let _turn = self.people.turn().await;
        let session = self.archive.session(digest)?.filter(|session| session.user == user);
        if session.is_none() {
            return Ok(());
        }
        let mut commit = Commit::new();
        commit.user(user).set_session(digest, None);
        Ok(self.commit(commit).await?)
    }
}
