//! Makes the schedule of a run that fails small: faults are left out for as long as it still fails.

use crate::plan::Plan;
use crate::run::{Outcome, run};
use crate::trace::Shown;
use crate::world::Planted;

/// The plan with as few faults as were found to be enough, and how it ends.
pub fn shrink(
    plan: &Plan,
    planted: Planted,
    mut tell: impl FnMut(usize),
) -> anyhow::Result<(Plan, Outcome)> {
    let mut best = plan.clone();
    let mut outcome = run(&best, planted, Shown::Nothing)?;
    let mut size = best.faults.len().div_ceil(2).max(1);
    // Whole stretches first, then single faults, until none of them can be left out.
    while !outcome.broken.is_empty() && !best.faults.is_empty() {
        let before = best.faults.len();
        let mut from = 0;
        while from < best.faults.len() {
            let mut fewer = best.clone();
            fewer.faults.drain(from..(from + size).min(best.faults.len()));
            let tried = run(&fewer, planted, Shown::Nothing)?;
            if tried.broken.is_empty() {
                from += size;
            } else {
                (best, outcome) = (fewer, tried);
                tell(best.faults.len());
            }
        }
        match size {
            1 if best.faults.len() == before => break,
            _ => size = size.div_ceil(2).max(1),
        }
    }
    Ok((best, outcome))
}
