//! From a file, what is stored and the environment to a configuration.

use std::path::{Path, PathBuf};

use crate::codec::path;
use crate::config::Config;
use crate::document::Document;
use crate::file::File;
use crate::mistake::{ConfigError, Mistake};
use crate::origin::Origin;
use crate::setting::Raw;
use crate::stored::Stored;

/// The file to read. The command line or `PERGOLA_CONFIG` can name one, which is then taken even if it
/// does not exist. Otherwise it is the first that exists of `./pergola.toml`, the user's and the
/// machine's.
pub fn find_file(
    explicit: Option<&Path>,
    environment: impl IntoIterator<Item = (String, String)>,
) -> Option<PathBuf> {
    let environment: Vec<(String, String)> = environment.into_iter().collect();
    let variable = |name: &str| {
        let found = environment.iter().find(|(other, value)| other == name && !value.is_empty());
        found.map(|(_, value)| PathBuf::from(value))
    };
    let asked_for = explicit.map(Path::to_path_buf).or_else(|| variable("PERGOLA_CONFIG"));
    let users = variable("XDG_CONFIG_HOME")
        .or_else(|| variable("HOME").map(|home| home.join(".config")))
        .map(|folder| folder.join("pergola/pergola.toml"));
    asked_for.or_else(|| {
        let usual = [
            Some(PathBuf::from("pergola.toml")),
            users,
            Some(PathBuf::from("/etc/pergola/pergola.toml")),
        ];
        usual.into_iter().flatten().find(|path| path.is_file())
    })
}

impl Default for Config {
    /// What holds without a file and without variables.
    fn default() -> Self {
        Self::from_text(None, &[], Layer::Nothing).expect("the defaults are allowed")
    }
}

impl Config {
    /// Reads the file, if there is one, lays what is stored in the data folder and the environment over it,
    /// and checks everything.
    ///
    /// # Errors
    /// If a file cannot be read, or with every mistake in it and in the environment.
    pub fn load(
        file: Option<&Path>,
        environment: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, ConfigError> {
        Self::read(file, environment, Layer::InTheDataFolder)
    }

    /// The same with other stored settings than those in the data folder.
    ///
    /// # Errors
    /// As those of [`Config::load`].
    pub fn load_with(
        file: Option<&Path>,
        environment: impl IntoIterator<Item = (String, String)>,
        stored: &Stored,
    ) -> Result<Self, ConfigError> {
        Self::read(file, environment, Layer::Given(stored))
    }

    fn read(
        file: Option<&Path>,
        environment: impl IntoIterator<Item = (String, String)>,
        stored: Layer<'_>,
    ) -> Result<Self, ConfigError> {
        let environment: Vec<(String, String)> = environment.into_iter().collect();
        let Some(path) = file else { return Self::from_text(None, &environment, stored) };
        let text = std::fs::read_to_string(path)
            .map_err(|reason| ConfigError::Unreadable { path: path.to_path_buf(), reason })?;
        Self::from_text(Some(&File::new(path, &text)), &environment, stored)
    }

    pub(crate) fn from_text(
        file: Option<&File<'_>>,
        environment: &[(String, String)],
        stored: Layer<'_>,
    ) -> Result<Self, ConfigError> {
        let mut raw = Raw::default();
        let mut mistakes = Vec::new();
        if let Some(file) = file {
            raw.add_file(file, &mut mistakes).map_err(ConfigError::Invalid)?;
        }
        match stored {
            Layer::Nothing => {}
            Layer::Given(stored) => raw.add_stored(stored, &mut mistakes),
            Layer::InTheDataFolder => {
                let stored = Stored::read(&data_folder(&raw, environment))?;
                raw.add_stored(&stored, &mut mistakes);
            }
        }
        raw.add_environment(environment.iter().cloned(), &mut mistakes);
        raw.add_place(environment);
        let mut document = Document::read(&raw);
        let config = Self::declare(&mut document);
        mistakes.extend(document.mistakes);
        mistakes.extend(config.too_many_feeds());
        if mistakes.is_empty() {
            return Ok(config);
        }
        mistakes.sort();
        Err(ConfigError::Invalid(mistakes))
    }

    fn too_many_feeds(&self) -> Option<Mistake> {
        let (declared, most) = (self.declared.len(), self.feeds.most);
        let origin = self.origins.get("feeds.most").cloned().unwrap_or(Origin::Default);
        let allowed = format!("must be at least the {declared} of [[feed]]");
        (declared > most).then(|| Mistake::value(origin, "feeds.most", &most.to_string(), &allowed))
    }
}

/// The settings that were stored while a node ran.
#[derive(Clone, Copy)]
pub(crate) enum Layer<'s> {
    Nothing,
    Given(&'s Stored),
    InTheDataFolder,
}

/// The data folder that a file and the environment name. It cannot be stored itself.
fn data_folder(file: &Raw, environment: &[(String, String)]) -> PathBuf {
    let mut named = Raw::default();
    named
        .tables
        .extend(file.tables.get_key_value("node").map(|(name, set)| (name.clone(), set.clone())));
    // What is wrong with it is found out later.
    named.add_environment(environment.iter().cloned(), &mut Vec::new());
    named.add_place(environment);
    let folder = named.all("node").first().and_then(|node| node.set.get("data"));
    folder.and_then(|setting| path().read(setting).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables(pairs: &[(&str, &Path)]) -> Vec<(String, String)> {
        let owned = |(name, path): &(&str, &Path)| (name.to_string(), path.display().to_string());
        pairs.iter().map(owned).collect()
    }

    #[test]
    fn a_file_that_was_asked_for_is_taken_even_if_it_is_not_there() {
        let environment = variables(&[("PERGOLA_CONFIG", Path::new("/nowhere/b.toml"))]);
        let explicit = Path::new("/nowhere/a.toml");
        assert_eq!(find_file(Some(explicit), environment.clone()), Some(explicit.to_path_buf()));
        assert_eq!(find_file(None, environment), Some(PathBuf::from("/nowhere/b.toml")));
    }

    #[test]
    fn the_users_file_is_found_by_xdg_and_by_home() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(".config/pergola/pergola.toml");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, "").unwrap();
        let by_home = variables(&[("HOME", folder.path())]);
        assert_eq!(find_file(None, by_home), Some(file.clone()));
        let config = folder.path().join(".config");
        let by_xdg = variables(&[("HOME", Path::new("/nowhere")), ("XDG_CONFIG_HOME", &config)]);
        assert_eq!(find_file(None, by_xdg), Some(file));
    }

    #[test]
    fn an_empty_variable_names_no_file() {
        let environment = variables(&[("PERGOLA_CONFIG", Path::new(""))]);
        assert_ne!(find_file(None, environment), Some(PathBuf::new()));
    }
}
