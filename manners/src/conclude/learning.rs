//! Learning: what the model and our estimate of quality take from a refresh.

use pergola_refresh::{Invalid, Observation, PublicationModel};

use crate::courtesy::Outcome;
use crate::decide::Observed;
use crate::source::{SourceState, unknown};

/// Lets the model and the estimate of quality learn. A source that answered without a document has shown
/// that nothing is new. Returns how many items are believed lost since the last refresh; where a peer has
/// counted what was `missed`, they are known to be.
pub(super) fn learn(
    state: &mut SourceState,
    observed: &mut Option<Observed>,
    outcome: Outcome,
    missed: Option<u64>,
    now: f64,
) -> Result<f64, Invalid> {
    if outcome.is_good() {
        observed.get_or_insert_default();
    }
    let Some(observed) = observed else { return Ok(0.0) };
    let Observed { new_items, window, censored, ref dates } = *observed;
    let since = state.schedule.last;
    let mut lost = 0.0;
    if let Some(since) = since {
        let (estimated, area) = state.schedule.model.divergence(since, now);
        let expected = missed.map_or(estimated, |missed| f64::from(new_items) + missed as f64);
        let age = (now - since).max(f64::MIN_POSITIVE);
        let shown = if window > 0 { window } else { state.schedule.shown };
        state.quality.refreshed(new_items, expected, censored, area / age, shown, age);
        if censored {
            lost = (expected - f64::from(new_items)).max(0.0);
        }
    }
    let observation = Observation { at: now, since, new_items, window, censored, dates };
    let before = std::mem::replace(&mut state.schedule, unknown());
    state.schedule = before.after(&observation)?;
    Ok(lost)
}
