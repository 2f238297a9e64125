//! The checks of a plain `pergola doctor`, one after the other.

mod certificates;
mod machine;
mod sources;

use pergola_config::Config;

use super::{Examination, Finding};

/// Everything that commonly goes wrong.
pub(super) async fn all(config: &Config) -> Examination {
    let mut findings = configuration(config);
    findings.push(machine::clock());
    findings.push(machine::name_servers(&Default::default()));
    findings.extend(certificates::all(config));
    let (runs, address) = machine::address(config).await;
    findings.push(address);
    findings.extend(machine::folder(&config.node.data));
    findings.extend(sources::all(config, runs));
    Examination { findings }
}

fn configuration(config: &Config) -> Vec<Finding> {
    let warnings = config.warnings();
    if warnings.is_empty() {
        return vec![Finding::well("the configuration is understood, and nothing in it is odd")];
    }
    let split = |warning: String| match warning.split_once("; ") {
        Some((what, advice)) => Finding::warning(what, advice),
        None => Finding::warning(warning, "see `pergola config show`"),
    };
    warnings.into_iter().map(split).collect()
}
