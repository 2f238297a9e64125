//! How much each caller has taken: calls by a bucket that refills, streams by counting those that live.
//!
//! What is remembered stays bounded: a caller whose bucket is full again and who has no stream is
//! forgotten.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;

use super::Caller;

/// Callers remembered at the same time. Beyond that, strangers share one account.
const MOST: usize = 10_000;
const MINUTE: f64 = 60.0;

/// Somebody takes more than is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TooMuch {
    /// Too many calls.
    #[error("too many calls; the next may come in {seconds} s")]
    Calls {
        /// When the next may come.
        seconds: u64,
    },
    /// Too many streams.
    #[error("{most} streams are open already, and more are not allowed")]
    Streams {
        /// How many are allowed.
        most: usize,
    },
}

/// A stream that is counted while this lives.
#[derive(Debug)]
pub struct Stream {
    used: Arc<Use>,
    who: Option<Who>,
}

/// Whose account it is: a reader's, or that of an address. A whole /64 is one household.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Who {
    Reader(String),
    Address(IpAddr),
    Others,
}

#[derive(Debug)]
struct Account {
    /// Calls that may be made at once.
    left: f64,
    at: Instant,
    streams: usize,
}

/// What everybody has taken.
#[derive(Debug, Default)]
pub(super) struct Use {
    accounts: Mutex<HashMap<Who, Account>>,
}

impl Use {
    pub(super) fn count(
        &self,
        caller: &Caller,
        per_minute: usize,
        now: Instant,
    ) -> Result<(), TooMuch> {
        let Some(who) = who(caller) else { return Ok(()) };
        let mut accounts = self.accounts();
        let (account, _) = account(&mut accounts, who, now);
        account.refill(per_minute as f64, now);
        if account.left >= 1.0 {
            account.left -= 1.0;
            return Ok(());
        }
        let wait = (1.0 - account.left) * MINUTE / per_minute as f64;
        Err(TooMuch::Calls { seconds: (wait.ceil() as u64).max(1) })
    }

    pub(super) fn open_stream(
        self: &Arc<Self>,
        caller: &Caller,
        most: usize,
        now: Instant,
    ) -> Result<Stream, TooMuch> {
        let used = Arc::clone(self);
        let Some(who) = who(caller) else { return Ok(Stream { used, who: None }) };
        let mut accounts = self.accounts();
        let (account, who) = account(&mut accounts, who, now);
        if account.streams >= most {
            return Err(TooMuch::Streams { most });
        }
        account.streams += 1;
        Ok(Stream { used, who: Some(who) })
    }

    fn accounts(&self) -> MutexGuard<'_, HashMap<Who, Account>> {
        self.accounts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        let Some(who) = &self.who else { return };
        if let Some(account) = self.used.accounts().get_mut(who) {
            account.streams = account.streams.saturating_sub(1);
        }
    }
}

/// Nobody counts what the operator takes.
fn who(caller: &Caller) -> Option<Who> {
    match caller {
        Caller::Operator => None,
        Caller::Reader(reader) => Some(Who::Reader(reader.name.clone())),
        Caller::Stranger { address: None, .. } => Some(Who::Others),
        Caller::Stranger { address: Some(IpAddr::V6(ip)), .. } => {
            let network = ip.to_bits() & !u128::from(u64::MAX);
            Some(Who::Address(Ipv6Addr::from_bits(network).into()))
        }
        Caller::Stranger { address: Some(ip), .. } => Some(Who::Address(*ip)),
    }
}

/// The account of a caller, or the one that it shares with others when there are too many.
fn account(accounts: &mut HashMap<Who, Account>, who: Who, now: Instant) -> (&mut Account, Who) {
    if accounts.len() >= MOST && !accounts.contains_key(&who) {
        accounts.retain(|_, account| {
            account.streams > 0 || now.duration_since(account.at).as_secs_f64() < MINUTE
        });
    }
    let crowded = accounts.len() >= MOST && !accounts.contains_key(&who);
    let shared = crowded && matches!(who, Who::Address(_));
    let who = if shared { Who::Others } else { who };
    let new = Account { left: f64::INFINITY, at: now, streams: 0 };
    (accounts.entry(who.clone()).or_insert(new), who)
}

impl Account {
    /// Fills up for the time since it was last used.
    fn refill(&mut self, per_minute: f64, now: Instant) {
        let passed = now.duration_since(self.at).as_secs_f64();
        self.left = (self.left + passed * per_minute / MINUTE).min(per_minute);
        self.at = now;
    }
}
