//! What a source has asked of us.

use std::borrow::Cow;

use pergola_manners::courtesy::{
    Courtesy, Ended, Failures, Moved, Pace, Pause, QuietTimes, Validators,
};
use serde::{Deserialize, Serialize};

use super::source::FailureRow;
use super::{Bytes, Nonsense, Stored, row};

/// No hour of the day has this bit. An earlier version passes over it.
const HALTED: u32 = 1 << 31;

#[derive(Serialize, Deserialize)]
pub(crate) struct CourtesyRow<'a> {
    validators: ValidatorsRow<'a>,
    lifetime: Option<f64>,
    period: Option<f64>,
    /// Hours and days, as bits; the highest bit of the hours says that whoever runs the node has paused the source.
    quiet_times: (u32, u8),
    pause: Option<PauseRow>,
    failures: Option<FailuresRow>,
    forbidden: u32,
    moved: Option<MovedRow<'a>>,
    ended: Option<EndedRow>,
    last_unconditional: Option<f64>,
    /// Items, seconds, and the last refresh.
    pace: (f64, f64, Option<f64>),
    /// In rows of schema 2 the time of the next refresh.
    asked_until: f64,
}

impl Stored for Courtesy {
    type Row<'a> = CourtesyRow<'a>;

    fn to_row(&self) -> CourtesyRow<'_> {
        let (hours, days) = self.quiet_times.bits();
        CourtesyRow {
            validators: self.validators.to_row(),
            lifetime: self.lifetime,
            period: self.period,
            quiet_times: (hours | if self.halted { HALTED } else { 0 }, days),
            pause: self.pause.to_row(),
            failures: self.failures.to_row(),
            forbidden: self.forbidden,
            moved: self.moved.to_row(),
            ended: self.ended.to_row(),
            last_unconditional: self.last_unconditional,
            pace: self.pace.parts(),
            asked_until: self.asked_until,
        }
    }

    fn from_row(row: CourtesyRow<'static>) -> Result<Self, Nonsense> {
        let ((hours, days), (items, seconds, last_refresh)) = (row.quiet_times, row.pace);
        let halted = hours & HALTED != 0;
        let mut courtesy = Self { asked_until: row.asked_until, halted, ..Self::default() };
        courtesy.validators = Stored::from_row(row.validators)?;
        courtesy.lifetime = row.lifetime;
        courtesy.period = row.period;
        courtesy.quiet_times = QuietTimes::from_bits(hours, days);
        courtesy.pause = Stored::from_row(row.pause)?;
        courtesy.failures = Stored::from_row(row.failures)?;
        courtesy.forbidden = row.forbidden;
        courtesy.moved = Stored::from_row(row.moved)?;
        courtesy.ended = Stored::from_row(row.ended)?;
        courtesy.last_unconditional = row.last_unconditional;
        courtesy.pace = Pace::from_parts(items, seconds, last_refresh);
        Ok(courtesy)
    }
}

#[derive(Serialize, Deserialize)]
pub(crate) struct ValidatorsRow<'a> {
    etag: Option<Bytes<'a>>,
    last_modified: Option<Bytes<'a>>,
}

impl Stored for Validators {
    type Row<'a> = ValidatorsRow<'a>;

    fn to_row(&self) -> ValidatorsRow<'_> {
        ValidatorsRow {
            etag: self.etag.as_deref().map(Bytes::of),
            last_modified: self.last_modified.as_deref().map(Bytes::of),
        }
    }

    fn from_row(row: ValidatorsRow<'static>) -> Result<Self, Nonsense> {
        let (etag, last_modified) = (row.etag, row.last_modified);
        Ok(Self { etag: etag.map(Bytes::read), last_modified: last_modified.map(Bytes::read) })
    }
}

/// A pause; status 0 stands for a peer that asked for it over gRPC.
#[derive(Serialize, Deserialize)]
pub(crate) struct PauseRow {
    until: f64,
    status: u16,
    count: u32,
}

impl Stored for Pause {
    type Row<'a> = PauseRow;

    fn to_row(&self) -> PauseRow {
        PauseRow { until: self.until, status: self.status.unwrap_or(0), count: self.count }
    }

    fn from_row(row: PauseRow) -> Result<Self, Nonsense> {
        let status = Some(row.status).filter(|status| *status != 0);
        Ok(Self { until: row.until, status, count: row.count })
    }
}

row!(Failures as FailuresRow { count: u32, since: f64, kind: FailureRow });

row!(Moved as MovedRow<'a> { to: Cow<'a, str>, since: f64 });

row!(Ended as EndedRow { status: u16, at: f64 });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_by_hand_is_kept_beside_the_quiet_times() {
        for halted in [false, true] {
            let quiet_times = QuietTimes::from_bits(0x80_0001, 0x41);
            let courtesy = Courtesy { halted, quiet_times, ..Courtesy::default() };
            assert_eq!(
                crate::rows::decode::<Courtesy>(&crate::rows::encode(&courtesy)).unwrap(),
                courtesy
            );
        }
    }
}
