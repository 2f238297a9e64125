//! The checks of a plain `pergola doctor`, one after the other.

mod certificates;
mod machine;
mod sources;
mod upgraded;

use pergola_config::{Config, Warning};

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
    findings.extend(upgraded::backup(&config.node.data));
    findings.extend(sources::all(config, runs));
    Examination { findings }
}

fn configuration(config: &Config) -> Vec<Finding> {
    let warnings = config.warnings();
    if warnings.is_empty() {
        return vec![Finding::well("the configuration is understood, and nothing in it is odd")];
    }
    let finding = |warning: Warning| {
        let advice = warning.advice.unwrap_or_else(|| "see `pergola config show`".to_owned());
        Finding::warning(warning.what, advice)
    };
    warnings.into_iter().map(finding).collect()
}
