//! Asking a source: its peer over gRPC if it has one, or with a GET.

use pergola_manners::conclude::Subject;
use pergola_manners::link::Refusal;
use pergola_manners::reply::{Reply, Silence};

use super::Crawler;
use super::received::Received;
use crate::metrics::PeerOutcome;
use pergola_outside::fetch::{Ask, FetchError};
use pergola_peers::registry::pull::Pulled;

impl Crawler {
    /// Asks a source: its peer if it has one that can be read, and with a GET otherwise.
    pub(super) async fn ask(&self, subject: &Subject, ask: &Ask) -> Received {
        let (id, peers) = (subject.id, &self.tools.peers);
        let now = self.tools.clock.now();
        // Calls carry the token of their host, so only a source that was named there may make them.
        let usable =
            peers.is_usable(id, ask.url.as_str(), now) && ask.mandate.names_origin(&ask.url);
        let Some(peer) = subject.link.as_ref().filter(|_| usable) else {
            return self.get(ask, None).await;
        };
        peers.refreshes(id);
        // Few sources are peers; the others need not reserve memory for this.
        let pull = Box::pin(peers.pull(id, &ask.url, peer, now));
        let (outcome, received) = match pull.await {
            Pulled::Replied(reply) => {
                (PeerOutcome::of(&reply), Received::Reply(Reply::Peer(reply)))
            }
            // The document was not asked for, so the next request for it may be conditional as before.
            Pulled::Unreachable(error) => (PeerOutcome::Unreachable, silence(&error, true)),
            Pulled::Refused(refusal) => (PeerOutcome::Refused, self.get(ask, Some(refusal)).await),
        };
        self.tools.metrics.peers.asked(outcome);
        received
    }

    /// One GET; `refusal` is why the peer could not be read over gRPC just before.
    pub(super) async fn get(&self, ask: &Ask, refusal: Option<Refusal>) -> Received {
        let conditional = !ask.validators.is_empty();
        match self.tools.fetcher.fetch(ask).await {
            Ok(answer) => Received::Http { answer: Box::new(answer), conditional, refusal },
            Err(error) => silence(&error, conditional),
        }
    }
}

/// What a request means that brought no answer.
pub(super) fn silence(error: &FetchError, conditional: bool) -> Received {
    Received::Reply(Reply::Silence(Silence { failure: error.failure(), conditional }))
}
