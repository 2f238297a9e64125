//! Where a node keeps its data if nothing names a folder.
//!
//! In a service of systemd that is the folder that systemd gives to it. Otherwise it is the first of these that
//! holds the data of a node: `pergola-data` in the working directory, where earlier versions kept it; the user's
//! folder; the folder of a service on this machine. If none does, it is the user's folder.

use std::path::{Path, PathBuf};

use pergola_store::holds_data;
use toml::Value;

use crate::node::EARLIER;
use crate::origin::Origin;
use crate::setting::{Raw, Setting};

/// Where a service keeps it.
const SERVICE: &str = "/var/lib/pergola";

impl Raw {
    /// Fills in the data folder, unless a file or a variable names one.
    pub(crate) fn add_place(&mut self, environment: &[(String, String)]) {
        if self.is_set("node", "data") {
            return;
        }
        let (folder, origin) = place(environment);
        let value = Value::String(folder.to_string_lossy().into_owned());
        let setting = Setting { origin, ..Setting::new(value) };
        self.only("node").set.insert("data".to_owned(), setting);
    }
}

fn place(environment: &[(String, String)]) -> (PathBuf, Origin) {
    let variable = |name: &str| {
        let found = environment.iter().find(|(other, value)| other == name && !value.is_empty());
        found.map(|(_, value)| value.as_str())
    };
    // A service may have several folders, with colons between them.
    let given = variable("STATE_DIRECTORY").and_then(|folders| folders.split(':').next());
    if let Some(given) = given {
        return (given.into(), Origin::Default);
    }
    let share = variable("XDG_DATA_HOME")
        .map(PathBuf::from)
        .filter(|folder| folder.is_absolute())
        .or_else(|| variable("HOME").map(|home| Path::new(home).join(".local/share")));
    let Some(users) = share.map(|share| share.join("pergola")) else {
        return (EARLIER.into(), Origin::Default);
    };
    let holds = |folder: &Path| holds_data(folder).unwrap_or(false);
    if holds(Path::new(EARLIER)) {
        return (EARLIER.into(), Origin::Earlier { instead: users.display().to_string() });
    }
    if !holds(&users) && holds(Path::new(SERVICE)) {
        return (SERVICE.into(), Origin::Default);
    }
    (users, Origin::Default)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place_by(pairs: &[(&str, &str)]) -> PathBuf {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        place(&pairs.iter().map(owned).collect::<Vec<_>>()).0
    }

    #[test]
    fn the_users_folder_is_found_by_xdg_and_by_home() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().to_str().unwrap();
        // A machine with a service that this user may read has another place for users without data.
        std::fs::create_dir_all(folder.path().join(".local/share/pergola/store.redb")).unwrap();
        std::fs::create_dir_all(folder.path().join("xdg/pergola/store.redb")).unwrap();
        let xdg = format!("{home}/xdg");
        let by_home = folder.path().join(".local/share/pergola");
        assert_eq!(place_by(&[("HOME", home)]), by_home);
        assert_eq!(
            place_by(&[("HOME", home), ("XDG_DATA_HOME", &xdg)]),
            folder.path().join("xdg/pergola")
        );
        let relative = [("HOME", home), ("XDG_DATA_HOME", "xdg")];
        assert_eq!(place_by(&relative), by_home, "a relative path counts as not set");
        assert_eq!(place_by(&[("HOME", home), ("XDG_DATA_HOME", "")]), by_home);
    }

    #[test]
    fn a_service_is_given_its_folder() {
        let variables = [("HOME", "/home/a"), ("STATE_DIRECTORY", "/var/lib/pergola:/var/lib/b")];
        assert_eq!(place_by(&variables), Path::new("/var/lib/pergola"));
    }

    #[test]
    fn without_a_home_the_data_is_in_the_working_directory() {
        assert_eq!(place_by(&[]), Path::new(EARLIER));
    }
}
