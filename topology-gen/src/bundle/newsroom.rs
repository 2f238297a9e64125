//! The file of the newsroom that is the mesh's world.

use std::fmt::Write as _;

use super::config::quoted;
use super::plan::Plan;

/// Items a day of a source of which nothing is said.
const USUAL: f64 = 48.0;
/// When the world began, unless its time is accelerated: then it begins at the first start.
const OPENING: &str = "2026-01-01T00:00:00Z";

/// The file's text.
pub(super) fn text(plan: &Plan) -> String {
    let mut text = format!(
        "# The world of the mesh, for `pergola newsroom`. `/truth` tells what was published.\n\n\
         # The same seed and opening give the same items, whenever the newsroom is started.\nseed = {}\n",
        plan.options.seed
    );
    if plan.options.speed == 1.0 {
        let _ = writeln!(text, "opening = \"{OPENING}\"");
    }
    for source in &plan.world {
        let keywords: Vec<String> = source.keywords.iter().map(|word| quoted(word)).collect();
        let _ = write!(
            text,
            "\n[[source]]\nname = {}\nkeywords = [{}]\nitems_per_day = {:?}\nwindow = 50\n",
            quoted(&source.name),
            keywords.join(", "),
            source.items_per_day.unwrap_or(USUAL),
        );
    }
    text
}
