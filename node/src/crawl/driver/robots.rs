//! Before a page is read by selectors, its site is asked for robots.txt, at most once a day.
//!
//! The file is asked for in the lane of the page, so the site sees one request after the other; it costs budget
//! like any other request, and private networks are out of its reach, too.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method};
use pergola_manners::courtesy::FailureKind;
use pergola_manners::lanes::LaneId;
use pergola_manners::refreshed::HostVisit;
use pergola_manners::reply::Failure;
use pergola_manners::robots::{Disallowed, LIFETIME, MOST_BYTES, REDIRECTS, Robots, file_for};
use tokio::sync::OnceCell;
use url::Url;

use super::Crawler;
use super::asking::silence;
use super::received::Received;
use pergola_outside::fetch::{Answered, Ask, Call, Called, FetchError, Fetcher, Permission};
use pergola_outside::locks::Mutex;
use pergola_outside::mandate::Mandate;

/// The name by which files call us.
const AGENT: &str = "Pergola";
/// Seconds until a site is asked again that could not say what it allows.
const UNKNOWN_LIFETIME: f64 = 600.0;
/// How long a site may take for the file.
const TIMEOUT: Duration = Duration::from_secs(20);
/// The page is not read now if the lane has to rest for longer than this after the file.
const PATIENCE: f64 = 60.0;
/// Sites whose files are remembered.
const REMEMBERED: usize = 500;

/// The files of sites, by origin.
#[derive(Default)]
pub(super) struct Files {
    slots: Mutex<HashMap<String, Arc<Slot>>>,
}

/// The file of one site; empty until it is read.
#[derive(Default)]
struct Slot {
    known: OnceCell<Known>,
    /// What was known before, for a site that cannot say.
    before: Option<Arc<Robots>>,
}

#[derive(Clone)]
struct Known {
    until: f64,
    robots: Arc<Robots>,
}

impl Files {
    /// The place of a file; a new one once the old one has expired.
    fn slot(&self, origin: &str, now: f64) -> Arc<Slot> {
        let mut slots = self.slots.lock();
        let holds = |slot: &Slot| slot.known.get().is_none_or(|known| known.until > now);
        if slots.len() >= REMEMBERED && !slots.contains_key(origin) {
            slots.retain(|_, slot| holds(slot));
            if slots.len() >= REMEMBERED {
                slots.clear();
            }
        }
        let slot = slots.entry(origin.to_owned()).or_default();
        if !holds(slot) {
            let before = slot.known.get().map(|known| Arc::clone(&known.robots));
            let before = before.filter(|robots| !matches!(**robots, Robots::Unknown(_)));
            *slot = Arc::new(Slot { before, ..Slot::default() });
        }
        Arc::clone(slot)
    }
}

impl Crawler {
    /// Reads a page where its site allows it, and whether it was asked for. A redirect needs permission, too.
    pub(super) async fn get_page(&self, ask: &Ask, lane: LaneId) -> (Received, bool) {
        let site = Site { crawler: self, lane, mandate: &ask.mandate };
        if let Err(error) = site.ask(&ask.url).await {
            return (silence(&error, true), false);
        }
        let conditional = !ask.validators.is_empty();
        let received = match self.tools.fetcher.fetch_if(ask, Some(&site)).await {
            Ok(answer) => Received::Http { answer: Box::new(answer), conditional, refusal: None },
            Err(error) => silence(&error, conditional),
        };
        (received, true)
    }

    /// Whether a page may be read. Feeds are published to be fetched, and nobody asks for them.
    async fn permission(&self, page: &Url, lane: LaneId, mandate: Mandate) -> Result<(), Failure> {
        let clock = &self.tools.clock;
        let slot = self.robots.slot(&page.origin().ascii_serialization(), clock.now());
        let mut asked = false;
        let known = slot.known.get_or_try_init(|| {
            asked = true;
            self.read_file(page, slot.before.clone(), mandate)
        });
        let known = known.await.map_err(|error| error.failure())?.clone();
        known.robots.check(page).map_err(failure)?;
        if asked {
            let at = self.lanes.lock().again(lane, clock.now(), PATIENCE);
            clock.sleep_until(at.ok_or_else(|| not_now(page))?).await;
        }
        Ok(())
    }

    /// Asks a site for its file.
    async fn read_file(
        &self,
        page: &Url,
        before: Option<Arc<Robots>>,
        mandate: Mandate,
    ) -> Result<Known, FetchError> {
        let (answer, requests) = file(&self.tools.fetcher, file_for(page), mandate).await;
        let now = self.tools.clock.now();
        self.roster().charge(requests);
        let bytes = answer.as_ref().map_or(0, |answer| answer.body.len() as u64);
        let visit = HostVisit {
            at: now,
            requests,
            not_modified: false,
            bytes,
            paused: false,
            hinted: false,
            pause_until: None,
        };
        self.count_visit(page.host_str().unwrap_or_default(), &visit);
        let robots = answer.map(|answer| Robots::of_answer(answer.status, &answer.body, AGENT));
        match (robots, before) {
            (Err(_) | Ok(Robots::Unknown(_)), Some(robots)) => {
                Ok(Known { until: now + UNKNOWN_LIFETIME, robots })
            }
            (Ok(robots), _) => {
                let unknown = matches!(robots, Robots::Unknown(_));
                let lifetime = if unknown { UNKNOWN_LIFETIME } else { LIFETIME };
                Ok(Known { until: now + lifetime, robots: Arc::new(robots) })
            }
            (Err(error), None) => Err(error),
        }
    }
}

/// A site whose pages are read, in its lane.
struct Site<'a> {
    crawler: &'a Crawler,
    lane: LaneId,
    /// What the source may reach.
    mandate: &'a Mandate,
}

impl Permission for Site<'_> {
    fn ask<'a>(&'a self, page: &'a Url) -> Answered<'a> {
        let asked = self.crawler.permission(page, self.lane, self.mandate.clone().after(page));
        Box::pin(async { asked.await.map_err(FetchError::Disallowed) })
    }
}

/// The beginning of a file, wherever its site has put it, and how many requests that took.
async fn file(
    fetcher: &Fetcher,
    mut url: Url,
    mut mandate: Mandate,
) -> (Result<Called, FetchError>, u32) {
    let mut requests = 0;
    loop {
        let call = Call {
            url: url.clone(),
            method: Method::GET,
            headers: HeaderMap::new(),
            body: Bytes::new(),
            mandate: mandate.clone(),
            timeout: TIMEOUT,
            answer_bytes: MOST_BYTES,
        };
        requests += 1;
        let answer = fetcher.call(call).await;
        let target = answer.as_ref().ok().and_then(|answer| answer.location.clone());
        match target {
            Some(target) if is_redirect(&answer) && requests as usize <= REDIRECTS => {
                mandate = mandate.after(&target);
                url = target;
            }
            _ => return (answer, requests),
        }
    }
}

fn is_redirect(answer: &Result<Called, FetchError>) -> bool {
    answer.as_ref().is_ok_and(|answer| matches!(answer.status, 301 | 302 | 303 | 307 | 308))
}

fn failure(disallowed: Disallowed) -> Failure {
    let kind = match disallowed {
        Disallowed::Rule { .. } => FailureKind::Forbidden,
        Disallowed::Unknown { .. } => FailureKind::ServerError,
    };
    Failure { kind, words: disallowed.to_string() }
}

/// The site was asked for its file and wants to be left alone for long.
fn not_now(page: &Url) -> Failure {
    let host = page.host_str().unwrap_or_default();
    let words = format!("robots.txt of {host} was read first; the page is read next time");
    Failure { kind: FailureKind::Timeout, words }
}
