//! The declaration of one table.
//!
//! Each table has one function that declares its keys, one after the other, and returns what they mean.
//! That function serves three purposes. It *reads* what was set, and notes what is wrong with it. Given a
//! value, it *shows* that value as lines of a file, and finds the keys in which it differs from another
//! value. And it *describes* the keys, for the example file and the manual. A key that is declared is
//! therefore read, shown and documented; there is no second list to forget it in.

use pergola_feed::address::masked_in;
use toml::Value;

use crate::codec::{Codec, MASK, path, quoted};
use crate::mistake::Mistake;
use crate::origin::Origin;
use crate::secret::Secret;
use crate::setting::{Fields, Setting};

/// A declared key.
#[derive(Clone, Debug)]
pub(crate) struct Key {
    /// Its name in the table, with the name of its group: `timeout`, `page.item`.
    pub(crate) name: String,
    pub(crate) help: String,
    /// What is allowed, as the end of a sentence that begins "must be".
    pub(crate) allowed: String,
    /// What holds if the key is left out.
    pub(crate) default: Option<Value>,
    /// What the example file says, commented out.
    pub(crate) example: Option<Value>,
    pub(crate) role: Role,
    /// Whether a running node takes over a new value.
    pub(crate) reloads: bool,
    /// Whether it excludes the keys before it. The example has it commented out, or in another table.
    pub(crate) excludes: bool,
    pub(crate) group: Option<Group>,
}

impl Key {
    /// A value of the key as messages may show it. A URL may hold a password before its `@`, or a secret
    /// parameter.
    pub(crate) fn masked(&self, written: String) -> String {
        let url_with_user = written.contains("://") && written.contains('@');
        match self.role == Role::Secret || url_with_user {
            true => MASK.to_owned(),
            false => masked_in(&written).into_owned(),
        }
    }
}

/// What a key is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Plain,
    /// Its value is never shown.
    Secret,
    /// It names the file that holds the secret of the key before it.
    SecretFile,
}

/// Keys in a table within the table: `[source.page]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
}

/// The value of a key.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    /// As TOML, if there is a value. Secrets are masked.
    pub(crate) text: Option<String>,
    /// Whether it differs from what it is compared with.
    pub(crate) differs: bool,
}

/// A table whose keys are being declared. `T` is what the table means.
pub(crate) struct Table<'t, T> {
    fields: &'t Fields,
    mistakes: &'t mut Vec<Mistake>,
    /// Keys that were set and do not count.
    hidden: Vec<String>,
    shown: Option<&'t T>,
    against: Option<&'t T>,
    group: Option<Group>,
    pub(crate) about: &'static str,
    /// In the order of their declaration.
    pub(crate) keys: Vec<Key>,
    /// One for each key.
    pub(crate) values: Vec<Shown>,
}

impl<'t, T> Table<'t, T> {
    /// Reads `fields`; shows the value `shown`, if there is one, and compares it with `against`.
    pub(crate) fn new(
        fields: &'t Fields,
        mistakes: &'t mut Vec<Mistake>,
        shown: Option<&'t T>,
        against: Option<&'t T>,
    ) -> Self {
        let (hidden, keys, values) = (Vec::new(), Vec::new(), Vec::new());
        Self { fields, mistakes, hidden, shown, against, group: None, about: "", keys, values }
    }

    /// Says what the table is for.
    pub(crate) fn about(&mut self, about: &'static str) {
        self.about = about;
    }

    /// Puts the keys from here on into a table within this one.
    pub(crate) fn group(&mut self, name: &'static str, about: &'static str) {
        self.group = Some(Group { name, about });
    }

    /// Begins the declaration of a key.
    pub(crate) fn key(&mut self, name: &str, help: &str) -> Declaration<'_, 't, T> {
        let name = match self.group {
            Some(group) => format!("{}.{name}", group.name),
            None => name.to_owned(),
        };
        let key = Key {
            name,
            help: help.to_owned(),
            allowed: String::new(),
            default: None,
            example: None,
            role: Role::Plain,
            reloads: false,
            excludes: false,
            group: self.group,
        };
        Declaration { table: self, key }
    }

    /// How messages call the table.
    pub(crate) fn title(&self) -> &'t str {
        &self.fields.title
    }

    /// The name that the file gives to the table.
    pub(crate) fn name(&self) -> &'t str {
        &self.fields.name
    }

    pub(crate) fn origin(&self) -> &'t Origin {
        &self.fields.origin
    }

    pub(crate) fn is_set(&self, key: &str) -> bool {
        self.setting(key).is_some()
    }

    /// The rank of what set the key, if something did.
    pub(crate) fn rank(&self, key: &str) -> Option<u8> {
        self.setting(key).map(Setting::rank)
    }

    /// The one of these keys that counts. Setting two of them is a mistake, except that what is stored
    /// overrides the file, and the environment overrides both.
    pub(crate) fn only_one<'k>(&mut self, keys: &[&'k str]) -> Option<&'k str> {
        let highest = keys.iter().filter_map(|key| self.rank(key)).max();
        let counts = |key: &&'k str| self.is_set(key) && self.rank(key) == highest;
        let rivals: Vec<&str> = keys.iter().copied().filter(counts).collect();
        let chosen = rivals.first().copied();
        for other in rivals.iter().skip(1) {
            let first = chosen.unwrap_or_default();
            self.refuse(other, &format!("must not be set together with `{first}`"));
        }
        keys.iter().filter(|key| Some(**key) != chosen).for_each(|key| self.hide(key));
        chosen
    }

    /// Lets a key count as not set.
    pub(crate) fn hide(&mut self, key: &str) {
        self.hidden.push(key.to_owned());
    }

    /// Notes that the value of a key is wrong, if it was set. `allowed` begins with "must".
    pub(crate) fn refuse(&mut self, key: &str, allowed: &str) {
        if let Some(setting) = self.setting(key) {
            let name = format!("{}.{key}", self.fields.title);
            let origin = setting.origin.clone();
            self.mistakes.push(Mistake::value(origin, &name, &setting.written, allowed));
        }
    }

    /// Notes that the table as a whole is wrong.
    pub(crate) fn refuse_table(&mut self, message: &str) {
        let title = format!("[{}]", self.fields.title);
        self.mistakes.push(Mistake::table(self.fields.origin.clone(), &title, message));
    }

    /// Notes that a query is wrong; the message shows where.
    pub(crate) fn refuse_query(&mut self, message: String) {
        self.mistakes.push(Mistake { origin: self.fields.origin.clone(), message });
    }

    fn setting(&self, key: &str) -> Option<&'t Setting> {
        let counts = !self.hidden.iter().any(|hidden| hidden == key);
        self.fields.set.get(key).filter(|_| counts)
    }
}

