//! Why nothing can be read, and how much is too much.

/// Bytes of all files of a ZIP file together, once they are unpacked.
pub(crate) const UNPACKED: usize = 512 << 20;
/// Files in a ZIP file.
pub(crate) const FILES: usize = 10_000;

/// Why nothing can be read. Nothing is taken of such a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// There is nothing.
    #[error("the file is empty: export it once more")]
    Empty,
    /// A ZIP file that makes no sense.
    #[error("the ZIP file cannot be unpacked: {0}; export or download it once more")]
    BadZip(String),
    /// A ZIP file that is far too large, once it is unpacked.
    #[error(
        "the ZIP file holds more than {} MiB: export fewer items at once",
        UNPACKED >> 20
    )]
    TooLarge,
    /// A ZIP file of far too many files.
    #[error("the ZIP file holds more than {FILES} files: import the ones you need one by one")]
    TooManyFiles,
    /// JSON that ends too early, or is none.
    #[error("{place} is no JSON, or cut off: {reason}; export or download it once more")]
    BadJson { place: String, reason: String },
    /// A list that ends too early, or is none.
    #[error("{place} is no list of subscriptions: {reason}")]
    BadList { place: String, reason: String },
    /// A later version of Pergola has written it.
    #[error("{place} was written by a later version of Pergola: update this node first")]
    TooNew { place: String },
    /// Nothing that is known.
    #[error(
        "{place} is no export of a feed reader: OPML files, exports of FreshRSS, Miniflux and Pergola, and JSON \
         Feed are understood"
    )]
    Unknown { place: String },
}
