//! The file that says which sources there are and what they publish.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use pergola_newsroom::serve::{Builder, Format, Newsroom, Source};
use pergola_newsroom::{KeywordSet, Process, Rhythm};
use pergola_outside::clock::Clock;
use serde::Deserialize;

/// The sources of a newsroom.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// The seed of everything random.
    #[serde(default = "one")]
    pub seed: u64,
    /// When the sources began; left out, when the newsroom starts, or at its epoch.
    pub opening: Option<Opening>,
    /// The sources.
    #[serde(rename = "source")]
    sources: Vec<RawSource>,
    #[serde(skip)]
    path: PathBuf,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSource {
    name: String,
    title: Option<String>,
    #[serde(default)]
    keywords: Vec<String>,
    /// The chance that an item is about one of them.
    #[serde(default = "usual_share")]
    share: f64,
    #[serde(default = "usual_rate")]
    items_per_day: f64,
    #[serde(default)]
    rhythm: RawRhythm,
    #[serde(default = "usual_window")]
    window: usize,
    #[serde(default)]
    format: RawFormat,
}

fn one() -> u64 {
    1
}
fn usual_share() -> f64 {
    0.3
}
fn usual_rate() -> f64 {
    24.0
}
fn usual_window() -> usize {
    20
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum RawRhythm {
    #[default]
    Uniform,
    Waves,
    Peaks,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum RawFormat {
    #[default]
    Rss,
    Atom,
    Json,
}

/// An instant, in seconds since 1970; written as such or as a date.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(try_from = "toml::Value")]
pub struct Opening(pub f64);

impl TryFrom<toml::Value> for Opening {
    type Error = &'static str;

    fn try_from(written: toml::Value) -> Result<Self, Self::Error> {
        let date = |text: &str| pergola_feed::Timestamp::parse(text).map(|at| at.unix() as f64);
        let instant = match written {
            toml::Value::Integer(seconds) => Some(seconds as f64),
            toml::Value::Float(seconds) if seconds.is_finite() => Some(seconds),
            toml::Value::Datetime(at) => date(&at.to_string()),
            toml::Value::String(text) => date(&text),
            _ => None,
        };
        instant.map(Self).ok_or("must be an instant such as \"2026-01-01T00:00:00Z\"")
    }
}

/// Why the content of a newsroom file is wrong.
#[derive(Debug, thiserror::Error)]
enum Invalid {
    #[error("there is no [[source]], so nothing would be published")]
    Empty,
    #[error("the {what} of source `{name}` is {given}; give {allowed}")]
    Value { name: String, what: &'static str, given: f64, allowed: &'static str },
    #[error("source `{name}` has {given} keywords; give it at most {}", KeywordSet::DICTIONARY)]
    Keywords { name: String, given: usize },
}

impl File {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read or makes no sense.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        let read = || -> anyhow::Result<Self> {
            let file: Self = toml::from_str(&text)?;
            file.check()?;
            Ok(file)
        };
        let file = read().map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
        Ok(Self { path: path.to_owned(), ..file })
    }

    fn check(&self) -> Result<(), Invalid> {
        if self.sources.is_empty() {
            return Err(Invalid::Empty);
        }
        self.sources.iter().try_for_each(RawSource::check)
    }

    /// A newsroom by this clock, still to be built. Sources begin at the file's opening, else at the epoch,
    /// else now.
    ///
    /// # Errors
    /// When the opening lies in the future.
    pub fn open(
        &self,
        clock: &Clock,
        epoch: Option<f64>,
        seed: Option<u64>,
    ) -> anyhow::Result<Builder> {
        let now = clock.now();
        let opening = self.opening.map(|Opening(at)| at).or(epoch).unwrap_or(now);
        anyhow::ensure!(
            opening <= now,
            "{}: the opening is {} seconds ahead; sources cannot begin in the future",
            self.path.display(),
            (opening - now).ceil()
        );
        let ticking = clock.clone();
        let builder = Newsroom::builder(Arc::new(move || ticking.now()));
        let sources = self.sources.iter().map(RawSource::source);
        Ok(builder.seed(seed.unwrap_or(self.seed)).opening(opening).sources(sources))
    }
}

impl RawSource {
    fn check(&self) -> Result<(), Invalid> {
        let name = self.name.clone();
        let (what, given, allowed) = match self {
            Self { share, .. } if !(0.0..=1.0).contains(share) => {
                ("share", *share, "a number from 0 to 1")
            }
            Self { items_per_day: rate, .. } if !(rate.is_finite() && *rate >= 0.0) => {
                ("items_per_day", *rate, "a number from 0 on")
            }
            Self { keywords, .. } if keywords.len() > KeywordSet::DICTIONARY => {
                return Err(Invalid::Keywords { name, given: keywords.len() });
            }
            _ => return Ok(()),
        };
        Err(Invalid::Value { name, what, given, allowed })
    }

    fn source(&self) -> Source {
        let rhythm = match self.rhythm {
            RawRhythm::Uniform => Rhythm::Uniform,
            RawRhythm::Waves => Rhythm::Waves,
            RawRhythm::Peaks => Rhythm::Peaks,
        };
        let format = match self.format {
            RawFormat::Rss => Format::Rss,
            RawFormat::Atom => Format::Atom,
            RawFormat::Json => Format::Json,
        };
        let source = Source::new(&*self.name, Process::daily(rhythm, self.items_per_day, 0))
            .keywords(&self.keywords, self.share)
            .window(self.window)
            .format(format);
        match &self.title {
            Some(title) => source.title(title),
            None => source,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<File, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("newsroom.toml");
        std::fs::write(&path, text).unwrap();
        File::read(&path).map_err(|error| error.to_string())
    }

    const SOURCE: &str = "[[source]]\nname = \"news\"\nkeywords = [\"ash cloud\", \"lava\"]\n";

    #[test]
    fn the_same_file_publishes_the_same_items_whenever_it_is_started() {
        let file = read(&format!("opening = \"2026-01-01T00:00:00Z\"\n{SOURCE}")).unwrap();
        assert_eq!(file.opening, Some(Opening(1_767_225_600.0)));
        let clock = Clock::real();
        let truth = |seed| {
            let newsroom = file.open(&clock, None, seed).unwrap().build().unwrap();
            let truth = newsroom.truth("news").unwrap();
            truth.items.into_iter().take(50).collect::<Vec<_>>()
        };
        let items = truth(None);
        assert_eq!(items, truth(None));
        assert_ne!(items, truth(Some(2)));
        assert!(items.iter().flat_map(|item| &item.keywords).any(|word| word == "ash cloud"));
    }

    #[test]
    fn mistakes_are_told_with_their_place() {
        assert!(read("seed = 1").unwrap_err().contains("missing field `source`"));
        assert!(read("source = []").unwrap_err().contains("no [[source]]"));
        let wrong = |line: &str| read(&format!("{SOURCE}{line}\n")).unwrap_err();
        assert!(wrong("share = 1.5").contains("share of source `news` is 1.5"));
        assert!(wrong("items_per_day = -1").contains("items_per_day of source `news` is -1"));
        assert!(wrong("format = \"xml\"").contains("xml"));
        assert!(wrong("keyword = []").contains("unknown field `keyword`"));
        let late = read(&format!("opening = 7000000000\n{SOURCE}")).unwrap();
        let error = late.open(&Clock::real(), None, None).map(drop).unwrap_err().to_string();
        assert!(error.contains("begin in the future"), "{error}");
        let error = read(&format!("opening = \"soon\"\n{SOURCE}")).unwrap_err();
        assert!(error.contains("2026-01-01T00:00:00Z") && error.contains("line 1"), "{error}");
    }
}
