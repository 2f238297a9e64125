//! Points 7 and 8: what an answer may cost, and what adding a source costs.

use super::{DAY, Trial};
use crate::doctor::politeness::judge::{
    bounded_bytes, bounded_redirects, bounded_time, one_get, read_all, refused_bomb,
};
use crate::doctor::politeness::reply::{Body, Reply};

/// Bytes to which a body of a few kilobytes unpacks.
const BOMB: usize = 4 << 20;

pub(super) const TRIALS: &[Trial] = &[
    Trial::new(
        7,
        "encodings",
        "zstd, br and gzip understood",
        |asked| Reply::ok(asked).packed(asked.part).max_age(7.0 * DAY),
        read_all,
    )
    .of(&["zstd", "br", "gzip"])
    .needs(3),
    Trial::new(
        7,
        "endless",
        "size capped",
        |asked| match asked.nth {
            0 => Reply::misbehaving(Body::Endless),
            _ => Reply::gone(),
        },
        bounded_bytes,
    )
    .needs(1),
    Trial::new(
        7,
        "bomb",
        "compression ratio capped",
        |_| Reply::document(&" ".repeat(BOMB)).packed("gzip"),
        refused_bomb,
    )
    .needs(1),
    Trial::new(
        7,
        "dripping",
        "time capped",
        |asked| match asked.nth {
            0 => Reply::misbehaving(Body::Dripping),
            _ => Reply::gone(),
        },
        bounded_time,
    )
    .needs(1),
    Trial::new(
        7,
        "redirects",
        "at most 5 redirects",
        |asked| {
            let hop: u32 = asked.part.parse().unwrap_or(0);
            Reply::redirect(302, asked, &(hop + 1).to_string())
        },
        bounded_redirects,
    )
    .needs(2),
    Trial::new(
        8,
        "page",
        "a page and its feed: one GET each",
        |asked| match asked.part {
            "" => Reply {
                headers: vec![("Content-Type", b"text/html".to_vec())],
                ..Reply::document(
                    "<!doctype html><html><head><title>A page</title><link rel=\"alternate\" \
                     type=\"application/rss+xml\" href=\"/page/feed\"></head><body></body></html>",
                )
            },
            _ => Reply::ok(asked).max_age(7.0 * DAY),
        },
        |seen, _| one_get(seen),
    ),
];
