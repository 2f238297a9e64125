//! The description of a source: its name, process, window, format and quirks.

use std::borrow::Cow;

use super::BuildError;
use crate::{KeywordSet, Process, TraceStream};

/// The largest window.
const LARGEST_WINDOW: usize = 10_000;
/// The longest text of an item, in bytes.
const LONGEST_TEXT: usize = 1 << 20;
/// The highest rate of a source, in items per second.
const BUSIEST: f64 = 1_000.0;

/// The format of a source's documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// RSS 2.0.
    Rss,
    /// Atom 1.0.
    Atom,
    /// JSON Feed 1.1.
    Json,
}

/// A title and keywords, given by hand or recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Headline {
    pub title: String,
    pub keywords: Vec<String>,
}

impl Headline {
    pub fn new(title: impl Into<String>, keywords: &[&str]) -> Self {
        Self { title: title.into(), keywords: keywords.iter().map(|&k| k.to_owned()).collect() }
    }
}

/// How a source differs from a well-behaved one. By default it does not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Quirks {
    /// Items have no date.
    pub undated: bool,
    /// Answers have neither ETag nor Last-Modified.
    pub without_validators: bool,
    /// It sends validators, but answers conditional requests with the whole document.
    pub ignores_conditions: bool,
    /// It answers every request with this status (410, 429, 500, …) and no document.
    pub status: Option<u16>,
}

/// A source for [`super::Builder::source`].
#[derive(Debug, Clone)]
pub struct Source {
    pub(super) name: Box<str>,
    pub(super) title: Option<Box<str>>,
    pub(super) process: Process,
    pub(super) profile: KeywordSet,
    pub(super) item_share: f64,
    pub(super) vocabulary: Box<[Box<str>]>,
    pub(super) headlines: Box<[Headline]>,
    pub(super) window: usize,
    pub(super) format: Format,
    pub(super) text_bytes: usize,
    pub(super) max_age: Option<u32>,
    pub(super) quirks: Quirks,
}

impl Source {
    /// A source at `/sources/{name}`, in RSS, with a window of twenty short items without keywords.
    ///
    /// Rhythms follow the UTC day. The times of sequences and recordings count from the opening of the
    /// newsroom; recorded times below zero were published before it.
    pub fn new(name: impl Into<String>, process: Process) -> Self {
        Self {
            name: name.into().into_boxed_str(),
            title: None,
            process,
            profile: KeywordSet::default(),
            item_share: 0.0,
            vocabulary: Box::default(),
            headlines: Box::default(),
            window: 20,
            format: Format::Rss,
            text_bytes: 300,
            max_age: None,
            quirks: Quirks::default(),
        }
    }

    /// A recorded stream with its own titles and keywords.
    pub fn recorded(stream: &TraceStream) -> Self {
        let headline = |keywords: &str, title: &str| Headline {
            title: title.to_owned(),
            keywords: keywords.split(',').filter(|k| !k.is_empty()).map(str::to_owned).collect(),
        };
        let times = stream.items.iter().map(|item| item.at).collect();
        let headlines = stream.items.iter().map(|item| headline(&item.keywords, &item.title));
        Self::new(stream.id.clone(), Process::Recorded(times)).headlines(headlines.collect())
    }

    /// The title; by default made from the name.
    pub fn title(self, title: impl Into<String>) -> Self {
        Self { title: Some(title.into().into_boxed_str()), ..self }
    }

    /// The keywords of its items: each item has each keyword of the profile with chance `item_share`.
    /// The words are those of [`super::TOPICS`].
    pub fn profile(self, profile: KeywordSet, item_share: f64) -> Self {
        Self { profile, item_share, ..self }
    }

    /// [`Source::profile`] by words; a word that is not a topic is ignored.
    pub fn topics(self, topics: &[&str], item_share: f64) -> Self {
        let mut profile = KeywordSet::default();
        topics
            .iter()
            .filter_map(|word| crate::wording::topic(word))
            .for_each(|k| profile.insert(k));
        self.profile(profile, item_share)
    }

    /// [`Source::profile`] with words or phrases of its own, at most [`KeywordSet::DICTIONARY`] of them.
    pub fn keywords<S: AsRef<str>>(self, words: &[S], item_share: f64) -> Self {
        let vocabulary = words.iter().map(|word| word.as_ref().into()).collect();
        let profile = KeywordSet::dictionary(words.len());
        Self { vocabulary, profile, item_share, ..self }
    }

    /// Titles and keywords of its items in order, repeated, instead of a profile.
    pub fn headlines(self, headlines: Vec<Headline>) -> Self {
        Self { headlines: headlines.into_boxed_slice(), ..self }
    }

    /// How many items a document shows.
    pub fn window(self, window: usize) -> Self {
        Self { window, ..self }
    }

    /// The format of its documents.
    pub fn format(self, format: Format) -> Self {
        Self { format, ..self }
    }

    /// The approximate length of the text of an item. Markup adds about 380 bytes: 20 items of 620 bytes make a
    /// document of 20 kB, and 20 of 2,120 bytes one of 50 kB.
    pub fn text_bytes(self, bytes: usize) -> Self {
        Self { text_bytes: bytes, ..self }
    }

    /// Sends `Cache-Control: max-age`, in seconds.
    pub fn max_age(self, seconds: u32) -> Self {
        Self { max_age: Some(seconds), ..self }
    }

    /// How it differs from a well-behaved source.
    pub fn quirks(self, quirks: Quirks) -> Self {
        Self { quirks, ..self }
    }

    /// The title that people see.
    pub(super) fn shown_title(&self) -> Cow<'_, str> {
        match &self.title {
            Some(title) => Cow::Borrowed(title),
            None => Cow::Owned(self.name.replace(['-', '_', '/'], " ")),
        }
    }

    pub(super) fn check(&self) -> Result<(), BuildError> {
        let name = self.name.to_string();
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
        let parts = || self.name.split('/');
        if self.name.len() > 200
            || !self.name.bytes().all(allowed)
            || parts().any(|part| matches!(part, "" | "." | ".."))
        {
            return Err(BuildError::Name { name });
        }
        let outside = |what, given: usize, from, to| BuildError::Size {
            name: self.name.to_string(),
            what,
            given,
            from,
            to,
        };
        if !(1..=LARGEST_WINDOW).contains(&self.window) {
            return Err(outside("window", self.window, 1, LARGEST_WINDOW));
        }
        if self.text_bytes > LONGEST_TEXT {
            return Err(outside("text of an item", self.text_bytes, 0, LONGEST_TEXT));
        }
        if self.vocabulary.len() > KeywordSet::DICTIONARY {
            return Err(outside("keywords", self.vocabulary.len(), 0, KeywordSet::DICTIONARY));
        }
        if let Some(status) = self.quirks.status
            && !(200..=599).contains(&status)
        {
            return Err(outside("status", status.into(), 200, 599));
        }
        self.process
            .check()
            .map_err(|source| BuildError::Process { name: name.clone(), source })?;
        let recorded = matches!(self.process, Process::Recorded(_));
        let rate = self.process.mean_rate();
        if !recorded && rate > BUSIEST {
            return Err(BuildError::TooBusy { name, rate, most: BUSIEST });
        }
        Ok(())
    }
}
