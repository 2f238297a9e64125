//! What the page of one source tells besides its state: its rhythm, what it asks of readers, and who reads it.

use std::sync::Arc;

use pergola_api::Instant;
use pergola_api::source::{ReadingFeed, Rhythm, Wishes};
use pergola_feed::Limits;
use pergola_manners::courtesy::Courtesy;
use pergola_manners::look::Fetched;
use pergola_refresh::{DAY, HOUR, PublicationModel, Source, characteristics};
use pergola_store::archive::SourceId;
use url::Url;

use crate::crawl::driver::NoSight;
use crate::node::Node;

/// The share of hours that must agree on a shape.
const MAJORITY: f64 = 0.8;
const DAYS: [&str; 7] =
    ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// What was learnt of when a source publishes; nothing before its first refresh.
pub(crate) fn rhythm(schedule: &Source, next: Option<f64>, now: f64) -> Option<Rhythm> {
    let waiting = schedule.waiting(now)?;
    let mut by_hour = vec![0.0; 24];
    // The next whole day: a plan of its peer for today does not blur it.
    let midnight = ((now / DAY).floor() + 1.0) * DAY;
    schedule.model.forecast(midnight, HOUR, &mut by_hour);
    let shape = characteristics::Rhythm::of(&by_hour, MAJORITY).name().to_owned();
    let risk_of_loss = next.and_then(|at| schedule.risk_of_loss(at));
    Some(Rhythm { by_hour, shape, waiting, risk_of_loss })
}

/// What a source asks of readers.
pub(crate) fn wishes(courtesy: &Courtesy, now: f64) -> Wishes {
    let later = |until: f64| (until > now && until.is_finite()).then(|| Instant::from_unix(until));
    let pause = courtesy.pause.as_ref();
    let day = |day: u8| DAYS.get(usize::from(day)).map(|name| (*name).to_owned());
    Wishes {
        max_age: courtesy.lifetime,
        period: courtesy.period,
        skip_hours: courtesy.quiet_times.hours().collect(),
        skip_days: courtesy.quiet_times.days().filter_map(day).collect(),
        quiet_until: pause.and_then(|pause| later(pause.until)),
        quiet_status: pause.and_then(|pause| pause.status),
        asked_until: later(courtesy.asked_until),
        validators: courtesy.validators.etag.is_some()
            || courtesy.validators.last_modified.is_some(),
    }
}

impl Node {
    /// Fetches what is at an address; `as_page` if it is to be read by selectors, which its site may forbid.
    pub(crate) async fn look_at(&self, url: &Url, as_page: bool) -> Result<Arc<Fetched>, NoSight> {
        self.crawler.look_at(url, as_page).await
    }

    /// What a document may cost.
    pub(crate) fn document_limits(&self) -> Limits {
        self.crawler.tools.manners().limits.clone()
    }

    /// The feeds that read a source, by name, and the share of it that each keeps.
    pub(crate) fn reading_feeds(&self, id: SourceId) -> Vec<ReadingFeed> {
        let told = |(feed, share)| ReadingFeed { feed, share };
        self.desk.shares_by_feed(id, self.clock.now()).into_iter().map(told).collect()
    }
}
