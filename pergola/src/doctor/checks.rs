//! The checks of a plain `pergola doctor`, one after the other.

mod budget;
mod certificates;
mod machine;
mod node;
mod private;
mod sources;
mod stored;
mod upgraded;

use pergola_config::{Config, Warning};
use pergola_outside::open_files;

use super::{Examination, Finding, Patient};

/// Everything that commonly goes wrong.
pub(super) async fn all(config: &Config, patient: &Patient) -> Examination {
    let mut findings = configuration(config);
    findings.push(machine::clock());
    findings.push(machine::name_servers(&Default::default()));
    findings.push(machine::open_files(config, open_files::allowed()));
    findings.extend(certificates::all(config));
    findings.extend(machine::folder(&config.node.data));
    findings.extend(upgraded::backup(&config.node.data));
    match patient {
        Patient::Running(client) => findings.extend(node::all(config, client).await),
        Patient::Asleep => {
            findings.push(machine::address(config).await);
            findings.extend(stored::all(config));
        }
        Patient::Silent { what } => findings.push(Finding::wrong(
            what.clone(),
            "it may be starting or stopping: try again, or read its log",
        )),
    }
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
