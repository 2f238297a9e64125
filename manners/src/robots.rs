//! robots.txt (RFC 9309): which paths of a site a crawler may not visit.
//!
//! Pages are read by selectors whether their owners know it or not, so the owners decide. Feeds are published to
//! be fetched, and nobody asks for permission to fetch them.
//!
//! What a file means: the groups that name us count, or else those that name everybody (`*`). Of their rules, the
//! one with the longest pattern that matches decides; of two equally long ones, `Allow`. Without a rule, a path is
//! allowed.

#[cfg(test)]
mod tests;

use url::Url;

/// Bytes of a file that are read; the rest is ignored.
pub const MOST_BYTES: usize = 500 * 1024;
/// Seconds for which a file holds.
pub const LIFETIME: f64 = 24.0 * 3_600.0;
/// Redirects that are followed to a file.
pub const REDIRECTS: usize = 5;
/// Where a file is, on every site.
pub const PATH: &str = "/robots.txt";
/// Rules of one file that are remembered.
const MOST_RULES: usize = 10_000;

/// What a site allows us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Robots {
    /// There is no file, or none that we may read: everything is allowed.
    Everything,
    /// The site could not say: nothing is allowed until it can. The words say why.
    Unknown(String),
    /// What its file says.
    Rules(Rules),
}

/// The rules of a file that concern us.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rules(Vec<Rule>);

/// One rule.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    allows: bool,
    /// A path in its normal form, in which `*` stands for anything and `$` at the end for the end.
    pattern: String,
    /// Where it stands, counted from 1.
    line: usize,
}

/// Why a page may not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Disallowed {
    #[error(
        "robots.txt of {host} forbids it (line {line}: `Disallow: {pattern}`); ask its owner, or use a feed \
         of the site"
    )]
    Rule { host: String, line: usize, pattern: String },
    #[error(
        "robots.txt of {host} could not be read ({why}), so nothing there may be read until it can"
    )]
    Unknown { host: String, why: String },
}

impl Robots {
    /// What the answer to a request for the file means, by its status. `agent` is our name.
    pub fn of_answer(status: u16, body: &[u8], agent: &str) -> Self {
        match status {
            200..=299 => Self::Rules(Rules::parse(body, agent)),
            // After the last redirect that is followed, the file counts as missing.
            300..=499 => Self::Everything,
            _ => Self::Unknown(format!("the site answered {status}")),
        }
    }

    /// Whether a page may be read.
    pub fn check(&self, url: &Url) -> Result<(), Disallowed> {
        let host = || url.host_str().unwrap_or_default().to_owned();
        match self {
            Self::Everything => Ok(()),
            Self::Unknown(why) => Err(Disallowed::Unknown { host: host(), why: why.clone() }),
            Self::Rules(rules) => match rules.deciding(url) {
                Some(Rule { allows: false, pattern, line }) => {
                    Err(Disallowed::Rule { host: host(), line: *line, pattern: pattern.clone() })
                }
                _ => Ok(()),
            },
        }
    }
}

/// The address of the file that speaks for a page.
pub fn file_for(page: &Url) -> Url {
    let mut url = page.clone();
    url.set_path(PATH);
    url.set_query(None);
    url.set_fragment(None);
    url
}

