//! Applies what the configuration declares: at the start, on SIGHUP and on `POST /api/v1/reload`.

use std::collections::HashSet;
use std::sync::Arc;

use pergola_api::operation::Reloaded;
use pergola_config::{Budget, Config, ConfigError, Stored};
use pergola_manners::Manners;
use pergola_manners::source::Credentials;
use pergola_query::Change;
use pergola_store::archive::{Commit, SourceId, SourceKind};

use super::scheduling::strategy;
use super::secrets::without_passwords;
use super::settings::rule_book;
use super::{NewSource, Node, SourceError, StartError};
use crate::select::statement;

/// Reads the configuration again from where it came, with what is stored.
pub(super) type Reader = Arc<dyn Fn(&Stored) -> Result<Config, ConfigError> + Send + Sync>;

/// Why a configuration was not applied.
#[derive(Debug, thiserror::Error)]
pub enum ReloadError {
    /// Nobody told the node where its configuration comes from.
    #[error("this node does not know where its configuration comes from; restart it instead")]
    NoReader,
    /// It has a mistake; the old one stays in force.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// It could not be applied.
    #[error(transparent)]
    Start(#[from] StartError),
}

impl Node {
    /// Tells the node how to read its configuration again, for [`Node::reread`] and [`Node::set_keys`].
    pub fn reread_by(
        &self,
        read: impl Fn(&Stored) -> Result<Config, ConfigError> + Send + Sync + 'static,
    ) {
        *self.reader.lock() = Some(Arc::new(read));
    }

    /// Reads the configuration again, applies it and logs what changed.
    pub async fn reread(&self) -> Result<Reloaded, ReloadError> {
        let reread = self.reread_quietly().await;
        match &reread {
            Ok(reloaded) => {
                self.config().warnings().iter().for_each(|warning| tracing::warn!("{warning}"));
                let (changed, restart) = (reloaded.changed.join(", "), reloaded.restart.join(", "));
                tracing::info!(changed, restart, "the configuration was read again");
            }
            Err(
                error @ ReloadError::Start(StartError::Tls(_)) | error @ ReloadError::Config(_),
            ) => {
                tracing::error!(%error, "the new configuration is rejected, the old one stays");
            }
            Err(error) => tracing::error!(%error, "the new configuration was applied only in part"),
        }
        reread
    }

    async fn reread_quietly(&self) -> Result<Reloaded, ReloadError> {
        let stored = Stored::read(&self.data)?;
        Ok(self.reload(self.read_with(&stored)?).await?)
    }

    /// What the configuration is with these stored settings.
    pub(super) fn read_with(&self, stored: &Stored) -> Result<Config, ReloadError> {
        let reader = self.reader.lock().clone().ok_or(ReloadError::NoReader)?;
        Ok(reader(stored)?)
    }

    /// Sets another budget, until the configuration is read again or the node restarts.
    pub fn set_budget(&self, budget: Budget) -> Result<(), pergola_refresh::Invalid> {
        self.crawler.set_purse(budget.purse(self.crawler.tools.cycle))?;
        let mut config = self.config.write();
        *config = Arc::new(config.with_budget(budget));
        Ok(())
    }

    /// Applies another configuration: certificates, readers, sources, feeds, budget, floors and private addresses
    /// at once, the rest at the next start.
    pub async fn reload(&self, config: Config) -> Result<Reloaded, StartError> {
        let before = self.config();
        let differences = before.reloadable_changes(&config);
        let mut changed = Vec::new();
        self.reload_certificates(&config)?;
        changed.extend(differences.tls.then(|| "tls".to_owned()));
        if differences.budget {
            let purse = config.budget.purse(self.crawler.tools.cycle);
            self.crawler.set_purse(purse)?;
            changed.push("budget".to_owned());
        }
        if differences.floors {
            let before = self.crawler.tools.manners();
            let (node, limits, peers) = (before.node.clone(), before.limits.clone(), before.peers);
            self.crawler.set_manners(Manners { node, rules: rule_book(&config), limits, peers });
            self.reconsider()?;
            changed.push("floors".to_owned());
        }
        if differences.taste {
            let chosen = strategy(&config, self.crawler.count());
            self.crawler.set_strategy(chosen, config.schedule.taste);
            changed.push("schedule".to_owned());
        }
        changed.extend(differences.keep.then(|| "store.keep".to_owned()));
        if differences.allow_private {
            self.crawler.tools.fetcher.guard().list(config.crawl.allow_private.clone());
            changed.push("crawl.allow_private".to_owned());
        }
        self.access.know(&config);
        changed.extend(differences.readers.then(|| "readers".to_owned()));
        *self.config.write() = Arc::new(config);
        if differences.sources || differences.feeds {
            self.take_over_declared().await?;
            changed.extend(differences.sources.then(|| "sources".to_owned()));
            changed.extend(differences.feeds.then(|| "feeds".to_owned()));
        }
        Ok(Reloaded { changed, restart: differences.restart })
    }

