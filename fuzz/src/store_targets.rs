//! What must hold for the configuration, for rows of the store, and for what sites ask of robots.

use pergola_config::{Config, ConfigError, Stored};
use pergola_manners::robots::Robots;
use pergola_store::testing::read_as_every_row;
use url::Url;

/// A name, and what must hold for any bytes.
type Target = (&'static str, fn(&[u8]));

/// The targets that need the store or what it is made of, by name.
pub(crate) const TARGETS: [Target; 3] =
    [("rows", read_as_every_row), ("config", config), ("robots", robots)];

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

/// A robots.txt, for a few pages.
fn robots(bytes: &[u8]) {
    let robots = Robots::of_answer(200, bytes, "pergola");
    for page in
        ["https://example.org/", "https://example.org/a/b?c=d", "https://example.org/%7E/$*"]
    {
        let page = Url::parse(page).expect("an address");
        assert_eq!(robots.check(&page).is_ok(), robots.check(&page).is_ok());
    }
}
