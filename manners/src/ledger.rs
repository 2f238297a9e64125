//! What callers have under way, and who may begin more.
//!
//! Anonymous callers count for their connection: a hundred readers behind one address do not use up each other's
//! streams. So that an address gains nothing by many connections, the streams of a node are shared out fairly: when
//! all are in use, whoever has fewer than the address with the most takes one of its streams.

use std::collections::HashMap;
use std::hash::Hash;

/// What callers may have under way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Streams open in all.
    pub streams: usize,
    /// Answers under way to one caller.
    pub answers_per_caller: usize,
    /// Answers under way in all.
    pub answers: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { streams: 8_192, answers_per_caller: 16, answers: 128 }
    }
}

/// What a call counts for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Account<W> {
    /// A named reader, or everybody at an address.
    pub who: W,
    /// The connection of callers without a name.
    pub connection: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Answer,
    Stream,
}

/// Why something may not begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// The caller has too many already.
    TooMany,
    /// All callers together have.
    Full,
}

/// Something has begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Begun {
    pub number: u64,
    /// What has to end for it.
    pub instead_of: Option<u64>,
}

/// What is under way.
#[derive(Debug)]
pub struct Ledger<W> {
    next: u64,
    under_way: HashMap<u64, (Account<W>, Kind)>,
    answers: HashMap<W, usize>,
    streams: HashMap<Account<W>, usize>,
    all: [usize; 2],
}

impl<W> Default for Ledger<W> {
    fn default() -> Self {
        Self {
            next: 0,
            under_way: HashMap::new(),
            answers: HashMap::new(),
            streams: HashMap::new(),
            all: [0; 2],
        }
    }
}

impl<W: Hash + Eq + Clone> Ledger<W> {
    /// Counts something that a caller begins, unless it is too much. `streams`: what it may have open.
    pub fn begin(
        &mut self,
        account: Account<W>,
        kind: Kind,
        streams: usize,
        limits: &Limits,
    ) -> Result<Begun, Limit> {
        let (own, each, in_all) = match kind {
            Kind::Answer => {
                let own = self.answers.get(&account.who).copied().unwrap_or_default();
                (own, limits.answers_per_caller, limits.answers)
            }
            Kind::Stream => (self.streams_of(&account), streams, limits.streams),
        };
        if own >= each {
            return Err(Limit::TooMany);
        }
        let mut instead_of = None;
        if self.all[kind as usize] >= in_all {
            let victim = match kind {
                Kind::Stream => self.with_too_many(&account),
                Kind::Answer => None,
            };
            let victim = victim.ok_or(Limit::Full)?;
            self.end(victim);
            instead_of = Some(victim);
        }
        self.next += 1;
        self.all[kind as usize] += 1;
        match kind {
            Kind::Answer => *self.answers.entry(account.who.clone()).or_default() += 1,
            Kind::Stream => *self.streams.entry(account.clone()).or_default() += 1,
        }
        self.under_way.insert(self.next, (account, kind));
        Ok(Begun { number: self.next, instead_of })
    }

    fn streams_of(&self, account: &Account<W>) -> usize {
        self.streams.get(account).copied().unwrap_or_default()
    }

    /// The stream that makes room for one more of an account: the newest of the connection with the most, of whoever
    /// has the most. Nothing if it would then have fewer than the newcomer.
    fn with_too_many(&self, newcomer: &Account<W>) -> Option<u64> {
        let mut by_who: HashMap<&W, usize> = HashMap::new();
        for (account, count) in &self.streams {
            *by_who.entry(&account.who).or_default() += count;
        }
        let own = by_who.get(&newcomer.who).copied().unwrap_or_default();
        let most = by_who.values().copied().max()?;
        let others = most > own + 1;
        let among = |account: &Account<W>| match others {
            true => by_who[&account.who] == most,
            false => account.who == newcomer.who,
        };
        let least = if others { 0 } else { self.streams_of(newcomer) + 1 };
        let accounts = self.streams.iter().filter(|(account, _)| among(account));
        let (victim, _) =
            accounts.filter(|(_, count)| **count > least).max_by_key(|(_, count)| **count)?;
        let theirs =
            |(account, kind): &(Account<W>, Kind)| *kind == Kind::Stream && account == victim;
        self.under_way.iter().filter(|(_, entry)| theirs(entry)).map(|(number, _)| *number).max()
    }

