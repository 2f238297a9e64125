//! Builds a newsroom; [`Builder::build`] checks everything.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock, RwLock};

use super::desk::Desk;
use super::shelf::Shelf;
use super::{Clock, Inner, Newsroom, ServedSource, Source};
use crate::ProcessError;
use crate::wording::Filler;

/// The settings of a newsroom.
#[must_use]
pub struct Builder {
    seed: u64,
    clock: Clock,
    sources: Vec<Source>,
    remember: usize,
    document_bytes: usize,
    base: Option<String>,
    opening: Option<f64>,
}

/// Why a newsroom cannot be built.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BuildError {
    #[error(
        "`{name}` cannot be a source's name; use letters, digits and - . _ ~ (with / between parts), at most 200 of them"
    )]
    Name { name: String },
    #[error("there are two sources named `{name}`; every source needs a name of its own")]
    Twice { name: String },
    #[error("source `{name}` cannot publish like that")]
    Process { name: String, source: ProcessError },
    #[error("source `{name}` would publish {rate} items per second; give it at most {most}")]
    TooBusy { name: String, rate: f64, most: f64 },
    #[error("the {what} of source `{name}` is {given}; give a number from {from} to {to}")]
    Size { name: String, what: &'static str, given: usize, from: usize, to: usize },
    #[error("the clock shows {shown}; it must show seconds since the Unix epoch")]
    Clock { shown: f64 },
}

impl Builder {
    pub(super) fn new(clock: Clock) -> Self {
        Self {
            seed: 0,
            clock,
            sources: Vec::new(),
            remember: 10_000,
            document_bytes: 256 << 20,
            base: None,
            opening: None,
        }
    }

    /// The seed of everything random.
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Adds a source. The others stay the same.
    pub fn source(mut self, source: Source) -> Self {
        self.sources.push(source);
        self
    }

    pub fn sources(mut self, sources: impl IntoIterator<Item = Source>) -> Self {
        self.sources.extend(sources);
        self
    }

    /// How many items of each source the ground truth remembers (10,000 by default, and never less than the
    /// window). An item costs 32 bytes.
    pub fn remember(self, items: usize) -> Self {
        Self { remember: items, ..self }
    }

    /// How many bytes of rendered documents are cached in total (256 MiB by default).
    pub fn document_bytes(self, bytes: usize) -> Self {
        Self { document_bytes: bytes, ..self }
    }

    /// The beginning of the links in documents, such as `http://127.0.0.1:8080`.
    pub fn base_url(self, base: impl Into<String>) -> Self {
        Self { base: Some(base.into().trim_end_matches('/').to_owned()), ..self }
    }

    /// When the newsroom opens; by default when it is built. The windows of the sources are full at the opening.
    /// The same seed, opening and instant give the same bytes.
    pub fn opening(self, instant: f64) -> Self {
        Self { opening: Some(instant), ..self }
    }

    /// Opens the newsroom.
    ///
    /// # Errors
    /// When a source or the clock is invalid: see [`BuildError`].
    pub fn build(self) -> Result<Newsroom, BuildError> {
        let opening = self.opening.unwrap_or_else(|| (self.clock)());
        if !opening.is_finite() {
            return Err(BuildError::Clock { shown: opening });
        }
        let mut sources = Vec::with_capacity(self.sources.len());
        for mut source in self.sources {
            source.check()?;
            let desk = Desk::new(&mut source, self.seed, opening).map_err(|wrong| {
                BuildError::Process { name: source.name.to_string(), source: wrong }
            })?;
            sources.push(ServedSource { source, desk: Mutex::new(desk) });
        }
        let name = |index: u32| &*sources[index as usize].source.name;
        let mut by_name: Vec<u32> = (0..sources.len() as u32).collect();
        by_name.sort_unstable_by(|&a, &b| name(a).cmp(name(b)));
        if let Some(pair) = by_name.windows(2).find(|pair| name(pair[0]) == name(pair[1])) {
            return Err(BuildError::Twice { name: name(pair[0]).to_owned() });
        }
        let filler = Filler::without(
            sources.iter().flat_map(|served| served.source.vocabulary.iter().map(|word| &**word)),
        );
        let inner = Inner {
            filler,
            seed: self.seed,
            clock: self.clock,
            opening,
            remember: self.remember,
            base: self.base.map_or_else(OnceLock::new, OnceLock::from),
            sources,
            by_name,
            rates: RwLock::default(),
            answering: AtomicBool::new(true),
            shelf: Shelf::new(self.document_bytes),
        };
        Ok(Newsroom { inner: Arc::new(inner) })
    }
}
