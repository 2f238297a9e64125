//! What was heard from a source, in one form for every kind of reply.
//!
//! [`hear`] is the only place that turns a reply into its meaning: statuses of HTTP, pages of peers, pushed
//! documents and silence all end up as a [`Heard`]. Everything after it (politeness, news, learning, peers)
//! reads this form and does not ask how it came about.

mod body;
#[cfg(test)]
mod tests;

use http::HeaderValue;
use pergola_feed::{Document, Limits};
use url::Url;

pub(crate) use body::charset;

pub use crate::courtesy::Span;
use crate::courtesy::{Exchange, Gist, Head, Hop, No, Terms, Validation, Validators};
use crate::link::{Refusal, announced};
use crate::reply::{
    Failure, HttpAnswer, Page, PeerReply, PeerWord, Presented, Push, Reply, Silence,
};
use crate::source::SourceKind;

/// What was heard from a source.
#[derive(Debug)]
pub struct Heard {
    /// What it said.
    pub said: Said,
    /// How long it asks us to wait.
    pub terms: Terms,
    /// What carried it, and what that tells besides.
    pub carrier: Carrier,
    /// Bytes received.
    pub bytes: u64,
}

/// What a source said.
#[derive(Debug)]
pub enum Said {
    /// It has nothing new, and sent nothing.
    NothingNew,
    /// It sent the document that we have.
    SameDocument,
    /// It sent a document.
    Document(Box<Told>),
    /// It sent a list of sources.
    List(List),
    /// It sent a page that leads to this feed.
    LeadsTo(Url),
    /// What it sent cannot be used.
    Unusable(Failure),
    /// It answered and refused.
    Refused(Refused),
    /// It did not answer.
    Silent(Failure),
}

/// A document that was read.
#[derive(Debug)]
pub struct Told {
    pub document: Document,
    pub span: Span,
    /// The digest that recognises the same bytes next time; nothing if no bytes were shown.
    pub digest: Option<u64>,
}

/// A list of sources that was read.
#[derive(Debug)]
pub struct List {
    pub members: Vec<Member>,
    /// The digest that recognises the same bytes next time.
    pub digest: u64,
}

/// A source on a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub url: String,
    /// What the list calls it.
    pub title: Option<String>,
}

/// A refusal: what it means, and how it was put.
#[derive(Debug)]
pub struct Refused {
    /// The status, if it came over HTTP.
    pub status: Option<u16>,
    pub no: No,
    pub words: String,
}

/// What carried a message.
#[derive(Debug)]
pub enum Carrier {
    Http(Box<HttpSide>),
    /// A peer over gRPC, with what it said besides its items if it sent a page.
    Peer(Option<Box<PeerWord>>),
    /// A hub, which pushed it.
    Hub,
    /// Nobody answered.
    Nobody {
        /// The request carried validators, or was none for the document.
        conditional: bool,
    },
}

/// What an answer over HTTP tells besides its body.
#[derive(Debug)]
pub struct HttpSide {
    /// The address that answered, after all redirects.
    pub url: Url,
    /// The redirects that led there.
    pub hops: Vec<Hop>,
    pub validation: Validation,
    /// The request carried validators.
    pub conditional: bool,
    /// `Link` headers.
    pub links: Vec<HeaderValue>,
    /// The feed of another node that this document says it is.
    pub announced: Option<String>,
    /// Why the peer behind this source could not be read over gRPC just before.
    pub refusal: Option<Refusal>,
}

/// What has to be known to read a reply.
#[derive(Debug, Clone, Copy)]
pub struct Hearing<'a> {
    /// How the source is read.
    pub kind: &'a SourceKind,
    /// The digest of its last document; 0 if there was none.
    pub last: u64,
    /// Addresses that it had before: a page that leads back there leads nowhere.
    pub formerly: &'a [String],
    /// What a document may cost.
    pub limits: &'a Limits,
    pub now: f64,
}

/// Turns a reply into what was heard.
pub fn hear(reply: Reply, hearing: Hearing<'_>) -> Heard {
    match reply {
        Reply::Http(answer) => over_http(*answer, hearing),
        Reply::Peer(PeerReply::Page(page)) => page_of_peer(*page),
        Reply::Peer(PeerReply::Busy { retry_after }) => busy_peer(retry_after),
        Reply::Push(push) => pushed(*push, hearing),
        Reply::Silence(Silence { failure, conditional }) => Heard {
            said: Said::Silent(failure),
            terms: Terms::default(),
            carrier: Carrier::Nobody { conditional },
            bytes: 0,
        },
    }
}

fn over_http(answer: HttpAnswer, hearing: Hearing<'_>) -> Heard {
    let HttpAnswer { status, url, hops, head, body, bytes, conditional, refusal, presented } =
        answer;
    let (said, validation) = match status {
        200 | 226 => {
            let span = if status == 226 { Span::Changes } else { Span::Window };
            let said = body::read(body, head.content_type.as_ref(), &url, span, hearing);
            (said, Validation::Replaced(Validators::of(&head)))
        }
        304 if conditional => (Said::NothingNew, Validation::Confirmed(Validators::of(&head))),
        _ => (Said::Refused(Refused::over_http(status, &url, presented)), Validation::Kept),
    };
    let terms = Terms::of(&head, hearing.now);
    let Head { link: links, pergola_feed, .. } = head;
    let announced = announced(pergola_feed.as_ref());
    let side = HttpSide { url, hops, validation, conditional, links, announced, refusal };
    Heard { said, terms, carrier: Carrier::Http(Box::new(side)), bytes }
}

