//! A simulated machine: it lives, dies and lives again.
//!
//! Whatever belongs to one life of a machine (its connections, its store, its tasks) names that life, and is dead
//! from the instant at which the life ends: nothing of it is written, sent or received any more, even before its
//! tasks are dropped.

use std::net::IpAddr;
use std::sync::Arc;

use pergola_outside::locks::Mutex;
use tokio::sync::Notify;

/// A machine.
pub struct Host {
    pub name: String,
    pub address: IpAddr,
    /// Its number among all machines.
    pub number: usize,
    state: Mutex<State>,
    died: Notify,
}

struct State {
    life: u64,
    alive: bool,
    /// What it may still do before it dies; nothing if it is not to die.
    fuse: Option<u32>,
    /// The commits that it may still make before it dies in the midst of one.
    commits: Option<u32>,
    /// The death to come, or the last one.
    death: Death,
}

/// How a machine dies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Death {
    /// The process is killed. The system closes its connections and keeps what was written.
    Killed,
    /// The power fails. Nobody is told, and what was not synced may be lost.
    PowerCut,
}

/// One life of a machine.
#[derive(Clone)]
pub struct Life {
    pub host: Arc<Host>,
    number: u64,
}

impl Host {
    /// A machine that is not alive yet.
    pub fn new(number: usize, name: String, address: IpAddr) -> Arc<Self> {
        let state =
            State { life: 0, alive: false, fuse: None, commits: None, death: Death::Killed };
        Arc::new(Self { name, address, number, state: Mutex::new(state), died: Notify::new() })
    }

    /// Begins a life.
    pub fn begin(self: &Arc<Self>) -> Life {
        let mut state = self.state.lock();
        state.life += 1;
        (state.alive, state.fuse, state.commits) = (true, None, None);
        Life { host: Arc::clone(self), number: state.life }
    }

    /// It dies after it has done so many more things: sent or received something, read or written the disk.
    pub fn dies_after(&self, things: u32, death: Death) {
        let mut state = self.state.lock();
        if state.alive && state.fuse.is_none() {
            (state.fuse, state.death) = (Some(things), death);
        }
    }

    /// It dies in the midst of a commit, after it has made so many more.
    pub fn dies_in_commit(&self, after: u32, death: Death) {
        let mut state = self.state.lock();
        if state.alive && state.commits.is_none() {
            (state.commits, state.death) = (Some(after), death);
        }
    }

    /// How it died last, or will.
    pub fn death(&self) -> Death {
        self.state.lock().death
    }

    /// Whether it has no power.
    pub fn is_dark(&self) -> bool {
        let state = self.state.lock();
        !state.alive && state.death == Death::PowerCut
    }

    /// Waits for its death.
    pub async fn death_of(&self, life: &Life) {
        loop {
            let died = self.died.notified();
            if !life.goes_on() {
                return;
            }
            died.await;
        }
    }
}

impl Life {
    /// Whether it goes on.
    pub fn goes_on(&self) -> bool {
        let state = self.host.state.lock();
        state.alive && state.life == self.number
    }

    /// Does one thing. Returns whether the machine dies doing it, or nothing if it is dead already.
    pub fn acts(&self) -> Option<bool> {
        let mut state = self.host.state.lock();
        if !state.alive || state.life != self.number {
            return None;
        }
        let dies = match &mut state.fuse {
            Some(0) => true,
            Some(left) => {
                *left -= 1;
                false
            }
            None => false,
        };
        if dies {
            state.alive = false;
            drop(state);
            self.host.died.notify_waiters();
        }
        Some(dies)
    }

    /// Begins a commit. Returns whether it is the one in which the machine dies.
    pub fn begins_commit(&self) -> bool {
        let mut state = self.host.state.lock();
        match &mut state.commits {
            Some(0) => true,
            Some(left) => {
                *left -= 1;
                false
            }
            None => false,
        }
    }

    /// Does one thing. Returns whether it is still alive after it.
    pub fn survives(&self) -> bool {
        self.acts() == Some(false)
    }

    /// It ends now, orderly.
    pub fn end(&self) {
        let mut state = self.host.state.lock();
        if state.life == self.number {
            state.alive = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_dies_in_the_midst_of_what_it_does_and_its_past_life_stays_dead() {
        let host = Host::new(0, "a".into(), "93.184.215.1".parse().unwrap());
        let first = host.begin();
        assert_eq!(first.acts(), Some(false));
        host.dies_after(1, Death::PowerCut);
        assert!(first.survives());
        assert_eq!(first.acts(), Some(true));
        assert_eq!((first.acts(), first.goes_on(), host.death()), (None, false, Death::PowerCut));
        let second = host.begin();
        assert!(second.goes_on() && !first.goes_on() && !first.survives());
    }
}
