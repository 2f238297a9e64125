//! Why a report could not be shown.

use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    #[error("cannot plot into {path:?}: its name must end in .svg or .png")]
    UnknownPlotFormat { path: PathBuf },
    #[error("cannot write a film into {path:?}: its name must end in .svg")]
    NoFilm { path: PathBuf },
    /// The report has a table only.
    #[error("{title:?} draws no chart; use --csv or --json")]
    NothingToDraw { title: String },
    #[error("cannot write {path:?}: there is no folder {folder:?}")]
    MissingFolder { path: PathBuf, folder: PathBuf },
    /// The path is a folder, or ends in no name.
    #[error("cannot write {path:?}: it is not the name of a file")]
    NotAFile { path: PathBuf },
    #[error("cannot write {path:?}")]
    Write {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    /// Standard output, or the writer given in its place, refused the text.
    #[error("cannot print the report")]
    Print(#[source] io::Error),
}