fn page_of_peer(page: Page) -> Heard {
    let Page { document, span, bytes, word } = page;
    let said = match document.items.is_empty() && span == Span::Changes {
        true => Said::NothingNew,
        false => Said::Document(Box::new(Told { document, span, digest: None })),
    };
    let carrier = Carrier::Peer(Some(Box::new(word)));
    Heard { said, terms: Terms::default(), carrier, bytes }
}

fn busy_peer(retry_after: Option<f64>) -> Heard {
    let words = "the peer has too many requests and asks us to wait".to_owned();
    Heard {
        said: Said::Refused(Refused { status: None, no: No::Quiet(None), words }),
        terms: Terms { retry_after, ..Terms::default() },
        carrier: Carrier::Peer(None),
        bytes: 0,
    }
}

/// A hub may push new items only, so what it pushes is never taken for the whole window.
fn pushed(push: Push, hearing: Hearing<'_>) -> Heard {
    let Push { topic, content_type, body, bytes } = push;
    let said = body::read(body, content_type.as_ref(), &topic, Span::Changes, hearing);
    Heard { said, terms: Terms::default(), carrier: Carrier::Hub, bytes }
}

impl Heard {
    /// The source cannot be reached, or something in front of it says so.
    pub fn is_away(&self) -> bool {
        match &self.said {
            Said::Silent(_) => true,
            Said::Refused(refused) => refused.status.is_some_and(|status| status >= 500),
            _ => false,
        }
    }

    /// What was heard, in the terms of courtesy. `url` is the source's address, `new_items` what its document
    /// had that was not known.
    pub fn exchange<'a>(&'a self, new_items: u32, url: &'a Url) -> Exchange<'a> {
        let (unconditional, validation, hops) = match &self.carrier {
            Carrier::Http(http) => (!http.conditional, &http.validation, &http.hops[..]),
            Carrier::Nobody { conditional } => (!conditional, &Validation::Kept, &[][..]),
            Carrier::Peer(_) | Carrier::Hub => (false, &Validation::Kept, &[][..]),
        };
        let (gist, terms) = (self.said.gist(new_items), self.terms);
        Exchange { url, unconditional, gist, terms, validation, hops }
    }

    /// The document with older items that this one leads to, if it may be followed: only over HTTP, from a
    /// whole window, and on the same host.
    pub fn older(&self) -> Option<Url> {
        let (Said::Document(told), Carrier::Http(http)) = (&self.said, &self.carrier) else {
            return None;
        };
        let older = told.document.older().filter(|_| told.span == Span::Window)?;
        let older = http.url.join(older).ok()?;
        (older.host() == http.url.host()).then_some(older)
    }
}

impl Said {
    /// The source answered and was willing, whether or not the answer can be used.
    pub fn is_answer(&self) -> bool {
        !matches!(self, Self::Refused(_) | Self::Silent(_))
    }

    pub fn document(&self) -> Option<&Told> {
        match self {
            Self::Document(told) => Some(told),
            _ => None,
        }
    }

    /// What politeness needs of it; `new_items` is what its document had that was not known.
    fn gist(&self, new_items: u32) -> Gist<'_> {
        match self {
            Self::NothingNew => Gist::NothingNew,
            Self::SameDocument => Gist::SameDocument,
            Self::Document(told) => {
                Gist::Document { span: told.span, hints: Some(&told.document.hints), new_items }
            }
            Self::List(_) | Self::LeadsTo(_) => {
                Gist::Document { span: Span::Window, hints: None, new_items: 0 }
            }
            Self::Unusable(failure) => Gist::Unusable(failure.kind),
            Self::Refused(refused) => Gist::Refused(refused.no),
            Self::Silent(failure) => Gist::Silence(failure.kind),
        }
    }

    /// What went wrong, in words.
    pub fn trouble(&self) -> Option<&str> {
        match self {
            Self::Unusable(failure) | Self::Silent(failure) => Some(&failure.words),
            Self::Refused(refused) => Some(&refused.words),
            _ => None,
        }
    }

    /// The digest of what it sent, if that is to be recognised.
    pub fn digest(&self) -> Option<u64> {
        match self {
            Self::Document(told) => told.digest,
            Self::List(list) => Some(list.digest),
            _ => None,
        }
    }
}

impl Refused {
    /// What a status means that brings no document.
    fn over_http(status: u16, url: &Url, presented: Presented) -> Self {
        let words = match status {
            401 => format!("the source answered 401: {}", unauthorized(url, presented)),
            _ => format!("the source answered {status}"),
        };
        Self { status: Some(status), no: No::of_status(status), words }
    }
}

/// Why a source does not let us in, and what to do about it.
fn unauthorized(url: &Url, presented: Presented) -> String {
    const GIVE: &str =
        "give them with `--user NAME` of `pergola source add` or `pergola source set`";
    let host = url.host_str().unwrap_or("its host");
    match presented {
        Presented::Nothing => format!(
            "it wants a user and a password: {GIVE}; if it wants a token that it knows, use `--header`, or \
             set `token` of {host} in the configuration"
        ),
        Presented::Credentials => {
            format!(
                "it does not accept the user and password, or the header, that it was shown: {GIVE}"
            )
        }
        Presented::Elsewhere => format!(
            "its user and password were given for another address than {}, so they were not sent: {GIVE}",
            url.origin().ascii_serialization()
        ),
        Presented::InTheClear => format!(
            "its user and password were not sent, because everybody on the way to {host} could read them: \
             use an address that begins with https://"
        ),
    }
}
