//! What a user follows: a feed, or a source by a feed of its own.

/// A feed that a user follows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Following {
    /// What its user calls it, if not by its own title.
    pub title: Option<String>,
    /// The folders that its user has put it in; `None` for those of the source.
    pub folders: Option<Vec<String>>,
    /// Since when.
    pub since: f64,
}
