//! The configuration as a file: what holds, and where it was set.
//!
//! What is printed can be read again and means the same, except for secrets.

use std::fmt::{Display, Write as _};

use crate::config::Config;
use crate::document::{Document, Form, Section};
use crate::origin::Origin;
use crate::setting::Raw;
use crate::table::{Key, Role, Shown};

impl Config {
    /// The configuration as TOML. Comments say where values were set that are not the default. Secrets
    /// are masked.
    pub fn show(&self) -> String {
        let mut shown = String::new();
        for section in self.compared_with(&Self::default()) {
            for table in &section.tables {
                let gap = if shown.is_empty() { "" } else { "\n" };
                let header = match section.form {
                    Form::Once | Form::Named => format!("[{}]", table.title),
                    Form::List => format!("[[{}]]", section.name),
                };
                let _ = writeln!(shown, "{gap}{header}{}", comment(table.origin.as_ref()));
                for (key, value) in section.keys.iter().zip(&table.values) {
                    self.write_line(&mut shown, &section, key, value);
                }
            }
        }
        shown
    }

    /// All tables with their values, and whether those differ from the values of another configuration.
    pub(crate) fn compared_with(&self, other: &Self) -> Vec<Section> {
        let nothing = Raw::default();
        let mut document = Document::show(&nothing, self, other);
        Self::declare(&mut document);
        document.sections
    }

    fn write_line(&self, to: &mut String, section: &Section, key: &Key, value: &Shown) {
        let once = section.form == Form::Once;
        let origin = self.origin_of(section, key).filter(|_| once && value.differs);
        let (name, comment) = (&key.name, comment(origin));
        let _ = match &value.text {
            _ if key.role == Role::SecretFile => Ok(()),
            Some(text) if key.role == Role::Secret => writeln!(to, "# {name} = {text}{comment}"),
            Some(text) => writeln!(to, "{name} = {text}{comment}"),
            None if once => writeln!(to, "# {name} is not set"),
            None => Ok(()),
        };
    }

    /// Where a key was set. A secret may have come from a file.
    fn origin_of(&self, section: &Section, key: &Key) -> Option<&Origin> {
        let name = format!("{}.{}", section.name, key.name);
        let origins = [self.origins.get(&name), self.origins.get(&format!("{name}_file"))];
        origins.into_iter().flatten().max()
    }
}

fn comment(origin: Option<impl Display>) -> String {
    origin.map_or(String::new(), |origin| format!(" # from {origin}"))
}
