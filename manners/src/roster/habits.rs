//! How the sources publish on average, to predict what a budget brings.

use pergola_refresh::{Habit, Taste};

use super::{Roster, Seat};
use crate::source::SourceId;

/// How a source comes by its news.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Way {
    /// It is asked for them.
    Polled(Habit),
    /// Its peer or its hub says at once when there are some.
    Told,
    /// It is not asked any more.
    Ended,
}

/// How the sources come by their news.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Habits {
    /// Those that are asked; if there are very many, a sample of them.
    pub polled: Vec<Habit>,
    /// How many sources each of these stands for.
    pub each: f64,
    /// How many say themselves when they have news.
    pub told: usize,
}

impl Roster {
    /// How all sources come by their news, at most `most` of those that are asked. No source is asked more often than
    /// every `shortest` seconds.
    pub fn habits(&self, taste: &Taste, shortest: f64, most: usize, now: f64) -> Habits {
        let (mut asked, mut told) = (Vec::new(), 0);
        for (place, seat) in self.seats.iter().enumerate().filter(|(_, seat)| !seat.gone) {
            match (seat.is_told(now), seat.next_at.is_finite()) {
                (true, _) => told += 1,
                (false, true) => asked.push(place),
                (false, false) => {}
            }
        }
        let step = asked.len().div_ceil(most.max(1)).max(1);
        let some = asked.iter().step_by(step);
        let polled: Vec<Habit> =
            some.map(|&place| self.sources.habit(place, taste, shortest)).collect();
        let each = asked.len() as f64 / polled.len().max(1) as f64;
        Habits { polled, each, told }
    }

    /// How a source comes by its news; nothing if there is no such source.
    pub fn way(&self, id: SourceId, taste: &Taste, shortest: f64, now: f64) -> Option<Way> {
        let place = *self.places.get(&id)?;
        let seat = &self.seats[place];
        Some(match (seat.is_told(now), seat.next_at.is_finite()) {
            (true, _) => Way::Told,
            (false, true) => Way::Polled(self.sources.habit(place, taste, shortest)),
            (false, false) => Way::Ended,
        })
    }
}

impl Seat {
    fn is_told(&self, now: f64) -> bool {
        self.watched_until.is_some() || self.hub_until.is_some_and(|until| until > now)
    }
}
