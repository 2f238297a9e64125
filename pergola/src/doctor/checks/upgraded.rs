//! The backup that was made before the data folder was migrated.

use std::path::Path;

use crate::doctor::Finding;

/// Says where the backup from before the last migration is.
pub(super) fn backup(data: &Path) -> Option<Finding> {
    let file = pergola_store::backups_before_migration(data).into_iter().max()?;
    let megabytes = std::fs::metadata(&file).map_or(0, |file| file.len()).div_ceil(1 << 20);
    Some(Finding::well(format!(
        "{} ({megabytes} MiB) holds the data as it was before the last upgrade; `pergola restore` takes it, \
         and you may delete it",
        file.display()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_backup_from_before_an_upgrade_is_named() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(backup(folder.path()), None);
        std::fs::write(folder.path().join("before-schema-3.backup"), "x").unwrap();
        let found = backup(folder.path()).unwrap();
        assert!(found.what.contains("before-schema-3.backup (1 MiB)"), "{found:?}");
    }
}
