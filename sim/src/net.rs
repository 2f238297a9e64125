//! The simulated network: names, and connections on which bytes take their time, stall or are cut off.
//!
//! A connection keeps its bytes in order, as TCP does. Between connections anything may overtake anything, because
//! every message draws a delay of its own. While the way between two machines is cut, in one direction or in both,
//! what is sent on it stalls; so does a connection to a machine that lost its power.

mod pipe;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Weak};
use std::time::Duration;

use pergola_outside::locks::Mutex;
use pergola_outside::surroundings::{Connection, Listener, NameError, Names, Network, Pending};
use tokio::sync::{Notify, mpsc};

use crate::chance::Chance;
use crate::host::{Death, Host, Life};
use crate::promises::Promises;
use crate::trace::Trace;
pub use pipe::End;
use pipe::Pipe;

/// The network of one run.
pub struct Net {
    inner: Mutex<Inner>,
    /// Told whenever a way is open again or a machine listens.
    mended: Notify,
    promises: Promises,
    trace: Trace,
}

struct Inner {
    hosts: BTreeMap<IpAddr, Arc<Host>>,
    names: BTreeMap<String, IpAddr>,
    doors: BTreeMap<IpAddr, Door>,
    /// Ways that are cut, from one machine to another, and how often.
    cuts: BTreeMap<(usize, usize), u32>,
    pipes: Vec<Weak<Pipe>>,
    /// Names that lead into a private network for now.
    lies: BTreeSet<String>,
    chance: Chance,
    /// Seconds that a message takes at least, and at most most of the time.
    delay: (f64, f64),
}

struct Door {
    life: Life,
    inbox: Inbox,
}

/// Where connections are handed over, with the address of whoever calls.
type Inbox = mpsc::UnboundedSender<(End, SocketAddr)>;

/// Where a name leads that lies.
const PRIVATE: [u8; 4] = [10, 0, 0, 5];

impl Net {
    /// A network without machines. Most messages take a time within `delay`.
    pub fn new(chance: Chance, delay: (f64, f64), promises: Promises, trace: Trace) -> Arc<Self> {
        let inner = Inner {
            hosts: BTreeMap::new(),
            names: BTreeMap::new(),
            doors: BTreeMap::new(),
            cuts: BTreeMap::new(),
            pipes: Vec::new(),
            lies: BTreeSet::new(),
            chance,
            delay,
        };
        Arc::new(Self { inner: Mutex::new(inner), mended: Notify::new(), promises, trace })
    }

    /// Adds a machine.
    pub fn add(&self, host: &Arc<Host>) {
        let mut inner = self.inner.lock();
        inner.names.insert(host.name.clone(), host.address);
        inner.hosts.insert(host.address, Arc::clone(host));
    }

    /// Listens for connections to a machine.
    pub fn listen(&self, life: &Life) -> Box<dyn Listener> {
        let (inbox, calls) = mpsc::unbounded_channel();
        let address = life.host.address;
        self.inner.lock().doors.insert(address, Door { life: life.clone(), inbox });
        self.mended.notify_waiters();
        let (life, address) = (life.clone(), SocketAddr::new(address, 80));
        Box::new(Ear { life, address, calls: tokio::sync::Mutex::new(calls) })
    }

    /// Nothing gets from one machine to another any more.
    pub fn cut(&self, from: usize, to: usize) {
        *self.inner.lock().cuts.entry((from, to)).or_default() += 1;
    }

    /// Undoes one cut.
    pub fn mend(&self, from: usize, to: usize) {
        let mut inner = self.inner.lock();
        if let Some(cuts) = inner.cuts.get_mut(&(from, to)) {
            *cuts -= 1;
            if *cuts == 0 {
                inner.cuts.remove(&(from, to));
            }
        }
        let pipes: Vec<_> = inner.pipes.iter().filter_map(Weak::upgrade).collect();
        drop(inner);
        pipes.iter().for_each(|pipe| pipe.wake());
        self.mended.notify_waiters();
    }

    /// Breaks every connection between two machines; nobody knows what still got through.
    pub fn reset(&self, one: usize, other: usize) {
        let inner = self.inner.lock();
        let pipes: Vec<_> = inner.pipes.iter().filter_map(Weak::upgrade).collect();
        drop(inner);
        for pipe in pipes.iter().filter(|pipe| pipe.is_between(one, other)) {
            pipe.reset();
        }
    }

    /// Has a name lead into a private network, or no longer.
    pub fn lie(&self, name: &str, lie: bool) {
        let mut inner = self.inner.lock();
        match lie {
            true => inner.lies.insert(name.to_owned()),
            false => inner.lies.remove(name),
        };
    }

