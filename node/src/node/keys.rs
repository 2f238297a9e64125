//! Keys of the configuration that are set while the node runs: applied at once, and stored for the next start.

use std::io;

use pergola_config::{NotSettable, Stored};

use super::{Node, ReloadError};

/// Why a key was not set.
#[derive(Debug, thiserror::Error)]
pub enum SetError {
    /// No running node takes it over.
    #[error(transparent)]
    NotSettable(#[from] NotSettable),
    /// The configuration that it leads to has a mistake or cannot be applied.
    #[error(transparent)]
    Reload(#[from] ReloadError),
    /// The file of stored settings cannot be written.
    #[error("the setting cannot be stored: {0}")]
    Unwritten(#[from] io::Error),
}

impl Node {
    /// Sets keys, or forgets those without a value. Either all of them hold and are stored, or nothing changes.
    pub async fn set_keys(&self, keys: &[(&str, Option<&str>)]) -> Result<(), SetError> {
        let _turn = self.setting.acquire().await;
        let before = Stored::read(&self.data).map_err(ReloadError::Config)?;
        let mut stored = before.clone();
        for (key, value) in keys {
            match value {
                Some(value) => stored.set(key, value)?,
                None => _ = stored.unset(key)?,
            }
        }
        if stored == before {
            return Ok(());
        }
        let config = self.read_with(&stored)?;
        let late = self.config().reloadable_changes(&config).restart;
        if let Some((key, _)) =
            keys.iter().find(|(key, _)| late.iter().any(|late| names(late, key)))
        {
            return Err(NotSettable::NeedsRestart { key: (*key).to_owned() }.into());
        }
        stored.write()?;
        if let Err(error) = self.reload(config).await {
            before.write()?;
            return Err(ReloadError::Start(error).into());
        }
        let names: Vec<&str> = keys.iter().map(|(key, _)| *key).collect();
        tracing::info!(keys = names.join(", "), "settings were changed and stored");
        Ok(())
    }
}

/// Whether what needs a restart is this key or its table.
fn names(late: &str, key: &str) -> bool {
    key.strip_prefix(late).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}
