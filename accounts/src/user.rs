//! A user: its name, what it may do, how it logs in, and what it prefers.

use std::fmt;
use std::str::FromStr;

/// The number of a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UserId(pub u32);

impl UserId {
    /// Whoever runs the node, on a node where nobody logs in: follows everything.
    pub const OPERATOR: Self = Self(0);
}

/// What a user may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Changes everything: sources, feeds, settings and other users.
    Admin,
    /// Follows what it may read.
    Reader,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Admin => "admin",
            Self::Reader => "reader",
        })
    }
}

impl FromStr for Role {
    type Err = UnknownRole;

    fn from_str(text: &str) -> Result<Self, UnknownRole> {
        let found = [Self::Admin, Self::Reader].into_iter().find(|role| role.to_string() == text);
        found.ok_or_else(|| UnknownRole(text.to_owned()))
    }
}

/// The name of no role.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no role called `{0}`: write admin or reader")]
pub struct UnknownRole(String);

/// A user.
#[derive(Debug, Clone, PartialEq)]
pub struct UserRecord {
    /// As it was given.
    pub name: String,
    /// What it may do.
    pub role: Role,
    /// The hash of its password; without one it cannot log in by a password.
    pub password: Option<String>,
    /// Who it is to the OpenID provider, if it logs in there.
    pub subject: Option<String>,
    pub created_at: f64,
    pub preferences: Preferences,
}

/// What a user prefers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Preferences {
    /// The time zone in which it reads dates, such as `Europe/Rome`.
    pub zone: Option<String>,
    /// Anything else that pages and programs remember for it, by name and in order.
    pub others: Vec<(String, String)>,
}

/// Why preferences are not kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPreferences {
    /// Too many.
    #[error("{0} preferences are too many: {MOST_PREFERENCES} are kept")]
    TooMany(usize),
    /// One is too long.
    #[error("the preference `{0}` is too long: its name may have 100 bytes, its value 4000")]
    TooLong(String),
}

/// Preferences that are kept for a user.
pub const MOST_PREFERENCES: usize = 200;

impl Preferences {
    /// One of them.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.others.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// Changes one of them.
    pub fn set(&mut self, name: &str, value: Option<&str>) {
        self.others.retain(|(own, _)| own != name);
        self.others.extend(value.map(|value| (name.to_owned(), value.to_owned())));
        self.others.sort();
    }

    /// Says why they are not kept, if they are too large.
    pub fn check(&self) -> Result<(), BadPreferences> {
        if self.others.len() > MOST_PREFERENCES {
            return Err(BadPreferences::TooMany(self.others.len()));
        }
        let zone = self.zone.iter().map(|zone| ("zone", zone.as_str(), 100));
        let others = self.others.iter().map(|(name, value)| (name.as_str(), value.as_str(), 4000));
        let long =
            zone.chain(others).find(|(name, value, most)| name.len() > 100 || value.len() > *most);
        let shown = |name: &str| name.chars().take(100).collect();
        long.map_or(Ok(()), |(name, ..)| Err(BadPreferences::TooLong(shown(name))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_is_read_as_it_is_written() {
        for role in [Role::Admin, Role::Reader] {
            assert_eq!(role.to_string().parse(), Ok(role));
        }
        let error = "owner".parse::<Role>().unwrap_err().to_string();
        assert_eq!(error, "there is no role called `owner`: write admin or reader");
    }

    #[test]
    fn preferences_are_kept_within_bounds() {
        let mut own = Preferences::default();
        own.set("order", Some("oldest"));
        own.set("order", Some("newest"));
        own.set("a", Some("b"));
        assert_eq!((own.get("order"), own.get("b"), own.check()), (Some("newest"), None, Ok(())));
        own.set("a", None);
        assert_eq!(own.others.len(), 1);
        own.set("long", Some(&"x".repeat(4001)));
        assert_eq!(own.check(), Err(BadPreferences::TooLong("long".into())));
        let many = (0..201).map(|n| (n.to_string(), String::new())).collect();
        let many = Preferences { zone: None, others: many };
        assert_eq!(many.check(), Err(BadPreferences::TooMany(201)));
    }
}
