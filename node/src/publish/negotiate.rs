//! What a client asked for: which form, in which coding, and whether it has it already.
//!
//! Headers are read in place: nothing here allocates, because every request passes through it.

use http::header::{ACCEPT, ACCEPT_ENCODING, IF_MODIFIED_SINCE, IF_NONE_MATCH};
use http::{HeaderMap, HeaderName};

/// The instance manipulations that a client understands (RFC 3229).
pub(super) const A_IM: HeaderName = HeaderName::from_static("a-im");

/// A form that a feed is published in. Their order is our preference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Form {
    /// Atom 1.0.
    Atom,
    /// RSS 2.0.
    Rss,
    /// JSON Feed 1.1.
    Json,
    /// A page for people.
    Page,
}

impl Form {
    /// All of them, the preferred one first.
    pub(crate) const ALL: [Self; 4] = [Self::Atom, Self::Rss, Self::Json, Self::Page];

    /// Those that have an address of their own.
    pub(crate) const FEEDS: [Self; 3] = [Self::Atom, Self::Rss, Self::Json];

    /// What stands behind the name in the address; the page has nothing there.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Atom => ".atom",
            Self::Rss => ".rss",
            Self::Json => ".json",
            Self::Page => "",
        }
    }

    /// What people call it.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Atom => "Atom",
            Self::Rss => "RSS",
            Self::Json => "JSON Feed",
            Self::Page => "Page",
        }
    }

    /// Its media type, without parameters.
    pub(crate) fn media_type(self) -> &'static str {
        self.media_types()[0]
    }

    /// Names under which clients ask for it.
    fn media_types(self) -> &'static [&'static str] {
        match self {
            Self::Atom => &["application/atom+xml", "application/xml", "text/xml"],
            Self::Rss => &["application/rss+xml"],
            Self::Json => &["application/feed+json", "application/json"],
            Self::Page => &["text/html", "application/xhtml+xml"],
        }
    }

    /// The form a client likes best: by its weights, then by how exactly it named it, then by our
    /// preference. `None` if nothing fits; who says nothing gets Atom.
    pub(crate) fn preferred(headers: &HeaderMap) -> Option<Self> {
        let mut best: Option<((u16, u8), Self)> = None;
        let mut asked = false;
        for form in Self::ALL {
            let mut liking = (0, 0);
            for (range, weight) in elements(headers, ACCEPT) {
                asked = true;
                let exactness = form.exactness(range);
                // A more exact range overrules a looser one, whatever their weights.
                if exactness > liking.1 || (exactness == liking.1 && weight > liking.0) {
                    liking = (weight, exactness);
                }
            }
            if liking.1 > 0 && liking.0 > 0 && best.is_none_or(|(most, _)| liking > most) {
                best = Some((liking, form));
            }
        }
        if asked { best.map(|(_, form)| form) } else { Some(Self::Atom) }
    }

    /// 3: named, 2: `type/*`, 1: `*/*`, 0: not meant.
    fn exactness(self, range: &str) -> u8 {
        let named = |kind: &&str| kind.eq_ignore_ascii_case(range);
        let kind_only = |kind: &&str| {
            let (whole, asked) = (kind.split('/').next(), range.strip_suffix("/*"));
            asked.is_some() && whole.zip(asked).is_some_and(|(a, b)| a.eq_ignore_ascii_case(b))
        };
        if range == "*/*" || range == "*" {
            1
        } else if self.media_types().iter().any(named) {
            3
        } else if self.media_types().iter().any(kind_only) {
            2
        } else {
            0
        }
    }
}

/// Whether whoever asks would rather read a page than a machine's answer.
pub fn is_browser(headers: &HeaderMap) -> bool {
    Form::preferred(headers) == Some(Form::Page)
}

/// How a body is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    /// Not at all.
    Identity,
    /// gzip.
    Gzip,
    /// zstd.
    Zstd,
    /// Brotli.
    Brotli,
}