    pub(crate) fn is_cut(&self, from: usize, to: usize) -> bool {
        self.inner.lock().cuts.contains_key(&(from, to))
    }

    /// The time that the next message takes.
    pub fn delay(&self) -> Duration {
        let mut inner = self.inner.lock();
        let (least, most) = inner.delay;
        let mut delay = inner.chance.between(least, most);
        // Some are lost and sent again.
        if inner.chance.happens(0.01) {
            delay += inner.chance.between(0.2, 3.0);
        }
        Duration::from_secs_f64(delay)
    }

    /// Waits while the way between two machines is cut in either direction.
    pub async fn way(&self, one: usize, other: usize) {
        loop {
            let mended = self.mended.notified();
            if !self.is_cut(one, other) && !self.is_cut(other, one) {
                return;
            }
            mended.await;
        }
    }

    async fn connect(self: &Arc<Self>, caller: &Life, to: SocketAddr) -> io::Result<End> {
        if !caller.survives() {
            return std::future::pending().await;
        }
        self.reachable(&caller.host.name, to.ip());
        let there = self.inner.lock().hosts.get(&to.ip()).cloned();
        let refused = || io::Error::from(io::ErrorKind::ConnectionRefused);
        let there = there.ok_or_else(refused)?;
        tokio::time::sleep(self.delay()).await;
        self.way(caller.host.number, there.number).await;
        tokio::time::sleep(self.delay()).await;
        if let Some((here, away, inbox)) = self.join(caller, to.ip()) {
            let from = SocketAddr::new(caller.host.address, 40_000);
            inbox.send((away, from)).map_err(|_| refused())?;
            return Ok(here);
        }
        match there.death() {
            Death::Killed => Err(refused()),
            Death::PowerCut => std::future::pending().await,
        }
    }

    /// A connection to whoever listens there, and where it is handed over.
    fn join(self: &Arc<Self>, caller: &Life, to: IpAddr) -> Option<(End, End, Inbox)> {
        let mut inner = self.inner.lock();
        let door = inner.doors.get(&to).filter(|door| door.life.goes_on())?;
        self.trace.detail("connects", caller.host.number, door.life.host.number);
        let (here, away) = End::pair(self, caller, &door.life);
        let inbox = door.inbox.clone();
        inner.pipes.retain(|pipe| pipe.strong_count() > 0);
        inner.pipes.extend(here.pipes());
        Some((here, away, inbox))
    }

    /// Somebody is about to reach an address.
    pub fn reachable(&self, who: &str, address: IpAddr) {
        if address == IpAddr::from(PRIVATE) {
            self.promises.broken(format!("{who} reached for the private address {address}"));
        }
    }
}

/// The network as one life of a machine sees it.
#[derive(Clone)]
pub struct Way {
    pub net: Arc<Net>,
    pub life: Life,
}

impl Network for Way {
    fn connect(&self, to: SocketAddr) -> Pending<'_, io::Result<Connection>> {
        Box::pin(async move {
            let end = self.net.connect(&self.life, to).await?;
            Ok(Box::new(end) as Connection)
        })
    }
}

impl Names for Way {
    fn addresses<'a>(&'a self, host: &'a str) -> Pending<'a, Result<Vec<IpAddr>, NameError>> {
        let inner = self.net.inner.lock();
        let name = host.trim_end_matches('.');
        let found = match inner.lies.contains(name) {
            true => Some(IpAddr::from(PRIVATE)),
            false => inner.names.get(name).copied(),
        };
        let unknown = || NameError::Lookup {
            host: host.to_owned(),
            source: "no such host in this world".into(),
        };
        let found = found.map(|address| vec![address]).ok_or_else(unknown);
        Box::pin(std::future::ready(found))
    }
}

/// Accepts the connections to one machine.
struct Ear {
    life: Life,
    address: SocketAddr,
    calls: tokio::sync::Mutex<mpsc::UnboundedReceiver<(End, SocketAddr)>>,
}

impl Listener for Ear {
    fn local_address(&self) -> io::Result<SocketAddr> {
        Ok(self.address)
    }

    fn accept(&self) -> Pending<'_, io::Result<(Connection, SocketAddr)>> {
        Box::pin(async move {
            match self.calls.lock().await.recv().await {
                Some((end, caller)) if self.life.survives() => {
                    Ok((Box::new(end) as Connection, caller))
                }
                _ => std::future::pending().await,
            }
        })
    }
}
