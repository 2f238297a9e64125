//! What the environment sets.

use toml::Value;

use crate::mistake::Mistake;
use crate::origin::Origin;
use crate::setting::{Raw, Setting};
use crate::table::Key;
use crate::tables;

/// Variables that begin like ours and are not keys.
const OTHER_VARIABLES: [&str; 6] = [
    "PERGOLA_CONFIG",
    "PERGOLA_LOG",
    "PERGOLA_REQUIRE_ALL",
    "PERGOLA_SOURCE_PASSWORD",
    "PERGOLA_SOURCE_HEADER",
    "PERGOLA_TEST_STORE",
];

/// The environment of the process, for [`crate::find_file`] and [`crate::Config::load`]. What is not
/// Unicode is replaced, and refused where it matters.
pub fn environment() -> Vec<(String, String)> {
    let text = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
    std::env::vars_os().map(|(name, value)| (text(name), text(value))).collect()
}

impl Raw {
    /// Lays the environment over what is set. An empty variable counts as not set.
    pub(crate) fn add_environment(
        &mut self,
        environment: impl IntoIterator<Item = (String, String)>,
        mistakes: &mut Vec<Mistake>,
    ) {
        for (name, text) in environment {
            if !is_ours(&name, &text) {
                continue;
            }
            let found = tables::once().find_map(|section| {
                let is_it = |key: &&Key| section.variable(&key.name).as_ref() == Some(&name);
                section.keys.iter().find(is_it).map(|key| (section, key))
            });
            match found {
                None => mistakes.push(tables::unknown_variable(&name)),
                Some(_) if text.trim().is_empty() => {}
                Some((section, key)) => {
                    let value = Value::String(text);
                    let written = key.masked(value.to_string());
                    let setting =
                        Setting { written, origin: Origin::Variable(name), ..Setting::new(value) };
                    self.only(section.name).set.insert(key.name.clone(), setting);
                }
            }
        }
    }
}

/// Whether a variable must be one of our keys. Kubernetes sets some for a service that is called pergola.
fn is_ours(name: &str, value: &str) -> bool {
    let Some(rest) = name.strip_prefix("PERGOLA_") else { return false };
    let of_kubernetes = rest.starts_with("SERVICE_")
        || rest.starts_with("PORT_")
        || (rest == "PORT" && value.contains("://"));
    !of_kubernetes && !OTHER_VARIABLES.contains(&name)
}