impl Coding {
    /// All of them; the later ones are preferred, because they are smaller.
    pub(crate) const ALL: [Self; 4] = [Self::Identity, Self::Gzip, Self::Zstd, Self::Brotli];

    /// Its name in `Content-Encoding`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Identity => "identity",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::Brotli => "br",
        }
    }

    /// The coding a client likes best. Only those it names are sent, so `*` means identity.
    pub(crate) fn preferred(headers: &HeaderMap) -> Self {
        let mut best = (0, Self::Identity);
        for (name, weight) in elements(headers, ACCEPT_ENCODING) {
            let found =
                Self::ALL.into_iter().find(|coding| coding.name().eq_ignore_ascii_case(name));
            if let Some(coding) = found
                && weight > 0
                && (weight, coding as u8) > (best.0, best.1 as u8)
            {
                best = (weight, coding);
            }
        }
        best.1
    }
}

/// Whether the client's copy is still good: by its tags if it sent any, else by its date.
///
/// `tag` is the document's digest; the tags of its codings are the digest with a suffix.
pub(crate) fn is_unchanged(headers: &HeaderMap, tag: &str, modified: Option<i64>) -> bool {
    if headers.contains_key(IF_NONE_MATCH) {
        let lines = headers.get_all(IF_NONE_MATCH).iter();
        let mut tags = lines.filter_map(|line| line.to_str().ok()).flat_map(|line| line.split(','));
        return tags.any(|given| is_same_tag(given.trim(), tag));
    }
    let since = headers.get(IF_MODIFIED_SINCE).and_then(|value| value.to_str().ok());
    let Some((since, modified)) = since.zip(modified) else { return false };
    httpdate::parse_http_date(since).is_ok_and(|since| {
        let since = since.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        modified <= i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
    })
}

/// Whether the client would take the difference to what it has: it lists `feed`, and does not like the
/// whole document better.
pub(crate) fn wants_difference(headers: &HeaderMap) -> bool {
    let weight = |wanted: &str| {
        let mut listed =
            elements(headers, A_IM).filter(|(name, _)| name.eq_ignore_ascii_case(wanted));
        listed.next().map_or(0, |(_, weight)| weight)
    };
    weight("feed") > 0 && weight("feed") >= weight("identity")
}

/// The digests in the tags that a client sends: those of the documents it has, whatever their coding.
pub(crate) fn digests(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let lines = headers.get_all(IF_NONE_MATCH).iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).filter_map(|given| {
        let given = given.trim();
        let opaque = given.strip_prefix("W/").unwrap_or(given);
        let inside = opaque.strip_prefix('"')?.strip_suffix('"')?;
        Some(inside.split_once('-').map_or(inside, |(digest, _)| digest))
    })
}

/// Weak comparison, in whatever coding the copy came.
fn is_same_tag(given: &str, tag: &str) -> bool {
    if given == "*" {
        return true;
    }
    let opaque = given.strip_prefix("W/").unwrap_or(given);
    let inside = opaque.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let rest = inside.and_then(|inside| inside.strip_prefix(tag));
    rest.is_some_and(|suffix| suffix.is_empty() || suffix.starts_with('-'))
}

/// The elements of a list header with their weights in thousandths.
fn elements(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = (&str, u16)> {
    let lines = headers.get_all(name).iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).filter_map(|element| {
        let mut parts = element.split(';').map(str::trim);
        let what = parts.next().filter(|what| !what.is_empty())?;
        let mut weights = parts.filter_map(|part| part.split_once('='));
        let weight = weights.find(|(name, _)| name.trim_end().eq_ignore_ascii_case("q"));
        Some((what, weight.map_or(1000, |(_, text)| thousandths(text))))
    })
}

/// A weight that makes no sense is as good as none.
fn thousandths(text: &str) -> u16 {
    let weight = text.trim().parse().ok().filter(|weight| (0.0..=1.0).contains(weight));
    (weight.unwrap_or(1.0_f32) * 1000.0).round() as u16
}

#[cfg(test)]
mod tests;
