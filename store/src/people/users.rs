//! Users: added, found, changed and removed.

use pergola_accounts::name::{OPERATOR, folded};
use pergola_accounts::{Preferences, Role, UserId, UserName, UserRecord};

use super::{Mistake, end_sessions};
use crate::archive::{Archive, ArchiveError};
use crate::commit::Commit;
use crate::records::Mark;

/// Marks deleted in one commit.
const MARKS_AT_ONCE: usize = 2_000;

/// A user as others may know it: without the hash of its password.
#[derive(Debug, Clone, PartialEq)]
pub struct User {
    pub id: UserId,
    pub name: String,
    pub role: Role,
    /// Whether it can log in by a password.
    pub has_password: bool,
    /// Who it is to the OpenID provider.
    pub subject: Option<String>,
    pub created_at: f64,
    pub preferences: Preferences,
}

impl User {
    /// A user with this number.
    pub fn new(id: UserId, record: UserRecord) -> Self {
        let UserRecord { name, role, password, subject, created_at, preferences } = record;
        let has_password = password.is_some();
        Self { id, name, role, has_password, subject, created_at, preferences }
    }

    /// Whether it may change everything.
    pub fn is_admin(&self) -> bool {
        self.role == Role::Admin
    }
}

/// A user to be added.
#[derive(Debug, Clone)]
pub struct NewUser {
    pub name: String,
    pub role: Role,
    /// Without one, the user logs in elsewhere, or not at all until it gets one.
    pub password: Option<String>,
    /// Who it is to the OpenID provider.
    pub subject: Option<String>,
}

/// What changes of a user; `None` for what stays.
#[derive(Debug, Clone, Default)]
pub struct UserChange {
    pub role: Option<Role>,
    /// All sessions end with the old one.
    pub password: Option<String>,
    pub subject: Option<Option<String>>,
    pub preferences: Option<Preferences>,
}

/// Everybody who has an account, without the built-in user.
pub fn users(archive: &Archive) -> Result<Vec<User>, ArchiveError> {
    let all = archive.users()?.into_iter().filter(|(id, _)| *id != UserId::OPERATOR);
    Ok(all.map(|(id, record)| User::new(id, record)).collect())
}

/// The user of this name, in capitals or not.
pub fn find(archive: &Archive, name: &str) -> Result<Option<User>, ArchiveError> {
    let wanted = folded(name);
    Ok(users(archive)?.into_iter().find(|user| folded(&user.name) == wanted))
}

/// The user who is this one to the OpenID provider.
pub fn find_subject(archive: &Archive, subject: &str) -> Result<Option<User>, ArchiveError> {
    Ok(users(archive)?.into_iter().find(|user| user.subject.as_deref() == Some(subject)))
}

/// The record of a user who must be there.
pub fn known(archive: &Archive, id: UserId) -> Result<UserRecord, Mistake> {
    archive.user(id)?.ok_or_else(|| Mistake::UnknownUser(id.0.to_string()))
}

/// Adds a user with this hash of its password.
pub fn add(
    archive: &Archive,
    new: &NewUser,
    hash: Option<String>,
    now: f64,
) -> Result<(UserId, Commit), Mistake> {
    let name = UserName::new(&new.name)?;
    if let Some(taken) = find(archive, name.as_str())? {
        return Err(Mistake::NameTaken(taken.name));
    }
    check_subject(archive, None, new.subject.as_deref())?;
    let last = archive.users()?.last().map_or(0, |(id, _)| id.0);
    let id = UserId(last + 1);
    let record = UserRecord {
        name: name.to_string(),
        role: new.role,
        password: hash,
        subject: new.subject.clone(),
        created_at: now,
        preferences: Preferences::default(),
    };
    Ok((id, put(id, &record)))
}

