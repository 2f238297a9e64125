//! Judging what follows when a host wants quiet, a source moves, fails or ends.

use pergola_api::source::SourceStanding;

use super::{Facts, Judged, enough, gaps, is_well, nothing, span};
use crate::doctor::politeness::server::Seen;
use crate::doctor::politeness::trials::{DAY, HOUR};

/// Three URLs ask for quiet: nobody asks the host until the first of them may be asked again.
pub(in super::super) fn host_is_quiet(seen: &[Seen], status: u16, pause: f64) -> Judged {
    enough(seen, 4)?;
    let asking: Vec<&Seen> = seen.iter().filter(|seen| seen.status == status).collect();
    let (Some(first), Some(third)) = (asking.first(), asking.get(2)) else {
        return Err(format!("fewer than three URLs were told {status}"));
    };
    let next = seen.iter().find(|seen| seen.at > third.answered);
    let Some(next) = next else { return Err("the host was never asked again".to_owned()) };
    let rested = next.at - first.answered;
    let said = format!("the host was asked again after {} (≥ {})", span(rested), span(pause));
    if rested < pause { Err(said) } else { Ok(said) }
}

/// A pause is no error: the source stands well.
pub(in super::super) fn not_a_failure(said: String, seen: &[Seen], facts: &Facts) -> Judged {
    let source = facts.source(seen)?;
    match is_well(source) {
        true => Ok(format!("{said}; no failure counted")),
        false => Err(format!("{said}; but {} failures were counted", source.failures)),
    }
}

/// A new address is asked directly from seven days after it was first seen, and only then.
pub(in super::super) fn adopted(seen: &[Seen], target: &str) -> Judged {
    let first = seen.iter().find(|seen| seen.part() == target).ok_or_else(nothing)?;
    // Asked directly: no redirect led there just before.
    let direct = seen.windows(2).find(|two| {
        !two[1].part().is_empty() && two[0].at < two[1].at && !two[0].part().is_empty()
    });
    let Some([_, direct]) = direct else {
        return Err(format!("still asks the old address after {}", span(lasted(seen))));
    };
    let after = direct.at - first.at;
    if direct.part() != target {
        return Err(format!("adopted /{}, which was not the last target", direct.part()));
    }
    let said = format!("the new address was adopted after {}", span(after));
    if after < 7.0 * DAY { Err(said) } else { Ok(said) }
}

/// The old address is asked every time, for longer than a permanent redirect would be doubted.
pub(in super::super) fn stays(seen: &[Seen]) -> Judged {
    enough(seen, 4)?;
    let (old, new): (Vec<&Seen>, Vec<&Seen>) = seen.iter().partition(|seen| seen.part().is_empty());
    if new.len() > old.len() {
        return Err(format!("asked {} times past the redirect", new.len() - old.len()));
    }
    let lasted = lasted(seen);
    let said = format!("asked the old address all {} times, over {}", old.len(), span(lasted));
    if lasted < 8.0 * DAY { Err(format!("{said}: too short to judge")) } else { Ok(said) }
}

fn lasted(seen: &[Seen]) -> f64 {
    match (seen.first(), seen.last()) {
        (Some(first), Some(last)) => last.at - first.at,
        _ => 0.0,
    }
}

/// Asked once and never again, and the node says so.
pub(in super::super) fn ended(seen: &[Seen], facts: &Facts) -> Judged {
    enough(seen, 1)?;
    if seen.len() > 1 {
        return Err(format!("asked {} times more after 410", seen.len() - 1));
    }
    match facts.source(seen)?.standing {
        SourceStanding::Ended => {
            Ok("asked once; the source is kept and said to have ended".to_owned())
        }
        other => Err(format!("asked once, but the source is said to be {other:?}")),
    }
}

/// Waits grow by a factor from an hour to a week, with some chance in them, and never stop.
pub(in super::super) fn backs_off(seen: &[Seen], facts: &Facts, factor: f64) -> Judged {
    enough(seen, 5)?;
    let waited = gaps(seen);
    let said = waited.iter().map(|gap| span(*gap)).collect::<Vec<_>>().join(", ");
    let cap = 7.0 * DAY;
    for (place, gap) in waited.iter().enumerate() {
        let least = (HOUR * factor.powi(i32::try_from(place).unwrap_or(i32::MAX))).min(0.9 * cap);
        if *gap < least {
            return Err(format!("waits of {said}; number {} is too short", place + 1));
        }
    }
    let longest = waited.iter().copied().fold(0.0, f64::max);
    if !(0.9 * cap..1.3 * cap).contains(&longest) {
        return Err(format!("waits of {said}; the longest should be a week"));
    }
    let source = facts.source(seen)?;
    match source.standing == SourceStanding::Failing && source.trouble.is_some() {
        true => Ok(format!("waits of {said}; said to be failing")),
        false => Err(format!("waits of {said}; but nobody says that it fails")),
    }
}
