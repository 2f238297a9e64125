//! Dates that do not begin with the year: searches for parts instead of expecting a format.

use super::{Parts, clock, full_year, words};

#[derive(Debug, PartialEq)]
enum Token<'a> {
    Number { value: u32, digits: usize, text: &'a str },
    Word(String),
    Mark(char),
}

fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut chars = text.char_indices().peekable();
    while let Some((start, first)) = chars.next() {
        let same = |c: char| {
            if first.is_ascii_digit() { c.is_ascii_digit() } else { c.is_alphabetic() && !cjk(c) }
        };
        let mut end = start + first.len_utf8();
        if first.is_ascii_digit() || (first.is_alphabetic() && !cjk(first)) {
            while let Some((at, c)) = chars.next_if(|(_, c)| same(*c)) {
                end = at + c.len_utf8();
            }
            let piece = &text[start..end];
            if first.is_ascii_digit() {
                let value = piece.parse().unwrap_or(u32::MAX);
                found.push(Token::Number { value, digits: piece.len(), text: piece });
            } else {
                found.push(Token::Word(piece.to_lowercase()));
            }
        } else if !first.is_whitespace() {
            found.push(Token::Mark(first));
        }
    }
    found
}

fn cjk(c: char) -> bool {
    matches!(c, '年' | '月' | '日' | '년' | '월' | '일')
}

/// Parses a date in which the year is not first.
pub(super) fn parse(text: &str) -> Option<Parts> {
    let tokens = tokens(text);
    let mut found = Found::default();
    let mut at = 0;
    while at < tokens.len() {
        at += found.take(&tokens, at);
    }
    found.finish()
}

/// Parses the time and zone that follow an ISO date.
pub(super) fn time_and_zone(date: Parts, rest: &str) -> Option<Parts> {
    let tokens = tokens(rest);
    let mut found = Found::default();
    let mut at = 0;
    while at < tokens.len() {
        at += found.take(&tokens, at);
    }
    if found.time.is_none()
        && let [(value, 6, _), ..] = found.numbers[..]
    {
        found.time = Some((value / 10_000, value / 100 % 100, value % 100)); // T201504
    }
    Some(Parts { seconds: found.seconds()?, offset: found.offset, ..date })
}

#[derive(Default)]
struct Found {
    time: Option<(u32, u32, u32)>,
    afternoon: Option<bool>,
    offset: i32,
    zoned: bool,
    month: Option<u32>,
    /// Value, number of digits, and the mark just before it.
    numbers: Vec<(u32, usize, Option<char>)>,
}

