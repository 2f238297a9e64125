//! What is counted of peers that are read over gRPC.

use pergola_manners::reply::PeerReply;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;

use super::register::Register;

/// What came of asking a peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PeerOutcome {
    /// Entries.
    Page,
    /// There was nothing new.
    Nothing,
    /// It wants quiet.
    Paused,
    /// Nobody could be reached.
    Unreachable,
    /// It was asked over HTTP instead.
    Refused,
}

impl PeerOutcome {
    pub fn of(reply: &PeerReply) -> Self {
        match reply {
            PeerReply::Page(page) if page.document.items.is_empty() => Self::Nothing,
            PeerReply::Page(_) => Self::Page,
            PeerReply::Busy { .. } => Self::Paused,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Nothing => "nothing",
            Self::Paused => "paused",
            Self::Unreachable => "unreachable",
            Self::Refused => "refused",
        }
    }
}

/// What is counted of peers.
#[derive(Default)]
pub struct PeerMetrics {
    asked: Family<[(&'static str, &'static str); 1], Counter>,
    /// Times that a peer said it had news which we had not.
    pub notifications: Counter,
    /// Sources that are read from peers.
    pub sources: Gauge,
    /// Sources whose peers say at once when they have news.
    pub watched: Gauge,
}

impl PeerMetrics {
    /// A peer was asked.
    pub fn asked(&self, outcome: PeerOutcome) {
        self.asked.get_or_create(&[("outcome", outcome.name())]).inc();
    }

    pub(super) fn register(&self, to: &mut Register) {
        to.register("peer_fetches", "Refreshes of peers over gRPC by outcome", self.asked.clone());
        let notifications = "Times that a peer said it had news";
        to.register("peer_notifications", notifications, self.notifications.clone());
        to.register("peer_sources", "Sources read from peers over gRPC", self.sources.clone());
        let watched = "Sources whose peers say at once when they have news";
        to.register("peer_streams", watched, self.watched.clone());
    }
}
