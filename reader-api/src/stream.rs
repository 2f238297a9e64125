//! The ids of streams: `user/-/state/com.google/…`, `user/-/label/NAME` and `feed/…`.

use std::fmt;

/// What the id of a state begins with.
const STATE: &str = "user/-/state/com.google/";
/// What the id of a label begins with.
const LABEL: &str = "user/-/label/";

/// A state that an item may be in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// Every item is in it.
    ReadingList,
    Read,
    Starred,
    /// Not read; whether somebody has asked for that does not matter.
    KeptUnread,
}

impl State {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::ReadingList, Self::Read, Self::Starred, Self::KeptUnread];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::ReadingList => "reading-list",
            Self::Read => "read",
            Self::Starred => "starred",
            Self::KeptUnread => "kept-unread",
        }
    }

    /// Its id as a stream.
    pub fn id(self) -> String {
        format!("{STATE}{}", self.name())
    }
}

/// A feed, as apps name it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FeedRef {
    /// By the number that it was given here.
    Number(u32),
    /// By its address, as in a request to subscribe to it.
    Address(String),
}

impl FeedRef {
    /// The feed that a text means, with `feed/` before it or without.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let named = text.strip_prefix("feed/").unwrap_or(text);
        match named.parse() {
            _ if named.is_empty() => None,
            Ok(number) => Some(Self::Number(number)),
            Err(_) => Some(Self::Address(named.to_owned())),
        }
    }
}

impl fmt::Display for FeedRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "feed/{number}"),
            Self::Address(address) => write!(f, "feed/{address}"),
        }
    }
}

/// A stream of items.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Stream {
    State(State),
    Label(String),
    Feed(FeedRef),
    /// One that other servers have: no item of ours is in it.
    Other(String),
}

impl Stream {
    /// The stream of this id. Apps write a user's number in place of the `-`, or leave the id away.
    pub fn parse(id: &str) -> Self {
        let id = id.trim();
        if id.is_empty() {
            return Self::State(State::ReadingList);
        }
        let other = || Self::Other(id.to_owned());
        if id.starts_with("feed/") {
            return FeedRef::parse(id).map_or_else(other, Self::Feed);
        }
        let Some((_, rest)) = id.strip_prefix("user/").and_then(|rest| rest.split_once('/')) else {
            return other();
        };
        if let Some(name) = rest.strip_prefix("label/").filter(|name| !name.trim().is_empty()) {
            return Self::Label(name.to_owned());
        }
        let name = rest.strip_prefix("state/com.google/");
        let found = State::ALL.into_iter().find(|state| Some(state.name()) == name);
        found.map_or_else(other, Self::State)
    }
}

/// The id of a label.
pub fn label_id(name: &str) -> String {
    format!("{LABEL}{name}")
}

/// The label that a parameter names, by its id or by its name alone.
pub fn label_name(text: &str) -> Option<String> {
    match Stream::parse(text) {
        Stream::Label(name) => Some(name),
        Stream::Other(name) if !name.starts_with("user/") => Some(name),
        _ => None,
    }
}

/// The id of a feed.
pub fn feed_id(number: u32) -> String {
    FeedRef::Number(number).to_string()
}

impl fmt::Display for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::State(state) => f.write_str(&state.id()),
            Self::Label(name) => f.write_str(&label_id(name)),
            Self::Feed(feed) => write!(f, "{feed}"),
            Self::Other(id) => f.write_str(id),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_read_as_it_is_written() {
        for id in [
            "user/-/state/com.google/reading-list",
            "user/-/state/com.google/read",
            "user/-/state/com.google/starred",
            "user/-/state/com.google/kept-unread",
            "user/-/state/com.google/broadcast",
            "user/-/state/org.freshrss/main",
            "user/-/label/Tech/Rust",
            "user/-/label/50 % off",
            "feed/17",
            "feed/https://example.org/feed?a=b",
            "splice/1",
        ] {
            assert_eq!(Stream::parse(id).to_string(), id);
        }
        assert!(State::ALL.iter().all(|state| Stream::parse(&state.id()) == Stream::State(*state)));
    }

    #[test]
    fn what_apps_write_otherwise_is_understood() {
        assert_eq!(Stream::parse(""), Stream::State(State::ReadingList));
        assert_eq!(
            Stream::parse("user/1005/state/com.google/starred"),
            Stream::State(State::Starred)
        );
        assert_eq!(Stream::parse("user/1005/label/A"), Stream::Label("A".into()));
        assert_eq!(FeedRef::parse("17"), Some(FeedRef::Number(17)));
        assert_eq!(
            FeedRef::parse("https://example.org/"),
            Some(FeedRef::Address("https://example.org/".into()))
        );
        assert_eq!(label_name("user/-/label/A/B"), Some("A/B".into()));
        assert_eq!(label_name("A/B"), Some("A/B".into()));
    }

    #[test]
    fn what_means_nothing_is_no_label_and_no_feed() {
        for id in ["feed/", "user/-/label/", "user/-/label/ ", "user/-", "user/-/state/com.google/"]
        {
            assert_eq!(Stream::parse(id), Stream::Other(id.trim().to_owned()), "{id}");
        }
        assert_eq!(label_name("user/-/state/com.google/read"), None);
        assert_eq!(label_name("user/-/state/com.google/like"), None);
        assert_eq!((label_name(""), FeedRef::parse(" ")), (None, None));
    }
}
