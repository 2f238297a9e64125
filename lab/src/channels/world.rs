//! What channels publish, as text, prepared so that it can be played many times quickly.

use std::collections::HashMap;

use pergola_newsroom::{Trace, TraceItem};
use pergola_profile::{Bag, Impact, Profile, Term, Vocabulary};
use pergola_refresh::WEEK;

/// The items of all channels.
pub(crate) struct TextWorld {
    /// For each channel its items in order of time.
    pub(crate) channels: Vec<Vec<Said>>,
    /// All items in order of time, as (instant, channel).
    pub(super) order: Vec<(f64, usize)>,
    /// Squared idf of each term over the whole time, by the numbers in [`Said::terms`].
    pub(super) weights: Vec<f64>,
    /// In seconds.
    pub(crate) end: f64,
}

/// One item.
pub(crate) struct Said {
    pub(super) at: f64,
    pub(super) bag: Bag,
    /// The numbers of its terms.
    pub(super) terms: Box<[u32]>,
}

impl TextWorld {
    /// The streams of a trace; an item's text is its title and its keywords.
    pub(crate) fn of(trace: &Trace) -> Self {
        let mut numbers: HashMap<Term, u32> = HashMap::new();
        let mut vocabulary = Vocabulary::bounded(usize::MAX);
        let mut said = |at: f64, text: &str| {
            let bag = Bag::of(text);
            vocabulary.learn(&bag);
            let terms = bag.numbers().map(|term| {
                let next = numbers.len() as u32;
                *numbers.entry(term).or_insert(next)
            });
            Said { at, terms: terms.collect(), bag }
        };
        let mut channels: Vec<Vec<Said>> = Vec::new();
        for stream in trace.streams.iter().filter(|stream| !stream.items.is_empty()) {
            let items = stream.items.iter();
            let text = |item: &TraceItem| format!("{} {}", item.title, item.keywords);
            channels.push(items.map(|item| said(item.at, &text(item))).collect());
        }
        let mut order: Vec<(f64, usize)> = channels
            .iter()
            .enumerate()
            .flat_map(|(channel, items)| items.iter().map(move |item| (item.at, channel)))
            .collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut weights = vec![0.0; numbers.len()];
        for (term, number) in numbers {
            weights[number as usize] = vocabulary.idf(term).powi(2);
        }
        Self { channels, order, weights, end: trace.weeks as f64 * WEEK }
    }

    /// Items per second of each channel, over the whole time.
    pub(crate) fn rates(&self) -> Vec<f64> {
        self.channels.iter().map(|items| items.len() as f64 / self.end).collect()
    }

    /// What each item does to the profile of its channel if none is missed.
    pub(crate) fn heard(&self, window: usize) -> Vec<Vec<Impact>> {
        let mut vocabulary = Vocabulary::default();
        let mut profiles = vec![Profile::new(window); self.channels.len()];
        let mut heard: Vec<Vec<Impact>> = vec![Vec::new(); self.channels.len()];
        for &(_, channel) in &self.order {
            let bag = &self.channels[channel][heard[channel].len()].bag;
            vocabulary.learn(bag);
            heard[channel].push(profiles[channel].add(bag, &vocabulary));
        }
        heard
    }
}
