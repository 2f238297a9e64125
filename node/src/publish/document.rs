//! A rendered document with everything that is sent with it, ready to be sent many times.
//!
//! The headers are made once, and each coding of the body once, when it is first wanted: an answer is
//! then a copy of references.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use bytes::Bytes;
use http::header::{
    CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG, LAST_MODIFIED, LINK,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderMap, HeaderValue};
use pergola_feed::Timestamp;
use tokio::sync::OnceCell;

use super::edition::RenderError;
use super::negotiate::{Coding, Form};
use super::past::Contents;
use crate::publish::shown::protect;

/// What kind of document it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A feed in one of its forms.
    Feed(Form),
    /// The list of all feeds.
    Opml,
}

/// A document as it is sent.
pub(super) struct Rendered {
    kind: Kind,
    /// Digest of the bytes.
    tag: String,
    /// When it last changed, in seconds since 1970.
    modified: Option<i64>,
    /// Which entries it shows, if it is an edition of a feed.
    contents: Option<Arc<Contents>>,
    /// Headers of a 304 for each coding.
    unchanged: [HeaderMap; Coding::ALL.len()],
    plain: Coded,
    compressed: [OnceCell<Coded>; Coding::ALL.len()],
    held: Arc<AtomicUsize>,
}

/// The body in one coding, with the headers of a 200.
pub(super) struct Coded {
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
    _held: Held,
}

impl Rendered {
    /// A document whose bytes count among those held as long as it lives.
    pub(super) fn new(
        kind: Kind,
        text: String,
        modified: Option<i64>,
        held: &Arc<AtomicUsize>,
    ) -> Self {
        let tag = format!("{:032x}", pergola_feed::digest(&[&text]));
        let date = modified.map(Timestamp::from_unix).map(Timestamp::to_rfc822);
        let date = date.and_then(|date| HeaderValue::try_from(date).ok());
        let unchanged = Coding::ALL.map(|coding| {
            let mut headers = HeaderMap::with_capacity(8);
            headers.insert(ETAG, entity_tag(&tag, coding));
            headers.extend(date.clone().map(|date| (LAST_MODIFIED, date)));
            headers
        });
        let plain = &unchanged[Coding::Identity as usize];
        let plain = Coded::new(kind, Coding::Identity, plain, Bytes::from(text), held);
        let (compressed, held) = (Default::default(), held.clone());
        Self { kind, tag, modified, contents: None, unchanged, plain, compressed, held }
    }

    /// … that shows these entries.
    pub(super) fn showing(self, contents: Contents) -> Self {
        Self { contents: Some(Arc::new(contents)), ..self }
    }

    pub(super) fn contents(&self) -> Option<&Arc<Contents>> {
        self.contents.as_ref()
    }

    /// With a `Link` header.
    pub(super) fn with_links(mut self, links: Option<HeaderValue>) -> Self {
        if let Some(links) = links {
            self.plain.headers.insert(LINK, links.clone());
            self.unchanged.iter_mut().for_each(|headers| drop(headers.insert(LINK, links.clone())));
        }
        self
    }

    pub(super) fn tag(&self) -> &str {
        &self.tag
    }

    pub(super) fn modified(&self) -> Option<i64> {
        self.modified
    }

    /// The headers of a 304.
    pub(super) fn unchanged(&self, coding: Coding) -> &HeaderMap {
        &self.unchanged[coding as usize]
    }

    /// The body as it was rendered.
    pub(super) fn plain(&self) -> &Coded {
        &self.plain
    }

    /// The body in a coding, if it was ever wanted.
    pub(super) fn ready(&self, coding: Coding) -> Option<&Coded> {
        match coding {
            Coding::Identity => Some(&self.plain),
            _ => self.compressed[coding as usize].get(),
        }
    }

    /// Compresses the body, or waits for whoever is at it.
    pub(super) async fn compress_once<F: Future<Output = Result<Bytes, RenderError>>>(
        &self,
        coding: Coding,
        compress: impl FnOnce(Bytes) -> F,
    ) -> Result<&Coded, RenderError> {
        let slot = &self.compressed[coding as usize];
        let coded = slot.get_or_try_init(|| async {
            let body = compress(self.plain.body.clone()).await?;
            Ok(Coded::new(self.kind, coding, self.unchanged(coding), body, &self.held))
        });
        coded.await
    }
}

impl Coded {
    fn new(
        kind: Kind,
        coding: Coding,
        common: &HeaderMap,
        body: Bytes,
        held: &Arc<AtomicUsize>,
    ) -> Self {
        let mut headers = common.clone();
        headers.insert(CONTENT_TYPE, kind.content_type());
        headers.insert(CONTENT_LENGTH, body.len().into());
        headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        if coding != Coding::Identity {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding.name()));
        }
        if kind == Kind::Feed(Form::Page) {
            protect(&mut headers);
        }
        Self { headers, _held: Held::new(held, body.len()), body }
    }
}

impl Kind {
    fn content_type(self) -> HeaderValue {
        HeaderValue::from_static(match self {
            Self::Feed(Form::Atom) => "application/atom+xml; charset=utf-8",
            Self::Feed(Form::Rss) => "application/rss+xml; charset=utf-8",
            Self::Feed(Form::Json) => "application/feed+json; charset=utf-8",
            Self::Feed(Form::Page) => "text/html; charset=utf-8",
            Self::Opml => "text/x-opml; charset=utf-8",
        })
    }
}

/// The strong tag of one coding: other bytes have another tag.
fn entity_tag(tag: &str, coding: Coding) -> HeaderValue {
    let tag = match coding {
        Coding::Identity => format!("\"{tag}\""),
        other => format!("\"{tag}-{}\"", other.name()),
    };
    HeaderValue::try_from(tag).expect("a digest and a name of letters are a header value")
}

/// Compresses a body. It happens once for each edition, so it may take its time.
pub(super) fn compress(coding: Coding, body: &[u8]) -> std::io::Result<Bytes> {
    let out = Vec::with_capacity(body.len() / 4);
    let out = match coding {
        Coding::Identity => return Ok(Bytes::copy_from_slice(body)),
        Coding::Gzip => {
            let mut writer = flate2::write::GzEncoder::new(out, flate2::Compression::new(8));
            writer.write_all(body)?;
            writer.finish()?
        }
        Coding::Zstd => {
            let mut writer = zstd::Encoder::new(out, 12)?;
            writer.write_all(body)?;
            writer.finish()?
        }
        Coding::Brotli => {
            // Quality 9 takes 32 MiB and three to sixteen times as long, for a document that is a hundredth smaller.
            let mut writer = brotli::CompressorWriter::new(out, 4096, 8, 20);
            writer.write_all(body)?;
            writer.into_inner()
        }
    };
    Ok(Bytes::from(out))
}

/// Bytes that are counted as long as this lives.
struct Held {
    counter: Arc<AtomicUsize>,
    bytes: usize,
}

impl Held {
    fn new(counter: &Arc<AtomicUsize>, bytes: usize) -> Self {
        counter.fetch_add(bytes, Relaxed);
        Self { counter: counter.clone(), bytes }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.counter.fetch_sub(self.bytes, Relaxed);
    }
}
