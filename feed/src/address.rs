//! Addresses of feeds: what may be shown to others, and what identifies the feed behind one.
//!
//! An address may carry a password (`https://bob:secret@example.org/`) or a parameter that works like one
//! (`?token=…`). Whoever sees such an address can read the feed, so others see it masked.
//!
//! A parameter is judged by its name. Names such as `token` or `password` always mean a secret. A name such as
//! `key` usually does, but may just as well choose a topic (`?key=sports`). It is always masked; for the identity
//! it counts as a secret only if its value looks drawn at random. Otherwise two feeds of one site would be one.

use std::borrow::Cow;
use std::fmt;

use url::Url;

use crate::model::{Origin, OriginId, digest};

/// What is shown in place of a secret.
pub const MASK: &str = "********";

/// Words in names of parameters that always mean a secret.
const SECRET: [&str; 14] = [
    "token",
    "secret",
    "password",
    "passwd",
    "pwd",
    "pass",
    "auth",
    "authorization",
    "signature",
    "sig",
    "credential",
    "credentials",
    "jwt",
    "passphrase",
];
/// Words in names of parameters that often mean a secret.
const OFTEN_SECRET: [&str; 4] = ["key", "session", "sid", "code"];

/// How likely a parameter is a secret.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Secrecy {
    Open,
    Likely,
    Certain,
}

/// An address as others may see it: without user and password, and with the values of secret parameters
/// masked. What is not an address is returned as it is.
pub fn masked(address: &str) -> Cow<'_, str> {
    let Some(mut url) = suspicious(address) else { return Cow::Borrowed(address) };
    remove_user(&mut url);
    rewrite_query(&mut url, |name, value| match secrecy(name) {
        Secrecy::Open => Some(value),
        _ => Some(MASK),
    });
    Cow::Owned(url.into())
}

/// Whether an address holds anything that [`masked`] hides.
pub fn has_secrets(address: &str) -> bool {
    masked(address) != address
}

/// A text in which every address is [`masked`]: a query, a message, what a site said.
pub fn masked_in(text: &str) -> Cow<'_, str> {
    let mut shown = String::new();
    let mut rest = text;
    while let Some(start) = first_address(rest) {
        let end = rest[start..].find(ends_address).map_or(rest.len(), |length| start + length);
        shown.push_str(&rest[..start]);
        shown.push_str(&masked(&rest[start..end]));
        rest = &rest[end..];
    }
    if shown.is_empty() {
        return Cow::Borrowed(text);
    }
    shown.push_str(rest);
    Cow::Owned(shown)
}

/// Whether a secret in an address is only its mask: the address was shown by somebody and cannot be fetched.
pub fn is_masked(address: &str) -> bool {
    address.contains(MASK)
}

/// Takes user and password out of an address, decoded.
pub fn take_user(url: &mut Url) -> Option<(String, String)> {
    let decoded = |text: &str| crate::percent::decode(text).unwrap_or_else(|| text.to_owned());
    let user = (decoded(url.username()), decoded(url.password().unwrap_or_default()));
    remove_user(url);
    Some(user).filter(|(user, password)| !user.is_empty() || !password.is_empty())
}

/// An address with user and password in it, as [`take_user`] takes them out.
pub fn with_user(address: &str, user: &str, password: &str) -> String {
    let Ok(mut url) = Url::parse(address) else { return address.to_owned() };
    // Fails only for addresses that cannot have a user.
    let _ = url.set_username(&crate::percent::encode(user).to_string());
    let _ = url.set_password(Some(&crate::percent::encode(password).to_string()));
    url.into()
}

/// What identifies the feed that was first found at an address, whoever reads it with whichever password.
pub fn origin_of(address: &str) -> OriginId {
    OriginId(digest(&[&without_secrets(address)]))
}

/// What identifies the feed that an item first appeared in: what whoever republished it says, else its address.
pub fn identity_of(origin: &Origin) -> Option<OriginId> {
    origin.identity.or_else(|| origin.feed.as_deref().map(origin_of))
}

/// An address without user, password and secret parameters.
fn without_secrets(address: &str) -> Cow<'_, str> {
    let Some(mut url) = suspicious(address) else { return Cow::Borrowed(address) };
    remove_user(&mut url);
    rewrite_query(&mut url, |name, value| match secrecy(name) {
        Secrecy::Open => Some(value),
        Secrecy::Likely if !looks_random(value) => Some(value),
        _ => None,
    });
    Cow::Owned(url.into())
}

/// The address, if it might hold a secret.
fn suspicious(address: &str) -> Option<Url> {
    if !address.contains(['?', '@']) {
        return None;
    }
    let url = Url::parse(address).ok()?;
    let has_user = !url.username().is_empty() || url.password().is_some();
    let mut names = url.query_pairs().map(|(name, _)| secrecy(&name));
    (has_user || names.any(|secrecy| secrecy != Secrecy::Open)).then_some(url)
}

/// Where the first address begins in a text.
fn first_address(text: &str) -> Option<usize> {
    let scheme = |at: usize| {
        let name = text[..at].rsplit(|c: char| !c.is_ascii_alphabetic()).next()?;
        (!name.is_empty()).then_some(at - name.len())
    };
    text.match_indices("://").find_map(|(at, _)| scheme(at))
}

/// What cannot be part of an address that stands in a text. A bracket can: it is better masked than a part of a
/// secret shown.
fn ends_address(c: char) -> bool {
    c.is_whitespace() || matches!(c, '"' | '<' | '>')
}

fn remove_user(url: &mut Url) {
    // Fails only for addresses that cannot have a user.
    let _ = url.set_username("");
    let _ = url.set_password(None);
}

