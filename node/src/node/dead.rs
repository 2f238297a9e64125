//! Sources that have brought nothing but failures for days, or have ended. The operator is told: in the log once, and
//! in the status as long as it lasts.

use pergola_feed::address::Shown;
use pergola_refresh::DAY;
use pergola_store::archive::{ArchiveError, SourceId, SourceState};

use super::Node;

/// Days of failures after which a source counts as dead.
const DAYS: f64 = 3.0;
/// Dead sources that are named one by one.
const NAMED: usize = 10;

/// A source that is dead.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Dead {
    id: SourceId,
    since: f64,
    /// A word for what went wrong last; nothing if it has ended.
    kind: Option<&'static str>,
}

impl Dead {
    /// The source, if it is dead now.
    pub(super) fn of(id: SourceId, state: &SourceState, now: f64) -> Option<Self> {
        if let Some(ended) = &state.courtesy.ended {
            return Some(Self { id, since: ended.at, kind: None });
        }
        let failures = state.courtesy.failures.as_ref()?;
        let (since, kind) = (failures.since, Some(failures.kind.name()));
        (now - since >= DAYS * DAY).then_some(Self { id, since, kind })
    }

    /// A sentence that anybody may read: it names neither the address nor the site.
    fn notice(self, now: f64) -> String {
        let Self { id: SourceId(id), since, kind } = self;
        let more = format!("`pergola source show {id}` says more");
        match kind {
            None => format!("source {id} has ended; {more}"),
            Some(kind) => {
                let days = ((now - since) / DAY).floor();
                format!("source {id} has been dead for {days} days ({kind}); {more}")
            }
        }
    }
}

impl Node {
    /// Looks for sources that are dead, and logs those that have died since the last time.
    pub(super) fn look_for_the_dead(&self, now: f64) -> Result<(), ArchiveError> {
        let mut found = Vec::new();
        self.archive.each_state_alone(|id, state| found.extend(Dead::of(id, &state, now)))?;
        let before = std::mem::replace(&mut *self.dead.lock(), found.clone());
        for dead in found.iter().filter(|dead| before.iter().all(|known| known.id != dead.id)) {
            let Some(record) = self.archive.source(dead.id)? else { continue };
            tracing::warn!(url = %Shown(&record.url), "{}", dead.notice(now));
        }
        Ok(())
    }

    /// Notices about sources that are dead. One that has recovered since is not named.
    pub(super) fn dead_notices(&self, now: f64) -> Vec<String> {
        let dead = self.dead.lock().clone();
        let still = |dead: &&Dead| {
            let there = self.archive.source(dead.id).ok().flatten().is_some();
            let state = self.archive.state_alone(dead.id).ok().flatten().filter(|_| there);
            state.is_some_and(|state| Dead::of(dead.id, &state, now).is_some())
        };
        let named = dead.iter().take(NAMED).filter(still);
        let mut notices: Vec<String> = named.map(|dead| dead.notice(now)).collect();
        if let Some(more) = dead.len().checked_sub(NAMED + 1) {
            notices.push(format!("{} more sources are dead", more + 1));
        }
        notices
    }
}

#[cfg(test)]
mod tests {
    use pergola_manners::courtesy::{Ended, FailureKind, Failures};
    use pergola_store::archive::unknown;

    use super::*;

    #[test]
    fn a_source_is_dead_after_days_of_failures_or_when_it_has_ended() {
        let mut state = SourceState::new(unknown());
        let dead = |state: &SourceState, now| Dead::of(SourceId(3), state, now);
        assert_eq!(dead(&state, 9.0 * DAY), None);
        let failures = Failures { count: 5, since: DAY, kind: FailureKind::Dns };
        state.courtesy.failures = Some(failures);
        assert_eq!(dead(&state, 3.9 * DAY), None);
        let notice = dead(&state, 4.1 * DAY).unwrap().notice(4.1 * DAY);
        assert!(notice.starts_with("source 3 has been dead for 3 days (dns); "), "{notice}");
        state.courtesy.ended = Some(Ended { status: 410, at: 4.0 * DAY });
        let notice = dead(&state, 4.1 * DAY).unwrap().notice(4.1 * DAY);
        assert!(notice.starts_with("source 3 has ended; "), "{notice}");
    }
}
