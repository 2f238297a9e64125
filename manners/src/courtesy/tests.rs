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
}

impl Story {
    fn new() -> Self {
        Self {
            courtesy: Courtesy::default(),
            rules: Rules::default(),
            now: NOW,
            random: 0.0,
            url: "https://a.example/feed",
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
        self.courtesy.next_at() - self.now
    }

    fn answer(&mut self, status: u16, headers: &[(&str, &str)]) -> Verdict {
        let hints = Hints::default();
        let document = Reading::Document { hints: &hints, new_items: 0 };
        let reading = if matches!(status, 200 | 226) { document } else { Reading::Nothing };
        self.exchange(status, headers, &[], reading)
    }

    fn document(&mut self, hints: &Hints, new_items: u32) -> Verdict {
        self.exchange(200, &[], &[], Reading::Document { hints, new_items })
    }

    fn redirected(&mut self, hops: &[(u16, &str)]) -> Verdict {
        let hops: Vec<Hop> = hops
            .iter()
            .map(|(status, to)| Hop { status: *status, to: Url::parse(to).unwrap() })
            .collect();
        self.exchange(200, &[], &hops, Reading::Same)
    }

    fn exchange(
        &mut self,
        status: u16,
        headers: &[(&str, &str)],
        hops: &[Hop],
        reading: Reading<'_>,
    ) -> Verdict {
        let conditional = !self.courtesy.request(self.now).is_empty();
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name: HeaderName = name.parse().unwrap();
            map.append(name, HeaderValue::from_str(value).unwrap());
        }
        let head = Head::take(&mut map);
        let reply = Reply::Answer { status, head: &head, hops, reading };
        self.after(&Exchange { asked: &self.asked(), conditional, reply })
    }

    fn failure(&mut self, kind: FailureKind) -> Verdict {
        let conditional = !self.courtesy.request(self.now).is_empty();
        let reply = Reply::Failure(kind);
        self.after(&Exchange { asked: &self.asked(), conditional, reply })
    }

    fn asked(&self) -> Url {
        Url::parse(self.url).unwrap()
    }

    fn after(&mut self, exchange: &Exchange<'_>) -> Verdict {
        let verdict = self.courtesy.after(exchange, self.now, &self.rules, self.random);
        // Everything must survive being stored.
        assert_eq!(rebuilt(&self.courtesy), self.courtesy);
        assert_eq!(verdict.next_at, self.courtesy.next_at());
        verdict
    }
}

/// What comes back when all that can be read of a courtesy is stored.
fn rebuilt(courtesy: &Courtesy) -> Courtesy {
    let (hours, days) = courtesy.quiet_times.bits();
    let (items, seconds, last_refresh) = courtesy.pace.parts();
    let mut again = Courtesy::default().until(courtesy.next_at());
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
