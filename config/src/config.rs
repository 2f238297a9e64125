//! The whole configuration.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use pergola_manners::networks::PrivateException;

use crate::api::Api;
use crate::budget::Budget;
use crate::clock::Clock;
use crate::crawl::Crawl;
use crate::declared_feed::{DeclaredFeed, DeclaredFeeds};
use crate::document::{Document, Existing, Form, numbered};
use crate::feeds::Feeds;
use crate::hosts::{HostRule, Hosts};
use crate::log::Log;
use crate::mail::Mail;
use crate::node::Node;
use crate::openid::OpenId;
use crate::origin::Origin;
use crate::peers::Peers;
use crate::readers::Reader;
use crate::reading::Reading;
use crate::schedule::Schedule;
use crate::sources::{DeclaredSources, Source};
use crate::store::Store;
use crate::tls::Tls;
use crate::websub::WebSub;

/// Everything that a node was told, checked and complete.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    pub node: Node,
    pub store: Store,
    pub budget: Budget,
    pub schedule: Schedule,
    pub crawl: Crawl,
    pub hosts: Hosts,
    pub feeds: Feeds,
    pub reading: Reading,
    pub websub: WebSub,
    /// Without it nobody can be notified by e-mail.
    pub mail: Option<Mail>,
    pub api: Api,
    /// Without it the port is not secured.
    pub tls: Option<Tls>,
    /// Without it nobody logs in elsewhere.
    pub openid: Option<OpenId>,
    pub peers: Peers,
    pub readers: Vec<Reader>,
    pub clock: Clock,
    pub log: Log,
    pub sources: Vec<Source>,
    /// The feeds of `[[feed]]`.
    pub declared: Vec<DeclaredFeed>,
    /// Where each key and each table was set.
    pub(crate) origins: BTreeMap<String, Origin>,
}

impl Config {
    /// The same with a budget that was set while the node runs, so that no file or variable gives it.
    pub fn with_budget(&self, budget: Budget) -> Self {
        let mut config = Self { budget, ..self.clone() };
        config.origins.retain(|key, _| !key.starts_with("budget.") || key == "budget.burst");
        config
    }

    /// Declares all tables, in the order of the file.
    pub(crate) fn declare(document: &mut Document<'_, Self>) -> Self {
        let secure = document.raw.is_set("tls", "certificate");
        let node =
            document.once("node", |config| &config.node, |table| Node::declare(table, secure));
        let store = document.once("store", |config| &config.store, Store::declare);
        let budget = document.once("budget", |config| &config.budget, Budget::declare);
        let schedule = document.once("schedule", |config| &config.schedule, Schedule::declare);
        let crawl = document.once("crawl", |config| &config.crawl, Crawl::declare);
        let feeds = document.once("feeds", |config| &config.feeds, Feeds::declare);
        let reading = document.once("reading", |config| &config.reading, Reading::declare);
        let websub = document.once("websub", |config| &config.websub, WebSub::declare);
        let mail = document.once("mail", |config| &config.mail, Mail::declare);
        let api = document.once("api", |config| &config.api, Api::declare);
        let tls = document.once("tls", |config| &config.tls, Tls::declare);
        let openid = document.once("openid", |config| &config.openid, OpenId::declare);
        let peers = document.once("peers", |config| &config.peers, Peers::declare);
        let clock = document.once("clock", |config| &config.clock, Clock::declare);
        let log = document.once("log", |config| &config.log, Log::declare);
        let hosts = declare_hosts(document, &crawl);
        let readers = declare_readers(document, &peers, &api);
        let mut known = DeclaredSources::default();
        let sources = document.many(
            "source",
            Form::List,
            |config| numbered("source", &config.sources, |title, _| config.set_at(title)),
            |table| known.declare(table),
        );
        let mut known = DeclaredFeeds::default();
        let declared = document.many(
            "feed",
            Form::List,
            |config| numbered("feed", &config.declared, |_, feed| Some(feed.origin.clone())),
            |table| known.declare(table, &readers),
        );
        let origins = document.raw.origins();
        Self {
            node,
            store,
            budget,
            schedule,
            crawl,
            hosts,
            feeds,
            reading,
            websub,
            mail,
            api,
            tls,
            openid,
            peers,
            readers,
            clock,
            log,
            sources,
            declared,
            origins,
        }
    }

    /// Where a table was set, by the name that messages use.
    fn set_at(&self, title: &str) -> Option<String> {
        self.origins.get(title).map(ToString::to_string)
    }

    /// The rules for a host.
    pub fn rule_for(&self, host: &str) -> HostRule {
        self.hosts.rule_for(host, &self.crawl)
    }

    /// The hosts and networks that the node may reach although they are not public.
    pub fn private_exceptions(&self) -> Vec<PrivateException> {
        self.crawl.allow_private.iter().cloned().chain(self.private_hosts()).collect()
    }

    /// Those of them that the tables of single hosts name.
    pub fn private_hosts(&self) -> Vec<PrivateException> {
        let private = self.hosts.named.iter().filter(|(_, rule)| rule.private);
        private.map(|(name, _)| PrivateException::for_host(name)).collect()
    }
}

fn declare_hosts(document: &mut Document<'_, Config>, crawl: &Crawl) -> Hosts {
    let mut named = BTreeMap::new();
    document.many(
        "hosts",
        Form::Named,
        |config| {
            let titled = |(name, value)| {
                let title = format!("hosts.\"{name}\"");
                Existing { origin: config.set_at(&title), title, value }
            };
            config.hosts.named.iter().map(titled).collect()
        },
        |table| {
            let (name, rule) = HostRule::declare(table, crawl)?;
            match named.entry(name) {
                Entry::Vacant(free) => _ = free.insert(rule),
                Entry::Occupied(taken) => {
                    let name = taken.key();
                    table.refuse_table(&format!("must not be declared twice: `{name}` already is"));
                }
            }
            None::<()>
        },
    );
    Hosts { named }
}

fn declare_readers(document: &mut Document<'_, Config>, peers: &Peers, api: &Api) -> Vec<Reader> {
    let mut readers: Vec<Reader> = Vec::new();
    document.many(
        "reader",
        Form::List,
        |config| numbered("reader", &config.readers, |title, _| config.set_at(title)),
        |table| {
            readers.extend(Reader::declare(table, &peers.limits, api, &readers));
            None::<()>
        },
    );
    readers
}