    /// Something has ended.
    pub fn end(&mut self, number: u64) {
        let Some((account, kind)) = self.under_way.remove(&number) else { return };
        self.all[kind as usize] -= 1;
        match kind {
            Kind::Answer => less(&mut self.answers, &account.who),
            Kind::Stream => less(&mut self.streams, &account),
        }
    }
}

/// Counts one less. Whoever has nothing is not in it.
fn less<K: Hash + Eq>(counts: &mut HashMap<K, usize>, of: &K) {
    if let Some(count) = counts.get_mut(of) {
        *count -= 1;
        if *count == 0 {
            counts.remove(of);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { streams: 10, answers_per_caller: 2, answers: 3 };

    fn begin(
        ledger: &mut Ledger<u8>,
        kind: Kind,
        who: u8,
        connection: u64,
    ) -> Result<Begun, Limit> {
        ledger.begin(Account { who, connection: Some(connection) }, kind, 8, &LIMITS)
    }

    /// Opens a stream; what has to end for it.
    fn watch(ledger: &mut Ledger<u8>, who: u8, connection: u64) -> Result<Option<u64>, Limit> {
        begin(ledger, Kind::Stream, who, connection).map(|begun| begun.instead_of)
    }

    #[test]
    fn connections_of_one_address_do_not_use_up_each_others_streams() {
        let mut ledger = Ledger::default();
        for connection in 0..10 {
            assert_eq!(watch(&mut ledger, 1, connection), Ok(None));
        }
        let mut ledger = Ledger::default();
        for _ in 0..8 {
            assert_eq!(watch(&mut ledger, 1, 1), Ok(None));
        }
        assert_eq!(watch(&mut ledger, 1, 1), Err(Limit::TooMany));
        assert_eq!(watch(&mut ledger, 1, 2), Ok(None));
    }

    #[test]
    fn when_all_streams_are_in_use_who_has_most_gives_to_who_has_least() {
        let mut ledger = Ledger::default();
        for number in 0..10 {
            assert_eq!(watch(&mut ledger, 1, number / 5), Ok(None));
        }
        for who in 2..=6 {
            let ended = watch(&mut ledger, who, 100).unwrap().unwrap();
            assert!(ended <= 10, "one of the first ten, not {ended}");
        }
        // Five against one each; a second one for another address is still fair.
        assert!(watch(&mut ledger, 2, 100).unwrap().is_some());
        // The address itself gets no more, however many connections it opens.
        assert_eq!(watch(&mut ledger, 1, 0), Err(Limit::Full));
        assert_eq!(ledger.streams.values().sum::<usize>(), 10);
    }

    #[test]
    fn behind_one_address_the_connection_with_most_gives_its_newest_to_another() {
        let mut ledger = Ledger::default();
        for connection in [1, 1, 1, 1, 1, 1, 1, 1, 2, 3] {
            assert_eq!(watch(&mut ledger, 1, connection), Ok(None));
        }
        assert_eq!(watch(&mut ledger, 1, 4), Ok(Some(8)));
    }

    #[test]
    fn answers_are_limited_for_an_address_and_in_all_and_free_when_they_are_sent() {
        let mut ledger = Ledger::default();
        let first = begin(&mut ledger, Kind::Answer, 1, 1).unwrap().number;
        begin(&mut ledger, Kind::Answer, 1, 2).unwrap();
        assert_eq!(begin(&mut ledger, Kind::Answer, 1, 3), Err(Limit::TooMany));
        begin(&mut ledger, Kind::Answer, 2, 4).unwrap();
        assert_eq!(begin(&mut ledger, Kind::Answer, 3, 5), Err(Limit::Full));
        ledger.end(first);
        ledger.end(first);
        begin(&mut ledger, Kind::Answer, 3, 5).unwrap();
        assert_eq!(
            ledger.answers,
            HashMap::from([(1, 1), (2, 1), (3, 1)]),
            "who has none is forgotten"
        );
    }
}
