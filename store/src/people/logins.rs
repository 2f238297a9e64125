//! Sessions, and passwords for other programs.

use pergola_accounts::{AppPassword, Session, UserId, app_password};

use super::{Mistake, known};
use crate::archive::{Archive, ArchiveError};
use crate::commit::Commit;

/// Ends all sessions of a user.
pub fn end_sessions(archive: &Archive, user: UserId) -> Result<Commit, ArchiveError> {
    end(archive, |session| session.user == user)
}

/// Ends the sessions that are over.
pub fn over_sessions(archive: &Archive, now: f64) -> Result<Commit, ArchiveError> {
    end(archive, |session| session.is_over(now))
}

fn end(archive: &Archive, ends: impl Fn(&Session) -> bool) -> Result<Commit, ArchiveError> {
    let mut commit = Commit::new();
    for (token, session) in archive.sessions()?.into_iter().filter(|(_, session)| ends(session)) {
        commit.user(session.user).set_session(token, None);
    }
    Ok(commit)
}

/// The sessions of a user that are not over.
pub fn sessions_of(
    archive: &Archive,
    user: UserId,
    now: f64,
) -> Result<Vec<Session>, ArchiveError> {
    let all = archive.sessions()?.into_iter().map(|(_, session)| session);
    Ok(all.filter(|session| session.user == user && !session.is_over(now)).collect())
}

/// Makes a password for another program: its number, and what is shown of it once.
pub fn new_app_password(
    archive: &Archive,
    user: UserId,
    name: &str,
    random: [u8; app_password::BYTES],
    now: f64,
) -> Result<(u32, String, Commit), Mistake> {
    known(archive, user)?;
    let all = archive.app_passwords(user)?;
    if all.len() >= app_password::MOST {
        return Err(Mistake::TooManyAppPasswords(all.len()));
    }
    let number = all.iter().map(|(number, _)| number + 1).max().unwrap_or(1);
    let (new, shown) = AppPassword::new(name, random, now);
    let mut commit = Commit::new();
    commit.user(user).set_app_password(number, Some(&new));
    Ok((number, shown, commit))
}

/// The app password of a user that this is. All are compared, so that the time does not tell which it is.
pub fn app_password_with(
    archive: &Archive,
    user: UserId,
    given: &str,
) -> Result<Option<(u32, AppPassword)>, ArchiveError> {
    let mut found = None;
    if app_password::may_be(given) {
        for (number, password) in archive.app_passwords(user)? {
            if password.is(given) {
                found = Some((number, password));
            }
        }
    }
    Ok(found)
}
