//! What everybody has under way, and who may begin more.
//!
//! Anonymous callers count for their connection: a hundred readers behind one address do not use up each other's
//! streams. So that an address gains nothing by many connections, the streams of the node are shared out fairly: when
//! all are in use, whoever has fewer than the address with the most takes one of its streams.

use std::collections::HashMap;

use tokio_util::sync::CancellationToken;
use tonic::{Code, Status};

use super::{Limits, Who};
use crate::access;
use crate::serve::ConnectionNumber;

/// What a call counts for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Account {
    who: Who,
    /// Of callers without a name.
    connection: Option<ConnectionNumber>,
}

impl Account {
    pub(super) fn of(caller: &access::Caller, connection: Option<ConnectionNumber>) -> Self {
        let named = matches!(caller, access::Caller::Reader(_));
        Self { who: caller.who(), connection: connection.filter(|_| !named) }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Answer,
    Stream,
}

/// Why a call is not let through, or has to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refused {
    TooOften {
        wait: u64,
    },
    TooMany(Kind),
    Full(Kind),
    /// Somebody with fewer streams needed the place.
    MadeRoom,
}

impl Refused {
    pub(super) fn into_status(self) -> Status {
        let (wait, message) = match self {
            Self::TooOften { wait } => {
                (wait, "too many calls; `retry-after` says how long to wait")
            }
            Self::TooMany(Kind::Answer) => {
                (1, "too many answers are on their way to this caller; read them first")
            }
            Self::TooMany(Kind::Stream) => {
                (60, "this caller watches too many feeds already; end a stream, or poll")
            }
            Self::Full(Kind::Answer) => (1, "the node is busy; try again in a moment"),
            Self::Full(Kind::Stream) => (60, "too many feeds are watched already; poll instead"),
            Self::MadeRoom => (60, "this stream made room for a caller with fewer; poll instead"),
        };
        let mut status = Status::new(Code::ResourceExhausted, message);
        status.metadata_mut().insert("retry-after", wait.into());
        status
    }
}

/// What is under way.
#[derive(Default)]
pub(super) struct Ledger {
    next: u64,
    under_way: HashMap<u64, Entry>,
    /// Answers of everybody at an address, or of a named reader.
    answers: HashMap<Who, usize>,
    /// Streams.
    streams: HashMap<Account, usize>,
    all: [usize; 2],
}

struct Entry {
    account: Account,
    kind: Kind,
    end: CancellationToken,
}

impl Ledger {
    /// Counts something that a caller begins, unless it is too much. `streams`: what it may have open.
    pub(super) fn admit(
        &mut self,
        account: Account,
        kind: Kind,
        streams: usize,
        limits: &Limits,
    ) -> Result<(u64, CancellationToken), Refused> {
        let (own, each, in_all) = match kind {
            Kind::Answer => {
                let own = self.answers.get(&account.who).copied().unwrap_or_default();
                (own, limits.answers_per_caller, limits.answers)
            }
            Kind::Stream => (self.streams_of(&account), streams, limits.streams),
        };
        if own >= each {
            return Err(Refused::TooMany(kind));
        }
        if self.all[kind as usize] >= in_all {
            let victim = match kind {
                Kind::Stream => self.with_too_many(&account),
                Kind::Answer => None,
            };
            let ended = victim.and_then(|number| self.release(number));
            ended.ok_or(Refused::Full(kind))?.cancel();
        }
        self.next += 1;
        self.all[kind as usize] += 1;
        match kind {
            Kind::Answer => *self.answers.entry(account.who.clone()).or_default() += 1,
            Kind::Stream => *self.streams.entry(account.clone()).or_default() += 1,
        }
        let end = CancellationToken::new();
        self.under_way.insert(self.next, Entry { account, kind, end: end.clone() });
        Ok((self.next, end))
    }

    fn streams_of(&self, account: &Account) -> usize {
        self.streams.get(account).copied().unwrap_or_default()
    }

