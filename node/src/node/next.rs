//! When a source is refreshed next, and why; and refreshes that a person asks for.

mod reasons;

use pergola_api::Instant;
use pergola_api::next::NextRefresh;
use pergola_manners::link::Link;
use pergola_manners::why::{Asking, Case, Next, Reason, Why};
use pergola_refresh::DAY;
use pergola_store::archive::{ArchiveError, SourceId, SourceRecord, SourceState};
use url::Url;

use super::{Node, SourceError};
use crate::crawl::driver::Report;
use reasons::told;

/// How far the scheduler looks ahead.
const HORIZON: f64 = 7.0 * DAY;

/// A source, and what is known of its peer.
struct Known {
    id: SourceId,
    url: Url,
    state: SourceState,
    link: Option<Link>,
}

impl Known {
    fn case(&self) -> Case<'_> {
        Case { id: self.id, url: &self.url, state: &self.state, link: self.link.as_ref() }
    }
}

impl Node {
    /// When a source is refreshed next, and why not earlier. Blocks.
    pub fn next_refresh(&self, id: SourceId) -> Result<NextRefresh, SourceError> {
        let known = self.known(id)?;
        let next = self.foreseen(&known);
        let tell = |reason: &Reason| told(reason, self.named_host(&known), &self.config());
        let mut reasons = next.reasons.iter().map(tell);
        let because = reasons.next().ok_or_else(|| SourceError::Unknown(id.0.to_string()))?;
        Ok(NextRefresh { at: next.at.map(Instant::from_unix), because, also: reasons.collect() })
    }

    /// Refreshes a source now, if nothing speaks against it. The request is conditional like any other.
    pub async fn refresh_now(&self, id: SourceId, running: bool) -> Result<Report, SourceError> {
        self.refresh_by_hand(id, Asking::Politely, running).await
    }

    /// Refreshes a source because a person asks for it. The spacing of its site holds all the same.
    pub async fn refresh_by_hand(
        &self,
        id: SourceId,
        asking: Asking,
        running: bool,
    ) -> Result<Report, SourceError> {
        let known = self.known(id)?;
        if let Some(refused) = self.refused(&known, asking) {
            return Err(refused);
        }
        if asking == Asking::Anyway {
            self.crawler.lift_quiet(id);
        }
        let report = match running {
            true => self.crawler.request(id).await.ok(),
            false => self.crawler.refresh_once(id).await,
        };
        report.ok_or_else(|| SourceError::Unfinished(known.url.into()))
    }

    /// Lets every source wait by the rules of today instead of those by which it was last refreshed.
    pub(super) fn reconsider(&self) -> Result<(), ArchiveError> {
        let mut outcome = Ok(());
        self.archive.each_source(|id, record| {
            if outcome.is_ok() {
                outcome = self.reconsider_source(id, &record);
            }
        })?;
        outcome
    }

    fn reconsider_source(&self, id: SourceId, record: &SourceRecord) -> Result<(), ArchiveError> {
        let Some(state) = self.archive.state_alone(id)? else { return Ok(()) };
        if let Ok(url) = Url::parse(&record.url) {
            self.crawler.reconsider(id, &url, &state);
        }
        Ok(())
    }

    fn known(&self, id: SourceId) -> Result<Known, SourceError> {
        let unknown = || SourceError::Unknown(id.0.to_string());
        let record = self.archive.source(id)?.ok_or_else(unknown)?;
        let state = self.archive.state_alone(id)?.ok_or_else(unknown)?;
        let url = Url::parse(&record.url).map_err(|_| unknown())?;
        Ok(Known { id, url, state, link: self.crawler.tools.peers.link(id) })
    }

    fn foreseen(&self, known: &Known) -> Next {
        let (now, tools) = (self.clock.now(), &self.crawler.tools);
        let Some((prospect, site_quiet)) = self.crawler.prospect(known.id, now, now + HORIZON)
        else {
            let reason = Reason { why: Why::SetBefore, until: None };
            return Next { at: None, reasons: vec![reason] };
        };
        tools.manners().why(known.case(), &prospect, site_quiet, tools.cycle, now)
    }

    /// Why a person is refused a refresh, if there is a reason.
    fn refused(&self, known: &Known, asking: Asking) -> Option<SourceError> {
        let firm = self.obstacle(known, Asking::Anyway);
        let reason = firm.or_else(|| self.obstacle(known, asking))?;
        let told = told(&reason, self.named_host(known), &self.config());
        Some(SourceError::TooEarly {
            url: known.url.to_string(),
            until: reason.until.unwrap_or(f64::INFINITY),
            why: told.detail,
            key: told.key,
            firm: firm.is_some(),
        })
    }

    /// What forbids a refresh that a person asks for: something that holds for the source, or for its site.
    fn obstacle(&self, known: &Known, asking: Asking) -> Option<Reason> {
        let now = self.clock.now();
        let held = self.crawler.tools.manners().forbids(known.case(), asking, now);
        let held = held.map(|hold| Reason { why: Why::Held(hold.cause), until: Some(hold.until) });
        let site = || self.crawler.site_quiet(known.id, now);
        held.or_else(|| site().map(|until| Reason { why: Why::SiteQuiet, until: Some(until) }))
    }

    fn named_host(&self, known: &Known) -> Option<String> {
        self.crawler.tools.manners().named_host(known.case())
    }
}
