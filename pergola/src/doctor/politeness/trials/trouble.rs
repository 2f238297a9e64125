//! Points 5 and 6: what follows when a host wants quiet, a source moves, fails or ends.

use super::{DAY, HOUR, Trial};
use crate::doctor::politeness::judge::{
    adopted, backs_off, ended, host_is_quiet, not_a_failure, stays, waits,
};
use crate::doctor::politeness::reply::{Body, Reply, TrialRequest, http_date};

fn temporarily(status: u16, asked: TrialRequest<'_>) -> Reply {
    match (asked.part, asked.nth) {
        ("", _) => Reply::redirect(status, asked, "elsewhere"),
        (_, 0..=9) => Reply::ok(asked).max_age(DAY),
        _ => Reply::gone(),
    }
}

pub(super) const TRIALS: &[Trial] = &[
    Trial::new(
        5,
        "quiet-429",
        "429: no second attempt",
        |asked| match asked.nth {
            0..=2 => Reply::status(429),
            _ => Reply::ok(asked).max_age(7.0 * DAY),
        },
        |seen, facts| waits(seen, &[HOUR; 3]).and_then(|said| not_a_failure(said, seen, facts)),
    )
    .needs(4),
    Trial::new(
        5,
        "quiet-503",
        "503 with Retry-After",
        |asked| match asked.nth {
            0 => Reply::status(503).retry_after(5.0 * HOUR),
            1 => Reply::status(503).with("Retry-After", &http_date(asked.now + 6.0 * HOUR)),
            _ => Reply::ok(asked).max_age(7.0 * DAY),
        },
        |seen, facts| {
            let said = waits(seen, &[5.0 * HOUR, 6.0 * HOUR - 1.0]);
            said.and_then(|said| not_a_failure(said, seen, facts))
        },
    )
    .needs(3),
    Trial::new(
        5,
        "host-pause",
        "three URLs say 429: the host rests",
        |asked| match (asked.part, asked.nth) {
            ("a" | "b" | "c", 0) => Reply::status(429).retry_after(2.0 * DAY),
            (_, 0..=3) => Reply::ok(asked),
            _ => Reply::gone(),
        },
        |seen, _| host_is_quiet(seen, 429, 2.0 * DAY),
    )
    .of(&["a", "b", "c", "d", "e"])
    .needs(20),
    Trial::new(
        5,
        "forbidden",
        "a burst of 403 counts as 429",
        |asked| match (asked.part, asked.nth) {
            ("a" | "b" | "c", 0) => Reply::status(403),
            (_, 0..=1) => Reply::ok(asked),
            _ => Reply::gone(),
        },
        |seen, _| host_is_quiet(seen, 403, HOUR),
    )
    .of(&["a", "b", "c", "d", "e"])
    .needs(10),
    Trial::new(
        6,
        "moved-301",
        "301 adopted after 7 days",
        |asked| match (asked.part, asked.nth) {
            ("", _) => Reply::redirect(301, asked, "new"),
            (_, 0..=13) => Reply::ok(asked).max_age(DAY),
            _ => Reply::gone(),
        },
        |seen, _| adopted(seen, "new"),
    )
    .needs(20),
    Trial::new(
        6,
        "moved-308",
        "308: 7 days of the same target",
        |asked| match (asked.part, asked.nth) {
            ("", 0..=2) => Reply::redirect(308, asked, "first"),
            ("", _) => Reply::redirect(308, asked, "second"),
            (_, 0..=13) => Reply::ok(asked).max_age(DAY),
            _ => Reply::gone(),
        },
        |seen, _| adopted(seen, "second"),
    )
    .needs(26),
    Trial::new(
        6,
        "temporary-302",
        "302 never adopted",
        |asked| temporarily(302, asked),
        |seen, _| stays(seen),
    )
    .needs(20),
    Trial::new(
        6,
        "temporary-303",
        "303 never adopted",
        |asked| temporarily(303, asked),
        |seen, _| stays(seen),
    )
    .needs(20),
    Trial::new(
        6,
        "temporary-307",
        "307 never adopted",
        |asked| temporarily(307, asked),
        |seen, _| stays(seen),
    )
    .needs(20),
    Trial::new(6, "gone", "410 ends it", |_| Reply::gone(), ended).needs(1),
    Trial::new(
        6,
        "not-found",
        "404 backs off to weekly",
        |_| Reply::status(404),
        |seen, facts| backs_off(seen, facts, 4.0),
    )
    .needs(6),
    Trial::new(
        6,
        "failing",
        "errors back off up to 7 days",
        |_| Reply::status(500),
        |seen, facts| backs_off(seen, facts, 2.0),
    )
    .needs(9),
    Trial::new(
        6,
        "hangup",
        "lost connections back off, too",
        |_| Reply::misbehaving(Body::Hangup),
        |seen, facts| backs_off(seen, facts, 2.0),
    )
    .needs(9),
];
