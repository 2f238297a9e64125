//! What a peer is asked to do beyond answering: three switches of every subscription.

use std::fmt;
use std::str::FromStr;

/// What is asked of a peer. With everything off, a peer is read like any feed with a window, only cheaper.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cooperation {
    /// The peer says when it expects news, and we refresh just after that.
    pub hints: bool,
    /// The peer notifies us of news at once; polling remains as a safety net.
    pub watch: bool,
    /// Everything since the last refresh is fetched, page by page, however much it is.
    pub archive: bool,
}

/// A name that is no way to cooperate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no way to cooperate; use hints, watch or archive")]
pub struct UnknownWay(pub String);

impl Cooperation {
    /// Every way, by its name in configuration, commands and the API.
    pub const WAYS: [&'static str; 3] = ["hints", "watch", "archive"];

    /// From names; without any, peers are only pulled from.
    pub fn of<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Result<Self, UnknownWay> {
        let mut all = Self::default();
        for name in names {
            match name.as_ref().trim() {
                "hints" => all.hints = true,
                "watch" => all.watch = true,
                "archive" => all.archive = true,
                other => return Err(UnknownWay(other.to_owned())),
            }
        }
        Ok(all)
    }

    /// The names of what is switched on.
    pub fn names(self) -> Vec<&'static str> {
        let on = [self.hints, self.watch, self.archive];
        Self::WAYS.into_iter().zip(on).filter(|(_, on)| *on).map(|(name, _)| name).collect()
    }
}

impl fmt::Display for Cooperation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.names().join(","))
    }
}

/// Names separated by commas, as on the command line.
impl FromStr for Cooperation {
    type Err = UnknownWay;

    fn from_str(text: &str) -> Result<Self, UnknownWay> {
        Self::of(text.split(',').map(str::trim).filter(|name| !name.is_empty()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_there_and_back_are_the_same() {
        for bits in 0..8 {
            let all =
                Cooperation { hints: bits & 1 > 0, watch: bits & 2 > 0, archive: bits & 4 > 0 };
            assert_eq!(Cooperation::of(all.names()), Ok(all));
            assert_eq!(all.to_string().parse(), Ok(all));
        }
    }

    #[test]
    fn an_unknown_way_is_named() {
        let error = "hints, push".parse::<Cooperation>().unwrap_err().to_string();
        assert!(error.contains("`push`") && error.contains("watch"), "{error}");
    }
}
