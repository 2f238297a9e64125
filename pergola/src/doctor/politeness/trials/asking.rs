//! Points 1 and 2: when a source may be asked again, and with which validators.

use super::{DAY, HOUR, Trial};
use crate::doctor::politeness::judge::{
    audits, by_hand, enough, returned_exactly, waits, waits_between,
};
use crate::doctor::politeness::reply::{Reply, http_date};

pub(super) const TRIALS: &[Trial] = &[
    Trial::new(
        1,
        "max-age-200",
        "max-age on a 200",
        |asked| match asked.nth {
            0 => Reply::ok(asked).max_age(3.0 * HOUR),
            _ => Reply::gone(),
        },
        |seen, _| waits(seen, &[3.0 * HOUR]),
    ),
    Trial::new(
        1,
        "max-age-304",
        "max-age on a 304",
        |asked| match asked.nth {
            0 => Reply::ok(asked),
            1 => Reply::status(304).max_age(5.0 * HOUR),
            _ => Reply::gone(),
        },
        |seen, _| waits(seen, &[0.0, 5.0 * HOUR]),
    )
    .needs(3),
    Trial::new(
        1,
        "max-age-404",
        "max-age on a 404",
        |asked| match asked.nth {
            0 => Reply::status(404).max_age(2.0 * DAY),
            _ => Reply::gone(),
        },
        |seen, _| waits(seen, &[2.0 * DAY]),
    ),
    Trial::new(
        1,
        "max-age-500",
        "max-age on a 500",
        |asked| match asked.nth {
            0 => Reply::status(500).max_age(2.0 * DAY),
            _ => Reply::gone(),
        },
        |seen, _| waits(seen, &[2.0 * DAY]),
    ),
    Trial::new(
        1,
        "age",
        "max-age counts from Age",
        |asked| match asked.nth {
            0 => Reply::ok(asked).max_age(6.0 * DAY).with("Age", "259200"),
            _ => Reply::gone(),
        },
        |seen, _| waits_between(seen, &[(3.0 * DAY, 5.9 * DAY)]),
    ),
    Trial::new(
        1,
        "expires",
        "Expires",
        |asked| match asked.nth {
            0 => Reply::ok(asked).with("Expires", &http_date(asked.now + 4.0 * HOUR)),
            _ => Reply::gone(),
        },
        |seen, _| waits(seen, &[4.0 * HOUR - 1.0]),
    ),
    Trial::new(
        1,
        "ttl",
        "RSS ttl",
        |asked| match asked.nth {
            0 => Reply::channel(asked, "<ttl>240</ttl>"),
            1 => Reply::status(304),
            _ => Reply::gone(),
        },
        |seen, _| waits(seen, &[4.0 * HOUR, 4.0 * HOUR]),
    )
    .needs(3),
    Trial::new(
        1,
        "update-period",
        "sy:updatePeriod and Frequency",
        |asked| {
            let twice_a_day = "<sy:updatePeriod>daily</sy:updatePeriod>\
                               <sy:updateFrequency>2</sy:updateFrequency>";
            match asked.nth {
                0 => Reply::channel(asked, twice_a_day),
                _ => Reply::gone(),
            }
        },
        |seen, _| waits(seen, &[12.0 * HOUR]),
    ),
    Trial::new(
        1,
        "retry-after",
        "Retry-After on 200, 304 and 500",
        |asked| match asked.nth {
            0 => Reply::ok(asked).retry_after(5.0 * HOUR),
            1 => Reply::status(304).retry_after(6.0 * HOUR),
            2 => Reply::status(500).retry_after(7.0 * HOUR),
            _ => Reply::gone(),
        },
        |seen, _| waits(seen, &[5.0 * HOUR, 6.0 * HOUR, 7.0 * HOUR]),
    )
    .needs(4),
    Trial::new(
        1,
        "longer-304",
        "a 304 never lengthens max-age",
        |asked| match asked.nth {
            0 => Reply::ok(asked).max_age(2.0 * HOUR),
            1 => Reply::status(304).max_age(6.0 * DAY),
            _ => Reply::gone(),
        },
        |seen, _| waits_between(seen, &[(2.0 * HOUR, 3.0 * DAY), (2.0 * HOUR, 3.0 * DAY)]),
    )
    .needs(3),
    Trial::new(
        1,
        "shorter-304",
        "a 304 may shorten max-age",
        |asked| match asked.nth {
            0 => Reply::ok(asked).max_age(4.0 * DAY),
            1 => Reply::status(304).max_age(2.0 * HOUR),
            _ => Reply::gone(),
        },
        |seen, _| waits_between(seen, &[(4.0 * DAY, 8.0 * DAY), (2.0 * HOUR, 2.0 * DAY)]),
    )
    .needs(3),
    Trial::new(
        1,
        "cap-of-hints",
        "a max-age of a year: 7 days",
        |asked| match asked.nth {
            0 => Reply::ok(asked).max_age(365.0 * DAY),
            _ => Reply::gone(),
        },
        |seen, _| waits_between(seen, &[(7.0 * DAY, 11.0 * DAY)]),
    ),
    Trial::new(
        1,
        "cap-of-retry-after",
        "a Retry-After of a year: 31 days",
        |asked| match asked.nth {
            0 => Reply::status(429).retry_after(365.0 * DAY),
            _ => Reply::gone(),
        },
        |seen, _| waits_between(seen, &[(31.0 * DAY, 34.0 * DAY)]),
    ),
    Trial::new(
        2,
        "odd-validators",
        "validators byte for byte",
        |asked| {
            let odd: [(&[u8], &str); 7] = [
                (b"W/\"weak\"", "Sun, 06 Nov 1994 08:49:37 GMT"),
                (b"without-quotes", "Sun, 6 Nov 1994 9:49 +0100"),
                (b"\"quotes\"inside\"", "2024-02-30T25:61:00Z"),
                (b"'single'", "yesterday"),
                (b"w/\"lower case\"", "0"),
                (b"\"caf\xe9\"", "1700000000"),
                (b"\"a\", \"b\"", "Sunday, 06-Nov-94 08:49:37 GMT"),
            ];
            match odd.get(asked.nth as usize) {
                Some((etag, date)) => {
                    Reply::channel(asked, "").clear().etag(etag).with("Last-Modified", date)
                }
                None => Reply::gone(),
            }
        },
        |seen, _| returned_exactly(seen, 8),
    )
    .needs(8),
    Trial::new(
        2,
        "renewed-validators",
        "taken from every 200 and 304",
        |asked| match asked.nth {
            0 => Reply::ok(asked),
            1 => Reply::status(304).etag(b"\"renewed by a 304\""),
            2 => Reply::status(304),
            3 => Reply::channel(asked, "").clear().etag(b"\"the same body\""),
            4 => Reply::status(500),
            _ => Reply::gone(),
        },
        |seen, _| returned_exactly(seen, 6),
    )
    .needs(6),
    Trial::new(
        2,
        "audit",
        "unconditional once in 30 days",
        |asked| match asked.nth {
            0 => Reply::ok(asked).max_age(2.0 * DAY),
            _ => Reply::status(304),
        },
        |seen, _| audits(seen),
    )
    .needs(15),
    Trial::new(
        2,
        "by-hand",
        "a refresh by hand waits, too",
        |asked| match asked.nth {
            0 => Reply::ok(asked).max_age(6.0 * DAY),
            _ => Reply::gone(),
        },
        |seen, facts| enough(seen, 2).and_then(|()| by_hand(seen, facts, 6.0 * DAY)),
    ),
];
