//! How this node treats sites, for the page that their owners read.
//!
//! Everything is read where it is in force, not from the configuration: a new configuration may wait for a restart.

use url::Url;

use super::Node;
use pergola_pages::public::about::Conduct;

impl Node {
    /// How the node treats sites, and a host (which may be empty) if differently.
    pub(crate) fn conduct(&self, host: &str) -> Conduct {
        let crawler = &self.crawler;
        let manners = crawler.tools.manners();
        let rules = &manners.rules;
        let usual = rules.usual().clone();
        let named = Url::parse(&format!("https://{host}/")).ok();
        let here = named.map(|url| rules.rules_for(&url)).filter(|here| **here != usual).cloned();
        let (spacing, parallel) = crawler.usual_pace();
        let node = &self.config().node;
        let own = node.contact.as_str().starts_with(node.public_url.as_str());
        Conduct {
            agent: crawler.tools.fetcher.agent(),
            usual,
            here,
            spacing,
            parallel,
            per_minute: crawler.per_minute(),
            contact: (!own).then(|| node.contact.to_string()),
        }
    }
}
