//! The account of a person who logs in at the provider.
//!
//! An account belongs to an issuer and its lasting name for the person (`sub`). People can choose and change names and
//! e-mail addresses, and pass them on, so these never lead to an account that is there already.

use pergola_accounts::name::LONGEST;
use pergola_accounts::{Role, UserId, UserName};
use pergola_config::OpenId;
use pergola_node::node::{Mistake, PeopleError, User};
use pergola_openid::{Claims, Provider};
use pergola_store::people::{NewUser, UserChange};

use crate::site::Site;

/// Names that are tried for a new account.
const TRIES: usize = 100;

/// What somebody is to this node.
pub(super) enum Person {
    /// It has this account.
    Known(UserId),
    /// It has none, and gets none.
    Unknown,
    /// It is in none of the groups that may log in.
    Outside,
    /// It would be the first, and could manage nothing.
    First,
}

/// Whom an account belongs to: an issuer has no space, so no two are the same.
pub(super) fn subject(provider: &Provider, claims: &Claims) -> String {
    format!("{} {}", provider.issuer, claims.subject())
}

/// The account of somebody, which may be a new one.
pub(super) async fn find(
    site: &Site,
    settings: &OpenId,
    provider: &Provider,
    claims: &Claims,
) -> Result<Person, PeopleError> {
    let groups = claims.texts(&settings.groups_claim);
    let is_in = |group: &Option<String>| {
        group.as_ref().is_some_and(|group| groups.contains(&group.as_str()))
    };
    let manages = is_in(&settings.admin_group);
    if settings.user_group.is_some() && !is_in(&settings.user_group) && !manages {
        return Ok(Person::Outside);
    }
    let own = subject(provider, claims);
    let wanted = own.clone();
    let found = site.ask(move |node| Ok(node.find_subject(&wanted)?)).await?;
    if let Some(user) = found {
        follow_group(site, settings, &user, manages).await?;
        return Ok(Person::Known(user.id));
    }
    if !manages && !settings.add_users {
        return Ok(Person::Unknown);
    }
    if !manages && site.ask(|node| Ok(node.users()?.is_empty())).await? {
        return Ok(Person::First);
    }
    let role = if manages { Role::Admin } else { Role::Reader };
    let name = claims.text(&settings.name_claim).unwrap_or("reader");
    add(site, &fitting(name), role, own).await.map(Person::Known)
}

/// Makes somebody what its groups say, if groups say that.
async fn follow_group(
    site: &Site,
    settings: &OpenId,
    user: &User,
    manages: bool,
) -> Result<(), PeopleError> {
    if settings.admin_group.is_none() || user.is_admin() == manages {
        return Ok(());
    }
    let role = Some(if manages { Role::Admin } else { Role::Reader });
    let changed = site.node.change_user(user.id, UserChange { role, ..UserChange::default() });
    match changed.await {
        Err(PeopleError::Mistake(error @ Mistake::LastAdmin(_))) => {
            tracing::warn!(user = user.name, %error, "somebody is not in the group of admins any more");
            Ok(())
        }
        other => other,
    }
}

async fn add(site: &Site, name: &str, role: Role, subject: String) -> Result<UserId, PeopleError> {
    let mut tried = 1;
    loop {
        let name = if tried == 1 { name.to_owned() } else { numbered(name, tried) };
        let new =
            NewUser { name: name.clone(), role, password: None, subject: Some(subject.clone()) };
        match site.node.add_user(new).await {
            Err(PeopleError::Mistake(Mistake::NameTaken(_) | Mistake::BadName(_)))
                if tried < TRIES =>
            {
                tried += 1;
            }
            Err(error) => return Err(error),
            Ok(id) => {
                tracing::info!(user = name, role = %role, "somebody has an account, by OpenID Connect");
                return Ok(id);
            }
        }
    }
}

fn numbered(name: &str, number: usize) -> String {
    let ending = format!("-{number}");
    let room = LONGEST - ending.len();
    name.chars().take(room).collect::<String>() + &ending
}

/// A name that an account can have, as near to this one as possible.
fn fitting(name: &str) -> String {
    let allowed = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '@');
    let signs: String = name.trim().chars().map(|c| if allowed(c) { c } else { '-' }).collect();
    let begun = signs.trim_start_matches(|c: char| !c.is_alphanumeric()).trim_end_matches('-');
    let short: String = begun.chars().take(LONGEST).collect();
    UserName::new(&short).map_or_else(|_| "reader".to_owned(), |name| name.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_becomes_one_that_an_account_can_have() {
        for (given, name) in [
            ("ada", "ada"),
            ("Ada Lovelace", "Ada-Lovelace"),
            ("ada@example.org", "ada@example.org"),
            ("  @ada/../x ", "ada-..-x"),
            ("андрей", "андрей"),
            ("<script>", "script"),
            ("operator", "reader"),
            ("\u{202e}", "reader"),
            ("", "reader"),
        ] {
            assert_eq!(fitting(given), name, "{given}");
        }
        assert_eq!(fitting(&"é".repeat(100)).chars().count(), LONGEST);
        assert!(UserName::new(&numbered(&"é".repeat(LONGEST), 12)).is_ok());
    }
}
