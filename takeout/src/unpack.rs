//! The files in a ZIP file.
//!
//! The sizes in a ZIP file may lie: bytes are counted while they are unpacked.

use std::io::{Cursor, Read as _};

use zip::ZipArchive;

use crate::error::{FILES, UNPACKED, Unreadable};

/// Whether these are the first bytes of a ZIP file.
pub(crate) fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")
}

/// Hands each file of a ZIP file over with its name. Only one of them is in memory.
pub(crate) fn each(
    bytes: &[u8],
    mut file: impl FnMut(&str, &[u8]) -> Result<(), Unreadable>,
) -> Result<(), Unreadable> {
    let bad = |error: &dyn std::fmt::Display| Unreadable::BadZip(error.to_string());
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| bad(&error))?;
    if archive.len() > FILES {
        return Err(Unreadable::TooManyFiles);
    }
    let mut left = UNPACKED;
    for place in 0..archive.len() {
        let packed = archive.by_index(place).map_err(|error| bad(&error))?;
        if packed.is_dir() {
            continue;
        }
        let name = packed.name().map_err(|error| bad(&error))?;
        let name: String = name.chars().take(200).collect();
        let mut content = Vec::new();
        let read = packed.take(left as u64 + 1).read_to_end(&mut content);
        read.map_err(|error| bad(&format!("{name}: {error}")))?;
        left = left.checked_sub(content.len()).ok_or(Unreadable::TooLarge)?;
        file(&name, &content)?;
    }
    Ok(())
}
