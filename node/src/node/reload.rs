//! What the configuration declares is taken over at the start and again on SIGHUP.

use std::collections::HashSet;
use std::sync::Arc;

use pergola_config::{Budget, Config, ConfigError};
use pergola_query::Change;
use pergola_store::archive::{Changes, SourceId, SourceKind};

use super::{NewSource, Node, SourceError, StartError, locked};

/// What a new configuration has changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reloaded {
    /// What has changed, in words.
    pub changed: Vec<String>,
    /// Keys whose new values hold after a restart only.
    pub restart: Vec<String>,
}

/// Reads the configuration once more, from wherever it came.
pub(super) type Reader = Arc<dyn Fn() -> Result<Config, ConfigError> + Send + Sync>;

/// Why a configuration was not taken over.
#[derive(Debug, thiserror::Error)]
pub enum ReloadError {
    /// Nobody said where the configuration comes from.
    #[error("this node does not know where its configuration came from; restart it instead")]
    NoReader,
    /// It is wrong; the one in force stays.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// It could not be put in force.
    #[error(transparent)]
    Start(#[from] StartError),
}

impl Node {
    /// Says how the configuration is read again, for [`Node::reread`].
    pub fn reread_by(
        &self,
        read: impl Fn() -> Result<Config, ConfigError> + Send + Sync + 'static,
    ) {
        *locked(&self.reader) = Some(Arc::new(read));
    }

    /// Reads the configuration again and takes it over.
    pub async fn reread(&self) -> Result<Reloaded, ReloadError> {
        let reader = locked(&self.reader).clone().ok_or(ReloadError::NoReader)?;
        Ok(self.reload(reader()?).await?)
    }

    /// Another budget, until the configuration says otherwise or the node is started again.
    pub fn set_budget(&self, budget: &Budget) -> Result<(), pergola_refresh::Invalid> {
        self.crawler.roster().set_purse(budget.purse(self.crawler.tools.cycle))
    }

    /// Takes over another configuration: certificates, readers, sources, feeds and budget at once, the rest at the next start.
    pub async fn reload(&self, config: Config) -> Result<Reloaded, StartError> {
        let before = self.config();
        let differences = before.reloadable_changes(&config);
        let mut changed = Vec::new();
        self.reload_certificates(&config)?;
        changed.extend(differences.tls.then(|| "tls".to_owned()));
        if differences.budget {
            let purse = config.budget.purse(self.crawler.tools.cycle);
            self.crawler.roster().set_purse(purse)?;
            changed.push("budget".to_owned());
        }
        self.access.know(&config);
        changed.extend(differences.readers.then(|| "readers".to_owned()));
        *self.config.write().unwrap_or_else(std::sync::PoisonError::into_inner) = Arc::new(config);
        if differences.sources || differences.feeds {
            self.take_over_declared().await?;
            changed.extend(differences.sources.then(|| "sources".to_owned()));
            changed.extend(differences.feeds.then(|| "feeds".to_owned()));
        }
        Ok(Reloaded { changed, restart: differences.restart })
    }

    /// Shows the certificates that the files hold now. If they cannot be used, the old ones stay.
    fn reload_certificates(&self, config: &Config) -> Result<(), StartError> {
        let shown = locked(&self.shown).clone();
        match (shown, &config.tls) {
            (Some(shown), Some(tls)) => Ok(shown.reread(tls)?),
            _ => Ok(()),
        }
    }

    /// Makes sources and feeds what the configuration declares. What others added is left alone.
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
            NewSource {
                url: source.url.clone(),
                title: source.title.clone(),
                kind,
                importance: source.importance as f32,
                wanted: true,
                declared: true,
                list: None,
                cooperate: source.cooperate,
            }
        });
        let added = self.add_sources_in_turn(sources.collect()).await.map_err(sources_refused)?;
        for feed in &config.declared {
            self.take_over_readers(&feed.name).await?;
            let (name, body) = (feed.name.clone(), feed.body.clone());
            let change = match self.desk.feed(&feed.name) {
                None => Change::Create { name, body },
                Some(card) if card.statement == feed.statement => continue,
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

    /// Sources that the configuration declared and declares no more go, unless somebody reads them.
    async fn undeclare_sources(&self, stay: &HashSet<SourceId>) -> Result<(), SourceError> {
        let mut changes = Changes::new();
        let mut left = Vec::new();
        self.archive.each_source(|id, mut record| {
            if record.declared && !stay.contains(&id) {
                (record.declared, record.wanted) = (false, false);
                changes.put_source(id, &record);
                left.push(id);
            }
        })?;
        if left.is_empty() {
            return Ok(());
        }
        self.commit(changes).await?;
        self.reap_sources(&left).await
    }
}

fn sources_refused(error: SourceError) -> StartError {
    StartError::Feed { name: "(sources)".into(), reason: error.to_string() }
}
