//! From what was set to what is meant: one table at a time, key by key.
//!
//! A key that cannot be used is noted and its default taken, so that one reading finds every problem.
//! Whoever noted a problem never gets a configuration.

use std::path::{Path, PathBuf};

use super::problem::Problem;
use super::raw::{Fields, Setting};

/// Reads one table.
pub(super) struct Reader<'r> {
    fields: &'r Fields,
    problems: &'r mut Vec<Problem>,
}

impl<'r> Reader<'r> {
    pub(super) fn new(fields: &'r Fields, problems: &'r mut Vec<Problem>) -> Self {
        Self { fields, problems }
    }

    /// The value of a key that has a default.
    pub(super) fn required<T>(
        &mut self,
        key: &'static str,
        read: impl Fn(&Setting) -> Result<T, String>,
    ) -> T {
        self.optional(key, &read).unwrap_or_else(|| {
            let default = self.fields.section.key(key).and_then(Setting::default_of);
            read(&default.expect("a required key has a default")).expect("a default is allowed")
        })
    }

    /// The value of a key, if it was set and is allowed.
    pub(super) fn optional<T>(
        &mut self,
        key: &'static str,
        read: impl Fn(&Setting) -> Result<T, String>,
    ) -> Option<T> {
        match read(self.fields.set.get(key)?) {
            Ok(value) => Some(value),
            Err(allowed) => {
                self.refuse(key, &allowed);
                None
            }
        }
    }

    /// Notes that a key's value, if it was set, cannot be used. `allowed` begins with "must".
    pub(super) fn refuse(&mut self, key: &str, allowed: &str) {
        if let Some(setting) = self.fields.set.get(key) {
            let name = format!("{}.{key}", self.fields.title);
            let place = setting.place.clone();
            self.problems.push(Problem::value(place, &name, &setting.written, allowed));
        }
    }

    /// Notes that the table as a whole cannot be used.
    pub(super) fn refuse_table(&mut self, message: &str) {
        let title = format!("[{}]", self.fields.title);
        self.problems.push(Problem::table(self.fields.place.clone(), &title, message));
    }

    /// Notes that a query is wrong; the text shows where.
    pub(super) fn refuse_query(&mut self, rendered: &str) {
        let place = self.fields.place.clone();
        self.problems.push(Problem { place, message: rendered.to_owned() });
    }

    /// Whether a key was set.
    pub(super) fn is_set(&self, key: &str) -> bool {
        self.fields.set.contains_key(key)
    }

    /// Which of the keys were set. If one of them was set by a variable, only such count: the
    /// environment does not have to argue with the file.
    pub(super) fn set_among(&self, keys: &[&'static str]) -> Vec<&'static str> {
        let set = keys.iter().copied().filter(|key| self.is_set(key));
        let from_environment: Vec<_> = set.clone().filter(|key| self.by_variable(key)).collect();
        if from_environment.is_empty() { set.collect() } else { from_environment }
    }

    /// Whether a key was set by a variable.
    pub(super) fn by_variable(&self, key: &str) -> bool {
        self.fields.set.get(key).is_some_and(Setting::by_variable)
    }

    /// A path that a key holds: in the file it starts from the file's folder, in a variable (and by
    /// default) from where the node was started.
    pub(super) fn path(&self, key: &str, path: &str) -> PathBuf {
        let in_file = self.is_set(key) && !self.by_variable(key);
        let folder = if in_file { self.fields.folder.as_path() } else { Path::new("") };
        folder.join(path)
    }
}
