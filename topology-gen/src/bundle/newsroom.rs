//! The configuration of the newsroom.

use std::fmt::Write as _;

use super::config::quoted;
use super::plan::Plan;

/// Items per day of a source that does not specify it.
const DEFAULT_ITEMS_PER_DAY: f64 = 48.0;

/// The text of the file.
pub(super) fn text(plan: &Plan) -> String {
    let mut text = format!(
        "# The sources of the mesh, for `pergola newsroom`. `/truth` tells what it has published.\n\n\
         # The same seed gives the same items. The newsroom remembers the time of its first start, when they \
         begin.\nseed = {}\n",
        plan.options.seed
    );
    for source in &plan.newsroom_sources {
        let keywords: Vec<String> = source.keywords.iter().map(|word| quoted(word)).collect();
        let _ = write!(
            text,
            "\n[[source]]\nname = {}\nkeywords = [{}]\nitems_per_day = {:?}\nwindow = 50\n",
            quoted(&source.name),
            keywords.join(", "),
            source.items_per_day.unwrap_or(DEFAULT_ITEMS_PER_DAY),
        );
    }
    text
}