    /// Loads the certificates from their files again. If they cannot be used, the old ones stay.
    fn reload_certificates(&self, config: &Config) -> Result<(), StartError> {
        let shown = self.shown.lock().clone();
        match (shown, &config.tls) {
            (Some(shown), Some(tls)) => Ok(shown.reread(tls)?),
            _ => Ok(()),
        }
    }

    /// Adds, changes and removes sources and feeds as the configuration declares. What was added otherwise stays.
    pub(super) async fn take_over_declared(&self) -> Result<(), StartError> {
        let _turn = self.turn.acquire().await;
        let config = self.config();
        let refused = |name: &str| {
            let name = name.to_owned();
            move |error: super::FeedError| StartError::Feed { name, reason: error.to_string() }
        };
        let sources = config.sources.iter().map(|source| {
            let kind = match (&source.page, source.list) {
                (Some(selectors), _) => SourceKind::Page(selectors.clone()),
                (None, true) => SourceKind::List,
                (None, false) => SourceKind::Feed,
            };
            let mut url = source.url.clone();
            let in_address = Credentials::taken_from(&mut url);
            let new = NewSource {
                url,
                title: source.title.clone(),
                kind,
                importance: Some(source.importance as f32),
                wanted: true,
                declared: true,
                list: None,
                cooperate: source.cooperate,
                folders: Vec::new(),
                only_new: false,
                imported: false,
                private: source.private,
                credentials: in_address,
            };
            new.shown(source.proof.clone())
        });
        let added = self.add_sources_in_turn(sources.collect()).await.map_err(sources_refused)?;
        for feed in &config.declared {
            self.take_over_readers(&feed.name).await?;
            let (name, body) = (feed.name.clone(), feed.body.clone());
            let open = without_passwords(&body).map(|open| statement(&name, &open));
            let declared = open.as_ref().unwrap_or(&feed.statement);
            let change = match self.desk.feed(&feed.name) {
                None => Change::Create { name, body },
                Some(card) if card.statement == *declared => continue,
                Some(_) => Change::Replace { name, body },
            };
            self.apply(change, true).await.map_err(refused(&feed.name))?;
        }
        let declared: HashSet<&str> =
            config.declared.iter().map(|feed| feed.name.as_str()).collect();
        for (_, record) in self.archive.feeds()? {
            if record.declared && !declared.contains(record.name.as_str()) {
                let name = record.name.clone();
                self.apply(Change::Drop { name }, true).await.map_err(refused(&record.name))?;
            }
        }
        let stay: HashSet<SourceId> = added.new.into_iter().chain(added.known).collect();
        self.undeclare_sources(&stay).await.map_err(sources_refused)
    }

    /// Removes sources that the configuration no longer declares, unless a feed reads them.
    async fn undeclare_sources(&self, stay: &HashSet<SourceId>) -> Result<(), SourceError> {
        let mut commit = Commit::new();
        let mut left = Vec::new();
        self.archive.each_source(|id, mut record| {
            if record.declared && !stay.contains(&id) {
                (record.declared, record.wanted) = (false, false);
                commit.source(id).put_record(&record);
                left.push(id);
            }
        })?;
        if left.is_empty() {
            return Ok(());
        }
        self.commit(commit).await?;
        self.reap_sources(&left).await
    }
}

pub(super) fn sources_refused(error: SourceError) -> StartError {
    StartError::Feed { name: "(sources)".into(), reason: error.to_string() }
}
