//! Volumes: the archive documents of a feed (RFC 5005), and which entries each one holds.
//!
//! Entries have consecutive numbers, so a volume is a range of them. Volume n holds the entries from
//! n · SIZE up to (n + 1) · SIZE and is there once it is complete. What lies between the newest complete
//! one and the window is a *part*: the beginning of the volume to come, under an address that says how
//! much of it. So whoever walks back from the window meets every entry that is kept, whatever the
//! window is.
//!
//! Never: an address that stands for other entries than it once did (hence [`SIZE`] is for ever).

use std::fmt;
use std::ops::Range;

/// Entries in a volume.
pub(super) const SIZE: u64 = 100;

/// An archive document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Volume {
    number: u64,
    /// How many of its entries: all of them, unless it is a part.
    length: u64,
}

impl Volume {
    /// A complete one.
    pub(super) fn whole(number: u64) -> Self {
        Self { number, length: SIZE }
    }

    /// As an address has it: `7`, or `7-25` for the first 25 entries. One volume has one address.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let volume = match text.split_once('-') {
            None => Self::whole(text.parse().ok()?),
            Some((number, length)) => {
                let length = length.parse().ok().filter(|length| (1..SIZE).contains(length))?;
                Self { number: number.parse().ok()?, length }
            }
        };
        (volume.to_string() == text).then_some(volume)
    }

    pub(super) fn is_whole(self) -> bool {
        self.length == SIZE
    }

    /// The numbers of its entries.
    pub(super) fn range(self) -> Range<u64> {
        let start = self.number.saturating_mul(SIZE);
        start..start.saturating_add(self.length)
    }
}

impl fmt::Display for Volume {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.length {
            SIZE => write!(formatter, "{}", self.number),
            length => write!(formatter, "{}-{length}", self.number),
        }
    }
}

/// The entries of a feed that are kept: from `oldest` up to, not including, `next`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reach {
    pub(super) oldest: u64,
    pub(super) next: u64,
}

/// How a volume stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// It can be had, though its oldest entries may be gone.
    Kept,
    /// Some of its entries are still to come.
    NotYet,
    /// None of its entries is kept any more.
    Gone,
}

impl Reach {
    /// The numbers of the complete volumes of which something is kept.
    pub(super) fn volumes(self) -> Range<u64> {
        self.oldest / SIZE..self.next / SIZE
    }

    pub(super) fn standing(self, volume: Volume) -> Standing {
        let Range { end, .. } = volume.range();
        if end > self.next {
            Standing::NotYet
        } else if end <= self.oldest {
            Standing::Gone
        } else {
            Standing::Kept
        }
    }

    /// The one before it, unless that is gone.
    pub(super) fn before(self, volume: Volume) -> Option<Volume> {
        let number = volume.number.checked_sub(1)?;
        self.volumes().contains(&number).then(|| Volume::whole(number))
    }

    /// The one after it, once that is complete.
    pub(super) fn after(self, volume: Volume) -> Option<Volume> {
        let number = volume.number.checked_add(1)?;
        self.volumes().contains(&number).then(|| Volume::whole(number))
    }

    /// Where to go on from a window that begins with the entry `first`: to the part that reaches up to
    /// it, if there is a gap, else to the newest complete volume.
    ///
    /// A part may overlap the window, so that its address changes with every half window of new
    /// entries only.
    pub(super) fn behind(self, first: u64, window: u64) -> Option<Volume> {
        let (number, step) = (self.next / SIZE, (window / 2).max(1));
        let gap = first.saturating_sub(number * SIZE);
        if gap > 0 && self.oldest < first {
            let length = gap.div_ceil(step).saturating_mul(step).min(self.next % SIZE);
            return Some(Volume { number, length });
        }
        self.volumes().next_back().map(Volume::whole)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_volume_has_one_address() {
        assert_eq!(Volume::parse("7").unwrap().range(), 700..800);
        assert_eq!(Volume::parse("7-25").unwrap().range(), 700..725);
        for wrong in ["", "-1", "+7", "07", "7-", "7-0", "7-100", "7-025", "7-1-1", "x", "7.5"] {
            assert_eq!(Volume::parse(wrong), None, "{wrong}");
        }
        let far = Volume::parse(&u64::MAX.to_string()).unwrap();
        assert_eq!(Reach { oldest: 0, next: 1000 }.standing(far), Standing::NotYet);
    }

    #[test]
    fn a_volume_is_kept_from_its_last_entry_until_its_last_entry_goes() {
        let volume = Volume::whole(2);
        let standing = |oldest, next| Reach { oldest, next }.standing(volume);
        assert_eq!(standing(0, 299), Standing::NotYet);
        assert_eq!(standing(0, 300), Standing::Kept);
        assert_eq!(standing(299, 300), Standing::Kept);
        assert_eq!(standing(300, 300), Standing::Gone);
        assert_eq!(standing(400, 777), Standing::Gone);
    }

    #[test]
    fn neighbours_are_linked_as_far_as_they_are_there() {
        let reach = Reach { oldest: 150, next: 420 };
        let text = |volume: Option<Volume>| volume.map(|volume| volume.to_string());
        assert_eq!(text(reach.before(Volume::whole(2))).as_deref(), Some("1"));
        assert_eq!(text(reach.before(Volume::whole(1))), None);
        assert_eq!(text(reach.after(Volume::whole(2))).as_deref(), Some("3"));
        assert_eq!(text(reach.after(Volume::whole(3))), None);
        // The window begins right at the newest volume, or inside it.
        assert_eq!(text(reach.behind(400, 20)).as_deref(), Some("3"));
        assert_eq!(text(reach.behind(370, 50)).as_deref(), Some("3"));
        // Fifteen entries lie between, rounded up to half windows of two.
        assert_eq!(text(reach.behind(415, 5)).as_deref(), Some("4-16"));
        assert_eq!(text(Reach { oldest: 0, next: 60 }.behind(0, 60)), None);
        assert_eq!(text(Reach { oldest: 30, next: 60 }.behind(40, 20)).as_deref(), Some("0-40"));
        assert_eq!(text(Reach { oldest: 40, next: 60 }.behind(40, 20)), None);
    }

    proptest! {
        #[test]
        fn whoever_walks_back_from_the_window_meets_every_kept_entry(
            oldest in 0..500u64, kept in 0..900u64, window in 1..300u64,
        ) {
            let reach = Reach { oldest, next: oldest + kept };
            let first = reach.next.saturating_sub(window).max(oldest);
            let mut covered = first;
            let mut next = reach.behind(first, window);
            while let Some(volume) = next {
                prop_assert_eq!(reach.standing(volume), Standing::Kept);
                prop_assert!(volume.range().end >= covered.min(reach.next), "a gap at {}", volume);
                covered = covered.min(volume.range().start);
                next = reach.before(volume);
            }
            prop_assert!(covered <= oldest || kept == 0, "{} of {} is missing", covered, oldest);
        }
    }
}
