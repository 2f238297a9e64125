//! Points 3, 4 and 9: how often, how close together, and when not at all.

use std::time::Duration;

use super::{DAY, HOUR, Trial};
use crate::doctor::politeness::judge::{
    floors, no_burst, offsets, outside_quiet_times, spaced, waits,
};
use crate::doctor::politeness::reply::Reply;

const QUIET_HOURS: u32 = 18;

pub(super) const OVER_WEEKS: &[Trial] = &[
    Trial::new(
        3,
        "floor",
        "60 minutes without evidence",
        |asked| match asked.nth {
            0 => Reply::ok(asked),
            1..=6 => Reply::status(304),
            _ => Reply::gone(),
        },
        |seen, facts| floors(seen, facts.floor),
    )
    .needs(8),
    Trial::new(
        3,
        "floor-with-a-hint",
        "15 minutes with a hint",
        |asked| match asked.nth {
            0..=9 => Reply::ok(asked).max_age(60.0),
            _ => Reply::gone(),
        },
        |seen, facts| floors(seen, facts.floor_known),
    )
    .needs(11),
    Trial::new(
        3,
        "floor-with-history",
        "15 minutes with history",
        |asked| match asked.nth {
            0..=14 => Reply::growing(asked),
            _ => Reply::gone(),
        },
        |seen, facts| floors(seen, facts.floor_known),
    )
    .needs(16),
    Trial::new(
        3,
        "restart",
        "no burst after a restart",
        |asked| match asked.nth {
            0 => Reply::ok(asked).max_age(7.0 * DAY),
            _ => Reply::gone(),
        },
        |seen, facts| waits(seen, &[7.0 * DAY]).and_then(|_| no_burst(seen, facts)),
    ),
    Trial::new(
        9,
        "skip-hours",
        "skipHours",
        |asked| {
            let hours: String =
                (0..QUIET_HOURS).map(|hour| format!("<hour>{hour}</hour>")).collect();
            match asked.nth {
                0..=29 => Reply::channel(asked, &format!("<skipHours>{hours}</skipHours>")),
                _ => Reply::gone(),
            }
        },
        |seen, facts| outside_quiet_times(seen, facts, 0.0, DAY, f64::from(QUIET_HOURS) * HOUR),
    )
    .needs(20),
    Trial::new(
        9,
        "skip-days",
        "skipDays",
        |asked| {
            let days = "<skipDays><day>Monday</day><day>Tuesday</day><day>Wednesday</day>\
                        <day>Thursday</day></skipDays>";
            Reply::channel(asked, days).max_age(10.0 * HOUR)
        },
        // The Unix epoch was a Thursday; the first Monday came four days later.
        |seen, facts| outside_quiet_times(seen, facts, 4.0 * DAY, 7.0 * DAY, 4.0 * DAY),
    )
    .needs(10),
    Trial::new(
        9,
        "offset",
        "a random offset",
        |asked| Reply::ok(asked).max_age(4.0 * DAY),
        |seen, facts| offsets(seen, facts, 4.0 * DAY),
    )
    .of(&["a", "b", "c", "d", "e", "f", "g", "h"])
    .needs(8),
];

pub(super) const OVER_SECONDS: &[Trial] = &[Trial::new(
    4,
    "spacing",
    "one request at a time, 2 s apart",
    |asked| Reply::ok(asked).after(Duration::from_millis(80)),
    |seen, facts| spaced(seen, facts.spacing),
)
.of(&["a", "b", "c", "d", "e", "f", "g", "h"])
.needs(8)];
