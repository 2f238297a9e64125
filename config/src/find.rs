//! Where the configuration file is looked for.

use std::path::{Path, PathBuf};

/// The file to read: the one that was asked for, by argument or by `PERGOLA_CONFIG`, even if it is not
/// there; otherwise the first that is there of `./pergola.toml`, the user's and the machine's.
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

/// The process's environment, for [`find_file`] and [`super::Config::load`]. What is no Unicode is
/// made so, and then refused where it matters.
pub fn environment() -> Vec<(String, String)> {
    let text = |text: std::ffi::OsString| text.to_string_lossy().into_owned();
    std::env::vars_os().map(|(name, value)| (text(name), text(value))).collect()
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
