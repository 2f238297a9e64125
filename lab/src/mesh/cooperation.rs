//! What neighbours do for each other, as the node has it switch by switch, and two forms of news that a node
//! does not have but that say what others would gain.

use std::fmt;
use std::str::FromStr;

/// How a reader learns that a feed has news.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum News {
    /// By looking when its own scheduler says so.
    #[default]
    Pulled,
    /// It is told how many items wait, and looks when its own scheduler says so.
    Counted,
    /// It is told at once and looks at once, at the cost of a request; it does not look otherwise.
    Watched,
    /// The items themselves are sent; it never looks.
    Pushed,
}

/// What neighbours do for each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Cooperation {
    /// How a reader learns of news.
    pub(crate) news: News,
    /// Each answer says when the upstream will look at its own sources.
    pub(crate) hints: bool,
    /// What has left the window can be had, one request a page.
    pub(crate) archive: bool,
}

impl Cooperation {
    /// Nothing: a feed is pulled as any other source.
    pub(crate) const NONE: Self = Self { news: News::Pulled, hints: false, archive: false };
    /// Hints alone.
    pub(crate) const HINTS: Self = Self { hints: true, ..Self::NONE };
    /// Archives alone.
    pub(crate) const ARCHIVE: Self = Self { archive: true, ..Self::NONE };
    /// Watching alone.
    pub(crate) const WATCH: Self = Self { news: News::Watched, ..Self::NONE };

    /// Whether nodes can do this.
    pub(crate) fn is_of_nodes(self) -> bool {
        matches!(self.news, News::Pulled | News::Watched)
    }

    /// Whether a reader is told of news at once and looks.
    pub(crate) fn is_told(self) -> bool {
        self.news == News::Watched
    }

    /// The modes that tables list, in their order.
    pub(crate) const LISTED: [Self; 8] = [
        Self::NONE,
        Self::HINTS,
        Self::WATCH,
        Self::ARCHIVE,
        Self { archive: true, ..Self::HINTS },
        Self { archive: true, ..Self::WATCH },
        Self { news: News::Counted, ..Self::NONE },
        Self { news: News::Pushed, ..Self::NONE },
    ];
    /// The switches that a node has, and their useful combination.
    pub(crate) const SWITCHES: [Self; 5] = [
        Self::NONE,
        Self::HINTS,
        Self::WATCH,
        Self::ARCHIVE,
        Self { archive: true, ..Self::HINTS },
    ];
}

impl fmt::Display for Cooperation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let news = match self.news {
            News::Pulled => None,
            News::Counted => Some("notice"),
            News::Watched => Some("watch"),
            News::Pushed => Some("push"),
        };
        let parts = [self.hints.then_some("hints"), news, self.archive.then_some("archive")];
        let parts: Vec<&str> = parts.into_iter().flatten().collect();
        f.write_str(if parts.is_empty() { "none".to_owned() } else { parts.join("+") }.as_str())
    }
}

impl FromStr for Cooperation {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut mode = Self::NONE;
        if text == "none" {
            return Ok(mode);
        }
        for part in text.split('+') {
            let news = match part {
                "hints" => {
                    mode.hints = true;
                    continue;
                }
                "archive" => {
                    mode.archive = true;
                    continue;
                }
                "notice" => News::Counted,
                "watch" => News::Watched,
                "push" => News::Pushed,
                other => {
                    return Err(format!(
                        "`{other}` is no mode: none, or hints, archive and one of watch, notice, push, \
                         joined by +"
                    ));
                }
            };
            if mode.news != News::Pulled && mode.news != news {
                return Err("only one of watch, notice and push can be".to_owned());
            }
            mode.news = news;
        }
        Ok(mode)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mode_is_read_as_it_is_written() {
        for mode in Cooperation::LISTED {
            assert_eq!(mode.to_string().parse(), Ok(mode));
        }
        assert_eq!("archive+hints".parse::<Cooperation>().unwrap().to_string(), "hints+archive");
        assert!("watch+push".parse::<Cooperation>().unwrap_err().contains("only one"));
        assert!("hint".parse::<Cooperation>().unwrap_err().contains("`hint` is no mode"));
    }
}
