//! What the sources really published, and what became of it.
//!
//! An item is wanted if the node that asks its source wants one of its keywords; it is lost if it left its
//! document before that node saw it. Whatever that node has, the nodes behind it get.

use std::collections::{BTreeSet, HashMap};

use pergola_wiring::graph::Vertex;

use super::world::Stage;

/// The books of all sources.
pub(super) struct Ledger {
    sources: Vec<Book>,
    numbers: HashMap<String, usize>,
}

/// The book of one source.
struct Book {
    name: String,
    /// The node that asks it.
    reader: usize,
    /// What that node wants.
    words: BTreeSet<String>,
    opening: u64,
    /// Items below this number are in the book.
    known: u64,
    /// Items below this number have left the document.
    left: u64,
    wanted: u64,
    delivered: u64,
    /// Wanted, and not delivered so far.
    waiting: BTreeSet<u64>,
}

impl Ledger {
    pub(super) fn new(stage: &Stage) -> Self {
        let wiring = &stage.wiring;
        let reader = |source: usize| {
            let link = wiring.links.iter().find(|link| link.from == Vertex::Source(source as u32));
            link.map_or(0, |link| link.to as usize)
        };
        let book = |(number, source): (usize, &pergola_wiring::mesh::Source)| {
            let opening = stage.newsroom.truth_from(&source.name, u64::MAX);
            let opening = opening.map_or(0, |truth| truth.before_opening);
            Book {
                name: source.name.clone(),
                reader: reader(number),
                words: wiring.words(reader(number)).map(str::to_owned).collect(),
                opening,
                known: opening,
                left: 0,
                wanted: 0,
                delivered: 0,
                waiting: BTreeSet::new(),
            }
        };
        let sources: Vec<Book> = wiring.mesh.sources.iter().enumerate().map(book).collect();
        let numbers =
            sources.iter().enumerate().map(|(number, book)| (book.name.clone(), number)).collect();
        Self { sources, numbers }
    }

    /// Takes over what was published meanwhile.
    pub(super) fn update(&mut self, stage: &Stage) {
        self.sources.iter_mut().for_each(|book| book.update(stage));
    }

    /// The source and number that the link of an item names.
    pub(super) fn place(&self, link: &str) -> Option<(usize, u64)> {
        let (_, rest) = link.split_once("/items/")?;
        let (name, number) = rest.rsplit_once('/')?;
        Some((*self.numbers.get(name)?, number.parse().ok()?))
    }

    /// Item `number` of a source has arrived at a node. Whether it was published since the opening.
    pub(super) fn arrived(
        &mut self,
        stage: &Stage,
        source: usize,
        number: u64,
        node: usize,
    ) -> bool {
        let book = &mut self.sources[source];
        if number < book.opening {
            return false;
        }
        if number >= book.known {
            book.update(stage);
        }
        if node == book.reader && book.waiting.remove(&number) {
            book.delivered += 1;
        }
        true
    }

    /// Wanted, delivered and lost items.
    pub(super) fn sums(&self) -> (u64, u64, u64) {
        self.sources.iter().fold((0, 0, 0), |(wanted, delivered, lost), book| {
            let gone = book.waiting.range(..book.left).count() as u64;
            (wanted + book.wanted, delivered + book.delivered, lost + gone)
        })
    }
}

impl Book {
    fn update(&mut self, stage: &Stage) {
        // The names are the newsroom's own.
        let Ok(truth) = stage.newsroom.truth_from(&self.name, self.known) else { return };
        for item in &truth.items {
            if item.keywords.iter().any(|word| self.words.contains(word)) {
                self.wanted += 1;
                self.waiting.insert(item.number);
            }
        }
        self.known = truth.published;
        self.left = truth.published.saturating_sub(truth.window as u64);
    }
}
