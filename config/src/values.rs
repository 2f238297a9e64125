//! How single values are read. Each reader says what would have been allowed.
//!
//! A variable holds only text, so from the environment text is taken for a number or a list where the
//! file needs the real thing.

use std::num::NonZeroUsize;
use std::ops::RangeInclusive;

use toml::Value;
use url::Url;

use super::problem::nearest;
use super::raw::Setting;

/// Text that is not empty.
pub(super) fn text(setting: &Setting) -> Result<String, String> {
    match &setting.value {
        Value::String(text) if !text.trim().is_empty() => Ok(text.clone()),
        Value::String(_) => Err("must not be empty".to_owned()),
        _ => Err("must be text in quotes".to_owned()),
    }
}

/// Whatever can be read from text; `allowed` if it cannot.
pub(super) fn parsed<T: std::str::FromStr>(
    allowed: &'static str,
) -> impl Fn(&Setting) -> Result<T, String> {
    move |setting| text(setting)?.trim().parse().map_err(|_| allowed.to_owned())
}

/// One of several names.
pub(super) fn one_of<T: Copy>(
    names: impl IntoIterator<Item = (&'static str, T)>,
) -> impl Fn(&Setting) -> Result<T, String> {
    let names: Vec<(&str, T)> = names.into_iter().collect();
    move |setting| {
        let given = text(setting)?;
        let known = names.iter().map(|(name, _)| *name);
        if let Some((_, found)) = names.iter().find(|(name, _)| name.eq_ignore_ascii_case(&given)) {
            return Ok(*found);
        }
        let hint = nearest(&given, known.clone())
            .map_or(String::new(), |near| format!("; did you mean \"{near}\"?"));
        Err(format!("must be one of {}{hint}", known.collect::<Vec<_>>().join(", ")))
    }
}

/// True or false.
pub(super) fn flag(setting: &Setting) -> Result<bool, String> {
    match &setting.value {
        Value::Boolean(flag) => Ok(*flag),
        Value::String(text) if setting.by_variable() => {
            text.trim().parse().map_err(|_| "must be true or false".to_owned())
        }
        _ => Err("must be true or false".to_owned()),
    }
}

/// A number above 0, up to `most`.
pub(super) fn above_zero(most: f64) -> impl Fn(&Setting) -> Result<f64, String> {
    move |setting| {
        let fits = |number: &f64| *number > 0.0 && *number <= most;
        number(setting).filter(fits).ok_or(format!("must be a number above 0, up to {most}"))
    }
}

/// A number from 0 to 1.
pub(super) fn share(setting: &Setting) -> Result<f64, String> {
    let fits = |number: &f64| (0.0..=1.0).contains(number);
    number(setting).filter(fits).ok_or_else(|| "must be a number from 0 to 1".to_owned())
}

/// A number between 0 and 1, without them.
pub(super) fn inner_share(setting: &Setting) -> Result<f64, String> {
    let fits = |number: &f64| *number > 0.0 && *number < 1.0;
    number(setting).filter(fits).ok_or_else(|| "must be a number between 0 and 1".to_owned())
}

fn number(setting: &Setting) -> Option<f64> {
    match &setting.value {
        Value::Float(number) => Some(*number),
        Value::Integer(number) => Some(*number as f64),
        Value::String(text) if setting.by_variable() => text.trim().parse().ok(),
        _ => None,
    }
}

/// A whole number.
pub(super) fn whole(range: RangeInclusive<usize>) -> impl Fn(&Setting) -> Result<usize, String> {
    move |setting| {
        let number = match &setting.value {
            Value::Integer(number) => usize::try_from(*number).ok(),
            Value::String(text) if setting.by_variable() => text.trim().parse().ok(),
            _ => None,
        };
        number.filter(|number| range.contains(number)).ok_or_else(|| {
            format!("must be a whole number from {} to {}", range.start(), range.end())
        })
    }
}

/// A whole number from 1.
pub(super) fn count(most: usize) -> impl Fn(&Setting) -> Result<NonZeroUsize, String> {
    move |setting| {
        let number = whole(1..=most)(setting)?;
        NonZeroUsize::new(number).ok_or_else(|| "must be at least 1".to_owned())
    }
}

/// A list of texts.
pub(super) fn list(setting: &Setting) -> Result<Vec<String>, String> {
    let wrong = || "must be a list of texts such as [\"one\", \"two\"]".to_owned();
    let members = match &setting.value {
        Value::Array(members) => members.clone(),
        Value::String(text) if setting.by_variable() => {
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

/// An address that begins with http or https.
pub(super) fn http_url(setting: &Setting) -> Result<Url, String> {
    let url = Url::parse(text(setting)?.trim()).ok();
    url.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
        .ok_or_else(|| "must be an address that begins with http:// or https://".to_owned())
}