    /// The stream that makes room for one more of an account: the newest of the connection with the most, of whoever
    /// has the most. Nothing if nobody would still have as many as the newcomer afterwards.
    fn with_too_many(&self, newcomer: &Account) -> Option<u64> {
        let mut by_who: HashMap<&Who, usize> = HashMap::new();
        for (account, count) in &self.streams {
            *by_who.entry(&account.who).or_default() += count;
        }
        let own = by_who.get(&newcomer.who).copied().unwrap_or_default();
        let most = by_who.values().copied().max()?;
        let among = |account: &Account| match most > own + 1 {
            true => by_who[&account.who] == most,
            false => account.who == newcomer.who,
        };
        let least = if most > own + 1 { 0 } else { self.streams_of(newcomer) + 1 };
        let accounts = self.streams.iter().filter(|(account, _)| among(account));
        let (victim, _) =
            accounts.filter(|(_, count)| **count > least).max_by_key(|(_, count)| **count)?;
        let theirs = |entry: &Entry| entry.kind == Kind::Stream && entry.account == *victim;
        self.under_way.iter().filter(|(_, entry)| theirs(entry)).map(|(number, _)| *number).max()
    }

    /// Something has ended, or has to.
    pub(super) fn release(&mut self, number: u64) -> Option<CancellationToken> {
        let Entry { account, kind, end } = self.under_way.remove(&number)?;
        self.all[kind as usize] -= 1;
        match kind {
            Kind::Answer => less(&mut self.answers, &account.who),
            Kind::Stream => less(&mut self.streams, &account),
        }
        Some(end)
    }
}

/// Counts one less. Whoever has nothing is not in it.
fn less<K: std::hash::Hash + Eq>(counts: &mut HashMap<K, usize>, of: &K) {
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

    fn account(host: u8, connection: u64) -> Account {
        let who = Who::Address([192, 0, 2, host].into());
        Account { who, connection: Some(ConnectionNumber(connection)) }
    }

    fn watch(ledger: &mut Ledger, host: u8, connection: u64) -> Result<CancellationToken, Refused> {
        let admitted = ledger.admit(account(host, connection), Kind::Stream, 8, &LIMITS);
        admitted.map(|(_, end)| end)
    }

    #[test]
    fn connections_of_one_address_do_not_use_up_each_others_streams() {
        let mut ledger = Ledger::default();
        for connection in 0..10 {
            watch(&mut ledger, 1, connection).unwrap();
        }
        let mut ledger = Ledger::default();
        for _ in 0..8 {
            watch(&mut ledger, 1, 1).unwrap();
        }
        assert_eq!(watch(&mut ledger, 1, 1).unwrap_err(), Refused::TooMany(Kind::Stream));
        watch(&mut ledger, 1, 2).unwrap();
    }

    #[test]
    fn when_all_streams_are_in_use_who_has_most_gives_to_who_has_least() {
        let mut ledger = Ledger::default();
        let mut greedy: Vec<_> =
            (0..10).map(|number| watch(&mut ledger, 1, number / 5).unwrap()).collect();
        let others: Vec<_> = (2..=6).map(|host| watch(&mut ledger, host, 100).unwrap()).collect();
        assert_eq!(greedy.iter().filter(|end| end.is_cancelled()).count(), 5);
        assert!(others.iter().all(|end| !end.is_cancelled()));
        greedy.retain(|end| !end.is_cancelled());
        // Five against one each; a second one for another address is still fair.
        watch(&mut ledger, 2, 100).unwrap();
        assert_eq!(greedy.iter().filter(|end| end.is_cancelled()).count(), 1);
        // The address itself gets no more, however many connections it opens.
        assert_eq!(watch(&mut ledger, 1, 0).unwrap_err(), Refused::Full(Kind::Stream));
    }

    #[test]
    fn behind_one_address_the_connection_with_most_gives_to_a_new_one() {
        let mut ledger = Ledger::default();
        let greedy: Vec<_> = (0..8).map(|_| watch(&mut ledger, 1, 1).unwrap()).collect();
        (2..=3).for_each(|connection| drop(watch(&mut ledger, 1, connection).unwrap()));
        watch(&mut ledger, 1, 4).unwrap();
        assert_eq!(greedy.iter().filter(|end| end.is_cancelled()).count(), 1);
    }

    #[test]
    fn answers_are_limited_for_an_address_and_in_all_and_free_when_they_are_sent() {
        let mut ledger = Ledger::default();
        let mut ask =
            |host, connection| ledger.admit(account(host, connection), Kind::Answer, 8, &LIMITS);
        let (first, _) = ask(1, 1).unwrap();
        ask(1, 2).unwrap();
        assert_eq!(ask(1, 3).unwrap_err(), Refused::TooMany(Kind::Answer));
        ask(2, 4).unwrap();
        assert_eq!(ask(3, 5).unwrap_err(), Refused::Full(Kind::Answer));
        ledger.release(first);
        assert!(ledger.release(first).is_none());
        ledger.admit(account(3, 5), Kind::Answer, 8, &LIMITS).unwrap();
    }
}