/// Adds the built-in user.
pub fn operator(now: f64) -> Commit {
    let record = UserRecord {
        name: OPERATOR.to_owned(),
        role: Role::Admin,
        password: None,
        subject: None,
        created_at: now,
        preferences: Preferences::default(),
    };
    put(UserId::OPERATOR, &record)
}

/// Changes a user; `hash` is that of a new password.
pub fn change(
    archive: &Archive,
    id: UserId,
    change: UserChange,
    hash: Option<String>,
) -> Result<Commit, Mistake> {
    let mut record = known(archive, id)?;
    let is_account = change.role.is_some() || hash.is_some() || change.subject.is_some();
    if id == UserId::OPERATOR && is_account {
        return Err(Mistake::BuiltIn);
    }
    if change.role == Some(Role::Reader) {
        check_other_admin(archive, id, &record)?;
    }
    if let Some(subject) = &change.subject {
        check_subject(archive, Some(id), subject.as_deref())?;
    }
    if let Some(preferences) = &change.preferences {
        preferences.check()?;
    }
    let mut commit = if hash.is_some() { end_sessions(archive, id)? } else { Commit::new() };
    record.role = change.role.unwrap_or(record.role);
    record.password = hash.or(record.password);
    record.subject = change.subject.unwrap_or(record.subject);
    record.preferences = change.preferences.unwrap_or(record.preferences);
    commit.append(put(id, &record));
    Ok(commit)
}

/// Says why a user cannot be removed, if it cannot.
pub fn check_removal(archive: &Archive, id: UserId) -> Result<(), Mistake> {
    check_other_admin(archive, id, &known(archive, id)?)
}

/// The next step to remove a user and everything that is the user's; nothing if it is gone. If the steps are
/// interrupted, the user is still there, cannot log in, and can be removed again.
pub fn removal(archive: &Archive, id: UserId) -> Result<Option<Commit>, ArchiveError> {
    let Some(mut record) = archive.user(id)? else { return Ok(None) };
    let mut commit = end_sessions(archive, id)?;
    for (number, _) in archive.app_passwords(id)? {
        commit.user(id).set_app_password(number, None);
    }
    if record.password.take().is_some() || record.subject.take().is_some() || !commit.is_empty() {
        (record.password, record.subject) = (None, None);
        commit.append(put(id, &record));
        return Ok(Some(commit));
    }
    for mark in [Mark::Read, Mark::Star] {
        let some = archive.marks(id, mark, None, MARKS_AT_ONCE)?;
        for (item, _) in &some {
            commit.user(id).set_mark(mark, *item, None);
            if mark == Mark::Star && !archive.is_starred_by_others(id, *item)? {
                commit.node().set_starred(*item, None);
            }
        }
        if !some.is_empty() {
            return Ok(Some(commit));
        }
    }
    for (feed, _) in archive.followings(id)? {
        commit.user(id).set_following(feed, None);
    }
    commit.user(id).set_record(None);
    Ok(Some(commit))
}

fn put(id: UserId, record: &UserRecord) -> Commit {
    let mut commit = Commit::new();
    commit.user(id).set_record(Some(record));
    commit
}

fn check_subject(
    archive: &Archive,
    own: Option<UserId>,
    subject: Option<&str>,
) -> Result<(), Mistake> {
    let Some(subject) = subject else { return Ok(()) };
    match find_subject(archive, subject)?.filter(|other| Some(other.id) != own) {
        Some(other) => Err(Mistake::SubjectTaken(other.name)),
        None => Ok(()),
    }
}

/// Refuses to let the last admin go while there are other users.
fn check_other_admin(archive: &Archive, id: UserId, record: &UserRecord) -> Result<(), Mistake> {
    let others: Vec<User> = users(archive)?.into_iter().filter(|user| user.id != id).collect();
    let needed = record.role == Role::Admin && id != UserId::OPERATOR && !others.is_empty();
    if needed && !others.iter().any(User::is_admin) {
        return Err(Mistake::LastAdmin(record.name.clone()));
    }
    Ok(())
}
