//! Following the archives of a source, in its lane and at its pace.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use pergola_manners::courtesy::Validators;
use pergola_manners::heard::{Hearing, hear};
use pergola_manners::lanes::LaneId;
use pergola_manners::source::Credentials;
use pergola_manners::trail::{Backlog, Trail};
use pergola_store::archive::SourceKind;

use super::Crawler;
use super::outing::Unfinished;
use pergola_outside::fetch::Ask;
use pergola_outside::mandate::Mandate;

/// Archives are not followed if the lane has to rest for longer than this before each document.
const PATIENCE: f64 = 60.0;

/// How archives are asked for.
#[derive(Debug)]
pub(super) struct Route {
    pub(super) lane: LaneId,
    /// How many people read the source through this node.
    pub(super) readers: u32,
    /// What the source is shown; an archive elsewhere is not.
    pub(super) credentials: Option<Credentials>,
    /// What the source may reach; its archives may reach no more.
    pub(super) mandate: Mandate,
}

impl Crawler {
    /// Follows a trail until a known item is met, or as far as it leads.
    pub(super) async fn follow(
        self: &Arc<Self>,
        mut trail: Trail,
        route: Option<Route>,
    ) -> Result<Backlog, Unfinished> {
        let clock = &self.tools.clock;
        while let (Some(url), Some(route)) = (trail.next(), &route) {
            let Route { lane, readers, credentials, mandate } = route;
            if self.lane_of(&url) != *lane || self.stopping.load(Ordering::Relaxed) {
                break;
            }
            let Some(at) = self.lanes.lock().again(*lane, clock.now(), PATIENCE) else { break };
            clock.sleep_until(at).await;
            let mut ask = Ask::new(url, Validators::default(), *readers);
            ask.credentials.clone_from(credentials);
            ask.mandate = mandate.clone().after(&ask.url);
            let received = self.get(&ask, None).await;
            let read = move |crawler: &Self| {
                let manners = crawler.tools.manners();
                let limits = &manners.limits;
                let reply = received.into_reply(crawler.tools.fetcher.decode_limits());
                let (kind, last, formerly) = (&SourceKind::Feed, 0, &[][..]);
                let now = crawler.tools.clock.now();
                let heard = hear(reply, Hearing { kind, last, formerly, limits, now });
                trail.take(&ask.url, heard, limits);
                Ok(trail)
            };
            trail = self.work(false, read).await?;
        }
        Ok(trail.finish())
    }
}
