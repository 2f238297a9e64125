//! How neighbours cooperate: the switches of a node, and two more ways to pass on news, which show what nodes
//! would gain by them.

use std::fmt;
use std::str::FromStr;

/// How a reader learns that a feed has news.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum News {
    /// It polls when its own scheduler says so.
    #[default]
    Pulled,
    /// It is told how many items wait, and refreshes when its own scheduler says so.
    Counted,
    /// It is told at once and refreshes at once, which costs a request; it does not poll.
    Watched,
    /// It receives the items themselves and never refreshes.
    Pushed,
}

/// How neighbours cooperate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Cooperation {
    pub(crate) news: News,
    /// Each answer says when the upstream will refresh its own sources.
    pub(crate) hints: bool,
    /// Items that have left the window can be fetched, one request per page.
    pub(crate) archive: bool,
}

impl Cooperation {
    /// A feed is polled like any other source.
    pub(crate) const NONE: Self = Self { news: News::Pulled, hints: false, archive: false };
    pub(crate) const HINTS: Self = Self { hints: true, ..Self::NONE };
    pub(crate) const ARCHIVE: Self = Self { archive: true, ..Self::NONE };
    pub(crate) const WATCH: Self = Self { news: News::Watched, ..Self::NONE };

    /// Whether real nodes have this mode.
    pub(crate) fn is_of_nodes(self) -> bool {
        matches!(self.news, News::Pulled | News::Watched)
    }

    /// Whether a reader is told of news at once and refreshes.
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
    /// The modes of a node, and the useful combination of two of them.
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
                        "`{other}` is no mode; give none, or some of hints, archive and one of watch, notice, \
                         push, joined by +"
                    ));
                }
            };
            if mode.news != News::Pulled && mode.news != news {
                return Err("give only one of watch, notice and push".to_owned());
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
        assert!("watch+push".parse::<Cooperation>().unwrap_err().contains("only one of watch"));
        assert!("hint".parse::<Cooperation>().unwrap_err().contains("`hint` is no mode"));
    }
}
