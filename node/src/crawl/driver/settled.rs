//! After the commit: what is durable becomes known to the scheduler, the lanes, the counters and whoever
//! waits.

use pergola_refresh::Observation;
use tokio::sync::mpsc;
use url::Url;

use super::{Crawler, Report, locked};
use crate::archive::{SourceId, unknown};
use crate::crawl::courtesy::Outcome;
use crate::crawl::decide::Observed;
use crate::crawl::lanes::LaneId;
use crate::crawl::look::Refreshed;
use crate::crawl::loops::LoopChange;
use crate::crawl::read::Member;
use crate::metrics::Journey;
use crate::peer::link::Link;
use crate::peer::wire::Hints;
use crate::publish::writer::Committed;
use crate::websub::discovery::{Looked, Named};

/// What is left to be told of a look once it is durable.
pub(super) struct Settled {
    pub(super) id: SourceId,
    at: f64,
    url: String,
    schedule: pergola_refresh::Source,
    observed: Option<(Option<f64>, Observed)>,
    importance: f32,
    moved_to: Option<Url>,
    members: Option<Vec<Member>>,
    named: Option<Option<Named>>,
    again: bool,
    soon: bool,
    link: Option<Link>,
    hints: Option<Hints>,
    notes: Vec<String>,
    bytes: u64,
    mean_bytes: f64,
    edits: u64,
    lost: f64,
    loops: u64,
    archives: u32,
    loop_change: LoopChange,
    journeys: Vec<Journey>,
    pub(super) report: Report,
    pub(super) committed: Committed,
}

impl Settled {
    pub(super) fn of(refreshed: &mut Refreshed) -> Self {
        let schedule = &mut refreshed.state.schedule;
        // The model is large, and kept only with news.
        let schedule = match refreshed.state.unchanged_at {
            Some(_) => std::mem::replace(schedule, unknown()),
            None => schedule.clone(),
        };
        let Refreshed { id, at, outcome, record, state, .. } = &*refreshed;
        let new_items = refreshed.observed.as_ref().map_or(0, |(_, seen)| seen.new_items);
        let report = Report {
            source: *id,
            outcome: *outcome,
            new_items,
            trouble: state.trouble.clone(),
            next_at: state.next_at,
        };
        Self {
            id: *id,
            at: *at,
            url: record.url.clone(),
            schedule,
            observed: refreshed.observed.clone(),
            importance: record.importance,
            moved_to: refreshed.moved.then(|| Url::parse(&record.url).ok()).flatten(),
            members: refreshed.members.clone(),
            named: refreshed.named.clone(),
            again: refreshed.again,
            soon: refreshed.soon,
            link: refreshed.link.clone(),
            hints: refreshed.hints.clone(),
            notes: refreshed.notes.clone(),
            bytes: refreshed.bytes,
            mean_bytes: state.tally.bytes as f64 / state.tally.requests.max(1) as f64,
            edits: refreshed.news.iter().filter(|news| news.edited).count() as u64,
            lost: refreshed.lost,
            loops: refreshed.loops as u64,
            archives: refreshed.archives,
            loop_change: refreshed.loop_change.clone(),
            journeys: journeys(refreshed),
            report,
            committed: Committed::default(),
        }
    }

    /// What was observed, as a model learns from it.
    fn observation(&self) -> Option<Observation<'_>> {
        let (since, observed) = self.observed.as_ref()?;
        Some(Observation {
            at: self.at,
            since: *since,
            new_items: observed.new_items,
            window: observed.window,
            censored: observed.censored,
            dates: &observed.dates,
        })
    }
}

/// The ways of new items through the mesh. What a first look shows has been there for long.
fn journeys(refreshed: &Refreshed) -> Vec<Journey> {
    if refreshed.observed.as_ref().is_none_or(|(since, _)| since.is_none()) {
        return Vec::new();
    }
    let new = refreshed.news.iter().filter(|news| !news.edited);
    new.filter_map(|news| Journey::of(&news.item)).collect()
}

impl Crawler {
    /// What is durable becomes known: to the scheduler, the lanes, the counters and whoever waits.
    pub(super) fn settle(&self, mut settled: Settled) {
        let schedule = std::mem::replace(&mut settled.schedule, unknown());
        if let Some(link) = settled.link.take() {
            self.peers.put(settled.id, link);
        }
        let Settled { id, observed, at, report, .. } = &settled;
        // Without news nothing was learnt about who wants what.
        let relevance = (report.new_items > 0)
            .then(|| self.desk.relevance(*id, *at) * f64::from(settled.importance));
        let moved_to = settled.moved_to.as_ref().map(|url| (url, self.lane_of(url)));
        let peer = self.peers.is_known(*id).then(|| Url::parse(&settled.url).ok()).flatten();
        let lane = peer.map(|url| self.lane_for(*id, &url));
        {
            let mut roster = self.roster();
            let observation = settled.observation();
            roster.charge(settled.archives);
            let learnt = observation.as_ref().map(|seen| (schedule, seen));
            if let Some((url, lane)) = &moved_to {
                roster.moved(*id, url.as_str(), *lane);
            }
            if let Some(lane) = lane {
                roster.set_lane(*id, lane);
            }
            let outcome = roster
                .settle(*id, learnt, report.next_at)
                .and_then(|()| roster.pay(*id, settled.bytes, settled.mean_bytes))
                .and_then(|()| relevance.map_or(Ok(()), |worth| roster.weigh(*id, worth)));
            match &settled.hints {
                Some(hints) => roster.hinted(*id, hints),
                // A look that failed says nothing about what its peer would have said.
                None if observed.is_some() => roster.unhinted(*id),
                None => {}
            }
            roster.published(*id, self.clock.now());
            if let Err(invalid) = outcome {
                tracing::error!(source = id.0, %invalid, "the scheduler refused a source's state");
            }
        }
        self.metrics.refreshed(report.outcome);
        self.metrics.bytes.inc_by(settled.bytes);
        self.count_news(&settled);
        if let Some(members) = settled.members.clone()
            && self.lists.try_send((*id, members)).is_err()
        {
            tracing::warn!(source = id.0, "too many lists at once; it is read again next time");
        }
        self.tell_of_hub(&settled);
        if settled.again {
            return self.send_now(*id);
        }
        for waiting in locked(&self.waiting).remove(id).into_iter().flatten() {
            // Whoever asked may have gone.
            let _ = waiting.send(report.clone());
        }
        if settled.soon || self.peers.has_more_news(*id) {
            self.send_now(*id);
        }
    }

