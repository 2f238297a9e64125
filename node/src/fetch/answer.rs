//! What a source answered.

use std::borrow::Cow;
use std::time::Duration;

use bytes::Bytes;
use pergola_manners::courtesy::{Exchange, Head, Hop, Reading, Reply};
use url::Url;

use super::decode::{DecodeLimits, decode};
use super::{Ask, FetchError, Page};

/// What a source answered.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status of the last hop.
    pub status: u16,
    /// Who answered in the end.
    pub url: Url,
    /// The redirects that led there.
    pub hops: Vec<Hop>,
    /// The headers that matter.
    pub head: Head,
    /// The body of a 200 or 226 as it came over the wire, else nothing.
    pub body: Bytes,
    /// Its length.
    pub wire_bytes: u64,
    /// How long all of it took.
    pub took: Duration,
    /// What a peer delivered instead of a body.
    pub page: Option<Box<Page>>,
}

impl Answer {
    /// The body without its content encodings. This is work: do it where the body is parsed, not on
    /// an async thread.
    pub fn decoded(&self, limits: &DecodeLimits) -> Result<Cow<'_, [u8]>, FetchError> {
        decode(&self.body, self.head.content_encoding.as_ref(), limits, &self.url)
    }

    /// Whether there is anything to be read.
    pub fn is_empty(&self) -> bool {
        self.body.is_empty() && self.page.as_ref().is_none_or(|page| page.document.items.is_empty())
    }

    /// The exchange as courtesy wants to hear of it.
    pub fn exchange<'a>(&'a self, ask: &'a Ask, reading: Reading<'a>) -> Exchange<'a> {
        let reply =
            Reply::Answer { status: self.status, head: &self.head, hops: &self.hops, reading };
        Exchange { asked: &ask.url, conditional: !ask.validators.is_empty(), reply }
    }
}

impl FetchError {
    /// The exchange as courtesy wants to hear of it.
    pub fn exchange<'a>(&self, ask: &'a Ask) -> Exchange<'a> {
        let conditional = !ask.validators.is_empty();
        Exchange { asked: &ask.url, conditional, reply: Reply::Failure(self.kind()) }
    }
}
