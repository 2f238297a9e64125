//! The judges: each reads the log of one trial and reports whether the rule was kept (`Ok`) or broken (`Err`).
//!
//! A wait is measured from before the answer was sent until after the next request was received. A loaded machine
//! can only make it seem longer, so load never breaks a rule.

mod always;
mod bounds;
mod trouble;

use std::collections::HashMap;

use pergola_api::source::{SourceStanding, SourceStatus};

pub(super) use always::ALWAYS;
pub(super) use bounds::{
    bounded_bytes, bounded_redirects, bounded_time, one_get, read_all, refused_bomb,
};
pub(super) use trouble::{adopted, backs_off, ended, host_is_quiet, not_a_failure, stays};

use super::server::Seen;
use super::trials::{DAY, HOUR, MINUTE};

/// What a judge saw: the rule kept, or broken.
pub(super) type Judged = Result<String, String>;

/// What the judges must know beside the log.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// How many times as fast as the real time the clock runs.
    pub speed: f64,
    /// The floor without evidence, in seconds.
    pub floor: f64,
    /// The floor with evidence.
    pub floor_known: f64,
    /// Between two requests to one host.
    pub spacing: f64,
    /// The largest body allowed.
    pub max_body: usize,
    /// Real seconds that a request may take.
    pub timeout: f64,
    /// Redirects that may be followed.
    pub max_redirects: usize,
    /// When the node was stopped, and when it ran again.
    pub restart: Option<(f64, f64)>,
    /// Whether a refresh by hand was refused.
    pub refused_by_hand: Option<bool>,
    /// What the node says of its sources, by their paths.
    pub sources: HashMap<String, SourceStatus>,
}

impl Facts {
    /// What the node says of the source that a trial began with.
    fn source(&self, seen: &[Seen]) -> Result<&SourceStatus, String> {
        let first = seen.first().ok_or_else(nothing)?;
        self.sources
            .get(first.target.trim_start_matches('/'))
            .ok_or_else(|| "the client does not say how the source stands".to_owned())
    }

    /// Seconds of the clock by which a loaded machine may be late.
    fn lateness(&self) -> f64 {
        0.35 * self.speed + 10.0 * MINUTE
    }
}

pub(super) fn nothing() -> String {
    "it was never asked".to_owned()
}

/// Whether there are enough requests to judge.
pub(super) fn enough(seen: &[Seen], needed: usize) -> Result<(), String> {
    if seen.is_empty() {
        return Err(nothing());
    }
    let got = seen.len();
    if got < needed { Err(format!("asked {got} times, too few to judge")) } else { Ok(()) }
}

/// The wait after the request at `place`, if another followed.
fn gap(seen: &[Seen], place: usize) -> Option<f64> {
    Some(seen.get(place + 1)?.at - seen.get(place)?.answered)
}

/// All waits.
fn gaps(seen: &[Seen]) -> Vec<f64> {
    (0..seen.len()).filter_map(|place| gap(seen, place)).collect()
}

/// Every wait at least as long as wanted.
pub(super) fn waits(seen: &[Seen], wanted: &[f64]) -> Judged {
    let wanted: Vec<(f64, f64)> = wanted.iter().map(|least| (*least, f64::INFINITY)).collect();
    waits_between(seen, &wanted)
}

/// Every wait at least and at most as long as wanted.
pub(super) fn waits_between(seen: &[Seen], wanted: &[(f64, f64)]) -> Judged {
    enough(seen, wanted.len() + 1)?;
    let mut said = Vec::new();
    for (&(least, most), waited) in wanted.iter().zip(gaps(seen)) {
        if waited < least {
            return Err(format!("came back after {}, not {}", span(waited), span(least)));
        }
        if waited > most {
            return Err(format!("came back only after {}, not {}", span(waited), span(least)));
        }
        if least > 0.0 {
            said.push(format!("{} (≥ {})", span(waited), span(least)));
        }
    }
    Ok(format!("came back after {}", said.join(", ")))
}

/// No wait is shorter than the floor.
pub(super) fn floors(seen: &[Seen], floor: f64) -> Judged {
    enough(seen, 4)?;
    let shortest = gaps(seen).into_iter().fold(f64::INFINITY, f64::min);
    let said = format!("{} requests, the closest {} apart", seen.len(), span(shortest));
    if shortest < floor { Err(format!("{said}, not {}", span(floor))) } else { Ok(said) }
}

/// The validators that the client should send after these exchanges with one source.
pub(super) fn expected(before: &[Seen]) -> [Option<Vec<u8>>; 2] {
    let mut held = [None, None];
    for seen in before {
        match seen.status {
            200 | 226 => held = seen.validators.clone(),
            304 => {
                for (own, new) in held.iter_mut().zip(&seen.validators) {
                    *own = new.clone().or(own.take());
                }
            }
            _ => {}
        }
    }
    held
}

/// Every validator came back as it was sent.
pub(super) fn returned_exactly(seen: &[Seen], needed: usize) -> Judged {
    enough(seen, needed)?;
    for place in 1..seen.len() {
        let [etag, date] = expected(&seen[..place]);
        let pairs = [("if-none-match", etag), ("if-modified-since", date)];
        for (name, wanted) in pairs {
            let sent = seen[place].header(name);
            if sent != wanted.as_deref() {
                let shown = |bytes: Option<&[u8]>| {
                    bytes.map_or("nothing".into(), |bytes| bytes.escape_ascii().to_string())
                };
                let (sent, wanted) = (shown(sent), shown(wanted.as_deref()));
                return Err(format!("{name} was {sent}, not {wanted}"));
            }
        }
    }
    Ok(format!("{} conditional requests, all as received", seen.len() - 1))
}

