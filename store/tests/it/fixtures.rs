//! Data folders that earlier versions wrote, opened by this one.
//!
//! `tests/fixtures/schema-N-ENGINE` is a data folder as a node with schema N left it, with its large files
//! compressed; `schema-N.backup` is a backup that it wrote. Each node had crawled the same few sources: feeds,
//! a page, a list, and sources in trouble.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use pergola_store::archive::Archive;
use pergola_store::backup::{Replace, move_backend, restore};
use pergola_store::{Backend, open};

mod contents;

const FOLDERS: [(&str, u32); 4] =
    [("schema-1-sled", 1), ("schema-1-redb", 1), ("schema-2-sled", 2), ("schema-2-redb", 2)];

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// A copy of a fixture that may be written to.
fn unpacked(name: &str) -> Result<tempfile::TempDir> {
    let folder = tempfile::tempdir()?;
    copy(&fixtures().join(name), folder.path())?;
    Ok(folder)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    for entry in fs::read_dir(from).with_context(|| format!("no fixture in {}", from.display()))? {
        let (path, name) = entry.map(|entry| (entry.path(), PathBuf::from(entry.file_name())))?;
        if path.is_dir() {
            fs::create_dir(to.join(&name))?;
            copy(&path, &to.join(&name))?;
        } else if path.extension().is_some_and(|extension| extension == "zst") {
            fs::write(to.join(name.with_extension("")), zstd::decode_all(&*fs::read(&path)?)?)?;
        } else {
            fs::copy(&path, to.join(&name))?;
        }
    }
    Ok(())
}

fn opened(folder: &Path, backend: Option<Backend>) -> Result<Archive> {
    let opened = open(folder, backend, 4 << 20)?;
    assert_eq!(opened.notice, None);
    Ok(Archive::new(opened.store))
}

#[test]
fn folders_of_every_schema_are_opened_and_read() -> Result<()> {
    for (name, schema) in FOLDERS {
        let folder = unpacked(name)?;
        let archive = opened(folder.path(), None).context(name)?;
        assert_eq!(format!("schema-{schema}-{}", archive.store().backend()), name);
        contents::check(&archive, schema).context(name)?;
        drop(archive);
        let format = fs::read_to_string(folder.path().join("format.json"))?;
        assert!(format.contains(r#""schema":"7: "#), "{name} says {format}");
        contents::check(&opened(folder.path(), None)?, schema).context("opened again")?;
    }
    Ok(())
}

#[test]
fn folders_of_every_schema_move_to_the_other_engine() -> Result<()> {
    for (name, schema) in FOLDERS {
        for to in Backend::ALL {
            let folder = unpacked(name)?;
            move_backend(folder.path(), to, |_| ()).context(name)?;
            contents::check(&opened(folder.path(), Some(to))?, schema).context(name)?;
        }
    }
    Ok(())
}

#[test]
fn backups_of_every_schema_are_restored_in_every_engine() -> Result<()> {
    for schema in [1, 2] {
        let backup = fs::read(fixtures().join(format!("schema-{schema}.backup")))?;
        for to in Backend::ALL {
            let folder = tempfile::tempdir()?;
            restore(folder.path(), to, Replace::Never, &*backup, |_| ())?;
            let archive = opened(folder.path(), Some(to))?;
            contents::check(&archive, schema).with_context(|| format!("schema {schema}"))?;
        }
    }
    Ok(())
}
