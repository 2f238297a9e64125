//! What came back, before it is read.

use pergola_manners::link::Refusal;
use pergola_manners::reply::{PeerReply, Push, Reply};

use super::Pushed;
use pergola_outside::fetch::{Answer, DecodeLimits, decompressed};

/// Bytes of a document that is parsed in less than a millisecond.
const SMALL: usize = 32 * 1024;

/// What came back, with its body as received: decompressing takes time and is done where it is parsed.
pub(super) enum Received {
    Http {
        answer: Box<Answer>,
        /// The request carried validators.
        conditional: bool,
        /// Why the peer could not be read over gRPC just before.
        refusal: Option<Refusal>,
    },
    Pushed(Pushed),
    /// What needs no work.
    Reply(Reply),
}

impl Received {
    /// Parsing it takes less time than waking another thread. An answer is decompressed to know that.
    pub(super) fn is_small(&mut self) -> bool {
        match self {
            Self::Http { answer, .. } => answer.decompress_within(SMALL),
            Self::Pushed(pushed) => pushed.content_encoding.is_none() && pushed.body.len() <= SMALL,
            Self::Reply(Reply::Peer(PeerReply::Page(page))) => page.bytes <= SMALL as u64,
            Self::Reply(_) => true,
        }
    }

    /// Nothing came that could be parsed.
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Http { answer, .. } => answer.body.is_empty(),
            Self::Pushed(pushed) => pushed.body.is_empty(),
            Self::Reply(Reply::Peer(PeerReply::Page(page))) => page.document.items.is_empty(),
            Self::Reply(_) => true,
        }
    }

    /// The reply, with its body decompressed.
    pub(super) fn into_reply(self, limits: &DecodeLimits) -> Reply {
        match self {
            Self::Http { answer, conditional, refusal } => {
                answer.into_reply(conditional, refusal, limits)
            }
            Self::Pushed(Pushed { topic, content_type, content_encoding, body }) => {
                let bytes = body.len() as u64;
                let body = decompressed(body, content_encoding.as_ref(), limits, &topic);
                let body = body.map_err(|error| error.failure());
                Reply::Push(Box::new(Push { topic, content_type, body, bytes }))
            }
            Self::Reply(reply) => reply,
        }
    }
}
