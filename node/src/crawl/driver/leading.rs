//! What a source may reach, and where it may be led.
//!
//! Permission to reach a private host, and what the configuration or a source shows to let us in, belong to addresses
//! that the operator has named. Redirects, pages, archives, hubs and lists are written by strangers: they lead to
//! what anybody could reach, and nowhere else.

use pergola_feed::address::Shown;
use pergola_manners::conclude::Subject;
use pergola_manners::courtesy::FailureKind;
use pergola_manners::heard::{Carrier, Heard, Said};
use pergola_manners::reply::Failure;
use pergola_manners::source::SourceRecord;
use pergola_store::archive::{ArchiveError, SourceId};
use url::Url;

use super::Crawler;
use pergola_outside::mandate::Mandate;

/// A temporary redirect: it says nothing about where a source is next time.
const TEMPORARY: u16 = 307;

impl Crawler {
    /// What a source may reach: the address by which the operator has named it, or the lists that name it.
    pub(crate) fn mandate(&self, record: &SourceRecord) -> Result<Mandate, ArchiveError> {
        let named = |record: &SourceRecord| Url::parse(record.named_address()).ok();
        if record.is_named() {
            return Ok(Mandate::of_all(named(record)));
        }
        let mut lists = Vec::new();
        for list in &record.lists {
            lists.extend(self.tools.archive.source(*list)?.as_ref().and_then(named));
        }
        Ok(Mandate::of_all(lists))
    }

    /// The same for a source that may be gone; one that cannot be read reaches only what is public.
    pub(crate) fn mandate_of(&self, id: SourceId) -> Mandate {
        let record = self.tools.archive.source(id).ok().flatten();
        record.and_then(|record| self.mandate(&record).ok()).unwrap_or_default()
    }

    /// Whether something that is shown our credentials was named by the operator itself.
    pub(crate) fn names_itself(&self, id: SourceId, url: &str) -> bool {
        Url::parse(url).is_ok_and(|url| self.mandate_of(id).names_origin(&url))
    }

    /// Whether what strangers say may lead to an address for good: not to a private host, and not to where
    /// credentials of ours are shown, unless they are there already.
    pub(crate) fn may_lead(
        &self,
        from: &Mandate,
        record: Option<&SourceRecord>,
        to: &Url,
    ) -> Result<bool, ArchiveError> {
        let fetcher = &self.tools.fetcher;
        let private = fetcher.is_neighbour(to) && !from.names_host(to);
        let secret = fetcher.credentials().has_some_for(to) && !from.names_origin(to);
        if private || secret {
            return Ok(false);
        }
        let Some(resident) = self.resident(to.as_str()) else { return Ok(true) };
        let Some(there) = self.tools.archive.source(resident)? else { return Ok(true) };
        let open = there.credentials.is_none() && !there.private;
        let alike = |record: &SourceRecord| {
            (&record.credentials, record.private) == (&there.credentials, there.private)
        };
        Ok(open || record.is_some_and(alike))
    }

    /// Takes back what a source says about where it is, as far as strangers may not say it.
    pub(super) fn doubt(&self, subject: &Subject, heard: &mut Heard) -> Result<(), ArchiveError> {
        let hops = matches!(&heard.carrier, Carrier::Http(http) if !http.hops.is_empty());
        if !hops && !matches!(heard.said, Said::LeadsTo(_)) {
            return Ok(());
        }
        let mandate = self.mandate(&subject.record)?;
        let may_lead = |to: &Url| self.may_lead(&mandate, Some(&subject.record), to);
        if let Said::LeadsTo(to) = &heard.said
            && !may_lead(to)?
        {
            let words = format!(
                "the page leads to {}, which is private or is shown credentials: if that is meant, add that \
                 address with `pergola source add`",
                Shown(to.as_str())
            );
            heard.said = Said::Unusable(Failure { kind: FailureKind::PrivateAddress, words });
        }
        if let Carrier::Http(http) = &mut heard.carrier {
            for hop in http.hops.iter_mut().filter(|hop| matches!(hop.status, 301 | 308)) {
                if !may_lead(&hop.to)? {
                    hop.status = TEMPORARY;
                }
            }
        }
        Ok(())
    }
}
