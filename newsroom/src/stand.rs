//! A source with a window: it publishes as time is stepped forward and shows its last items, as a feed document
//! does.

use std::collections::VecDeque;
use std::iter::Peekable;

use crate::{Item, Publisher};

/// An item on show, with its number in the source's stream (from 0).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shown {
    /// The identity of the item; it stays the same after the item has left the window.
    pub number: u64,
    pub item: Item,
}

/// A publisher with a publication window: the last `size` items it has published.
#[derive(Debug, Clone)]
pub struct Stand {
    publisher: Peekable<Publisher>,
    window: VecDeque<Shown>,
    size: usize,
    published: u64,
}

impl Stand {
    /// Shows at most `size` items (at least one).
    pub fn new(publisher: Publisher, size: usize) -> Self {
        let size = size.max(1);
        Self { publisher: publisher.peekable(), window: VecDeque::new(), size, published: 0 }
    }

    /// Advances time to `now` and returns how many items were published meanwhile. Time does not go back: an
    /// earlier instant publishes nothing.
    pub fn advance(&mut self, now: f64) -> u64 {
        let before = self.published;
        while let Some(item) = self.publisher.next_if(|item| item.at <= now) {
            if self.window.len() == self.size {
                self.window.pop_front();
            }
            self.window.push_back(Shown { number: self.published, item });
            self.published += 1;
        }
        self.published - before
    }

    /// What a refresh shows now, newest first, as in a feed.
    pub fn window(&self) -> impl ExactSizeIterator<Item = &Shown> {
        self.window.iter().rev()
    }

    /// Items published so far, whether still shown or not.
    pub fn published(&self) -> u64 {
        self.published
    }

    /// When the next item will appear, if there is one. A stepped simulation waits for it.
    pub fn next_at(&mut self) -> Option<f64> {
        self.publisher.peek().map(|item| item.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Process;

    fn stand(times: Vec<f64>, size: usize) -> Stand {
        Stand::new(Publisher::new(Process::Recorded(times), 1, 0).unwrap(), size)
    }

    fn numbers(stand: &Stand) -> Vec<u64> {
        stand.window().map(|shown| shown.number).collect()
    }

    #[test]
    fn the_window_shows_the_last_items_newest_first() {
        let mut stand = stand(vec![1.0, 2.0, 3.0, 10.0], 2);
        assert_eq!((stand.advance(2.5), numbers(&stand)), (2, vec![1, 0]));
        assert_eq!((stand.advance(5.0), numbers(&stand)), (1, vec![2, 1]));
        assert_eq!((stand.next_at(), stand.published()), (Some(10.0), 3));
    }

    #[test]
    fn advancing_twice_or_backwards_publishes_nothing() {
        let mut stand = stand(vec![1.0, 2.0], 5);
        stand.advance(2.0);
        assert_eq!((stand.advance(2.0), stand.advance(0.0), numbers(&stand)), (0, 0, vec![1, 0]));
        assert_eq!(stand.next_at(), None);
    }

    #[test]
    fn stepping_finely_or_at_once_shows_the_same() {
        let publisher = || Publisher::new(Process::Constant { rate: 0.01 }, 7, 3).unwrap();
        let (mut fine, mut coarse) = (Stand::new(publisher(), 10), Stand::new(publisher(), 10));
        for step in 1..=5_000 {
            fine.advance(f64::from(step) * 2.0);
        }
        coarse.advance(10_000.0);
        assert!(coarse.published() > 50);
        assert!(fine.window().eq(coarse.window()));
    }
}
