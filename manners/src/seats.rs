//! Who gets a place at the node's port when more connect than it has places for.
//!
//! A *seat* is the place of a connection. One address may take so many of them, and so may one network, so that
//! nobody keeps everybody else out. Whoever gets no seat may *stand* for the length of one request: long enough
//! to ask whether the node is alive, to prove to be its operator, or to be told to come back later. Those who
//! stand without a word make room for the next.
//!
//! Never: more seats taken than there are; a caller that stands in the way of another because it says nothing.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::networks::Network;

/// How many places there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// Seats in all.
    pub seats: usize,
    /// Seats of one address. An IPv6 /64 counts as one address.
    pub per_address: usize,
    /// Seats of one network: an IPv4 /24 or an IPv6 /48.
    pub per_network: usize,
    /// Connections that may stand.
    pub standing: usize,
    /// Proxies: many callers come from there, so only `seats` limits them. The same holds for loopback.
    pub proxies: Vec<Network>,
}

impl Places {
    /// Room for everybody.
    pub fn unlimited() -> Self {
        let most = usize::MAX;
        Self { seats: most, per_address: most, per_network: most, standing: 0, proxies: Vec::new() }
    }

    /// So many seats in all, and so many for each address; a network has twice as many.
    pub fn new(seats: usize, per_address: usize, proxies: Vec<Network>) -> Self {
        let per_network = per_address.saturating_mul(2);
        Self { seats, per_address, per_network, standing: Self::standing_beside(seats), proxies }
    }

    /// How many may stand beside so many seats.
    pub fn standing_beside(seats: usize) -> usize {
        (seats / 16).clamp(16, 256)
    }

    /// Open files that connections may take in all.
    pub fn files(seats: usize) -> usize {
        seats + Self::standing_beside(seats)
    }

    /// The address and the network that a connection counts for; nothing if it has no share to keep to.
    fn shares_of(&self, from: IpAddr) -> Option<(IpAddr, IpAddr)> {
        let from = from.to_canonical();
        if from.is_loopback() || self.proxies.iter().any(|proxy| proxy.contains(from)) {
            return None;
        }
        Some((address_of(from), network_of(from)))
    }
}

/// What counts as one address: a single IPv4 address, an IPv6 /64.
pub fn address_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(v4) => v4.into(),
        IpAddr::V6(v6) => Ipv6Addr::from_bits(v6.to_bits() & (u128::MAX << 64)).into(),
    }
}

/// What counts as one network: an IPv4 /24, an IPv6 /48.
fn network_of(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(v4) => Ipv4Addr::from_bits(v4.to_bits() & (u32::MAX << 8)).into(),
        IpAddr::V6(v6) => Ipv6Addr::from_bits(v6.to_bits() & (u128::MAX << 80)).into(),
    }
}

/// Why a connection gets no seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crowd {
    /// Its address has taken its share.
    Address,
    /// Its network has.
    Network,
    /// All seats are taken.
    Full,
}

impl Crowd {
    /// In one word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Address => "address",
            Self::Network => "network",
            Self::Full => "full",
        }
    }
}

/// What becomes of a new connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It has a seat.
    Seated,
    /// It stands, for one request. `instead_of` has to leave at once.
    Standing { why: Crowd, instead_of: Option<u64> },
    /// There is no room even to stand.
    Refused { why: Crowd },
}

/// The connections that are open, each by its number.
#[derive(Debug)]
pub struct Seats {
    places: Places,
    taken: usize,
    by_address: HashMap<IpAddr, usize>,
    by_network: HashMap<IpAddr, usize>,
    standing: Vec<Standing>,
}

/// A connection without a seat. They are kept in the order in which they came.
#[derive(Debug)]
struct Standing {
    number: u64,
    address: IpAddr,
    /// It has not yet said what it wants.
    silent: bool,
}

impl Seats {
    pub fn new(places: Places) -> Self {
        Self {
            places,
            taken: 0,
            by_address: HashMap::new(),
            by_network: HashMap::new(),
            standing: Vec::new(),
        }
    }

    /// Seats taken.
    pub fn taken(&self) -> usize {
        self.taken
    }

    /// Whether all seats are taken.
    pub fn is_full(&self) -> bool {
        self.taken >= self.places.seats
    }

    /// Finds a place for a new connection.
    pub fn admit(&mut self, number: u64, from: IpAddr) -> Admission {
        let shares = self.places.shares_of(from);
        let Err(why) = self.seat(shares) else { return Admission::Seated };
        let instead_of = match self.standing.len() < self.places.standing {
            true => None,
            false => match self.in_the_way() {
                Some(index) => Some(self.standing.remove(index).number),
                None => return Admission::Refused { why },
            },
        };
        self.standing.push(Standing { number, address: address_of(from), silent: true });
        Admission::Standing { why, instead_of }
    }

    fn seat(&mut self, shares: Option<(IpAddr, IpAddr)>) -> Result<(), Crowd> {
        if let Some((address, network)) = shares {
            if count(&self.by_address, address) >= self.places.per_address {
                return Err(Crowd::Address);
            }
            if count(&self.by_network, network) >= self.places.per_network {
                return Err(Crowd::Network);
            }
        }
        if self.is_full() {
            return Err(Crowd::Full);
        }
        if let Some((address, network)) = shares {
            *self.by_address.entry(address).or_default() += 1;
            *self.by_network.entry(network).or_default() += 1;
        }
        self.taken += 1;
        Ok(())
    }

    /// Among those who stand and say nothing: the one who came first of the address with the most.
    fn in_the_way(&self) -> Option<usize> {
        let silent = || self.standing.iter().enumerate().filter(|(_, standing)| standing.silent);
        let mut crowds: HashMap<IpAddr, usize> = HashMap::new();
        silent().for_each(|(_, standing)| *crowds.entry(standing.address).or_default() += 1);
        let largest = crowds.values().copied().max()?;
        silent().find(|(_, standing)| crowds[&standing.address] == largest).map(|(index, _)| index)
    }

    /// A connection that stands has said what it wants, so nobody takes its place any more.
    pub fn heard(&mut self, number: u64) {
        if let Some(standing) = self.standing.iter_mut().find(|one| one.number == number) {
            standing.silent = false;
        }
    }

    /// A connection that had a seat has ended.
    pub fn leave(&mut self, from: IpAddr) {
        self.taken = self.taken.saturating_sub(1);
        if let Some((address, network)) = self.places.shares_of(from) {
            release(&mut self.by_address, address);
            release(&mut self.by_network, network);
        }
    }

    /// A connection that stood has ended.
    pub fn go(&mut self, number: u64) {
        self.standing.retain(|standing| standing.number != number);
    }
}

fn count(counts: &HashMap<IpAddr, usize>, of: IpAddr) -> usize {
    counts.get(&of).copied().unwrap_or_default()
}

fn release(counts: &mut HashMap<IpAddr, usize>, of: IpAddr) {
    if let Some(count) = counts.get_mut(&of) {
        *count -= 1;
        if *count == 0 {
            counts.remove(&of);
        }
    }
}

#[cfg(test)]
mod tests;
