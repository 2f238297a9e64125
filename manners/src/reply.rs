//! What came back for a source, whichever way it came. This is where everything that follows begins.

use bytes::Bytes;
use http::HeaderValue;
use pergola_feed::Document;
use url::Url;

use crate::courtesy::{FailureKind, Head, Hop, Span};
use crate::hints::Hints;
use crate::link::{Link, Refusal};

/// What came back for a source.
#[derive(Debug)]
pub enum Reply {
    /// An answer over HTTP.
    Http(Box<HttpAnswer>),
    /// An answer of its peer over gRPC.
    Peer(PeerReply),
    /// A document that a hub pushed; nobody asked the source for it.
    Push(Box<Push>),
    /// No answer at all.
    Silence(Silence),
}

/// What went wrong: a kind for the program and words for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub kind: FailureKind,
    pub words: String,
}

/// An answer over HTTP, whatever its status.
#[derive(Debug)]
pub struct HttpAnswer {
    /// The status of the last hop.
    pub status: u16,
    /// The address that answered, after all redirects.
    pub url: Url,
    /// The redirects that led there.
    pub hops: Vec<Hop>,
    pub head: Head,
    /// The body of a 200 or 226, decompressed, or why it could not be decompressed.
    pub body: Result<Bytes, Failure>,
    /// Bytes of the body as received.
    pub bytes: u64,
    /// The request carried validators.
    pub conditional: bool,
    /// The peer behind this source was asked over gRPC first, and this is why that did not work.
    pub refusal: Option<Refusal>,
    /// What the address that answered was shown.
    pub presented: Presented,
}

/// What an address was shown to let us in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Presented {
    /// Nothing: there is nothing to show.
    #[default]
    Nothing,
    /// What the source was given.
    Credentials,
    /// Nothing: the source's credentials are for another origin.
    Elsewhere,
    /// Nothing: everybody on the way could read it.
    InTheClear,
}

/// An answer of a peer over gRPC.
#[derive(Debug)]
pub enum PeerReply {
    /// What came after our cursor.
    Page(Box<Page>),
    /// The peer asks us to wait, perhaps for so many seconds.
    Busy { retry_after: Option<f64> },
}

/// What a peer delivered.
#[derive(Debug)]
pub struct Page {
    /// The items, newest first, as a document would show them.
    pub document: Document,
    /// Whether these are the feed's newest items or those after our cursor.
    pub span: Span,
    /// Bytes of the messages.
    pub bytes: u64,
    pub word: PeerWord,
}

/// What a peer said besides its items.
#[derive(Debug, Clone, PartialEq)]
pub struct PeerWord {
    /// What is known of the peer once this is committed.
    pub link: Link,
    /// Entries that the peer knows we have missed.
    pub missed: u64,
    /// There is more to be fetched at once.
    pub more: bool,
    /// Only the newest window was asked for, and everything is wanted: if the window shows no known item,
    /// the rest is fetched from the oldest entry on.
    pub must_meet: bool,
    /// When the peer plans to have news, by our clock.
    pub hints: Option<Hints>,
    /// Sentences for the log.
    pub notes: Vec<String>,
}

/// A document that a hub pushed.
#[derive(Debug)]
pub struct Push {
    /// The address by which the hub knows the source.
    pub topic: Url,
    pub content_type: Option<HeaderValue>,
    /// The body, decompressed, or why it could not be decompressed.
    pub body: Result<Bytes, Failure>,
    /// Bytes of the body as received.
    pub bytes: u64,
}

/// A request that brought no answer.
#[derive(Debug)]
pub struct Silence {
    pub failure: Failure,
    /// The request carried validators, or was none for the document.
    pub conditional: bool,
}
