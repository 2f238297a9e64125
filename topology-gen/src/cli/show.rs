//! Prints reports.

use std::io::{IsTerminal as _, Write, stdout};

use anyhow::Result;
use pergola_report::Report;

/// Prints a report as JSON or as a table.
pub(super) fn show(report: &Report, json: bool, out: &mut impl Write) -> Result<()> {
    match json {
        true => report.write_json(out)?,
        false => report.print_table(out, stdout().is_terminal())?,
    }
    Ok(())
}
