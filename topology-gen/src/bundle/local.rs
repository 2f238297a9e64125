//! `mesh`: an `sh` script that starts a mesh as processes of this machine.
//!
//! The script (`mesh.sh` next to this file) is the same for every mesh, except for the speed and the list of
//! members.

use std::fmt::Write as _;

use super::options::NEWSROOM;
use super::plan::Plan;

const SCRIPT: &str = include_str!("mesh.sh");
/// The placeholder for the list.
const MARK: &str = "@MEMBERS@\n";

/// The text of the script.
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
