//! When pauses of single URLs become a pause of their host.

use std::collections::HashMap;

/// How many URLs of a host must agree.
const ENOUGH: usize = 3;

/// The URLs that have asked for quiet, by host: at most three per host, and only while the pause lasts.
#[derive(Debug, Default)]
pub struct HostPauses {
    hosts: HashMap<String, Vec<Wish>>,
    /// Hosts are swept when there are this many.
    sweep_at: usize,
}

/// Quiet that one URL asks for.
#[derive(Debug, Clone, Copy)]
struct Wish {
    source: u32,
    until: f64,
}

impl HostPauses {
    /// `source`, a URL of `host`, wants quiet until then ([`Verdict::host_pause`](super::Verdict)).
    /// Returns until when the whole host is left alone, if three of its URLs want that: the instant up to
    /// which three agree.
    pub fn report(&mut self, host: &str, source: u32, until: f64, now: f64) -> Option<f64> {
        self.sweep(now);
        if !self.hosts.contains_key(host) {
            self.hosts.insert(host.to_owned(), Vec::new());
        }
        let wishes = self.hosts.get_mut(host)?;
        wishes.retain(|other| other.source != source && other.until > now);
        wishes.push(Wish { source, until });
        wishes.sort_by(|one, other| other.until.total_cmp(&one.until));
        wishes.truncate(ENOUGH);
        wishes.get(ENOUGH - 1).map(|last| last.until)
    }

    /// `source` has answered well again.
    pub fn forget(&mut self, host: &str, source: u32) {
        if let Some(wishes) = self.hosts.get_mut(host) {
            wishes.retain(|other| other.source != source);
        }
    }

    /// How many hosts are remembered.
    pub fn len(&self) -> usize {
        self.hosts.len()
    }

    /// Whether no host is remembered.
    pub fn is_empty(&self) -> bool {
        self.hosts.is_empty()
    }

    /// Forgets pauses that are over, whenever the number of hosts has doubled.
    fn sweep(&mut self, now: f64) {
        if self.hosts.len() < self.sweep_at.max(64) {
            return;
        }
        self.hosts.retain(|_, wishes| wishes.iter().any(|one| one.until > now));
        self.sweep_at = self.hosts.len() * 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_5_three_urls_of_one_host_pause_the_host() {
        let mut pauses = HostPauses::default();
        assert_eq!(pauses.report("a.example", 1, 100.0, 0.0), None);
        assert_eq!(pauses.report("a.example", 2, 300.0, 0.0), None);
        assert_eq!(pauses.report("b.example", 9, 300.0, 0.0), None);
        assert_eq!(pauses.report("a.example", 3, 200.0, 0.0), Some(100.0));
        assert_eq!(pauses.report("a.example", 4, 900.0, 0.0), Some(200.0));
    }

    #[test]
    fn one_url_that_asks_three_times_is_one_url() {
        let mut pauses = HostPauses::default();
        for until in [100.0, 200.0, 300.0, 400.0] {
            assert_eq!(pauses.report("a.example", 1, until, 0.0), None);
        }
    }

    #[test]
    fn what_has_passed_or_recovered_does_not_count() {
        let mut pauses = HostPauses::default();
        pauses.report("a.example", 1, 100.0, 0.0);
        pauses.report("a.example", 2, 500.0, 0.0);
        assert_eq!(pauses.report("a.example", 3, 500.0, 100.0), None);
        pauses.forget("a.example", 2);
        assert_eq!(pauses.report("a.example", 4, 500.0, 100.0), None);
        assert_eq!(pauses.report("a.example", 5, 500.0, 100.0), Some(500.0));
    }

    #[test]
    fn memory_does_not_grow_with_the_hosts_ever_seen() {
        let mut pauses = HostPauses::default();
        for host in 0..10_000 {
            let now = f64::from(host);
            pauses.report(&format!("host-{host}.example"), 1, now + 10.0, now);
        }
        assert!(pauses.len() <= 128, "{}", pauses.len());
    }
}
