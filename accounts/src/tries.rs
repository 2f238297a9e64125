//! Limits on tries to log in.
//!
//! Tries are counted for each name and for each address. The first ones are free; after that every wrong one makes the
//! next wait longer. A try counts when it begins, so that many at once do not pass; if it was right, it is forgotten.
//! What is kept is bounded: with too many names or addresses, those that are quiet for longest are forgotten.

use std::collections::HashMap;
use std::net::IpAddr;

use crate::name::folded;

/// Tries that cost nothing, for a name …
const FREE_BY_NAME: u32 = 5;
/// … and for an address, which many may share.
const FREE_BY_ADDRESS: u32 = 20;
/// Seconds of the first wait. Each is twice as long as the one before,
const FIRST_WAIT: f64 = 1.0;
/// up to this.
const LONGEST_WAIT: f64 = 900.0;
/// Seconds after which a name or an address is forgotten.
const FORGOTTEN: f64 = 24.0 * 3600.0;
/// Names, and addresses, that are remembered.
const MOST: usize = 20_000;

/// Tries to log in lately.
#[derive(Debug, Default)]
pub struct Tries {
    names: HashMap<String, Tried>,
    addresses: HashMap<IpAddr, Tried>,
}

#[derive(Debug, Clone, Copy)]
struct Tried {
    /// Wrong tries in a row.
    count: u32,
    last: f64,
}

/// It is too early to try again.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("too many wrong tries to log in: try again in {} seconds", .seconds.ceil())]
pub struct TooEarly {
    /// Seconds to wait.
    pub seconds: f64,
}

impl Tries {
    /// Begins a try, or says how long to wait.
    pub fn begin(&mut self, name: &str, from: Option<IpAddr>, now: f64) -> Result<(), TooEarly> {
        let (name, from) = (folded(name), from.map(network));
        let by_name = self.names.get(&name).map_or(0.0, |tried| tried.wait(FREE_BY_NAME, now));
        let by_address = from.and_then(|from| self.addresses.get(&from));
        let by_address = by_address.map_or(0.0, |tried| tried.wait(FREE_BY_ADDRESS, now));
        let seconds = by_name.max(by_address);
        if seconds > 0.0 {
            return Err(TooEarly { seconds });
        }
        count(&mut self.names, name, now);
        if let Some(from) = from {
            count(&mut self.addresses, from, now);
        }
        Ok(())
    }

    /// The try was right. The name starts afresh; the address only gets this try back, or one good account would be
    /// enough to try others without end.
    pub fn succeeded(&mut self, name: &str, from: Option<IpAddr>) {
        self.names.remove(&folded(name));
        if let Some(tried) = from.and_then(|from| self.addresses.get_mut(&network(from))) {
            tried.count = tried.count.saturating_sub(1);
        }
    }
}

impl Tried {
    /// Seconds until the next try.
    fn wait(&self, free: u32, now: f64) -> f64 {
        if self.count < free || now - self.last >= FORGOTTEN {
            return 0.0;
        }
        let doubled = (self.count - free).min(16);
        let wait = (FIRST_WAIT * f64::from(1u32 << doubled)).min(LONGEST_WAIT);
        // A clock that went back must not make anybody wait for longer.
        (self.last.min(now) + wait - now).max(0.0)
    }
}

fn count<K: std::hash::Hash + Eq + Clone>(all: &mut HashMap<K, Tried>, key: K, now: f64) {
    if all.len() >= MOST && !all.contains_key(&key) {
        make_room(all, now);
    }
    let tried = all.entry(key).or_insert(Tried { count: 0, last: now });
    if now - tried.last >= FORGOTTEN {
        tried.count = 0;
    }
    *tried = Tried { count: tried.count.saturating_add(1), last: now };
}

