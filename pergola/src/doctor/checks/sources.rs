//! How the sources stand: which fail, since when, why, and what to do.

use pergola_feed::Timestamp;
use pergola_feed::address::masked;

use crate::doctor::Finding;

/// Sources that are named one by one.
pub(super) const NAMED: usize = 10;

/// A source, whoever told of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Seen {
    pub(super) id: u32,
    pub(super) url: String,
    pub(super) trouble: Option<Trouble>,
}

/// What is wrong with a source.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Trouble {
    /// It says that it is gone.
    Ended,
    Fails {
        /// The first failure since the last good answer.
        since: f64,
        /// Failures in a row.
        times: u32,
        /// The kind of the last one, such as `dns`.
        kind: String,
        /// What went wrong, in words.
        why: Option<String>,
    },
}

/// The sources that have trouble, those that have it longest first.
pub(super) fn troubled(all: &[Seen]) -> Vec<Finding> {
    let mut troubled: Vec<(&Seen, &Trouble)> =
        all.iter().filter_map(|seen| Some((seen, seen.trouble.as_ref()?))).collect();
    troubled.sort_by(|(_, a), (_, b)| since(a).total_cmp(&since(b)));
    let named = troubled.iter().take(NAMED).map(|(seen, trouble)| told(seen, trouble));
    let mut findings: Vec<Finding> = named.collect();
    if let Some(more @ 1..) = troubled.len().checked_sub(NAMED) {
        let what = format!("{more} more source(s) fail or have ended");
        findings
            .push(Finding::warning(what, "`pergola source list --failing` names those that fail"));
    }
    findings
}

fn since(trouble: &Trouble) -> f64 {
    match trouble {
        Trouble::Ended => f64::INFINITY,
        Trouble::Fails { since, .. } => *since,
    }
}

fn told(seen: &Seen, trouble: &Trouble) -> Finding {
    let Seen { id, url, .. } = seen;
    let url = masked(url);
    match trouble {
        Trouble::Ended => Finding::warning(
            format!("source {id}, {url}, has ended: its site says that it is gone"),
            format!("its items are kept; `pergola source remove {id}` removes it"),
        ),
        Trouble::Fails { since, times, kind, why } => {
            let since = Timestamp::from_unix(*since as i64).to_rfc3339();
            let why = why.as_deref().unwrap_or(kind);
            let often = if *times == 1 { "once".to_owned() } else { format!("{times} times") };
            let what = format!("source {id}, {url}, fails since {since} ({often}): {why}");
            Finding::warning(what, advice(*id, kind))
        }
    }
}

/// What to do about a failure of a kind.
fn advice(id: u32, kind: &str) -> String {
    match kind {
        "dns" | "bad-url" | "not-found" | "redirect" => format!(
            "look for its new address and add that with `pergola source add URL`; `pergola source \
             remove {id}` removes this one"
        ),
        "not-a-feed" | "unreadable" => format!(
            "`pergola source add URL` takes the address of its feed, or of a page together with --item; \
             `pergola source remove {id}` removes this one"
        ),
        "private-address" => {
            "if that is meant, add its host or network to crawl.allow_private".to_owned()
        }
        "tls" => "if its certificate is signed by your own authority, name that in crawl.extra_ca"
            .to_owned(),
        "too-large" | "bomb" => "if that is meant, raise crawl.max_body".to_owned(),
        _ => format!(
            "it is tried again by itself; `pergola source show {id}` says when, and `pergola source \
             refresh {id} --force` tries it now"
        ),
    }
}

#[cfg(test)]
mod tests {
    use pergola_manners::courtesy::FailureKind;

    use super::*;

    fn failing(id: u32, since: f64) -> Seen {
        let (times, kind, why) = (3, "dns".to_owned(), Some("no such name".to_owned()));
        let url = format!("https://example.org/{id}");
        Seen { id, url, trouble: Some(Trouble::Fails { since, times, kind, why }) }
    }

    #[test]
    fn a_source_that_fails_is_named_with_the_time_the_reason_and_what_to_do() {
        let well = Seen { id: 1, url: "https://example.org/1".into(), trouble: None };
        let found = troubled(&[well, failing(7, 1_700_000_000.0)]);
        assert_eq!(found.len(), 1);
        assert_eq!(
            found[0].what,
            "source 7, https://example.org/7, fails since 2023-11-14T22:13:20Z (3 times): no such name"
        );
        assert!(
            found[0].advice.as_ref().unwrap().contains("`pergola source remove 7`"),
            "{found:?}"
        );
    }

    #[test]
    fn of_many_those_that_fail_longest_are_named() {
        let all: Vec<Seen> = (0..30).map(|id| failing(id, f64::from(100 - id))).collect();
        let found = troubled(&all);
        assert!(found[0].what.starts_with("source 29, "), "{found:?}");
        assert_eq!(found.len(), NAMED + 1);
        assert!(found[NAMED].what.starts_with("20 more"), "{found:?}");
    }

    #[test]
    fn every_kind_of_failure_has_an_advice_that_names_something_to_do() {
        for kind in FailureKind::ALL {
            let advice = advice(7, kind.name());
            assert!(advice.contains("`pergola ") || advice.contains("crawl."), "{advice}");
        }
    }
}
