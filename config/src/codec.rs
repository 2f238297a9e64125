//! The types of keys: how a value is read from what was set, how it is written as TOML, and how the
//! manual describes what is allowed.
//!
//! A variable holds only text, and so does what was set while a node ran. From there, text is therefore accepted
//! for a number, a flag or a list; the file must have the real thing.

use std::fmt::Display;
use std::num::NonZeroUsize;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;

use pergola_query::nearest;
use toml::Value;
use url::Url;

use crate::setting::Setting;

/// What stands in the place of a secret.
pub(crate) use pergola_feed::address::MASK;

type Read<V> = Box<dyn Fn(&Setting) -> Result<V, String>>;
type Write<V> = Box<dyn Fn(&V) -> String>;

/// The type of a key.
pub(crate) struct Codec<V> {
    /// What is allowed, as the end of a sentence that begins "must be".
    pub(crate) allowed: String,
    read: Read<V>,
    write: Write<V>,
}

impl<V: 'static> Codec<V> {
    pub(crate) fn new(
        allowed: impl Into<String>,
        read: impl Fn(&Setting) -> Result<V, String> + 'static,
        write: impl Fn(&V) -> String + 'static,
    ) -> Self {
        Self { allowed: allowed.into(), read: Box::new(read), write: Box::new(write) }
    }

    /// The value that a setting means, or what it must be instead ("must be …").
    pub(crate) fn read(&self, setting: &Setting) -> Result<V, String> {
        (self.read)(setting)
    }

    /// The value as TOML.
    pub(crate) fn write(&self, value: &V) -> String {
        (self.write)(value)
    }

    /// Another description of what is allowed.
    pub(crate) fn described(mut self, allowed: impl Into<String>) -> Self {
        self.allowed = allowed.into();
        self
    }

    /// Another Rust type for the same values, which may refuse some of them.
    pub(crate) fn map<W: 'static>(
        self,
        from: impl Fn(V) -> Result<W, String> + 'static,
        to: impl Fn(&W) -> V + 'static,
    ) -> Codec<W> {
        let (read, write) = (self.read, self.write);
        Codec::new(
            self.allowed,
            move |setting| from(read(setting)?),
            move |value| write(&to(value)),
        )
    }
}

/// Text that is not empty.
pub(crate) fn text() -> Codec<String> {
    Codec::new("text", read_text, |text| quoted(text))
}

fn read_text(setting: &Setting) -> Result<String, String> {
    match &setting.value {
        Value::String(text) if !text.trim().is_empty() => Ok(text.clone()),
        Value::String(_) => Err("must not be empty".to_owned()),
        _ => Err("must be text in quotes".to_owned()),
    }
}

/// Text of a form that a Rust type knows.
pub(crate) fn parsed<V: FromStr + Display + 'static>(allowed: &'static str) -> Codec<V> {
    let read = move |setting: &Setting| {
        read_text(setting)?.trim().parse().map_err(|_| format!("must be {allowed}"))
    };
    Codec::new(allowed, read, |value| quoted(value))
}

/// One of several names.
pub(crate) fn one_of<V: Copy + PartialEq + 'static>(
    names: impl IntoIterator<Item = (&'static str, V)>,
) -> Codec<V> {
    let names: Vec<(&str, V)> = names.into_iter().collect();
    let known: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
    let allowed = format!("one of {}", known.join(", "));
    let (written, wrong) = (names.clone(), format!("must be {allowed}"));
    let read = move |setting: &Setting| {
        let given = read_text(setting)?;
        let found = names.iter().find(|(name, _)| name.eq_ignore_ascii_case(&given));
        found.map(|(_, value)| *value).ok_or_else(|| match nearest(&given, known.iter().copied()) {
            Some(near) => format!("{wrong}; did you mean \"{near}\"?"),
            None => wrong.clone(),
        })
    };
    let write = move |value: &V| {
        let found = written.iter().find(|(_, known)| known == value);
        quoted(found.map_or("", |(name, _)| *name))
    };
    Codec::new(allowed, read, write)
}

/// True or false.
pub(crate) fn flag() -> Codec<bool> {
    let read = |setting: &Setting| {
        let flag = match &setting.value {
            Value::Boolean(flag) => Some(*flag),
            Value::String(text) if setting.is_text() => text.trim().parse().ok(),
            _ => None,
        };
        flag.ok_or_else(|| "must be true or false".to_owned())
    };
    Codec::new("true or false", read, bool::to_string)
}

/// A number for which `fits` holds.
pub(crate) fn number(
    allowed: impl Into<String>,
    fits: impl Fn(f64) -> bool + 'static,
) -> Codec<f64> {
    let allowed = allowed.into();
    let wrong = format!("must be {allowed}");
    let read = move |setting: &Setting| {
        let number = match &setting.value {
            Value::Float(number) => Some(*number),
            Value::Integer(number) => Some(*number as f64),
            Value::String(text) if setting.is_text() => text.trim().parse().ok(),
            _ => None,
        };
        number.filter(|number| fits(*number)).ok_or_else(|| wrong.clone())
    };
    Codec::new(allowed, read, f64::to_string)
}

