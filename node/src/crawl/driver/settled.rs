//! After the commit: what is durable becomes known to the scheduler, the lanes, the counters and whoever
//! waits.

use std::sync::Arc;

use pergola_manners::courtesy::Outcome;
use pergola_manners::lanes::LaneId;
use pergola_refresh::{Observation, Source};
use pergola_store::archive::unknown;
use tokio::sync::mpsc;
use url::Url;

use super::{Crawler, Report};
use crate::crawl::conclude::Refreshed;
use crate::crawl::discovery::RefreshNotice;
use crate::metrics::Journey;
use crate::writer::Committed;

/// What was observed, as a model learns from it.
fn observation(refreshed: &Refreshed) -> Option<Observation<'_>> {
    let (since, observed) = refreshed.observed.as_ref()?;
    Some(Observation {
        at: refreshed.at,
        since: *since,
        new_items: observed.new_items,
        window: observed.window,
        censored: observed.censored,
        dates: &observed.dates,
    })
}

/// What the scheduler is to believe of the source from now on. The model is large, and by now nobody
/// else has it in hand: it is taken out rather than copied.
fn schedule(refreshed: &mut Arc<Refreshed>) -> Source {
    match Arc::get_mut(refreshed) {
        Some(refreshed) => std::mem::replace(&mut refreshed.state.schedule, unknown()),
        None => refreshed.state.schedule.clone(),
    }
}

/// The ways of new items through the mesh. What a first refresh shows has been there for long.
fn journeys(refreshed: &Refreshed) -> impl Iterator<Item = Journey> {
    let first = refreshed.observed.as_ref().is_none_or(|(since, _)| since.is_none());
    let new = refreshed.news.iter().filter(move |news| !first && !news.edited);
    new.filter_map(|news| Journey::of(&news.item))
}

impl Refreshed {
    /// Items never seen before.
    fn new_items(&self) -> u32 {
        self.observed.as_ref().map_or(0, |(_, observed)| observed.new_items)
    }

    /// How it ended, for whoever asked for it.
    fn report(&self) -> Report {
        Report {
            source: self.id,
            outcome: self.outcome,
            new_items: self.new_items(),
            trouble: self.state.trouble.clone(),
            next_at: self.state.next_at,
        }
    }
}

impl Crawler {
    /// What is durable becomes known: to the scheduler, the lanes, the counters and whoever waits.
    pub(super) fn settle(&self, mut refreshed: Arc<Refreshed>, committed: Committed) {
        let schedule = schedule(&mut refreshed);
        let refreshed = &*refreshed;
        let Refreshed { id, record, state, .. } = refreshed;
        if let Some(link) = &refreshed.link {
            self.peers.put(*id, link.clone());
        }
        let relevance = self.relevance(refreshed);
        let url = || Url::parse(&record.url).ok();
        let moved_to = refreshed.moved.then(url).flatten().map(|url| self.lane_of(&url));
        let peer = self.peers.is_known(*id).then(url).flatten();
        let lane = peer.map(|url| self.lane_for(*id, &url));
        {
            let mut roster = self.roster();
            let observation = observation(refreshed);
            roster.charge(refreshed.archives);
            let learnt = observation.as_ref().map(|seen| (schedule, seen));
            if let Some(lane) = moved_to {
                roster.moved(*id, &record.url, lane);
            }
            if let Some(lane) = lane {
                roster.set_lane(*id, lane);
            }
            let mean_bytes = state.tally.bytes as f64 / state.tally.requests.max(1) as f64;
            let outcome = roster
                .settle(*id, learnt, state.next_at)
                .and_then(|()| roster.pay(*id, refreshed.bytes, mean_bytes))
                .and_then(|()| relevance.map_or(Ok(()), |worth| roster.weigh(*id, worth)));
            match &refreshed.hints {
                Some(hints) => roster.hinted(*id, hints),
                // A refresh that failed says nothing about what its peer would have said.
                None if refreshed.observed.is_some() => roster.unhinted(*id),
                None => {}
            }
            roster.published(*id, self.clock.now());
            if let Err(invalid) = outcome {
                tracing::error!(source = id.0, %invalid, "the scheduler refused a source's state");
            }
        }
        self.metrics.refreshed(refreshed.outcome);
        self.metrics.bytes.inc_by(refreshed.bytes);
        self.count_news(refreshed, committed);
        if let Some(members) = &refreshed.members
            && self.lists.try_send((*id, members.clone())).is_err()
        {
            tracing::warn!(source = id.0, "too many lists at once; it is read again next time");
        }
        self.tell_of_hub(refreshed);
        if refreshed.again {
            return self.send_now(*id);
        }
        let waiting = self.waiting.lock().remove(id);
        for waiting in waiting.into_iter().flatten() {
            // Whoever asked may have gone.
            let _ = waiting.send(refreshed.report());
        }
        if self.peers.has_more_news(*id) {
            self.send_told(*id);
        } else if refreshed.soon {
            self.send_now(*id);
        }
    }