/// Forgets what is old, and then the half that is quiet for longest.
fn make_room<K: std::hash::Hash + Eq>(all: &mut HashMap<K, Tried>, now: f64) {
    all.retain(|_, tried| now - tried.last < FORGOTTEN);
    if all.len() < MOST {
        return;
    }
    let mut times: Vec<f64> = all.values().map(|tried| tried.last).collect();
    times.sort_by(f64::total_cmp);
    let middle = times[times.len() / 2];
    all.retain(|_, tried| tried.last > middle);
}

/// Whoever has one address of IPv6 has all of its network.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(six) => {
            let [a, b, c, d, ..] = six.segments();
            IpAddr::V6([a, b, c, d, 0, 0, 0, 0].into())
        }
        four => four,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> Option<IpAddr> {
        Some(IpAddr::from([192, 0, 2, last]))
    }

    #[test]
    fn waits_grow_after_a_few_free_tries() {
        let mut tries = Tries::default();
        for _ in 0..FREE_BY_NAME {
            assert_eq!(tries.begin("ada", address(1), 100.0), Ok(()));
        }
        assert_eq!(tries.begin("ADA", address(2), 100.0), Err(TooEarly { seconds: 1.0 }));
        assert_eq!(tries.begin("grace", address(1), 100.0), Ok(()), "another name is free");
        assert_eq!(tries.begin("ada", None, 101.0), Ok(()));
        assert_eq!(tries.begin("ada", None, 101.5), Err(TooEarly { seconds: 1.5 }));
        let mut now = 103.0;
        for _ in 0..20 {
            assert_eq!(tries.begin("ada", None, now), Ok(()));
            now += LONGEST_WAIT;
        }
        let waits = tries.begin("ada", None, now - 1.0).unwrap_err();
        assert_eq!(waits.seconds, 1.0, "no wait is longer than the longest");
        assert!(waits.to_string().contains("try again in 1 seconds"), "{waits}");
    }

    #[test]
    fn an_address_that_tries_many_names_waits() {
        let mut tries = Tries::default();
        for n in 0..FREE_BY_ADDRESS {
            tries.begin(&format!("user{n}"), address(1), 0.0).unwrap();
        }
        assert!(tries.begin("ada", address(1), 0.0).is_err());
        assert!(tries.begin("ada", address(2), 0.0).is_ok());
        let six = |last| Some(IpAddr::from([0x2001, 0xdb8, 0, 7, 0, 0, 0, last]));
        for n in 0..FREE_BY_ADDRESS {
            tries.begin(&format!("six{n}"), six(n as u16), 0.0).unwrap();
        }
        assert!(tries.begin("ada", six(77), 0.0).is_err(), "a network counts as one");
    }

    #[test]
    fn success_frees_the_name_but_only_one_try_of_the_address() {
        let mut tries = Tries::default();
        for _ in 0..FREE_BY_NAME {
            tries.begin("ada", address(1), 0.0).unwrap();
        }
        tries.succeeded("Ada", address(1));
        assert!(tries.begin("ada", address(1), 0.0).is_ok());
        let left = FREE_BY_ADDRESS - FREE_BY_NAME;
        for n in 0..left {
            tries.begin(&format!("u{n}"), address(1), 0.0).unwrap();
        }
        assert!(tries.begin("z", address(1), 0.0).is_err());
    }

    #[test]
    fn what_is_remembered_is_bounded_and_forgotten_after_a_day() {
        let mut tries = Tries::default();
        for _ in 0..10 {
            let _ = tries.begin("ada", None, 0.0);
        }
        assert_eq!(tries.begin("ada", None, FORGOTTEN), Ok(()));
        for n in 0..3 * MOST {
            tries.begin(&format!("user{n}"), None, FORGOTTEN + n as f64 / 1e6).unwrap();
        }
        assert!(tries.names.len() <= MOST, "{}", tries.names.len());
    }

    #[test]
    fn a_clock_that_goes_back_makes_nobody_wait_for_longer() {
        let mut tries = Tries::default();
        for _ in 0..FREE_BY_NAME {
            tries.begin("ada", None, 1e9).unwrap();
        }
        assert_eq!(tries.begin("ada", None, 0.0), Err(TooEarly { seconds: 1.0 }));
    }
}
