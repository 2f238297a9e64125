//! Logging in: passwords, sessions, and passwords for other programs.

use std::net::IpAddr;

use pergola_accounts::secret::Token;
use pergola_accounts::{AppPassword, Session, UserId, password};
use pergola_store::archive::{ArchiveError, Commit};
use pergola_store::people::{self, User};

use super::super::Node;
use super::PeopleError;

impl Node {
    /// The user with this name and password. Wrong tries are counted by name and by address; after some, nobody may try
    /// for a while.
    pub async fn check_password(
        &self,
        name: &str,
        given: &str,
        from: Option<IpAddr>,
    ) -> Result<User, PeopleError> {
        self.people.tries.lock().begin(name, from, self.clock.now())?;
        let user = self.find_user(name)?;
        let hash = match &user {
            Some(user) => self.archive.user(user.id)?.and_then(|record| record.password),
            None => None,
        };
        let given = given.to_owned();
        let right = self.blocking().run(move || password::matches(&given, hash.as_deref())).await?;
        let user = user.filter(|_| right).ok_or(PeopleError::WrongPassword)?;
        self.people.tries.lock().succeeded(name, from);
        Ok(user)
    }

    /// The user with this name and app password. Wrong tries count as those of passwords do.
    pub async fn check_app_password(
        &self,
        name: &str,
        given: &str,
        from: Option<IpAddr>,
    ) -> Result<User, PeopleError> {
        self.people.tries.lock().begin(name, from, self.clock.now())?;
        let wrong = || PeopleError::WrongPassword;
        let user = self.find_user(name)?.ok_or_else(wrong)?;
        let found = people::app_password_with(&self.archive, user.id, given)?;
        let (number, found) = found.ok_or_else(wrong)?;
        self.people.tries.lock().succeeded(name, from);
        if let Some(used) = found.used(self.clock.now()) {
            let _turn = self.people.turn().await;
            // It may have been revoked meanwhile.
            if people::app_password_with(&self.archive, user.id, given)?.is_some() {
                let mut commit = Commit::new();
                commit.user(user.id).set_app_password(number, Some(&used));
                self.commit(commit).await?;
            }
        }
        Ok(user)
    }

    /// A new secret.
    pub fn new_token(&self) -> Result<Token, PeopleError> {
        Ok(Token::new(self.people.random()?))
    }

    /// Begins a session; whoever has the token is the user until it ends.
    pub async fn open_session(&self, user: UserId, agent: &str) -> Result<Token, PeopleError> {
        let _turn = self.people.turn().await;
        people::known(&self.archive, user)?;
        let token = self.new_token()?;
        let session = Session::new(user, agent, self.clock.now());
        let mut commit = Commit::new();
        commit.user(user).set_session(token.digest(), Some(&session));
        self.commit(commit).await?;
        Ok(token)
    }

    /// The user of a session that is not over. That it is used is noted once an hour.
    pub async fn session(&self, token: &Token) -> Result<Option<User>, PeopleError> {
        let (digest, now) = (token.digest(), self.clock.now());
        let going_on = |session: &Session| !session.is_over(now);
        let Some(session) = self.archive.session(digest)?.filter(going_on) else { return Ok(None) };
        if let Some(seen) = session.seen(now) {
            let _turn = self.people.turn().await;
            // It may have been closed meanwhile.
            if self.archive.session(digest)?.is_some() {
                let mut commit = Commit::new();
                commit.user(session.user).set_session(digest, Some(&seen));
                self.commit(commit).await?;
            }
        }
        Ok(self.user(session.user)?)
    }

    /// The sessions of a user that are not over. Blocks.
    pub fn sessions_of(&self, user: UserId) -> Result<Vec<Session>, ArchiveError> {
        people::sessions_of(&self.archive, user, self.clock.now())
    }

    /// Ends a session.
    pub async fn close_session(&self, token: &Token) -> Result<(), PeopleError> {
        let _turn = self.people.turn().await;
        let Some(session) = self.archive.session(token.digest())? else { return Ok(()) };
        let mut commit = Commit::new();
        commit.user(session.user).set_session(token.digest(), None);
        Ok(self.commit(commit).await?)
    }

    /// Ends all sessions of a user.
    pub async fn close_sessions(&self, user: UserId) -> Result<(), PeopleError> {
        let _turn = self.people.turn().await;
        Ok(self.commit_people(people::end_sessions(&self.archive, user)?).await?)
    }

    /// Makes a password for another program; returns its number and the password, which is shown only now.
    pub async fn make_app_password(
        &self,
        user: UserId,
        name: &str,
    ) -> Result<(u32, String), PeopleError> {
        let _turn = self.people.turn().await;
        let (random, now) = (self.people.random()?, self.clock.now());
        let (number, shown, commit) =
            people::new_app_password(&self.archive, user, name, random, now)?;
        self.commit(commit).await?;
        Ok((number, shown))
    }

    /// The passwords of a user for other programs, by their numbers. Blocks.
    pub fn app_passwords(&self, user: UserId) -> Result<Vec<(u32, AppPassword)>, ArchiveError> {
        self.archive.app_passwords(user)
    }

    /// Revokes a password for another program.
    pub async fn revoke_app_password(&self, user: UserId, number: u32) -> Result<(), PeopleError> {
        let _turn = self.people.turn().await;
        let mut commit = Commit::new();
        commit.user(user).set_app_password(number, None);
        Ok(self.commit(commit).await?)
    }
}
