//! Users: added, found, changed and removed.

use pergola_accounts::{UserId, password};
use pergola_store::archive::ArchiveError;
use pergola_store::people::{self, NewUser, User, UserChange};

use super::super::Node;
use super::PeopleError;

impl Node {
    /// Everybody who has an account, without the built-in user. Blocks.
    pub fn users(&self) -> Result<Vec<User>, ArchiveError> {
        people::users(&self.archive)
    }

    /// The user with this number. Blocks.
    pub fn user(&self, id: UserId) -> Result<Option<User>, ArchiveError> {
        Ok(self.archive.user(id)?.map(|record| User::new(id, record)))
    }

    /// The user of this name, in capitals or not. Blocks.
    pub fn find_user(&self, name: &str) -> Result<Option<User>, ArchiveError> {
        people::find(&self.archive, name)
    }

    /// The user who is this one to the OpenID provider. Blocks.
    pub fn find_subject(&self, subject: &str) -> Result<Option<User>, ArchiveError> {
        people::find_subject(&self.archive, subject)
    }

    /// Adds a user.
    pub async fn add_user(&self, new: NewUser) -> Result<UserId, PeopleError> {
        let hash = self.hashed(new.password.as_deref(), &new.name).await?;
        let _turn = self.people.turn().await;
        let (id, commit) = people::add(&self.archive, &new, hash, self.clock.now())?;
        self.commit(commit).await?;
        Ok(id)
    }

    /// Changes a user. All sessions of the user end with an old password.
    pub async fn change_user(&self, id: UserId, change: UserChange) -> Result<(), PeopleError> {
        let name = people::known(&self.archive, id)?.name;
        let hash = self.hashed(change.password.as_deref(), &name).await?;
        let _turn = self.people.turn().await;
        self.commit(people::change(&self.archive, id, change, hash)?).await?;
        self.people.rights_changed();
        Ok(())
    }

    /// Removes a user and everything that is the user's.
    pub async fn remove_user(&self, id: UserId) -> Result<(), PeopleError> {
        let _turn = self.turn.acquire().await;
        let _own = self.people.turn().await;
        people::check_removal(&self.archive, id)?;
        while let Some(step) = people::removal(&self.archive, id)? {
            self.commit(step).await?;
        }
        if id == UserId::OPERATOR {
            self.people.set_operator(false);
        }
        self.people.reading.lock().leave(id);
        Ok(self.drop_unfollowed().await?)
    }

    /// The built-in user, who follows everything: for whoever runs a node where nobody has an account. It is made when
    /// it is first asked for, which takes a while on a node with many sources.
    pub async fn operator_user(&self) -> Result<UserId, PeopleError> {
        if self.archive.user(UserId::OPERATOR)?.is_none() {
            let _turn = self.turn.acquire().await;
            self.follow_every_source().await?;
            let _own = self.people.turn().await;
            self.commit(people::operator(self.clock.now())).await?;
            self.people.set_operator(true);
        }
        Ok(UserId::OPERATOR)
    }

    /// The hash of a password that is good enough for this user.
    async fn hashed(&self, given: Option<&str>, name: &str) -> Result<Option<String>, PeopleError> {
        let Some(given) = given else { return Ok(None) };
        password::check_rules(given, name).map_err(people::Mistake::from)?;
        let (given, salt) = (given.to_owned(), self.people.random()?);
        Ok(Some(self.blocking().run(move || password::hash(&given, salt)).await?))
    }

    /// Deletes what nobody needs of users: sessions that are over, marks of items that are gone, feeds of sources that
    /// nobody follows. Whoever has the turn.
    pub(in crate::node) async fn tidy_people(&self, now: f64) -> Result<(), super::SourceError> {
        self.people.reading.lock().let_go(now);
        self.drop_unfollowed().await?;
        {
            let _own = self.people.turn().await;
            self.commit_people(people::over_sessions(&self.archive, now)?).await?;
        }
        let users = self.archive.users()?;
        // A damaged entry may come back.
        if users.is_empty() || !self.archive.damage().is_empty() {
            return Ok(());
        }
        let (archive, feeds) = (self.archive.clone(), self.desk.every_feed());
        let there = self.read(move || people::numbers_of(&archive, &feeds)).await?;
        for (user, _) in users {
            let mut after = None;
            loop {
                let _own = self.people.turn().await;
                // Of what was read since this began, the items may have come since.
                let some = people::gone_marks(&self.archive, user, after, &there, now)?;
                let Some((gone, last)) = some else { break };
                self.put_read(user, &gone, false).await?;
                after = Some(last);
            }
        }
        Ok(())
    }
}
