//! The rules of courtesy, one by one: what to ask, when again, and what answers mean.

mod asking;
mod trouble;

use http::{HeaderMap, HeaderName, HeaderValue};
use pergola_feed::Hints;
use url::Url;

use super::*;

/// 2023-11-14, a Tuesday, at 22:13:20 UTC.
const NOW: f64 = 1_700_000_000.0;
const HOUR: f64 = 3_600.0;
const MINUTE: f64 = 60.0;

/// A source and its story: every step is an answer at a time.
struct Story {
    courtesy: Courtesy,
    rules: Rules,
    now: f64,
    random: f64,
    url: &'static str,
    next_at: f64,
}

impl Story {
    fn new() -> Self {
        Self {
            courtesy: Courtesy::default(),
            rules: Rules::default(),
            now: NOW,
            random: 0.0,
            url: "https://a.example/feed",
            next_at: 0.0,
        }
    }

    /// The source has been read once.
    fn known() -> Self {
        let mut story = Self::new();
        story.answer(200, &[("etag", "\"1\"")]);
        story
    }

    fn later(&mut self, seconds: f64) -> &mut Self {
        self.now += seconds;
        self
    }

    /// The wait that the last verdict imposed.
    fn wait(&self) -> f64 {
        self.next_at - self.now
    }

    fn answer(&mut self, status: u16, headers: &[(&str, &str)]) -> Verdict {
        let hints = Hints::default();
        self.exchange(status, headers, &[], document(&hints, 0))
    }

    fn document(&mut self, hints: &Hints, new_items: u32) -> Verdict {
        self.exchange(200, &[], &[], document(hints, new_items))
    }

    fn redirected(&mut self, hops: &[(u16, &str)]) -> Verdict {
        let hops: Vec<Hop> = hops
            .iter()
            .map(|(status, to)| Hop { status: *status, to: Url::parse(to).unwrap() })
            .collect();
        self.exchange(200, &[], &hops, Gist::SameDocument)
    }

    /// An answer over HTTP; `body` is what a 200 or 226 brings.
    fn exchange(
        &mut self,
        status: u16,
        headers: &[(&str, &str)],
        hops: &[Hop],
        body: Gist<'_>,
    ) -> Verdict {
        let conditional = !self.courtesy.request(self.now).is_empty();
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name: HeaderName = name.parse().unwrap();
            map.append(name, HeaderValue::from_str(value).unwrap());
        }
        let head = Head::take(&mut map);
        let named = Validators::of(&head);
        let (gist, validation) = match status {
            200 => (body, Validation::Replaced(named)),
            226 => (changes(body), Validation::Replaced(named)),
            304 if conditional => (Gist::NothingNew, Validation::Confirmed(named)),
            _ => (Gist::Refused(No::of_status(status)), Validation::Kept),
        };
        self.after(&Exchange {
            url: &self.asked(),
            unconditional: !conditional,
            gist,
            terms: Terms::of(&head, self.now),
            validation: &validation,
            hops,
        })
    }

    fn failure(&mut self, kind: FailureKind) -> Verdict {
        self.after(&Exchange {
            url: &self.asked(),
            unconditional: self.courtesy.request(self.now).is_empty(),
            gist: Gist::Silence(kind),
            terms: Terms::default(),
            validation: &Validation::Kept,
            hops: &[],
        })
    }

    /// A peer's answer over gRPC.
    fn peer(&mut self, gist: Gist<'_>, retry_after: Option<f64>) -> Verdict {
        self.courtesy.forget_document();
        self.after(&Exchange {
            url: &self.asked(),
            unconditional: false,
            gist,
            terms: Terms { retry_after, ..Terms::default() },
            validation: &Validation::Kept,
            hops: &[],
        })
    }

    fn asked(&self) -> Url {
        Url::parse(self.url).unwrap()
    }

    fn after(&mut self, exchange: &Exchange<'_>) -> Verdict {
        let verdict = self.courtesy.after(exchange, self.now, &self.rules, self.random);
        // Everything must survive being stored.
        assert_eq!(rebuilt(&self.courtesy), self.courtesy);
        let asked = Asked { at: self.now, random: self.random };
        let holds = self.courtesy.holds(asked, &self.rules);
        assert_eq!(verdict.next_at, holds.first().map_or(self.now, |hold| hold.until));
        self.next_at = verdict.next_at;
        verdict
    }
}

fn document(hints: &Hints, new_items: u32) -> Gist<'_> {
    Gist::Document { span: Span::Window, hints: Some(hints), new_items }
}

fn changes(body: Gist<'_>) -> Gist<'_> {
    match body {
        Gist::Document { hints, new_items, .. } => {
            Gist::Document { span: Span::Changes, hints, new_items }
        }
        other => other,
    }
}

/// What comes back when all that can be read of a courtesy is stored.
fn rebuilt(courtesy: &Courtesy) -> Courtesy {
    let (hours, days) = courtesy.quiet_times.bits();
    let (items, seconds, last_refresh) = courtesy.pace.parts();
    let mut again = Courtesy { asked_until: courtesy.asked_until, ..Courtesy::default() };
    again.validators = courtesy.validators.clone();
    again.lifetime = courtesy.lifetime;
    again.period = courtesy.period;
    again.quiet_times = QuietTimes::from_bits(hours, days);
    again.pause = courtesy.pause.clone();
    again.failures = courtesy.failures.clone();
    again.forbidden = courtesy.forbidden;
    again.moved = courtesy.moved.clone();
    again.ended = courtesy.ended.clone();
    again.last_unconditional = courtesy.last_unconditional;
    again.pace = Pace::from_parts(items, seconds, last_refresh);
    again
}