    /// The same for news that were pushed: nothing was asked of the source, so that neither its lane nor
    /// the budget nor its next refresh is concerned. Returns how many were new.
    pub(super) fn settle_pushed(&self, mut refreshed: Arc<Refreshed>, committed: Committed) -> u32 {
        let schedule = schedule(&mut refreshed);
        let id = refreshed.id;
        let relevance = self.relevance(&refreshed);
        if let Some(observation) = observation(&refreshed) {
            let mut roster = self.roster();
            let outcome = roster
                .learnt(id, schedule, &observation)
                .and_then(|()| relevance.map_or(Ok(()), |worth| roster.weigh(id, worth)));
            if let Err(invalid) = outcome {
                tracing::error!(source = id.0, %invalid, "the scheduler refused a source's state");
            }
        }
        self.count_news(&refreshed, committed);
        refreshed.new_items()
    }

    /// What an item of the source is worth now; without news nothing was learnt about who wants what.
    fn relevance(&self, refreshed: &Refreshed) -> Option<f64> {
        let importance = f64::from(refreshed.record.importance);
        (refreshed.new_items() > 0)
            .then(|| self.desk.relevance(refreshed.id, refreshed.at) * importance)
    }

    /// Counts and logs what came, by whatever way.
    fn count_news(&self, refreshed: &Refreshed, committed: Committed) {
        let Refreshed { id, at, observed, news, .. } = refreshed;
        let edits = news.iter().filter(|news| news.edited).count() as u64;
        self.metrics.items.inc_by(u64::from(refreshed.new_items()));
        self.metrics.edits.inc_by(edits);
        self.metrics.lost.inc_by(refreshed.lost);
        self.metrics.loops.inc_by(refreshed.loops as u64);
        self.metrics.archives.inc_by(u64::from(refreshed.archives));
        self.metrics.published.inc_by(committed.published as u64);
        for date in
            observed.iter().flat_map(|(since, seen)| seen.dates.iter().filter(|_| since.is_some()))
        {
            self.metrics.delay.observe((at - date).max(0.0));
        }
        journeys(refreshed).for_each(|journey| self.metrics.ages.count(journey));
        let url = &refreshed.record.url;
        self.loops.settle(*id, url, refreshed.loop_change.clone());
        for note in &refreshed.notes {
            tracing::info!(source = id.0, url, note, "source");
        }
    }

    /// Whoever talks to hubs hears of a refresh of a source that names one, or did. Peers have ways of
    /// their own to tell each other.
    fn tell_of_hub(&self, refreshed: &Refreshed) {
        let Refreshed { id, at, observed: Some((since, _)), named, .. } = refreshed else { return };
        let names_one = matches!(named, Some(Some(_)));
        if !names_one && !self.roster().has_hub(*id) {
            return;
        }
        let named_peer = |url: Url| self.manners.rules.rules_for(&url).peer;
        let peer =
            self.peers.is_known(*id) || Url::parse(&refreshed.record.url).is_ok_and(named_peer);
        let named = if peer { Some(None) } else { named.clone() };
        let new_items = refreshed.new_items();
        let refreshed = RefreshNotice { id: *id, at: *at, since: *since, new_items, named };
        if let Err(mpsc::error::TrySendError::Full(refreshed)) = self.refreshes.try_send(refreshed)
        {
            let source = refreshed.id.0;
            tracing::warn!(source, "too many hubs at once; the next refresh tells again");
        }
    }

    /// The host rests if enough of its URLs want it to.
    pub(super) fn obey_pause(&self, host: &str, refreshed: &Refreshed, lane: LaneId) {
        let Some(until) = refreshed.host_pause else {
            return self.pauses.lock().forget(host, refreshed.id.0);
        };
        let pause = self.pauses.lock().report(host, refreshed.id.0, until, refreshed.at);
        if let Some(until) = pause {
            tracing::info!(host, until, "the host wants quiet");
            self.lanes.lock().pause(lane, until);
        }
    }

    /// Counts what was done to a host; saved with the next sample.
    pub(super) fn count_host(&self, host: &str, refreshed: &Refreshed) {
        let mut hosts = self.hosts.lock();
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
