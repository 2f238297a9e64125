//! The rate limit of each caller: a token bucket.
//!
//! Memory stays bounded: a caller whose bucket is full again is forgotten.

use std::collections::HashMap;
use std::net::IpAddr;

use pergola_manners::seats::address_of;
use tokio::time::Instant;

use super::Caller;
use pergola_outside::locks::{Mutex, MutexGuard};

/// Callers remembered at the same time. Beyond that, unknown callers share one account.
const MOST: usize = 10_000;
const MINUTE: f64 = 60.0;

/// A caller has called too often.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("too many calls; the next may come in {seconds} s")]
pub struct TooOften {
    /// When the next may come.
    pub seconds: u64,
}

/// The account of a reader or of an address. An IPv6 /64 counts as one address.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Who {
    /// Whoever runs the node.
    Operator,
    /// A reader, by its name.
    Reader(String),
    /// Everybody at an address.
    Address(IpAddr),
    /// All others together.
    Others,
}

#[derive(Debug)]
struct Account {
    /// Calls that may be made at once.
    left: f64,
    at: Instant,
}

/// The calls of everybody.
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
    ) -> Result<(), TooOften> {
        if caller.is_operator() {
            return Ok(());
        }
        let mut accounts = self.accounts();
        let account = account(&mut accounts, caller.who(), now);
        account.refill(per_minute as f64, now);
        if account.left >= 1.0 {
            account.left -= 1.0;
            return Ok(());
        }
        let wait = (1.0 - account.left) * MINUTE / per_minute as f64;
        Err(TooOften { seconds: (wait.ceil() as u64).max(1) })
    }

    /// Who has called, and how many seconds ago.
    pub(super) fn callers(&self, now: Instant) -> Vec<(Who, u64)> {
        let accounts = self.accounts();
        let ago = |account: &Account| now.saturating_duration_since(account.at).as_secs();
        accounts.iter().map(|(who, account)| (who.clone(), ago(account))).collect()
    }

    fn accounts(&self) -> MutexGuard<'_, HashMap<Who, Account>> {
        self.accounts.lock()
    }
}

impl Caller {
    /// The account that its calls count for.
    pub fn who(&self) -> Who {
        match self {
            Self::Operator => Who::Operator,
            Self::Reader(reader) => Who::Reader(reader.name.clone()),
            Self::Stranger { address: None, .. } => Who::Others,
            Self::Stranger { address: Some(ip), .. } => Who::Address(address_of(*ip)),
        }
    }
}

/// The account of a caller, or the one that it shares with others when there are too many.
fn account(accounts: &mut HashMap<Who, Account>, who: Who, now: Instant) -> &mut Account {
    if accounts.len() >= MOST && !accounts.contains_key(&who) {
        accounts.retain(|_, account| now.duration_since(account.at).as_secs_f64() < MINUTE);
    }
    let crowded = accounts.len() >= MOST && !accounts.contains_key(&who);
    let shared = crowded && matches!(who, Who::Address(_));
    let who = if shared { Who::Others } else { who };
    let new = Account { left: f64::INFINITY, at: now };
    accounts.entry(who).or_insert(new)
}

impl Account {
    /// Fills up for the time since it was last used.
    fn refill(&mut self, per_minute: f64, now: Instant) {
        let passed = now.duration_since(self.at).as_secs_f64();
        self.left = (self.left + passed * per_minute / MINUTE).min(per_minute);
        self.at = now;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use pergola_config::{Limits, Reader};
    use pergola_outside::clock::network_now;

    use super::*;

    #[test]
    fn calls_are_limited_for_each_caller_and_allowed_again_in_time() {
        let (used, start) = (Use::default(), network_now());
        let count = |caller: &Caller, after: u64| {
            let per_minute = if matches!(caller, Caller::Reader(_)) { 1 } else { 3 };
            used.count(caller, per_minute, start + Duration::from_secs(after))
        };
        let bob = Caller::Reader(Arc::new(Reader {
            name: "bob".to_owned(),
            token: None,
            certificates: Vec::new(),
            limits: Limits { streams: 1, requests_per_minute: 1, max_message: 1 },
        }));
        let stranger = |last| Caller::Stranger {
            address: Some(IpAddr::from([192, 0, 2, last])),
            wrong: false,
        };
        assert_eq!(count(&bob, 0), Ok(()));
        assert_eq!(count(&bob, 0), Err(TooOften { seconds: 60 }));
        for _ in 0..3 {
            assert_eq!(count(&stranger(1), 0), Ok(()));
        }
        assert_eq!(count(&stranger(1), 0), Err(TooOften { seconds: 20 }));
        assert_eq!(count(&stranger(2), 0), Ok(()));
        assert_eq!(count(&stranger(1), 21), Ok(()));
        assert!(count(&stranger(1), 21).is_err() && count(&bob, 21).is_err());
        for _ in 0..1_000 {
            assert_eq!(count(&Caller::Operator, 21), Ok(()));
        }
    }
}
