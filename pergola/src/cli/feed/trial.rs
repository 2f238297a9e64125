//! What a query finds among the stored items.

use pergola_api::feed::{Explained, Trial};

use super::lines;
use crate::cli::screen::{count, harmless};

/// Items that are listed.
const LISTED: usize = 5;

/// An explanation, and what the query finds.
pub(super) fn explained(explained: &Explained) -> String {
    let Explained { text, trial, .. } = explained;
    lines(text) + &found(trial)
}

fn found(trial: &Trial) -> String {
    let mut text = format!(
        "finds {} among {}\n",
        count(trial.items, "item"),
        count(trial.examined, "stored item")
    );
    let days = trial.per_day.len();
    if trial.items > 0 {
        let recent: u64 = trial.per_day.iter().map(|day| day.items).sum();
        let per_day = recent as f64 / days.max(1) as f64;
        text += &format!("  {per_day:.1} a day over the last {days} days\n");
    }
    for item in trial.newest.iter().take(LISTED) {
        let title = item.title.as_deref().unwrap_or("untitled");
        text += &format!("  {} ({})\n", harmless(title), harmless(&item.source));
    }
    match &trial.not_stored[..] {
        [] => {}
        [address] => text += &format!("  nothing is stored yet of {}\n", harmless(address)),
        many => {
            let sources = count(many.len() as u64, "source");
            text += &format!("  nothing is stored yet of {sources}\n");
        }
    }
    if trial.cut_off {
        text += "  there is more than could be looked at in a moment\n";
    }
    text
}
