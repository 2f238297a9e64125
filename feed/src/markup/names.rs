//! The namespaces and elements that feeds use.
//!
//! The strict pass and the repairs both resolve names here, so that they always agree. A namespace is
//! recognised by its exact URI, by common misspellings of it or, if it was not declared, by its usual
//! prefix.

/// A namespace that feeds use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Ns {
    Rss,
    Atom,
    Atom03,
    Rdf,
    Content,
    Dc,
    DcTerms,
    Itunes,
    Media,
    Sy,
    Wfw,
    History,
    Xhtml,
    Pergola,
    /// Declared, but not read.
    Other,
}

/// The namespace of our own elements: the nodes that an item has passed, and marks that let us read
/// a document back exactly as it was.
pub(crate) const PERGOLA_NS: &str = "urn:pergola:ns:1";
/// Its name in documents that earlier versions wrote.
const OLD_PERGOLA_NS: &str = "https://pergola.example.org/ns/1.0";

impl Ns {
    /// The exact URIs that feed-rs knows, and those of elements that it ignores.
    pub(crate) fn exact(uri: &str) -> Self {
        match uri {
            "http://www.w3.org/2005/Atom" => Self::Atom,
            "http://purl.org/rss/1.0/" => Self::Rss,
            "http://purl.org/rss/1.0/modules/content/" => Self::Content,
            "http://purl.org/dc/elements/1.1/" => Self::Dc,
            "http://purl.org/dc/terms/" => Self::DcTerms,
            "http://www.itunes.com/dtds/podcast-1.0.dtd" => Self::Itunes,
            "http://search.yahoo.com/mrss/" => Self::Media,
            "http://purl.org/rss/1.0/modules/syndication/" => Self::Sy,
            "http://wellformedweb.org/CommentAPI/" => Self::Wfw,
            "http://purl.org/syndication/history/1.0" => Self::History,
            "http://www.w3.org/1999/02/22-rdf-syntax-ns#" => Self::Rdf,
            "http://www.w3.org/1999/xhtml" => Self::Xhtml,
            PERGOLA_NS | OLD_PERGOLA_NS => Self::Pergola,
            _ => Self::Other,
        }
    }

    /// Like [`Ns::exact`], but accepts misspellings: case, `https`, a missing slash, old addresses.
    pub(crate) fn lenient(uri: &str) -> Self {
        let exact = Self::exact(uri.trim());
        if exact != Self::Other {
            return exact;
        }
        let uri = uri.trim().to_ascii_lowercase();
        let uri = uri.trim_end_matches(['/', '#']);
        let uri = uri.strip_prefix("https://").or(uri.strip_prefix("http://")).unwrap_or(uri);
        let uri = uri.strip_prefix("www.").unwrap_or(uri);
        match uri {
            "w3.org/2005/atom" => Self::Atom,
            "purl.org/atom/ns" | "example.com/newformat" => Self::Atom03,
            "purl.org/rss/1.0/modules/content" => Self::Content,
            "purl.org/dc/elements/1.0" | "purl.org/dc/elements/1.1" | "purl.org/dc" => Self::Dc,
            "purl.org/dc/terms" => Self::DcTerms,
            "itunes.com/dtds/podcast-1.0.dtd" | "example.com/dtds/podcast-1.0.dtd" => Self::Itunes,
            "search.yahoo.com/mrss" | "search.yahoo.com/searchmonkey/media" => Self::Media,
            "purl.org/rss/1.0/modules/syndication" => Self::Sy,
            "wellformedweb.org/commentapi" => Self::Wfw,
            "purl.org/syndication/history/1.0" => Self::History,
            "w3.org/1999/02/22-rdf-syntax-ns" => Self::Rdf,
            "w3.org/1999/xhtml" => Self::Xhtml,
            _ if uri.contains("rss") && !uri.contains("modules") => Self::Rss,
            _ if uri.contains("netscape.com/rdf") || uri.contains("userland.com") => Self::Rss,
            _ => Self::Other,
        }
    }

    /// The usual meaning of a prefix that was not declared.
    pub(crate) fn by_prefix(prefix: &str) -> Self {
        match prefix.to_ascii_lowercase().as_str() {
            "atom" | "atom10" | "a10" | "a" => Self::Atom,
            "rss" => Self::Rss,
            "rdf" => Self::Rdf,
            "content" => Self::Content,
            "dc" => Self::Dc,
            "dcterms" | "dct" => Self::DcTerms,
            "itunes" => Self::Itunes,
            "media" | "mrss" => Self::Media,
            "sy" | "syn" => Self::Sy,
            "wfw" => Self::Wfw,
            "fh" => Self::History,
            "xhtml" | "html" | "body" => Self::Xhtml,
            "pergola" => Self::Pergola,
            _ => Self::Other,
        }
    }

