//! Judging what an answer may cost.

use super::{Facts, Judged, enough, span};
use crate::doctor::politeness::server::Seen;

/// Bytes that the system holds between the two ends, at most.
const IN_TRANSIT: usize = 12 << 20;
/// Real seconds by which a loaded machine may be late.
const LATE: f64 = 8.0;

/// Every encoding was read.
pub(in super::super) fn read_all(seen: &[Seen], facts: &Facts) -> Judged {
    enough(seen, 3)?;
    let read = |part: &&str| {
        facts.sources.get(&format!("encodings/{part}")).is_some_and(|source| source.items > 0)
    };
    let unread: Vec<&str> = ["zstd", "br", "gzip"].into_iter().filter(|part| !read(part)).collect();
    match unread[..] {
        [] => Ok("documents packed by zstd, br and gzip were read".to_owned()),
        _ => Err(format!("not known to be read: {}", unread.join(", "))),
    }
}

/// The client left before it had taken much more than the cap.
pub(in super::super) fn bounded_bytes(seen: &[Seen], facts: &Facts) -> Judged {
    enough(seen, 1)?;
    let taken = seen[0].sent;
    let said = format!("left after {} MiB (cap {} MiB)", taken >> 20, facts.max_body >> 20);
    if taken > facts.max_body + IN_TRANSIT { Err(said) } else { Ok(said) }
}

/// The node refused the body for what it would unpack to.
pub(in super::super) fn refused_bomb(seen: &[Seen], facts: &Facts) -> Judged {
    enough(seen, 1)?;
    let trouble = facts.source(seen)?.trouble.clone().unwrap_or_default();
    let said = format!("{} kB that unpack to 4 MiB", seen[0].sent / 1_000);
    match trouble.contains("unpacks to more") {
        true => Ok(format!("{said} were refused")),
        false => Err(format!("{said} were not refused: {trouble}")),
    }
}

/// The client left when its time was over.
pub(in super::super) fn bounded_time(seen: &[Seen], facts: &Facts) -> Judged {
    enough(seen, 1)?;
    let took = (seen[0].answered - seen[0].at) / facts.speed.max(1.0);
    let said = format!("left after {} of drips (cap {} here)", span(took), span(facts.timeout));
    if took > facts.timeout + LATE { Err(said) } else { Ok(said) }
}

/// The chain of redirects was left in time.
pub(in super::super) fn bounded_redirects(seen: &[Seen], facts: &Facts) -> Judged {
    enough(seen, 2)?;
    let hop = |seen: &Seen| seen.part().parse::<usize>().unwrap_or(0);
    let followed = seen.iter().map(hop).max().unwrap_or(0);
    let said = format!("followed {followed} redirects and no more");
    if followed > facts.max_redirects.min(5) { Err(said) } else { Ok(said) }
}

/// The page was asked once, the feed that it names once.
pub(in super::super) fn one_get(seen: &[Seen]) -> Judged {
    enough(seen, 2)?;
    let soon = seen.iter().filter(|other| other.at - seen[0].at < 6.0 * 86_400.0);
    let (page, feed): (Vec<&Seen>, Vec<&Seen>) = soon.partition(|seen| seen.part().is_empty());
    let said = format!("{} GET of the page, {} of the feed", page.len(), feed.len());
    if page.len() == 1 && feed.len() == 1 { Ok(said) } else { Err(said) }
}