/// Unconditional first, and then once in thirty days at most.
pub(super) fn audits(seen: &[Seen]) -> Judged {
    enough(seen, 10)?;
    let bare: Vec<f64> =
        seen.iter().filter(|seen| !seen.is_conditional()).map(|seen| seen.at).collect();
    let closest = bare.windows(2).map(|two| two[1] - two[0]).fold(f64::INFINITY, f64::min);
    let said = format!("{} of {} unconditional", bare.len(), seen.len());
    match closest {
        // An instant is taken a moment before its request arrives.
        close if close < 29.9 * DAY => Err(format!("{said}, two of them {} apart", span(close))),
        close if close.is_finite() => {
            Ok(format!("{said}: the first, an audit after {}", span(close)))
        }
        _ => Ok(format!("{said}: the first")),
    }
}

/// A refresh by hand was refused and brought no request.
pub(super) fn by_hand(seen: &[Seen], facts: &Facts, least: f64) -> Judged {
    let said = waits(seen, &[least])?;
    match facts.refused_by_hand {
        Some(true) => Ok(format!("refused by hand; {said}")),
        Some(false) => Err("a refresh by hand went out before its time".to_owned()),
        None => Err("nobody tried by hand".to_owned()),
    }
}

/// The node was stopped in the middle of the wait.
pub(super) fn no_burst(seen: &[Seen], facts: &Facts) -> Judged {
    let Some((stopped, _)) = facts.restart else {
        return Err("the client was not restarted".to_owned());
    };
    let waited = gap(seen, 0).ok_or_else(nothing)?;
    if !(seen[0].at..seen[1].at).contains(&stopped) {
        return Err("the restart did not fall into the wait".to_owned());
    }
    Ok(format!("restarted after {}, asked after {}", span(stopped - seen[0].at), span(waited)))
}

/// One request at a time, far enough apart, on one connection.
pub(super) fn spaced(seen: &[Seen], spacing: f64) -> Judged {
    enough(seen, 6)?;
    if let Some(crowded) = seen.iter().find(|seen| !seen.alone) {
        return Err(format!("{} was asked while another request was open", crowded.target));
    }
    let shortest = gaps(seen).into_iter().fold(f64::INFINITY, f64::min);
    let connections: std::collections::BTreeSet<u64> =
        seen.iter().map(|seen| seen.connection).collect();
    let said = format!(
        "{} requests, the closest {shortest:.1} s apart, {} connection(s)",
        seen.len(),
        connections.len()
    );
    match shortest < spacing || connections.len() > 2 {
        true => Err(said),
        false => Ok(said),
    }
}

/// Nobody comes in a quiet time, which begins at `phase` in every `period` and is `quiet` long.
pub(super) fn outside_quiet_times(
    seen: &[Seen],
    facts: &Facts,
    phase: f64,
    period: f64,
    quiet: f64,
) -> Judged {
    enough(seen, 6)?;
    let into = |seen: &&Seen| (seen.at - phase).rem_euclid(period);
    let late = facts.lateness();
    // The first request cannot know, and one that was under way when the quiet began could not either.
    // A machine that stands still for longer than that blurs one in ten.
    let disturbing = seen[1..].iter().filter(|seen| (late..quiet).contains(&into(seen))).count();
    let said = format!("{disturbing} of {} requests in quiet times", seen.len() - 1);
    let days = (seen[seen.len() - 1].at - seen[0].at) / DAY;
    if disturbing * 10 > seen.len() { Err(said) } else { Ok(format!("{said} over {days:.0} days")) }
}

/// Sources that were asked for the same wait are planned at different distances.
pub(super) fn offsets(seen: &[Seen], facts: &Facts, wait: f64) -> Judged {
    enough(seen, 8)?;
    let mut offsets = Vec::new();
    for (path, source) in &facts.sources {
        if let (true, Some(last), Some(next)) =
            (path.starts_with("offset/"), source.last_refresh, source.next_refresh)
        {
            offsets.push(next.unix() - last.unix() - wait);
        }
    }
    offsets.sort_by(f64::total_cmp);
    let distinct = offsets.windows(2).filter(|two| two[1] - two[0] > 0.001).count() + 1;
    match offsets[..] {
        [first, .., last] if first >= 0.0 && last <= 301.0 && distinct > 4 => {
            Ok(format!("{} sources, {first:.0} to {last:.0} s later than asked", offsets.len()))
        }
        [] => Err("the client does not say when it plans to come".to_owned()),
        _ => Err(format!("{} sources at {distinct} distances", offsets.len())),
    }
}

/// Whether a source works and has no failures.
pub(super) fn is_well(source: &SourceStatus) -> bool {
    source.standing == SourceStanding::Well && source.failures == 0
}

/// A length of time for people.
pub(super) fn span(seconds: f64) -> String {
    match seconds {
        s if s < 2.0 * MINUTE => format!("{s:.0} s"),
        s if s < 2.0 * HOUR => format!("{:.0} min", s / MINUTE),
        s if s < 2.0 * DAY => format!("{:.1} h", s / HOUR),
        s => format!("{:.1} d", s / DAY),
    }
}
