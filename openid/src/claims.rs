//! What a provider says about a person.

use serde_json::{Map, Value};

/// The longest name of somebody at a provider (OpenID Connect Core 1.0, section 2).
const LONGEST: usize = 255;

/// What a provider says of somebody.
#[derive(Debug, Clone, PartialEq)]
pub struct Claims {
    subject: String,
    all: Map<String, Value>,
}

/// Why what a provider says of somebody is of no use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadClaims {
    #[error("what the OpenID provider says of somebody cannot be read: {0}")]
    Unreadable(String),
    #[error(
        "the OpenID provider does not say who it is about: its `sub` is missing, too long or not ASCII"
    )]
    Nobody,
    #[error("the OpenID provider says something of somebody else")]
    Another,
}

impl Claims {
    /// Reads claims from JSON.
    pub(crate) fn read(document: &[u8]) -> Result<Self, BadClaims> {
        let all: Map<String, Value> = serde_json::from_slice(document)
            .map_err(|error| BadClaims::Unreadable(error.to_string()))?;
        let subject = all.get("sub").and_then(Value::as_str).unwrap_or_default().to_owned();
        let right = !subject.is_empty()
            && subject.len() <= LONGEST
            && subject.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_control());
        if right { Ok(Self { subject, all }) } else { Err(BadClaims::Nobody) }
    }

    /// The same, with what the provider said of the same person elsewhere. What was signed counts.
    pub fn completed(self, document: &[u8]) -> Result<Self, BadClaims> {
        let more = Self::read(document)?;
        if more.subject != self.subject {
            return Err(BadClaims::Another);
        }
        let mut all = more.all;
        all.extend(self.all);
        Ok(Self { subject: self.subject, all })
    }

    /// What somebody is called at the provider, forever.
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// Whether something is said by this name.
    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// A text.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str().map(str::trim).filter(|text| !text.is_empty())
    }

    /// Several texts, or one.
    pub fn texts(&self, name: &str) -> Vec<&str> {
        match self.get(name) {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        }
    }

    /// Also within another, such as `realm_access.roles`.
    fn get(&self, name: &str) -> Option<&Value> {
        self.all.get(name).or_else(|| {
            let mut parts = name.split('.');
            let first = self.all.get(parts.next()?)?;
            parts.try_fold(first, |within, part| within.get(part))
        })
    }

    /// A time in seconds.
    pub(crate) fn time(&self, name: &str) -> Option<f64> {
        self.all.get(name)?.as_f64()
    }
}
