//! The file of the newsroom that is the mesh's world.

use std::fmt::Write as _;

use super::config::quoted;
use super::plan::Plan;

/// Items a day of a source of which nothing is said.
const USUAL: f64 = 48.0;

/// The file's text.
pub(super) fn text(plan: &Plan) -> String {
    let mut text = format!(
        "# The world of the mesh, for `pergola newsroom`. `/truth` tells what was published.\n\n\
         # The same seed gives the same items; they begin at the first start, which is remembered.\nseed = {}\n",
        plan.options.seed
    );
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