/// The declaration of a key. The last call in the chain says what its values are and reads it.
pub(crate) struct Declaration<'k, 't, T> {
    table: &'k mut Table<'t, T>,
    key: Key,
}

impl<T> Declaration<'_, '_, T> {
    /// A running node takes over a new value.
    pub(crate) fn reloads(mut self) -> Self {
        self.key.reloads = true;
        self
    }

    /// The key excludes those before it.
    pub(crate) fn excludes(mut self) -> Self {
        self.key.excludes = true;
        self
    }

    /// A key with a default.
    pub(crate) fn required<V: PartialEq + 'static>(
        self,
        codec: Codec<V>,
        default: impl Into<Value>,
        get: impl Fn(&T) -> V,
    ) -> V {
        self.presumed(codec, default, |value| Some(get(value)))
    }

    /// A key with a default that may have no value, because another key was set instead of it.
    pub(crate) fn presumed<V: PartialEq + 'static>(
        mut self,
        codec: Codec<V>,
        default: impl Into<Value>,
        get: impl Fn(&T) -> Option<V>,
    ) -> V {
        let default = default.into();
        let presumed = codec.read(&Setting::new(default.clone())).expect("the default is allowed");
        self.key.default = Some(default);
        self.read_and_show(codec, get).unwrap_or(presumed)
    }

    /// A key without a default.
    pub(crate) fn optional<V: PartialEq + 'static>(
        mut self,
        codec: Codec<V>,
        example: impl Into<Value>,
        get: impl Fn(&T) -> Option<V>,
    ) -> Option<V> {
        self.key.example = Some(example.into());
        self.read_and_show(codec, get)
    }

    /// A secret. A second key, whose name ends in `_file`, names a file that holds it.
    pub(crate) fn secret(
        mut self,
        codec: Codec<Secret>,
        example: &str,
        get: impl Fn(&T) -> Option<Secret>,
    ) -> Option<Secret> {
        let table = self.table;
        self.key.example = Some(example.into());
        self.key.role = Role::Secret;
        self.key.allowed.clone_from(&codec.allowed);
        let name = self.key.name.clone();
        let file = Key {
            name: format!("{name}_file"),
            help: format!("A file that holds only the `{name}`. Set this or `{name}`."),
            allowed: path().allowed,
            example: Some(format!("/run/secrets/{}-{name}", table.fields.title).into()),
            role: Role::SecretFile,
            ..self.key.clone()
        };
        let chosen = table.only_one(&[&name, &file.name]).map(str::to_owned);
        let setting = chosen.as_deref().and_then(|key| table.setting(key));
        let content = setting.map(|setting| match chosen.as_deref() == Some(&*file.name) {
            true => content_of(setting),
            false => Ok(setting.clone()),
        });
        let read = content.map(|content| content.and_then(|content| codec.read(&content)));
        let (shown, against) = (table.shown.and_then(&get), table.against.and_then(&get));
        let text = shown.as_ref().map(|_| quoted(MASK));
        table.values.push(Shown { text, differs: shown != against });
        table.values.push(Shown { text: None, differs: false });
        table.keys.extend([self.key, file]);
        match read? {
            Ok(secret) => Some(secret),
            Err(allowed) => {
                table.refuse(&chosen.unwrap_or_default(), &allowed);
                None
            }
        }
    }

    fn read_and_show<V: PartialEq + 'static>(
        mut self,
        codec: Codec<V>,
        get: impl Fn(&T) -> Option<V>,
    ) -> Option<V> {
        let table = self.table;
        let (shown, against) = (table.shown.and_then(&get), table.against.and_then(&get));
        let text = shown.as_ref().map(|value| codec.write(value));
        table.values.push(Shown { text, differs: shown != against });
        self.key.allowed.clone_from(&codec.allowed);
        let read = table.setting(&self.key.name).map(|setting| codec.read(setting));
        let read = read.transpose().unwrap_or_else(|allowed| {
            table.refuse(&self.key.name, &allowed);
            None
        });
        table.keys.push(self.key);
        read
    }
}

/// The content of the file that a setting names, as if it had been set itself.
fn content_of(setting: &Setting) -> Result<Setting, String> {
    let content = std::fs::read_to_string(path().read(setting)?)
        .map_err(|reason| format!("must name a file that can be read: {reason}"))?;
    match content.trim() {
        "" => Err("must name a file that is not empty".to_owned()),
        content => Ok(Setting { value: content.into(), ..setting.clone() }),
    }
}
