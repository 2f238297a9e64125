//! Looking at an address that is no source, because a person wants to know what is there.
//!
//! It costs budget and waits for its site's lane like any other request, and a site that wants quiet is left alone. What
//! was fetched is kept for a few minutes, so that other selectors can be tried on it without asking again.

use std::sync::Arc;

use pergola_manners::courtesy::{FailureKind, Validators};
use pergola_manners::lanes::LaneId;
use pergola_manners::look::Fetched;
use pergola_manners::refreshed::HostVisit;
use pergola_manners::reply::{Failure, Reply};
use pergola_outside::fetch::Ask;
use url::Url;

use super::Crawler;

/// Seconds for which a person waits for the lane.
const PATIENCE: f64 = 30.0;

/// Why there is nothing to be seen.
#[derive(Debug)]
pub enum NoSight {
    /// The site wants quiet until then.
    Quiet(f64),
    /// It could not be fetched.
    Failed(Failure),
}

impl Crawler {
    /// Fetches what is at an address; `as_page` if it is to be read by selectors, which its site may forbid.
    pub async fn look_at(&self, url: &Url, as_page: bool) -> Result<Arc<Fetched>, NoSight> {
        let (clock, lane) = (&self.tools.clock, self.lane_of(url));
        let now = clock.now();
        if let Some(fetched) = self.looks.lock().find(url, as_page, now) {
            return Ok(fetched);
        }
        let quiet = self.lanes.lock().quiet_until(lane).filter(|until| *until > now);
        if let Some(until) = quiet {
            return Err(NoSight::Quiet(until));
        }
        let _turn = self.turn_in(lane, now + PATIENCE).await.ok_or_else(too_busy)?;
        self.roster().charge(1);
        let ask = Ask::new(url.clone(), Validators::default(), 1);
        let received = match as_page {
            true => Box::pin(self.get_page(&ask, lane)).await.0,
            false => self.get(&ask, None).await,
        };
        let reply = received.into_reply(self.tools.fetcher.decode_limits());
        let (bytes, at) = (bytes_of(&reply), clock.now());
        let manners = self.tools.manners();
        let found = Fetched::of(reply, &manners.limits, at);
        let longest = at + manners.rules.rules_for(url).retry_after_cap;
        let asked = found.as_ref().err().and_then(|(_, quiet)| *quiet);
        let pause_until = asked.map(|until| until.min(longest));
        let visit = HostVisit {
            at,
            requests: 1,
            not_modified: false,
            bytes,
            paused: pause_until.is_some(),
            hinted: false,
            pause_until,
        };
        self.count_visit(url.host_str().unwrap_or_default(), &visit);
        if let Some(until) = pause_until {
            self.lanes.lock().pause(lane, until);
        }
        let fetched = Arc::new(found.map_err(|(failure, _)| NoSight::Failed(failure))?);
        self.looks.lock().keep(url, as_page, at, Arc::clone(&fetched));
        Ok(fetched)
    }

    /// Waits until a lane may be asked for something that is no source, and keeps others out of it from then on.
    async fn turn_in(&self, lane: LaneId, until: f64) -> Option<Turn<'_>> {
        let clock = &self.tools.clock;
        loop {
            let turn = self.lanes.lock().aside(lane, clock.now());
            match turn {
                Ok(()) => return Some(Turn { crawler: self, lane }),
                Err(later) if later <= until => clock.sleep_until(later).await,
                Err(_) => return None,
            }
        }
    }
}

/// A turn in a lane, until this is dropped: also if whoever asked has gone away.
struct Turn<'a> {
    crawler: &'a Crawler,
    lane: LaneId,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.crawler.lanes.lock().finished(self.lane, self.crawler.tools.clock.now());
        self.crawler.nudge.notify_one();
    }
}

fn bytes_of(reply: &Reply) -> u64 {
    match reply {
        Reply::Http(answer) => answer.bytes,
        _ => 0,
    }
}

fn too_busy() -> NoSight {
    let words = "too many requests to its site are waiting; try again in a minute".to_owned();
    NoSight::Failed(Failure { kind: FailureKind::Timeout, words })
}
