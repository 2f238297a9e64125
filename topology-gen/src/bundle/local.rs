//! `mesh`: a script of plain `sh` that starts a mesh as processes of this machine.
//!
//! The script itself is the same for every mesh (`mesh.sh` beside this file); only the list of who there is
//! differs.

use std::fmt::Write as _;

use super::NEWSROOM;
use super::plan::Plan;

const SCRIPT: &str = include_str!("mesh.sh");
/// Where the list goes.
const MARK: &str = "@MEMBERS@\n";

/// The script's text.
pub(super) fn text(plan: &Plan) -> String {
    let mut members = String::new();
    if plan.options.newsroom {
        let _ = writeln!(members, "0 {NEWSROOM} {}", plan.options.port);
    }
    for node in &plan.nodes {
        let port = node.port.unwrap_or_default();
        let _ = writeln!(members, "{} {} {port}", node.level, node.name);
    }
    let speed = plan.options.speed.to_string();
    SCRIPT.replace(MARK, &members).replace("@SPEED@", &speed)
}