/// Replaces the value of each parameter, or drops the parameter. Those that stay are spelt as they were.
fn rewrite_query(url: &mut Url, value_of: impl for<'v> Fn(&str, &'v str) -> Option<&'v str>) {
    let Some(query) = url.query() else { return };
    let rewritten: Vec<String> = query
        .split('&')
        .filter_map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let plain = crate::percent::decode(name).unwrap_or_else(|| name.to_owned());
            let new = value_of(&plain, value)?;
            Some(if new == value { pair.to_owned() } else { format!("{name}={new}") })
        })
        .collect();
    url.set_query((!rewritten.is_empty()).then(|| rewritten.join("&")).as_deref());
}

fn secrecy(name: &str) -> Secrecy {
    let words = words(name);
    let has = |known: &[&str]| words.iter().any(|word| known.contains(&word.as_str()));
    let ends = |ending: &str| words.iter().any(|word| word.ends_with(ending));
    if has(&SECRET) || ["token", "secret", "password", "passkey", "apikey"].into_iter().any(ends) {
        Secrecy::Certain
    } else if has(&OFTEN_SECRET) || ends("key") {
        Secrecy::Likely
    } else {
        Secrecy::Open
    }
}

/// The words of a name in lower case: `privateToken` and `private_token` have two.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_lower = false;
    for c in name.chars() {
        let begins = c.is_uppercase() && after_lower;
        if !c.is_alphanumeric() || begins {
            words.push(String::new());
        }
        if c.is_alphanumeric() {
            words.last_mut().expect("never empty").extend(c.to_lowercase());
        }
        after_lower = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether a value looks drawn at random rather than chosen by a person: long, or letters and digits mixed.
fn looks_random(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    value.len() >= 16 || (value.len() >= 6 && digits >= 2 && digits < value.len())
}

/// An address that prints itself masked, for messages and logs.
#[derive(Clone, Copy)]
pub struct Shown<'a>(pub &'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&masked(self.0))
    }
}

impl fmt::Debug for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&masked(self.0), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_and_secret_parameters_are_masked() {
        for (address, shown) in [
            ("http://bob:secret@example.org/feed", "http://example.org/feed"),
            ("http://bob@example.org/feed", "http://example.org/feed"),
            (
                "https://example.org/f?a=1&token=abc&b=%20",
                "https://example.org/f?a=1&token=********&b=%20",
            ),
            ("https://example.org/f?key=abc", "https://example.org/f?key=********"),
            (
                "https://example.org/f?private_token=x",
                "https://example.org/f?private_token=********",
            ),
            ("https://example.org/f?feedToken=x", "https://example.org/f?feedToken=********"),
            ("https://example.org/f?rsstoken=x", "https://example.org/f?rsstoken=********"),
            (
                "https://example.org/f?access%5Ftoken=x",
                "https://example.org/f?access%5Ftoken=********",
            ),
        ] {
            assert_eq!(masked(address), shown);
            assert!(has_secrets(address), "{address}");
        }
    }

    #[test]
    fn what_holds_no_secret_stays_as_it_is_spelt() {
        for address in [
            "https://example.org/feed?keyword=volcano&channel_id=UC123&author=bob",
            "https://example.org/@bob/feed",
            "HTTP://Example.org:80/a b?x",
            "not an address ?token=x@y",
            "",
        ] {
            assert_eq!(masked(address), address);
        }
    }

    #[test]
    fn addresses_within_a_text_are_masked() {
        for (text, shown) in [
            (
                "RETURN \"https://bob:secret@example.org/f\" | OPML \"HTTP://example.org/l?token=abc\"",
                "RETURN \"https://example.org/f\" | OPML \"http://example.org/l?token=********\"",
            ),
            ("https://example.org/?key=a(b) moved", "https://example.org/?key=******** moved"),
            ("https://example.org/a", "https://example.org/a"),
            ("1ftp://bob:x@example.org/ or so", "1ftp://example.org/ or so"),
            ("é://x https://a.example/?sig=1", "é://x https://a.example/?sig=********"),
            ("", ""),
        ] {
            assert_eq!(masked_in(text), shown);
        }
    }

    #[test]
    fn user_and_password_are_taken_out_and_put_back() {
        let address = "https://example.org/f?a=1";
        for (user, password) in [("bob", "secret"), ("b@b:1", "p/w ?#ü"), ("bob", "")] {
            let mut url = Url::parse(&with_user(address, user, password)).unwrap();
            let taken = take_user(&mut url);
            assert_eq!(taken, Some((user.to_owned(), password.to_owned())));
            assert_eq!(url.as_str(), address);
            assert_eq!(take_user(&mut url), None);
        }
    }

    #[test]
    fn whoever_reads_a_feed_it_has_one_identity() {
        let identity = origin_of("https://example.org/f?a=1");
        for same in [
            "https://bob:secret@example.org/f?a=1",
            "https://example.org/f?token=abc&a=1",
            "https://example.org/f?a=1&key=8f3a9c2e71d4",
        ] {
            assert_eq!(origin_of(same), identity, "{same}");
        }
    }

    #[test]
    fn a_parameter_that_may_choose_a_topic_stays_in_the_identity() {
        let sports = origin_of("https://example.org/f?key=sports");
        assert_ne!(sports, origin_of("https://example.org/f?key=politics"));
    }

    #[test]
    fn the_identity_of_a_plain_address_is_the_digest_of_its_text() {
        assert_eq!(origin_of("https://example.org/f").0, digest(&["https://example.org/f"]));
    }
}
