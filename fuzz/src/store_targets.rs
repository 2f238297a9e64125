//! What must hold for files of the operator and of the node: the configuration, and rows of the store.

use pergola_config::{Config, ConfigError, Stored};
use pergola_store::testing::read_as_every_row;

/// A name, and what must hold for any bytes.
type Target = (&'static str, fn(&[u8]));

/// The targets that need the store, by name.
pub(crate) const TARGETS: [Target; 2] = [("rows", read_as_every_row), ("config", config)];

/// A configuration file: it is accepted, or every mistake is told in words.
fn config(bytes: &[u8]) {
    let path = std::env::temp_dir().join(format!("pergola-fuzz-{}.toml", std::process::id()));
    if std::fs::write(&path, bytes).is_err() {
        return;
    }
    match Config::load_with(Some(&path), [], &Stored::default()) {
        Ok(_) => {}
        Err(ConfigError::Invalid(mistakes)) => {
            assert!(!mistakes.is_empty(), "refused without a reason");
            assert!(mistakes.iter().all(|mistake| !mistake.to_string().is_empty()));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    let _ = std::fs::remove_file(&path);
}
