//! What the scoring server answers: status, headers and a body, which need not be a well-behaved one.

use std::io::Write;
use std::time::{Duration, UNIX_EPOCH};

/// A request, as far as an answer depends on it.
#[derive(Debug, Clone, Copy)]
pub(super) struct TrialRequest<'a> {
    /// The trial that it belongs to.
    pub(super) trial: &'a str,
    /// What follows the trial's name in the path.
    pub(super) part: &'a str,
    /// How many requests for this path came before.
    pub(super) nth: u32,
    /// When.
    pub(super) now: f64,
}

/// An answer to be given.
#[derive(Debug, Clone)]
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) headers: Vec<(&'static str, Vec<u8>)>,
    pub(super) body: Body,
    /// Real time before the answer.
    pub(super) delay: Duration,
}

/// The body of an answer.
#[derive(Debug, Clone)]
pub(super) enum Body {
    /// As it is.
    Whole(Vec<u8>),
    /// More and more, until the client leaves.
    Endless,
    /// A byte now and then, until the client leaves.
    Dripping,
    /// The connection is closed instead of an answer.
    Hangup,
}

impl Reply {
    /// A status without a document.
    pub(super) fn status(status: u16) -> Self {
        let body = if status == 304 { Vec::new() } else { b"no document\n".to_vec() };
        Self { status, headers: Vec::new(), body: Body::Whole(body), delay: Duration::ZERO }
    }

    /// A feed with one item and both validators.
    pub(super) fn ok(asked: TrialRequest<'_>) -> Self {
        Self::document(&feed(asked, "", 1))
            .etag(format!("\"{}-{}\"", asked.trial, asked.nth).as_bytes())
            .with("Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT")
    }

    /// A feed whose channel says more; with an ETag.
    pub(super) fn channel(asked: TrialRequest<'_>, extra: &str) -> Self {
        Self::document(&feed(asked, extra, 1)).etag(b"\"channel\"")
    }

    /// A feed with one more item every time.
    pub(super) fn growing(asked: TrialRequest<'_>) -> Self {
        Self::document(&feed(asked, "", 1 + 2 * asked.nth))
            .etag(format!("\"{}\"", asked.nth).as_bytes())
    }

    /// A document without validators.
    pub(super) fn document(text: &str) -> Self {
        let reply = Self { body: Body::Whole(text.as_bytes().to_vec()), ..Self::status(200) };
        reply.with("Content-Type", "application/rss+xml")
    }

    /// The end of a trial: nobody should come back.
    pub(super) fn gone() -> Self {
        Self::status(410)
    }

    /// A redirect to another part of the trial.
    pub(super) fn redirect(status: u16, asked: TrialRequest<'_>, part: &str) -> Self {
        Self::status(status).with("Location", &format!("/{}/{part}", asked.trial))
    }

    /// A body that misbehaves.
    pub(super) fn misbehaving(body: Body) -> Self {
        Self { body, ..Self::document("") }
    }

    /// With a header.
    pub(super) fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.as_bytes().to_vec()));
        self
    }

    /// Without validators.
    pub(super) fn clear(mut self) -> Self {
        self.headers.retain(|(name, _)| !matches!(*name, "ETag" | "Last-Modified"));
        self
    }

    /// With an ETag, byte for byte.
    pub(super) fn etag(mut self, value: &[u8]) -> Self {
        self.headers.push(("ETag", value.to_vec()));
        self
    }

    /// With `Cache-Control: max-age`.
    pub(super) fn max_age(self, seconds: f64) -> Self {
        self.with("Cache-Control", &format!("public, max-age={seconds:.0}"))
    }

    /// With `Retry-After` in seconds.
    pub(super) fn retry_after(self, seconds: f64) -> Self {
        self.with("Retry-After", &format!("{seconds:.0}"))
    }

    /// After a while.
    pub(super) fn after(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }

    /// Packed by `gzip`, `br` or `zstd`.
    pub(super) fn packed(mut self, encoding: &str) -> Self {
        if let Body::Whole(plain) = &self.body {
            self.body = Body::Whole(packed(plain, encoding));
            self = self.with("Content-Encoding", encoding);
        }
        self
    }
}

/// An instant as HTTP writes it.
pub(super) fn http_date(at: f64) -> String {
    httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs(at.max(0.0) as u64))
}

fn feed(asked: TrialRequest<'_>, extra: &str, items: u32) -> String {
    let name = asked.trial;
    let item = |number: u32| {
        format!(
            "<item><guid isPermaLink=\"false\">{name}-{number}</guid><title>Item {number}</title></item>"
        )
    };
    let items: String = (0..items).rev().map(item).collect();
    format!(
        "<?xml version=\"1.0\"?><rss version=\"2.0\" \
         xmlns:sy=\"http://purl.org/rss/1.0/modules/syndication/\"><channel><title>{name}</title>\
         <link>http://example.org/</link><description>A trial</description>{extra}{items}\
         </channel></rss>"
    )
}

fn packed(plain: &[u8], encoding: &str) -> Vec<u8> {
    // Writing to memory does not fail.
    match encoding {
        "gzip" => {
            let mut encoder =
                flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
            let _ = encoder.write_all(plain);
            encoder.finish().unwrap_or_default()
        }
        "br" => {
            let mut out = Vec::new();
            let mut encoder = brotli::CompressorWriter::new(&mut out, 4096, 5, 20);
            let _ = encoder.write_all(plain);
            drop(encoder);
            out
        }
        _ => zstd::encode_all(plain, 1).unwrap_or_default(),
    }
}