    /// The same for news that were pushed: nothing was asked of the source, so that neither its lane nor
    /// the budget nor its next look is concerned.
    pub(super) fn settle_pushed(&self, mut settled: Settled) {
        let schedule = std::mem::replace(&mut settled.schedule, unknown());
        let Settled { id, at, report, .. } = &settled;
        let relevance = (report.new_items > 0)
            .then(|| self.desk.relevance(*id, *at) * f64::from(settled.importance));
        if let Some(observation) = settled.observation() {
            let mut roster = self.roster();
            let outcome = roster
                .learnt(*id, schedule, &observation)
                .and_then(|()| relevance.map_or(Ok(()), |worth| roster.weigh(*id, worth)));
            if let Err(invalid) = outcome {
                tracing::error!(source = id.0, %invalid, "the scheduler refused a source's state");
            }
        }
        self.count_news(&settled);
    }

    /// Counts and logs what came, by whatever way.
    fn count_news(&self, settled: &Settled) {
        let Settled { id, observed, at, report, committed, .. } = settled;
        self.metrics.items.inc_by(u64::from(report.new_items));
        self.metrics.edits.inc_by(settled.edits);
        self.metrics.lost.inc_by(settled.lost);
        self.metrics.loops.inc_by(settled.loops);
        self.metrics.archives.inc_by(u64::from(settled.archives));
        self.metrics.published.inc_by(committed.published as u64);
        for date in
            observed.iter().flat_map(|(since, seen)| seen.dates.iter().filter(|_| since.is_some()))
        {
            self.metrics.delay.observe((at - date).max(0.0));
        }
        settled.journeys.iter().for_each(|journey| self.metrics.ages.count(*journey));
        self.loops.settle(*id, &settled.url, settled.loop_change.clone());
        for note in &settled.notes {
            tracing::info!(source = id.0, url = settled.url, note, "source");
        }
    }

    /// Whoever talks to hubs hears of a look at a source that names one, or did. Peers have ways of
    /// their own to tell each other.
    fn tell_of_hub(&self, settled: &Settled) {
        let Settled { id, at, observed: Some((since, _)), named, .. } = settled else { return };
        let names_one = matches!(named, Some(Some(_)));
        if !names_one && !self.roster().has_hub(*id) {
            return;
        }
        let named_peer = |url: Url| self.manners.rules.rules_for(&url).peer;
        let peer = self.peers.is_known(*id) || Url::parse(&settled.url).is_ok_and(named_peer);
        let named = if peer { Some(None) } else { named.clone() };
        let new_items = settled.report.new_items;
        let looked = Looked { id: *id, at: *at, since: *since, new_items, named };
        if let Err(mpsc::error::TrySendError::Full(looked)) = self.looks.try_send(looked) {
            let source = looked.id.0;
            tracing::warn!(source, "too many hubs at once; the next look tells again");
        }
    }

    /// The host rests if enough of its URLs want it to.
    pub(super) fn obey_pause(&self, host: &str, refreshed: &Refreshed, lane: LaneId) {
        let Some(until) = refreshed.host_pause else {
            return locked(&self.pauses).forget(host, refreshed.id.0);
        };
        let pause = locked(&self.pauses).report(host, refreshed.id.0, until, refreshed.at);
        if let Some(until) = pause {
            tracing::info!(host, until, "the host wants quiet");
            locked(&self.lanes).pause(lane, until);
        }
    }

    /// Counts what was done to a host; saved with the next sample.
    pub(super) fn count_host(&self, host: &str, refreshed: &Refreshed) {
        let mut hosts = locked(&self.hosts);
        if !hosts.contains_key(host) {
            hosts.insert(host.to_owned(), Default::default());
        }
        let Some((tally, saved)) = hosts.get_mut(host) else { return };
        let courtesy = &refreshed.state.courtesy;
        tally.requests += 1 + u64::from(refreshed.archives);
        tally.not_modified += u64::from(refreshed.not_modified);
        tally.bytes += refreshed.bytes;
        tally.pauses += u64::from(refreshed.outcome == Outcome::Paused);
        tally.hints += u64::from(courtesy.lifetime.is_some() || courtesy.period.is_some());
        tally.last = refreshed.at;
        *saved = false;
    }
}
