//! What a user may be called. Names that differ in capitals or in how their letters are written are the same name.

use std::fmt;

use unicode_normalization::UnicodeNormalization as _;

/// The longest name, in characters.
pub const LONGEST: usize = 40;
/// The name of the built-in user; nobody else may have it.
pub const OPERATOR: &str = "operator";

/// The name of a user, as it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserName(String);

/// Why a name cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadName {
    /// Nothing.
    #[error("a user needs a name")]
    Empty,
    /// Too long.
    #[error("`{0}` is too long for a name: {LONGEST} characters are allowed")]
    TooLong(String),
    /// A character that is not allowed.
    #[error(
        "{1:?} cannot be in the name `{0}`: a name has letters and digits, and . _ - @ after the first one"
    )]
    Character(String, char),
    /// The name of the built-in user.
    #[error("`{0}` is the built-in user of whoever runs the node: choose another name")]
    Reserved(String),
}

impl UserName {
    /// The name in a text, if it is one. Space around it is ignored.
    pub fn new(text: &str) -> Result<Self, BadName> {
        let name: String = text.trim().nfc().collect();
        if name.is_empty() {
            return Err(BadName::Empty);
        }
        if name.chars().count() > LONGEST {
            return Err(BadName::TooLong(name.chars().take(LONGEST).chain(['…']).collect()));
        }
        let allowed = |(place, c): &(usize, char)| {
            c.is_alphanumeric() || *place > 0 && matches!(c, '.' | '_' | '-' | '@')
        };
        if let Some((_, wrong)) = name.chars().enumerate().find(|found| !allowed(found)) {
            return Err(BadName::Character(name, wrong));
        }
        if folded(&name) == OPERATOR {
            return Err(BadName::Reserved(name));
        }
        Ok(Self(name))
    }

    /// The name as it was given.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for UserName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The form in which names are compared.
pub fn folded(name: &str) -> String {
    name.trim().nfkc().flat_map(char::to_lowercase).collect::<String>().nfkc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_letters_and_digits_of_any_script() {
        for good in
            ["ada", "Ada.Lovelace", "grace_h-1906", "josé", "андрей", "ada@example.org", "7"]
        {
            assert_eq!(UserName::new(good).unwrap().as_str(), good);
        }
        assert_eq!(UserName::new("  ada ").unwrap().as_str(), "ada");
    }

    #[test]
    fn other_names_are_refused_with_a_reason() {
        let reason = |name: &str| UserName::new(name).unwrap_err().to_string();
        assert_eq!(reason("  "), "a user needs a name");
        assert!(reason("ada lovelace").contains("' ' cannot be in the name `ada lovelace`"));
        assert!(reason("-ada").contains("'-' cannot be"));
        assert!(reason("a/b").contains("'/'") && reason("a:b").contains("':'"));
        assert!(reason("a\u{202e}b").contains("cannot be in the name"));
        assert!(reason(&"a".repeat(41)).contains("too long"));
        assert!(UserName::new(&"ä".repeat(40)).is_ok());
        assert!(reason("Operator").contains("built-in"));
    }

    #[test]
    fn capitals_and_ways_to_write_a_letter_make_no_difference() {
        assert_eq!(folded("ADA"), folded("ada"));
        assert_eq!(folded("Jose\u{301}"), folded("JOSÉ"));
        assert_eq!(folded("ａｄａ"), "ada");
        assert_ne!(folded("ada"), folded("adá"));
        assert!(matches!(UserName::new("ＯPERATOR"), Err(BadName::Reserved(_))));
    }
}