impl Found {
    /// Takes the part that begins at `at` and returns how many tokens it used.
    fn take(&mut self, tokens: &[Token<'_>], at: usize) -> usize {
        let rest = &tokens[at..];
        if let Some(used) = self.take_time(rest) {
            return used;
        }
        if let Some(used) = self.take_offset(rest) {
            return used;
        }
        match rest {
            [Token::Number { value, digits, text }, ..] => {
                let mark = match at.checked_sub(1).map(|before| &tokens[before]) {
                    Some(Token::Mark(mark)) => Some(*mark),
                    _ => None,
                };
                if text.len() <= 8 && self.numbers.len() < 8 {
                    self.numbers.push((*value, *digits, mark));
                }
            }
            [Token::Word(word), ..] => self.word(word),
            _ => {}
        }
        1
    }

    /// Takes a time of day, unless there already is one.
    fn take_time(&mut self, rest: &[Token<'_>]) -> Option<usize> {
        let (time, used) = match rest {
            _ if self.time.is_some() => return None,
            // 20:15:04.123
            [
                Token::Number { value: hour, .. },
                Token::Mark(':'),
                Token::Number { value: minute, .. },
                rest @ ..,
            ] => match rest {
                [Token::Mark(':'), Token::Number { value: second, .. }, more @ ..] => {
                    let decimals =
                        matches!(more, [Token::Mark('.' | ','), Token::Number { .. }, ..]);
                    ((*hour, *minute, *second), if decimals { 7 } else { 5 })
                }
                _ => ((*hour, *minute, 0), 3),
            },
            // 20h15
            [Token::Number { value: hour, .. }, Token::Word(h), rest @ ..] if h == "h" => {
                match rest {
                    [Token::Number { value: minute, .. }, ..] => ((*hour, *minute, 0), 3),
                    _ => ((*hour, 0, 0), 2),
                }
            }
            _ => return None,
        };
        self.time = Some(time);
        Some(used)
    }

    /// Takes `+0100`, `-05:00` or the `+2` of `GMT+2` after a time.
    fn take_offset(&mut self, rest: &[Token<'_>]) -> Option<usize> {
        let [Token::Mark(sign @ ('+' | '-')), Token::Number { value, digits, .. }, rest @ ..] =
            rest
        else {
            return None;
        };
        if self.time.is_none() || self.zoned || *digits > 4 {
            return None;
        }
        let (minutes, used) = match (digits, rest) {
            (1 | 2, [Token::Mark(':'), Token::Number { value: minute, .. }, ..]) => {
                (value.saturating_mul(60).saturating_add(*minute), 4)
            }
            (1 | 2, _) => (value * 60, 2),
            _ => (value / 100 * 60 + value % 100, 2),
        };
        let minutes = i32::try_from(minutes.min(24 * 60)).unwrap_or(0);
        self.offset = if *sign == '-' { -minutes * 60 } else { minutes * 60 };
        self.zoned = true;
        Some(used)
    }

    fn word(&mut self, word: &str) {
        match word {
            "am" | "오전" => self.afternoon = Some(false),
            "pm" | "오후" => self.afternoon = Some(true),
            _ => {
                // The last month wins: `mar.` before the day means Tuesday in three languages.
                if let Some(month) = words::month(word).filter(|_| word.chars().count() >= 3) {
                    self.month = Some(month);
                } else if let Some(minutes) =
                    words::zone(word).filter(|_| self.time.is_some() && !self.zoned)
                {
                    self.offset = minutes * 60;
                    // An offset may follow GMT and UTC.
                    self.zoned = !matches!(word, "gmt" | "utc");
                }
            }
        }
    }

    fn seconds(&self) -> Option<u32> {
        let Some((hour, minute, second)) = self.time else {
            return Some(0);
        };
        let hour = match (self.afternoon, hour) {
            (Some(true), 1..=11) => hour + 12,
            (Some(false), 12) => 0,
            _ => hour,
        };
        clock(hour, minute, second)
    }

    fn finish(self) -> Option<Parts> {
        let (year, month, day) = match (self.month, &self.numbers[..]) {
            (Some(month), [(year, digits @ 3.., _), (day, ..), ..])
            | (Some(month), [(day, ..), (year, digits, _), ..]) => ((*year, *digits), month, *day),
            (Some(month), [(year, digits @ 4, _)]) => ((*year, *digits), month, 1),
            (None, [(_, 4, _), ..]) => return year_first(&self),
            (None, [(a, ..), (b, _, mark), (year, digits, _), ..]) if *digits != 1 => {
                let month_first = match mark {
                    Some('/') => *a <= 12,
                    _ => *b > 12,
                };
                let (month, day) = if month_first { (*a, *b) } else { (*b, *a) };
                if !mark.is_some_and(|m| matches!(m, '/' | '-' | '.')) {
                    return None;
                }
                ((*year, *digits), month, day)
            }
            _ => return None,
        };
        Some(Parts {
            year: full_year(i32::try_from(year.0).ok()?, year.1),
            month,
            day,
            seconds: self.seconds()?,
            offset: self.offset,
            epoch: None,
        })
    }
}

/// Year, month and day with words or spaces between them, as in Korean.
fn year_first(found: &Found) -> Option<Parts> {
    let [(year, 4, _), (month, ..), (day, ..), ..] = found.numbers[..] else {
        return None;
    };
    Some(Parts {
        year: i32::try_from(year).ok()?,
        month,
        day,
        seconds: found.seconds()?,
        offset: found.offset,
        epoch: None,
    })
}
