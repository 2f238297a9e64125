//! After the commit: what is durable becomes known to the scheduler, the counters and whoever waits.

use std::sync::Arc;

use pergola_feed::address::{Shown, has_secrets};
use pergola_manners::hub::{Advertised, HubNotice};
use pergola_manners::refreshed::{Again, Plan, Refreshed, Scheduling, SourceChange};
use pergola_manners::roster::Roster;
use pergola_refresh::{Invalid, Observation, Source};
use pergola_store::archive::{SourceId, SourceRecord, unknown};
use tokio::sync::mpsc;
use url::Url;

use super::{Crawler, Report};
use crate::metrics::Journey;
use crate::writer::Committed;

impl Crawler {
    /// The result of a refresh is durable.
    pub(super) fn settle(&self, mut refreshed: Refreshed, committed: Committed) {
        let id = refreshed.change.id;
        let double = self.is_double(&refreshed.change);
        let model = model(&mut refreshed.change);
        if let Some(link) = &refreshed.change.link {
            self.tools.peers.put(id, link.clone());
        }
        self.note_standing(id, &refreshed.change.state.courtesy);
        self.tell_scheduler(&refreshed, model);
        self.tools.metrics.refreshed(refreshed.account.outcome);
        self.tools.metrics.bytes.inc_by(refreshed.schedule.bytes);
        self.count_news(&refreshed, committed);
        if let Some(members) = refreshed.list.take()
            && self.tools.lists.try_send((id, members)).is_err()
        {
            tracing::warn!(source = id.0, "too many lists at once; it is read again next time");
        }
        if let Some(notice) = refreshed.hub.take() {
            self.tell_subscriber(notice, &refreshed.change.record);
        }
        if double {
            self.roster().remove(id);
        } else if refreshed.schedule.again == Again::Unfinished && self.send_now(id) {
            return;
        }
        let waiting = self.waiting.lock().remove(&id);
        for waiting in waiting.into_iter().flatten() {
            // Whoever asked may have gone.
            let _ = waiting.send(report(&refreshed));
        }
        if double {
            return self.arrivals.push(id);
        }
        if self.tools.peers.has_more_news(id) {
            self.send_told(id);
        } else if refreshed.schedule.again == Again::FoundPeer {
            self.send_now(id);
        }
    }

    /// A pushed document is durable. The source was not asked, so neither its lane nor the budget nor its
    /// next refresh changes.
    pub(super) fn settle_push(&self, mut refreshed: Refreshed, committed: Committed) {
        let model = model(&mut refreshed.change);
        let relevance = self.relevance(&refreshed);
        let id = refreshed.change.id;
        self.note_standing(id, &refreshed.change.state.courtesy);
        if let Some(observation) = observation(&refreshed) {
            let mut roster = self.roster();
            let learnt = roster.learnt(id, model, &observation);
            check(id, learnt.and_then(|()| weigh(&mut roster, id, relevance)));
        }
        self.count_news(&refreshed, committed);
    }

    fn tell_scheduler(&self, refreshed: &Refreshed, model: Source) {
        let Refreshed { change, schedule, .. } = refreshed;
        let SourceChange { id, record, state, .. } = &**change;
        let id = *id;
        let relevance = self.relevance(refreshed);
        let url = || Url::parse(&record.url).ok();
        let moved_to = change.moved.then(url).flatten().map(|url| self.lane_of(&url));
        let peer = self.tools.peers.is_known(id).then(url).flatten();
        let lane = peer.map(|url| self.lane_for(id, &url));
        let Scheduling { next_at, quiet_until, more_requests, bytes, plan, .. } = schedule;
        let observation = observation(refreshed);
        let mut roster = self.roster();
        roster.charge(*more_requests);
        if let Some(lane) = moved_to {
            roster.moved(id, &record.url, lane);
        }
        if let Some(lane) = lane {
            roster.set_lane(id, lane);
        }
        roster.keep_quiet(id, *quiet_until);
        let learnt = observation.as_ref().map(|seen| (model, seen));
        let mean_bytes = state.tally.bytes as f64 / state.tally.requests.max(1) as f64;
        let settled = roster
            .settle(id, learnt, *next_at)
            .and_then(|()| roster.pay(id, *bytes, mean_bytes))
            .and_then(|()| weigh(&mut roster, id, relevance));
        check(id, settled);
        match plan {
            Plan::Planned(hints) => roster.hinted(id, hints),
            Plan::Unknown => roster.unhinted(id),
            Plan::AsBefore => {}
        }
        roster.published(id, self.tools.clock.now());
    }

    /// What an item of the source is worth now; without news nothing was learnt about who wants what.
    fn relevance(&self, refreshed: &Refreshed) -> Option<f64> {
        let SourceChange { id, at, record, .. } = &*refreshed.change;
        let importance = f64::from(record.importance);
        (refreshed.new_items() > 0).then(|| self.tools.desk.relevance(*id, *at) * importance)
    }