/// A number above 0, up to `most`.
pub(crate) fn above_zero(most: f64) -> Codec<f64> {
    number(format!("a number above 0, up to {most}"), move |number| number > 0.0 && number <= most)
}

/// A number from 0 to 1.
pub(crate) fn share() -> Codec<f64> {
    number("a number from 0 to 1", |number| (0.0..=1.0).contains(&number))
}

/// A number between 0 and 1, without them.
pub(crate) fn inner_share() -> Codec<f64> {
    number("a number between 0 and 1", |number| number > 0.0 && number < 1.0)
}

/// A whole number.
pub(crate) fn whole(range: RangeInclusive<usize>) -> Codec<usize> {
    let allowed = format!("a whole number from {} to {}", range.start(), range.end());
    let wrong = format!("must be {allowed}");
    let read = move |setting: &Setting| {
        let number = match &setting.value {
            Value::Integer(number) => usize::try_from(*number).ok(),
            Value::String(text) if setting.is_text() => text.trim().parse().ok(),
            _ => None,
        };
        number.filter(|number| range.contains(number)).ok_or_else(|| wrong.clone())
    };
    Codec::new(allowed, read, usize::to_string)
}

/// A whole number from 1.
pub(crate) fn count(most: usize) -> Codec<NonZeroUsize> {
    whole(1..=most).map(
        |number| NonZeroUsize::new(number).ok_or_else(|| "must be at least 1".to_owned()),
        |number| number.get(),
    )
}

/// A list of texts.
pub(crate) fn list() -> Codec<Vec<String>> {
    Codec::new("a list of texts", read_list, |texts| {
        let members: Vec<String> = texts.iter().map(quoted).collect();
        format!("[{}]", members.join(", "))
    })
}

/// A list whose members are texts of a form that a Rust type knows.
pub(crate) fn list_of<V: FromStr<Err: Display> + Display + 'static>() -> Codec<Vec<V>> {
    list().map(
        |texts| {
            texts
                .iter()
                .map(|text| text.parse().map_err(|wrong: V::Err| wrong.to_string()))
                .collect()
        },
        |values: &Vec<V>| values.iter().map(V::to_string).collect(),
    )
}

fn read_list(setting: &Setting) -> Result<Vec<String>, String> {
    let wrong = || "must be a list of texts such as [\"one\", \"two\"]".to_owned();
    let members = match &setting.value {
        Value::Array(members) => members.clone(),
        Value::String(text) if setting.is_text() => {
            let text = text.trim();
            if text.starts_with('[') {
                let list: toml::Table =
                    toml::from_str(&format!("list = {text}")).map_err(|_| wrong())?;
                list.get("list").and_then(Value::as_array).cloned().ok_or_else(wrong)?
            } else {
                text.split(',').map(|part| Value::String(part.trim().to_owned())).collect()
            }
        }
        _ => return Err(wrong()),
    };
    let texts = members.into_iter().map(|member| match member {
        Value::String(text) if !text.trim().is_empty() => Ok(text),
        _ => Err(wrong()),
    });
    texts.collect()
}

/// One text, or a list of them.
pub(crate) fn one_or_list() -> Codec<Vec<String>> {
    let read = |setting: &Setting| match &setting.value {
        Value::String(text) => Ok(vec![text.clone()]),
        _ => read_list(setting),
    };
    let list = list();
    Codec::new("text, or a list of texts", read, move |texts| list.write(texts))
}

/// A path. In the file it starts from the folder of the file.
pub(crate) fn path() -> Codec<PathBuf> {
    let read = |setting: &Setting| Ok(setting.folder.join(read_text(setting)?));
    Codec::new("a path", read, |path| quoted(path.display()))
}

/// A list of paths.
pub(crate) fn paths() -> Codec<Vec<PathBuf>> {
    let read = |setting: &Setting| {
        let paths = read_list(setting)?;
        Ok(paths.iter().map(|path| setting.folder.join(path)).collect())
    };
    let list = list();
    Codec::new("a list of paths", read, move |paths: &Vec<PathBuf>| {
        list.write(&paths.iter().map(|path| path.display().to_string()).collect())
    })
}

/// A URL that begins with http or https. Its password is not shown.
pub(crate) fn http_url() -> Codec<Url> {
    http_url_as("a URL that begins with http:// or https://")
}

/// The same, for which messages have other words.
pub(crate) fn http_url_as(allowed: &'static str) -> Codec<Url> {
    let read = move |setting: &Setting| {
        let url = Url::parse(read_text(setting)?.trim()).ok();
        url.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
            .ok_or_else(|| format!("must be {allowed}"))
    };
    Codec::new(allowed, read, |url: &Url| {
        let mut url = url.clone();
        if url.password().is_some() {
            // Fails only for a URL without a host, and that cannot have a password.
            let _ = url.set_password(Some(MASK));
        }
        quoted(url)
    })
}

/// Text as TOML.
pub(crate) fn quoted(text: impl Display) -> String {
    Value::String(text.to_string()).to_string()
}