impl Rules {
    /// Reads a file. What cannot be understood is ignored.
    pub fn parse(bytes: &[u8], agent: &str) -> Self {
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(MOST_BYTES)]);
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let (mut ours, mut everybodys) = (Vec::new(), Vec::new());
        let mut named = false;
        let mut group = Group::default();
        for (line, (key, value)) in lines(text) {
            if key.eq_ignore_ascii_case("user-agent") {
                // Names after a rule begin another group.
                if group.begun {
                    group = Group::default();
                }
                let product = product(value);
                group.everybody |= value.starts_with('*');
                group.us |= !product.is_empty() && product.eq_ignore_ascii_case(agent);
                named |= group.us;
                continue;
            }
            let allows = key.eq_ignore_ascii_case("allow");
            if !allows && !key.eq_ignore_ascii_case("disallow") {
                continue;
            }
            group.begun = true;
            // Empty patterns match nothing.
            if value.is_empty() {
                continue;
            }
            let rule = || Rule { allows, pattern: pattern(value), line };
            ours.extend(group.us.then(rule));
            everybodys.extend(group.everybody.then(rule));
        }
        let mut rules = if named { ours } else { everybodys };
        rules.truncate(MOST_RULES);
        Self(rules)
    }

    /// The rule that decides about a page, if one does.
    fn deciding(&self, url: &Url) -> Option<&Rule> {
        let path = match url.query() {
            Some(query) => normal(&format!("{}?{query}", url.path())),
            None => normal(url.path()),
        };
        if path == PATH {
            return None;
        }
        let matching = self.0.iter().filter(|rule| matches(&rule.pattern, &path));
        // Of equals, `max_by_key` returns the last: an Allow, if there is one.
        matching.max_by_key(|rule| (rule.pattern.len(), rule.allows))
    }
}

/// The group that is being read.
#[derive(Default)]
struct Group {
    us: bool,
    everybody: bool,
    /// It has a rule.
    begun: bool,
}

/// The records of a file with their line numbers, as key and value.
fn lines(text: &str) -> impl Iterator<Item = (usize, (&str, &str))> {
    let numbered = text.split('\n').enumerate();
    numbered.filter_map(|(at, line)| {
        let line = line.split('#').next().unwrap_or_default();
        let (key, value) = line.split_once(':')?;
        Some((at + 1, (key.trim(), value.trim())))
    })
}

/// The product token at the beginning of a name: letters, `_` and `-`.
fn product(name: &str) -> &str {
    let end = name.find(|c: char| !(c.is_ascii_alphabetic() || matches!(c, '_' | '-')));
    &name[..end.unwrap_or(name.len())]
}

/// A pattern in its normal form. `*`, and `$` at the end, keep their meaning.
fn pattern(text: &str) -> String {
    let (text, end) = match text.strip_suffix('$') {
        Some(text) => (text, "$"),
        None => (text, ""),
    };
    let parts: Vec<String> = text.split('*').map(normal).collect();
    parts.join("*") + end
}

/// A path in which the same octets are spelt the same: what need not be encoded is not, and what must be, is, with
/// upper-case digits. So are `*` and `$`, which mean something in patterns.
fn normal(path: &str) -> String {
    let bytes = path.as_bytes();
    let mut normal = String::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let digits = bytes.get(at + 1..at + 3).filter(|_| byte == b'%');
        let encoded =
            digits.and_then(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
        at += if encoded.is_some() { 3 } else { 1 };
        match encoded {
            Some(plain) if is_unreserved(plain) => normal.push(char::from(plain)),
            Some(reserved) => normal.push_str(&format!("%{reserved:02X}")),
            None if byte.is_ascii_graphic() && !matches!(byte, b'*' | b'$') => {
                normal.push(char::from(byte));
            }
            None => normal.push_str(&format!("%{byte:02X}")),
        }
    }
    normal
}

fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

/// Whether a path begins with what a pattern says. The time it takes grows with the product of their lengths.
fn matches(pattern: &str, path: &str) -> bool {
    let (pattern, to_the_end) = match pattern.strip_suffix('$') {
        Some(pattern) => (pattern, true),
        None => (pattern, false),
    };
    let mut parts = pattern.split('*');
    let Some(mut rest) = path.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return !to_the_end || rest.is_empty();
    }
    while let Some(part) = parts.next() {
        // The last part must reach the end; the others are best found as early as possible.
        if to_the_end && parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some(found) = rest.find(part) else { return false };
        rest = &rest[found + part.len()..];
    }
    true
}
