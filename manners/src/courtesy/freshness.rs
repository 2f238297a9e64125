//! Times in headers: how long an answer stays fresh, and how long to leave its source alone.
//!
//! They are read from every answer, whatever its status. What cannot be parsed counts as absent: a
//! publisher's typing error must not stop a source.

use std::time::UNIX_EPOCH;

use http::HeaderValue;

use super::Head;
use super::rules::Rules;

/// How long an answer asks us to wait, in seconds; nothing of it is capped yet.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Terms {
    /// How long the answer says that it stays as it is, counted from when it was made: the longer of
    /// `max-age` and `Expires`.
    pub lifetime: Option<f64>,
    /// How old the answer was when it reached us.
    pub age: f64,
    /// How long to leave the source alone from now on.
    pub retry_after: Option<f64>,
}

impl Terms {
    /// What the headers of an answer say.
    pub fn of(head: &Head, now: f64) -> Self {
        Self { lifetime: lifetime(head, now), age: age(head), retry_after: retry_after(head, now) }
    }

    /// What is left of a lifetime when the answer reaches us, at most the cap.
    pub(super) fn left_of(&self, lifetime: f64, rules: &Rules) -> f64 {
        (lifetime - self.age).clamp(0.0, rules.hint_cap)
    }

    /// What is left of the lifetime that this answer declares; 0 if it declares none.
    pub(super) fn left(&self, rules: &Rules) -> f64 {
        self.lifetime.map_or(0.0, |lifetime| self.left_of(lifetime, rules))
    }

    /// How long to leave the source alone, at most the cap.
    pub(super) fn quiet(&self, rules: &Rules) -> Option<f64> {
        self.retry_after.map(|seconds| seconds.clamp(0.0, rules.retry_after_cap))
    }
}

fn lifetime(head: &Head, now: f64) -> Option<f64> {
    let expires = head.expires.as_ref().and_then(date).map(|expires| {
        // Against the server's own clock, which may differ from ours.
        (expires - head.date.as_ref().and_then(date).unwrap_or(now)).max(0.0)
    });
    match (max_age(head), expires) {
        (Some(one), Some(other)) => Some(one.max(other)),
        (one, other) => one.or(other),
    }
}

fn retry_after(head: &Head, now: f64) -> Option<f64> {
    let value = head.retry_after.as_ref()?;
    number(value.as_bytes())
        .or_else(|| Some(date(value)? - head.date.as_ref().and_then(date).unwrap_or(now)))
}

fn max_age(head: &Head) -> Option<f64> {
    let list = head.cache_control.as_ref()?.to_str().ok()?;
    let seconds = list.split(',').filter_map(|directive| {
        let (name, value) = directive.split_once('=')?;
        if !name.trim().eq_ignore_ascii_case("max-age") {
            return None;
        }
        number(value.trim().trim_matches('"').as_bytes())
    });
    // The longer one of a directive that is given twice counts.
    seconds.reduce(f64::max)
}

fn age(head: &Head) -> f64 {
    head.age.as_ref().and_then(|value| number(value.as_bytes())).unwrap_or(0.0)
}

/// A whole number of seconds; one with too many digits becomes a very large number.
fn number(text: &[u8]) -> Option<f64> {
    let text = std::str::from_utf8(text).ok()?.trim();
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

fn date(value: &HeaderValue) -> Option<f64> {
    let time = httpdate::parse_http_date(value.to_str().ok()?.trim()).ok()?;
    Some(time.duration_since(UNIX_EPOCH).ok()?.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Option<HeaderValue> {
        Some(HeaderValue::from_str(text).unwrap())
    }

    fn lifetime_of(head: Head) -> Option<f64> {
        let terms = Terms::of(&head, 784_111_777.0);
        Some(terms.left_of(terms.lifetime?, &Rules::default()))
    }

    #[test]
    fn max_age_counts_from_when_the_answer_was_made() {
        let head = Head {
            cache_control: value("public, Max-Age=600"),
            age: value("60"),
            ..Head::default()
        };
        assert_eq!(lifetime_of(head), Some(540.0));
        let older_than_fresh =
            Head { cache_control: value("max-age=60"), age: value("600"), ..Head::default() };
        assert_eq!(lifetime_of(older_than_fresh), Some(0.0));
    }

    #[test]
    fn expires_is_read_against_the_servers_own_clock() {
        let head = Head {
            expires: value("Sun, 06 Nov 1994 09:49:37 GMT"),
            date: value("Sun, 06 Nov 1994 08:49:37 GMT"),
            ..Head::default()
        };
        assert_eq!(lifetime_of(head), Some(3_600.0));
        let without_date =
            Head { expires: value("Sun, 06 Nov 1994 08:59:37 GMT"), ..Head::default() };
        assert_eq!(lifetime_of(without_date), Some(600.0));
        assert_eq!(lifetime_of(Head { expires: value("0"), ..Head::default() }), None);
    }

    #[test]
    fn of_max_age_and_expires_the_later_counts() {
        let head = Head {
            cache_control: value("max-age=60"),
            expires: value("Sun, 06 Nov 1994 09:49:37 GMT"),
            date: value("Sun, 06 Nov 1994 08:49:37 GMT"),
            ..Head::default()
        };
        assert_eq!(lifetime_of(head), Some(3_600.0));
    }

    #[test]
    fn nonsense_is_as_if_it_were_not_there() {
        for text in ["max-age=-5", "max-age=soon", "max-age", "no-cache", "s-maxage=60", ""] {
            let head = Head { cache_control: value(text), ..Head::default() };
            assert_eq!(lifetime_of(head), None, "{text}");
        }
    }

    #[test]
    fn caps_are_7_days_for_hints_and_31_days_for_retry_after() {
        let head = Head {
            cache_control: value("max-age=99999999999999999999"),
            retry_after: value("99999999999999999999"),
            ..Head::default()
        };
        assert_eq!(lifetime_of(head.clone()), Some(7.0 * 86_400.0));
        assert_eq!(Terms::of(&head, 0.0).quiet(&Rules::default()), Some(31.0 * 86_400.0));
    }

    #[test]
    fn retry_after_may_be_a_date() {
        let head = Head { retry_after: value("Sun, 06 Nov 1994 08:59:37 GMT"), ..Head::default() };
        assert_eq!(Terms::of(&head, 784_111_777.0).quiet(&Rules::default()), Some(600.0));
    }
}