    /// Counts and logs what came, fetched or pushed.
    fn count_news(&self, refreshed: &Refreshed, committed: Committed) {
        let Refreshed { change, schedule, account, .. } = refreshed;
        let SourceChange { id, at, news, record, .. } = &**change;
        let metrics = &self.tools.metrics;
        let edits = news.iter().filter(|news| news.edited).count() as u64;
        metrics.items.inc_by(u64::from(refreshed.new_items()));
        metrics.edits.inc_by(edits);
        metrics.lost.inc_by(account.lost);
        metrics.loops.inc_by(account.returned as u64);
        metrics.archives.inc_by(u64::from(account.archives));
        metrics.published.inc_by(committed.published as u64);
        // What a first refresh shows may have been there for long.
        if let Some((Some(_), observed)) = &schedule.observed {
            for date in &observed.dates {
                metrics.delay.observe((at - date).max(0.0));
            }
            let new = news.iter().filter(|news| !news.edited);
            let journeys = new.filter_map(|news| Journey::of(&news.item));
            journeys.for_each(|journey| metrics.ages.count(journey));
        }
        let url = Shown(&record.url);
        self.loops.settle(*id, url, change.loop_change.clone());
        for note in &account.notes {
            tracing::info!(source = id.0, %url, note, "source");
        }
    }

    /// Tells whoever subscribes to hubs of a refresh of a source that advertises one, or did. Peers notify
    /// each other in their own way, and a hub is not told of a source that is a secret.
    fn tell_subscriber(&self, mut notice: HubNotice, record: &SourceRecord) {
        let id = notice.id;
        let has_hub = matches!(notice.advertised, Advertised::Hub(_));
        if !has_hub && !self.roster().has_hub(id) {
            return;
        }
        let named_peer = |url: Url| self.tools.manners().rules.rules_for(&url).peer;
        let by_peer =
            self.tools.peers.is_known(id) || Url::parse(&record.url).is_ok_and(named_peer);
        if by_peer || is_secret(record, &notice.advertised) {
            notice.advertised = Advertised::NoHub;
        }
        let sent = self.tools.hub_notices.try_send(notice);
        if let Err(mpsc::error::TrySendError::Full(_)) = sent {
            tracing::warn!(source = id.0, "too many hubs at once; the next refresh tells again");
        }
    }
}

/// Whether a hub would learn what only its source may know.
fn is_secret(record: &SourceRecord, advertised: &Advertised) -> bool {
    let in_topic = match advertised {
        Advertised::Hub(named) => has_secrets(named.topic.as_str()),
        Advertised::NoHub | Advertised::Unknown => false,
    };
    record.private || record.credentials.is_some() || in_topic
}

/// What the scheduler is to believe of the source from now on. The model is large, and the store is done
/// with it by now: it is taken out rather than copied.
fn model(change: &mut Arc<SourceChange>) -> Source {
    match Arc::get_mut(change) {
        Some(change) => std::mem::replace(&mut change.state.schedule, unknown()),
        None => change.state.schedule.clone(),
    }
}

/// What was observed, as a model learns from it.
fn observation(refreshed: &Refreshed) -> Option<Observation<'_>> {
    let (since, observed) = refreshed.schedule.observed.as_ref()?;
    Some(Observation {
        at: refreshed.change.at,
        since: *since,
        new_items: observed.new_items,
        window: observed.window,
        censored: observed.censored,
        dates: &observed.dates,
    })
}

fn weigh(roster: &mut Roster, id: SourceId, relevance: Option<f64>) -> Result<(), Invalid> {
    relevance.map_or(Ok(()), |relevance| roster.weigh(id, relevance))
}

fn check(id: SourceId, settled: Result<(), Invalid>) {
    if let Err(invalid) = settled {
        tracing::error!(source = id.0, %invalid, "the scheduler refused a source's state");
    }
}

/// How a refresh ended, for whoever asked for it.
fn report(refreshed: &Refreshed) -> Report {
    let SourceChange { id, state, .. } = &*refreshed.change;
    Report {
        source: *id,
        outcome: refreshed.account.outcome,
        new_items: refreshed.new_items(),
        trouble: state.trouble.clone(),
        next_at: state.next_at,
    }
}

#[cfg(test)]
mod tests {
    use pergola_manners::hub::NamedHub;
    use pergola_manners::source::Credentials;

    use super::*;

    #[test]
    fn a_hub_is_not_told_of_a_source_that_is_a_secret() {
        let url = |text: &str| Url::parse(text).unwrap();
        let hub = |topic: &str| {
            Advertised::Hub(NamedHub { hub: url("https://hub.example/"), topic: url(topic) })
        };
        let plain = SourceRecord::new("https://a.example/rss", 0.0);
        assert!(!is_secret(&plain, &hub("https://a.example/rss")));
        assert!(!is_secret(&plain, &Advertised::NoHub));
        assert!(is_secret(&plain, &hub("https://a.example/rss?token=sesame")));
        let private = SourceRecord { private: true, ..plain.clone() };
        assert!(is_secret(&private, &hub("https://a.example/rss")));
        let credentials = Credentials::taken_from(&mut url("https://bob:sesame@a.example/"));
        let closed = SourceRecord { credentials, ..plain };
        assert!(is_secret(&closed, &hub("https://a.example/rss")));
    }
}
