//! The keywords of the language.

use std::fmt;

macro_rules! keywords {
    ($($name:ident $text:literal),* $(,)?) => {
        /// A keyword, in upper or lower case.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Keyword {
            $(#[doc = concat!("`", $text, "`")] $name,)*
        }

        impl Keyword {
            /// All keywords, in the order of their use in a query.
            pub const ALL: &'static [Keyword] = &[$(Keyword::$name,)*];

            pub fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

keywords! {
    Create "CREATE", Drop "DROP", Alter "ALTER", Explain "EXPLAIN", Feed "FEED", As "AS",
    Return "RETURN", Opml "OPML", Peer "PEER", Where "WHERE", And "AND", Or "OR", Not "NOT",
    Title "TITLE", Content "CONTENT", Author "AUTHOR", Link "LINK", Category "CATEGORY",
    Source "SOURCE", Item "ITEM", Published "PUBLISHED", Contains "CONTAINS", Matches "MATCHES",
    Exact "EXACT", In "IN", Between "BETWEEN", Within "WITHIN", Seconds "SECONDS", Minutes "MINUTES",
    Hours "HOURS", Days "DAYS", Weeks "WEEKS", Window "WINDOW", Keep "KEEP", Order "ORDER", By "BY",
    Weight "WEIGHT", Novel "NOVEL", Set "SET", Reset "RESET", Rename "RENAME", To "TO", Add "ADD", Remove "REMOVE",
    Folder "FOLDER",
}

impl Keyword {
    /// The keyword for a word. Units may be in the singular.
    pub fn of(word: &str) -> Option<Self> {
        let is = |text: &str| word.eq_ignore_ascii_case(text);
        Self::ALL.iter().copied().find(|keyword| {
            is(keyword.text()) || (keyword.is_unit() && is(keyword.text().trim_end_matches('S')))
        })
    }

    /// Whether a feed cannot have this name, because queries would be ambiguous.
    pub fn is_reserved(self) -> bool {
        self <= Self::Not
            || matches!(self, Self::Contains | Self::Matches | Self::In | Self::Between)
    }

    fn is_unit(self) -> bool {
        (Self::Seconds..=Self::Weeks).contains(&self)
    }
}

impl fmt::Display for Keyword {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}
