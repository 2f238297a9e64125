//! People: a name, a page and an address, in the forms that publishers use.

/// An author.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Person {
    pub name: Option<String>,
    /// A page about the person.
    pub uri: Option<String>,
    pub email: Option<String>,
}

impl Person {
    /// A person with a name only.
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), uri: None, email: None }
    }

    /// Parses `desk@example.org (News desk)`, `News desk <desk@example.org>`, a name or an address.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.is_empty() {
            return None;
        }
        let (outside, inside) = bracketed(text, '(', ')')
            .or_else(|| bracketed(text, '<', '>'))
            .or_else(|| bracketed(text, '[', ']'))
            .unwrap_or((text, ""));
        let address = |part: &str| {
            let part = part.trim().trim_start_matches("mailto:");
            let plain = !part.contains(char::is_whitespace) && part.len() > 2;
            (plain && part.contains('@') && !part.starts_with('@') && !part.ends_with('@'))
                .then(|| part.to_owned())
        };
        let name = |part: &str| {
            let part = part.trim().trim_matches('"').trim();
            (!part.is_empty()).then(|| part.to_owned())
        };
        Some(match (address(outside), address(inside)) {
            (Some(email), _) => Self { name: name(inside), uri: None, email: Some(email) },
            (None, Some(email)) => Self { name: name(outside), uri: None, email: Some(email) },
            (None, None) => Self { name: name(text), uri: None, email: None },
        })
    }

    /// Removes a name that only repeats the address or the page.
    pub(crate) fn without_repeated_name(mut self) -> Self {
        if self.name.is_some() && (self.name == self.email || self.name == self.uri) {
            self.name = None;
        }
        self
    }

    /// The best text to show: the name, else the address, else the page.
    pub fn label(&self) -> Option<&str> {
        self.name.as_deref().or(self.email.as_deref()).or(self.uri.as_deref())
    }
}

/// The text before a bracket that ends the text, and the text inside it.
fn bracketed(text: &str, open: char, close: char) -> Option<(&str, &str)> {
    let body = text.strip_suffix(close)?;
    let at = body.find(open)?;
    Some((body[..at].trim(), body[at + open.len_utf8()..].trim()))
}
