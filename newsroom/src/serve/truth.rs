//! The ground truth: what was published, and when.

use serde::Serialize;

use super::document::Article;
use super::{Counters, Newsroom, NewsroomError, read};

/// One item, as it was published.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Published {
    /// Its number in the source's stream, from 0.
    pub number: u64,
    /// When it appeared, in seconds since the Unix epoch.
    pub at: f64,
    /// Its id in the documents.
    pub guid: String,
    /// Its link in the documents.
    pub link: String,
    pub title: String,
    pub keywords: Vec<String>,
}

/// What one source has published so far.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SourceTruth {
    pub name: String,
    /// Items that its documents show.
    pub window: usize,
    /// Items published so far; their numbers are below this.
    pub published: u64,
    /// Of these, how many before the newsroom opened.
    pub before_opening: u64,
    /// Items that the newsroom has forgotten: their numbers are below this.
    pub forgotten: u64,
    pub counters: Counters,
    /// Remembered items, oldest first.
    pub items: Vec<Published>,
}

impl Newsroom {
    /// Everything that a source has published and remembers.
    ///
    /// # Errors
    /// When there is no such source.
    pub fn truth(&self, source: &str) -> Result<SourceTruth, NewsroomError> {
        self.truth_from(source, 0)
    }

    /// What a source has published, with the items numbered `first` or later.
    ///
    /// # Errors
    /// When there is no such source.
    pub fn truth_from(&self, source: &str, first: u64) -> Result<SourceTruth, NewsroomError> {
        let served = self.served(source)?;
        Ok(self.truth_of(served, first))
    }

    /// What every source has published, in numbers only.
    pub fn truths(&self) -> impl Iterator<Item = SourceTruth> {
        self.inner.sources.iter().map(|served| self.truth_of(served, u64::MAX))
    }

    fn truth_of(&self, served: &super::ServedSource, first: u64) -> SourceTruth {
        let rates = read(&self.inner.rates);
        let mut desk = served.lock();
        if desk.catch_up(&served.source, self.moment(&rates)) {
            self.inner.shelf.discard(&mut desk);
        }
        let item = |(number, item)| {
            let article = Article::new(self.house(), &served.source, &desk, number, item);
            Published {
                number,
                at: article.at,
                guid: article.guid,
                link: article.link,
                title: article.title,
                keywords: article.keywords.into_iter().map(Into::into).collect(),
            }
        };
        SourceTruth {
            name: served.source.name.to_string(),
            window: served.source.window,
            published: desk.published(),
            before_opening: desk.before_opening(),
            forgotten: desk.forgotten(),
            counters: desk.counters,
            items: desk.items_from(first).map(item).collect(),
        }
    }
}
