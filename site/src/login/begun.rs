//! A login at the provider that a browser has begun. The browser keeps all of it, in a cookie of its own for each
//! login, so that several windows can log in at once and a restart of the node ends none.

use axum::response::Response;
use http::header::{COOKIE, SET_COOKIE};
use http::{Extensions, HeaderMap, HeaderValue};
use pergola_accounts::UserId;
use pergola_accounts::secret::Token;
use pergola_config::Config;
use pergola_openid::Begun;

use crate::cookie;

/// Seconds in which somebody comes back from the provider.
pub(super) const LONGEST: f64 = 600.0;
/// Longer ways are not kept.
const LONGEST_WAY: usize = 500;
/// Logins that a browser may have begun; then the others are forgotten.
const MOST: usize = 5;

/// A login that has begun, as its browser keeps it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Kept {
    pub(super) secret: Token,
    pub(super) at: f64,
    /// Whoever is logged in, and wants to log in so from now on.
    pub(super) connects: Option<UserId>,
    /// Where to go afterwards.
    pub(super) next: String,
}

impl Kept {
    pub(super) fn new(secret: Token, at: f64, connects: Option<UserId>, next: &str) -> Self {
        let next = if next.len() > LONGEST_WAY { "" } else { next };
        Self { secret, at: at.floor(), connects, next: next.to_owned() }
    }

    /// What follows from it.
    pub(super) fn begun(&self) -> Begun {
        Begun::new(self.secret.reveal().as_bytes(), self.rest())
    }

    /// Everything but the secret.
    fn rest(&self) -> String {
        let connects = self.connects.map_or_else(String::new, |user| user.0.to_string());
        let next: String = self.next.bytes().map(|byte| format!("{byte:02x}")).collect();
        format!("{:.0}.{connects}.{next}", self.at)
    }

    fn read(value: &str) -> Option<Self> {
        let mut parts = value.split('.');
        let secret = Token::parse(parts.next()?)?;
        let at: f64 = parts.next()?.parse().ok()?;
        let connects = match parts.next()? {
            "" => None,
            number => Some(UserId(number.parse().ok()?)),
        };
        let digits = parts.next()?.as_bytes().chunks(2);
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        let next: Option<Vec<u8>> = digits.map(byte).collect();
        let next = String::from_utf8(next?).ok()?;
        parts.next().is_none().then_some(Self { secret, at, connects, next })
    }

    /// The login that a browser comes back from, if it has begun it.
    pub(super) fn of(extensions: &Extensions, headers: &HeaderMap, state: &str) -> Option<Self> {
        let name = name(extensions, state);
        let (_, value) = cookies(headers).find(|(own, _)| *own == name)?;
        let kept = Self::read(value)?;
        let own = kept.begun().state();
        pergola_accounts::secret::same(own.as_bytes(), state.as_bytes()).then_some(kept)
    }

    /// Tells a browser to keep it.
    pub(super) fn keep(
        &self,
        (extensions, headers): (&Extensions, &HeaderMap),
        config: &Config,
        answer: &mut Response,
    ) {
        let others: Vec<&str> = cookies(headers)
            .map(|(own, _)| own)
            .filter(|own| own.starts_with(&name(extensions, "")))
            .collect();
        if others.len() >= MOST {
            for other in others {
                set(answer, other, "", 0.0, config);
            }
        }
        let value = format!("{}.{}", self.secret.reveal(), self.rest());
        set(answer, &name(extensions, &self.begun().state()), &value, LONGEST, config);
    }
}

/// Tells a browser to forget a login that is over.
pub(super) fn forget(extensions: &Extensions, config: &Config, state: &str, answer: &mut Response) {
    set(answer, &name(extensions, state), "", 0.0, config);
}

fn set(answer: &mut Response, name: &str, value: &str, age: f64, config: &Config) {
    let secure = if cookie::is_secure(config) { "; Secure" } else { "" };
    let text = format!("{name}={value}; Path=/; Max-Age={age:.0}; HttpOnly; SameSite=Lax{secure}");
    if let Ok(mut cookie) = HeaderValue::try_from(text) {
        cookie.set_sensitive(true);
        answer.headers_mut().append(SET_COOKIE, cookie);
    }
}

/// The name of the cookie of one login.
fn name(extensions: &Extensions, state: &str) -> String {
    let short: String = state.chars().filter(char::is_ascii_alphanumeric).take(12).collect();
    format!("{}-openid-{short}", cookie::name(extensions))
}

fn cookies(headers: &HeaderMap) -> impl Iterator<Item = (&str, &str)> {
    let sent = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = sent.flat_map(|line| line.split(';')).filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (name.trim(), value.trim()))
}
