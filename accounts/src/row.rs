//! One entry of a feed, as it is listed for people.

/// An entry of a feed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// The number of its item.
    pub number: u64,
    /// Its number in the feed.
    pub sequence: u64,
    /// The date by which it is sorted, in seconds since 1970.
    pub dated: f64,
    /// When it arrived here, in seconds since 1970.
    pub arrived: f64,
}

/// An entry in memory: there may be millions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Packed {
    pub(crate) number: u64,
    /// Its number in the feed, after the first one that the table has had.
    pub(crate) offset: u32,
    dated: Instant,
    arrived: Instant,
}

/// Milliseconds since 1970, up to the year 2106, in six bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Instant {
    seconds: [u16; 2],
    millis: u16,
}

impl Instant {
    fn new(at: f64) -> Self {
        // A number that is too large or none at all becomes the nearest that fits.
        let millis = (at * 1000.0).round().clamp(0.0, f64::from(u32::MAX) * 1000.0) as u64;
        let seconds = (millis / 1000) as u32;
        Self { seconds: [(seconds >> 16) as u16, seconds as u16], millis: (millis % 1000) as u16 }
    }

    fn millis(self) -> u64 {
        let [high, low] = self.seconds.map(u64::from);
        (high << 16 | low) * 1000 + u64::from(self.millis)
    }
}

impl Packed {
    pub(crate) fn new(row: &Row, offset: u32) -> Self {
        let (dated, arrived) = (Instant::new(row.dated), Instant::new(row.arrived));
        Self { number: row.number, offset, dated, arrived }
    }

    pub(crate) fn unpacked(&self, base: u64) -> Row {
        Row {
            number: self.number,
            sequence: base + u64::from(self.offset),
            dated: self.dated.millis() as f64 / 1000.0,
            arrived: self.arrived(),
        }
    }

    pub(crate) fn arrived(&self) -> f64 {
        self.arrived.millis() as f64 / 1000.0
    }

    /// Where it is in the order of dates.
    pub(crate) fn place(&self) -> Place {
        Place { dated: self.dated.millis(), number: self.number }
    }
}

/// A place in the order of dates; items of one date are in the order of their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Place {
    /// Milliseconds since 1970.
    pub(crate) dated: u64,
    pub(crate) number: u64,
}

impl Place {
    pub(crate) fn new(number: u64, dated: f64) -> Self {
        Self { dated: Instant::new(dated).millis(), number }
    }

    pub(crate) fn seconds(&self) -> f64 {
        self.dated as f64 / 1000.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_takes_24_bytes_and_is_exact_to_the_millisecond() {
        assert_eq!(size_of::<Packed>(), 24);
        let row =
            Row { number: u64::MAX >> 1, sequence: 12, dated: 0.001, arrived: 1_794_880_800.25 };
        assert_eq!(Packed::new(&row, 5).unpacked(7), row);
        let odd = Row { dated: -5.0, arrived: f64::NAN, ..row };
        let kept = Packed::new(&odd, 5).unpacked(7);
        assert_eq!((kept.dated, kept.arrived), (0.0, 0.0));
        let late = Packed::new(&Row { dated: f64::INFINITY, ..row }, 5).unpacked(7);
        assert_eq!(late.dated, f64::from(u32::MAX));
        assert!(
            Place::new(9, 1.0) < Place::new(1, 1.001) && Place::new(1, 1.0) < Place::new(2, 1.0)
        );
    }
}