    /// The prefix and URI that repaired documents use for each namespace.
    pub(crate) const BOUND: [(&'static str, &'static str, Self); 11] = [
        ("atom", "http://www.w3.org/2005/Atom", Self::Atom),
        ("content", "http://purl.org/rss/1.0/modules/content/", Self::Content),
        ("dc", "http://purl.org/dc/elements/1.1/", Self::Dc),
        ("dcterms", "http://purl.org/dc/terms/", Self::DcTerms),
        ("itunes", "http://www.itunes.com/dtds/podcast-1.0.dtd", Self::Itunes),
        ("media", "http://search.yahoo.com/mrss/", Self::Media),
        ("sy", "http://purl.org/rss/1.0/modules/syndication/", Self::Sy),
        ("wfw", "http://wellformedweb.org/CommentAPI/", Self::Wfw),
        ("fh", "http://purl.org/syndication/history/1.0", Self::History),
        ("xhtml", "http://www.w3.org/1999/xhtml", Self::Xhtml),
        ("pergola", PERGOLA_NS, Self::Pergola),
    ];

    /// The prefix that repaired documents use; RSS has none.
    pub(crate) fn prefix(self) -> Option<&'static str> {
        Self::BOUND.iter().find(|(_, _, ns)| *ns == self).map(|(prefix, _, _)| *prefix)
    }
}

/// Splits `prefix:local`; the prefix is empty if there is none.
pub(crate) fn split(name: &str) -> (&str, &str) {
    name.split_once(':').unwrap_or(("", name))
}

/// The canonical spelling of a local name in a namespace; `None` if we do not read it.
pub(crate) fn canonical(ns: Ns, local: &str) -> Option<&'static str> {
    let list: &[&'static str] = match ns {
        Ns::Rss => &RSS,
        Ns::Atom | Ns::Atom03 => &ATOM,
        Ns::Content => &["encoded"],
        Ns::Dc => &DC,
        Ns::DcTerms => &DCTERMS,
        Ns::Itunes => &ITUNES,
        Ns::Media => &MEDIA,
        Ns::Sy => &["updatePeriod", "updateFrequency", "updateBase"],
        Ns::Wfw => &["commentRss"],
        Ns::History => &["archive", "complete"],
        Ns::Xhtml => &["body", "div"],
        Ns::Pergola => &["hop", "stand-in", "content-is", "person", "origin", "series"],
        Ns::Rdf => &["RDF"],
        Ns::Other => &[],
    };
    list.iter().find(|known| known.eq_ignore_ascii_case(local)).copied()
}

const RSS: [&str; 38] = [
    "title",
    "link",
    "description",
    "item",
    "guid",
    "pubDate",
    "category",
    "author",
    "enclosure",
    "source",
    "comments",
    "channel",
    "rss",
    "image",
    "textInput",
    "ttl",
    "skipHours",
    "hour",
    "skipDays",
    "day",
    "language",
    "copyright",
    "managingEditor",
    "webMaster",
    "lastBuildDate",
    "generator",
    "docs",
    "cloud",
    "rating",
    "url",
    "width",
    "height",
    "name",
    "updated",
    "items",
    "published",
    "summary",
    "body",
];

const ATOM: [&str; 28] = [
    "feed",
    "entry",
    "title",
    "id",
    "link",
    "updated",
    "published",
    "summary",
    "content",
    "author",
    "name",
    "uri",
    "email",
    "contributor",
    "category",
    "generator",
    "icon",
    "logo",
    "rights",
    "subtitle",
    "source",
    "modified",
    "issued",
    "created",
    "tagline",
    "copyright",
    "url",
    "pubDate",
];

const DC: [&str; 10] = [
    "title",
    "creator",
    "date",
    "subject",
    "description",
    "identifier",
    "language",
    "rights",
    "publisher",
    "contributor",
];

const DCTERMS: [&str; 11] = [
    "title",
    "creator",
    "subject",
    "description",
    "identifier",
    "abstract",
    "issued",
    "created",
    "modified",
    "available",
    "date",
];

const ITUNES: [&str; 16] = [
    "summary",
    "subtitle",
    "author",
    "title",
    "keywords",
    "owner",
    "image",
    "category",
    "duration",
    "name",
    "email",
    "season",
    "episode",
    "episodeType",
    "explicit",
    "type",
];

const MEDIA: [&str; 8] =
    ["group", "content", "title", "description", "keywords", "thumbnail", "category", "credit"];
