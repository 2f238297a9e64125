//! Rules that hold for every request, whatever the trial.

use std::collections::HashMap;

use super::{Judged, expected, nothing, span};
use crate::doctor::politeness::server::Seen;
use crate::doctor::politeness::trials::DAY;

/// A rule for all requests: point, rule, judge.
type Always = (u8, &'static str, fn(&[Seen]) -> Judged);

/// Rules that hold for every request.
pub(in super::super) const ALWAYS: &[Always] = &[
    (2, "never unconditional but first and audit", conditional),
    (4, "never two requests to a host at once", alone),
    (7, "Accept-Encoding: zstd, br, gzip", |log| {
        every(log, "offer zstd, br and gzip", |seen| {
            let offered = seen.header("accept-encoding").unwrap_or_default();
            let offered = String::from_utf8_lossy(offered).to_ascii_lowercase();
            let offers = |name: &str| offered.split(',').any(|one| one.trim() == name);
            offers("zstd") && offers("br") && offers("gzip")
        })
    }),
    (7, "A-IM only together with a validator", |log| {
        every(log, "are without A-IM or with a validator", |seen| {
            seen.header("a-im").is_none() || seen.is_conditional()
        })
    }),
    (8, "Pergola/VERSION (+URL; N subscribers)", |log| {
        every(log, "name program, contact and readers", |seen| {
            seen.header("user-agent").is_some_and(is_honest)
        })
    }),
    (8, "no cookies", |log| every(log, "carry no Cookie", |seen| seen.header("cookie").is_none())),
    (8, "no Referer", |log| {
        every(log, "carry no Referer", |seen| seen.header("referer").is_none())
    }),
    (8, "no cache busting", |log| {
        every(log, "let caches answer", |seen| {
            let busting = ["cache-control", "pragma"];
            !seen.target.contains('?') && busting.iter().all(|name| seen.header(name).is_none())
        })
    }),
];

fn every(log: &[Seen], what: &str, holds: fn(&Seen) -> bool) -> Judged {
    let all = log.len();
    if all == 0 {
        return Err(nothing());
    }
    let kept = log.iter().filter(|seen| holds(seen)).count();
    let said = format!("{kept} of {all} {what}");
    if kept == all { Ok(said) } else { Err(said) }
}

fn alone(log: &[Seen]) -> Judged {
    every(log, "came alone", |seen| seen.alone)
}

/// `Pergola/1.2.3 (+https://…; 4 subscribers)`.
fn is_honest(agent: &[u8]) -> bool {
    let form = || {
        let agent = std::str::from_utf8(agent).ok()?;
        let (version, rest) = agent.strip_prefix("Pergola/")?.split_once(" (+")?;
        let (contact, readers) = rest.strip_suffix(" subscribers)")?.split_once("; ")?;
        let numbers = version.split('.').filter(|part| !part.is_empty()).count() >= 2;
        let known = contact.starts_with("https://") || contact.starts_with("http://");
        Some(numbers && known && readers.parse::<u32>().is_ok())
    };
    form().unwrap_or(false)
}

/// Whoever has a validator sends it, except once in thirty days.
fn conditional(log: &[Seen]) -> Judged {
    let mut sources: HashMap<(&str, &str), Vec<Seen>> = HashMap::new();
    let (mut judged, mut bare, mut audits) = (0, 0, 0);
    for seen in log {
        // The hops of a redirect belong to one source; other parts are sources of their own.
        let moves = ["moved-301", "moved-308", "temporary-302", "temporary-303", "temporary-307"];
        let part = if moves.contains(&seen.trial) { "" } else { seen.part() };
        let before = sources.entry((seen.trial, part)).or_default();
        if expected(before) != [None, None] {
            judged += 1;
            let last = before.iter().rev().find(|seen| !seen.is_conditional());
            let audit = last.is_some_and(|last| seen.at - last.at > 29.9 * DAY);
            match (seen.is_conditional(), audit) {
                (true, _) => {}
                (false, true) => audits += 1,
                (false, false) => bare += 1,
            }
        }
        before.push(seen.clone());
    }
    let said = format!("{bare} of {judged} requests forgot what they had");
    match (judged, bare) {
        (0, _) => Err("nobody came back with a validator to send".to_owned()),
        (_, 0) => Ok(format!("{said} ({audits} audits after {})", span(30.0 * DAY))),
        _ => Err(said),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_agent_that_says_who_it_is_is_honest() {
        assert!(is_honest(b"Pergola/0.1.0 (+https://a.example/about; 3 subscribers)"));
        for other in [
            "Mozilla/5.0 (X11; Linux x86_64)",
            "Pergola/0.1.0",
            "Pergola/0.1.0 (+https://a.example; many subscribers)",
            "Pergola/x (+https://a.example; 1 subscribers)",
            "Pergola/0.1.0 (+somewhere; 1 subscribers)",
        ] {
            assert!(!is_honest(other.as_bytes()), "{other}");
        }
    }
}
