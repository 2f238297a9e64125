//! Why a file cannot be read.

/// Bytes of all files in a ZIP file together, once they are unpacked.
pub(crate) const UNPACKED: usize = 512 << 20;
/// Files in a ZIP file.
pub(crate) const FILES: usize = 10_000;

/// Why a file cannot be read. Nothing of it is imported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// The file is empty.
    #[error("the file is empty: export it once more")]
    Empty,
    /// A damaged ZIP file.
    #[error("the ZIP file cannot be unpacked: {0}; export or download it once more")]
    BadZip(String),
    /// A ZIP file that is too large once it is unpacked.
    #[error(
        "the ZIP file holds more than {} MiB: export fewer items at once",
        UNPACKED >> 20
    )]
    TooLarge,
    /// A ZIP file with too many files.
    #[error("the ZIP file holds more than {FILES} files: import the ones you need one by one")]
    TooManyFiles,
    /// JSON that is cut off, or is not JSON.
    #[error("{place} is not JSON, or cut off: {reason}; export or download it once more")]
    BadJson { place: String, reason: String },
    /// A list that is cut off, or is not OPML.
    #[error("{place} is not a list of subscriptions: {reason}")]
    BadList { place: String, reason: String },
    /// A later version of Pergola wrote it.
    #[error("{place} was written by a later version of Pergola: update this node first")]
    TooNew { place: String },
    /// A file of an unknown kind.
    #[error(
        "{place} is not an export of a feed reader: give an OPML file, an export of FreshRSS, Miniflux or Pergola, or \
         a JSON Feed"
    )]
    Unknown { place: String },
}
