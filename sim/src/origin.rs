//! Simulated sources: documents that grow as their plan says, and misbehave when they are told to.

use std::fmt::Write as _;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, ETAG, IF_NONE_MATCH, RETRY_AFTER};
use http::{HeaderMap, Response, StatusCode};
use hyper::body::{Body, Frame};
use pergola_outside::locks::Mutex;

use crate::plan::{Misbehaviour, SourcePlan};
use crate::promises::politeness::Wish;

/// One source.
pub struct Origin {
    pub number: usize,
    /// The name of its host.
    pub name: String,
    pub plan: SourcePlan,
    /// How it misbehaves now, the last one first.
    troubles: Mutex<Vec<Misbehaviour>>,
}

/// What a source answers.
pub struct Answer {
    /// How long that takes it.
    pub after: Duration,
    pub response: Response<Document>,
    pub wish: Wish,
}

impl Origin {
    pub fn new(number: usize, plan: SourcePlan) -> Self {
        let name = format!("s{number}.site{}.example", plan.site);
        Self { number, name, plan, troubles: Mutex::default() }
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("http://{}/rss", self.name)
    }

    /// It misbehaves from now on.
    pub fn begin(&self, how: Misbehaviour) {
        self.troubles.lock().push(how);
    }

    /// It no longer misbehaves in this way.
    pub fn end(&self, how: Misbehaviour) {
        let mut troubles = self.troubles.lock();
        if let Some(place) = troubles.iter().position(|other| *other == how) {
            troubles.remove(place);
        }
    }

    /// How many items it has published.
    fn published(&self, now: f64) -> usize {
        self.plan.times.partition_point(|at| *at <= now)
    }

    /// The numbers of the items that its document shows.
    pub fn window(&self, now: f64) -> std::ops::Range<usize> {
        let published = self.published(now);
        published.saturating_sub(self.plan.window)..published
    }

    /// Answers a request.
    pub fn answer(&self, request: &HeaderMap, now: f64, dawn: f64) -> Answer {
        let trouble = self.troubles.lock().last().copied();
        let after = match trouble {
            Some(Misbehaviour::Slow(seconds)) => Duration::from_secs(u64::from(seconds)),
            _ => Duration::from_millis(50),
        };
        let tag = format!("\"{}\"", self.published(now));
        let same = request.get(IF_NONE_MATCH).is_some_and(|known| known == tag.as_str());
        let plain = |status: u16| {
            let response = Response::new(Document::default());
            let (mut head, body) = response.into_parts();
            head.status = StatusCode::from_u16(status).unwrap_or_default();
            Response::from_parts(head, body)
        };
        let (response, wish) = match trouble {
            Some(Misbehaviour::Status(status)) => (plain(status), Wish::Floor),
            Some(Misbehaviour::Busy(status, seconds)) => {
                let mut response = plain(status);
                response.headers_mut().insert(RETRY_AFTER, seconds.into());
                (response, Wish::Quiet(f64::from(seconds)))
            }
            Some(Misbehaviour::NotModified) => (plain(304), Wish::Floor),
            _ if same => (plain(304), Wish::Floor),
            _ => (self.document(trouble, now, dawn, &tag), Wish::Floor),
        };
        Answer { after, response, wish }
    }

    fn document(
        &self,
        trouble: Option<Misbehaviour>,
        now: f64,
        dawn: f64,
        tag: &str,
    ) -> Response<Document> {
        let mut text = format!("<rss version=\"2.0\"><channel><title>{}</title>", self.name);
        let window = match trouble {
            Some(Misbehaviour::Empty) => 0..0,
            _ => self.window(now),
        };
        for number in window.rev() {
            let date = match trouble {
                Some(Misbehaviour::WrongDates) => dawn + 1e8 * (number as f64 % 7.0 - 3.0),
                _ => dawn + self.plan.times[number],
            };
            self.item(&mut text, number, date);
            if trouble == Some(Misbehaviour::Repeats) {
                self.item(&mut text, number, date);
            }
        }
        text.push_str("</channel></rss>");
        let mut document = Document { bytes: Some(Bytes::from(text)), breaks: false };
        match trouble {
            Some(Misbehaviour::Garbage) => {
                document.bytes = Some(Bytes::from_static(b"<html><p>We will be back soon.</p>"));
            }
            Some(Misbehaviour::Truncated) => {
                document.bytes = document.bytes.map(|bytes| bytes.slice(..bytes.len() / 2));
                document.breaks = true;
            }
            _ => {}
        }
        let mut response = Response::new(document);
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, http::HeaderValue::from_static("application/rss+xml"));
        // A document that lies has no validator: who lies about both is believed until it changes its mind.
        if self.plan.validators
            && trouble.is_none()
            && let Ok(tag) = tag.parse()
        {
            headers.insert(ETAG, tag);
        }
        response
    }

    fn item(&self, text: &mut String, number: usize, date: f64) {
        let date = std::time::UNIX_EPOCH + Duration::from_secs_f64(date.max(0.0));
        let (source, date) = (self.number, httpdate::fmt_http_date(date));
        // Nothing can go wrong when writing to memory.
        let _ = write!(
            text,
            "<item><guid isPermaLink=\"false\">item-{number}</guid>\
             <title>s{source}-{number} news of volcano {number}</title>\
             <pubDate>{date}</pubDate><description>What happened at {number}.</description></item>",
        );
    }
}

/// The body of an answer.
#[derive(Default)]
pub struct Document {
    bytes: Option<Bytes>,
    /// The connection breaks before its end.
    breaks: bool,
}

impl Body for Document {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if let Some(bytes) = self.bytes.take() {
            return Poll::Ready(Some(Ok(Frame::data(bytes))));
        }
        match std::mem::take(&mut self.breaks) {
            true => Poll::Ready(Some(Err(std::io::ErrorKind::ConnectionReset.into()))),
            false => Poll::Ready(None),
        }
    }
}
