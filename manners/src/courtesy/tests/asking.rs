//! Rules 1, 2, 3 and 9: when to come back and what to send.

use proptest::prelude::*;

use super::*;

#[test]
fn rule_1_the_next_refresh_waits_for_max_age_expires_ttl_update_period_and_retry_after() {
    for (header, value, expected) in [
        ("cache-control", "max-age=7200", 2.0 * HOUR),
        ("expires", "Wed, 15 Nov 2023 00:13:20 GMT", 2.0 * HOUR),
        ("retry-after", "7200", 2.0 * HOUR),
    ] {
        let mut story = Story::known();
        story.answer(200, &[(header, value)]);
        assert_eq!(story.wait(), expected, "{header}");
    }
    let mut story = Story::new();
    story.document(&Hints { ttl_minutes: Some(180), ..Hints::default() }, 0);
    assert_eq!(story.wait(), 3.0 * HOUR);
    story.document(&Hints { update_period_seconds: Some(86_400), ..Hints::default() }, 0);
    assert_eq!(story.wait(), 24.0 * HOUR);
}

#[test]
fn rule_1_hints_are_read_from_every_answer_alike() {
    for status in [200, 226, 304, 400, 403, 404, 429, 500, 502, 503] {
        for header in [("cache-control", "max-age=172800"), ("retry-after", "172800")] {
            let mut story = Story::known();
            story.answer(status, &[header]);
            assert_eq!(story.wait(), 48.0 * HOUR, "{status} {header:?}");
        }
    }
}

#[test]
fn rule_1_a_304_may_shorten_a_remembered_max_age_and_never_lengthens_it() {
    let mut story = Story::new();
    story.answer(200, &[("etag", "\"1\""), ("cache-control", "max-age=36000")]);
    story.later(10.0 * HOUR).answer(304, &[("cache-control", "max-age=72000")]);
    assert_eq!(story.wait(), 10.0 * HOUR);
    story.later(10.0 * HOUR).answer(304, &[("cache-control", "max-age=18000")]);
    assert_eq!(story.wait(), 5.0 * HOUR);
    story.later(5.0 * HOUR).answer(304, &[]);
    assert_eq!(story.wait(), 5.0 * HOUR, "what it said last is remembered");
    story.later(5.0 * HOUR).answer(200, &[("cache-control", "max-age=72000")]);
    assert_eq!(story.wait(), 20.0 * HOUR, "a new document may say something new");
}

#[test]
fn rule_1_the_age_of_one_answer_does_not_shorten_the_next_wait() {
    let mut story = Story::new();
    story.answer(200, &[("etag", "\"1\""), ("cache-control", "max-age=36000")]);
    story.answer(304, &[("cache-control", "max-age=36000"), ("age", "18000")]);
    assert_eq!(story.wait(), 5.0 * HOUR);
    story.answer(304, &[("cache-control", "max-age=36000"), ("age", "0")]);
    assert_eq!(story.wait(), 10.0 * HOUR);
}

#[test]
fn rule_1_caps_are_31_days_for_retry_after_and_7_days_for_the_rest() {
    let mut story = Story::known();
    story.answer(503, &[("retry-after", "999999999")]);
    assert_eq!(story.wait(), 31.0 * DAY);
    story.answer(200, &[("cache-control", "max-age=999999999")]);
    assert_eq!(story.wait(), 7.0 * DAY);
    let mut story = Story::new();
    story.document(&Hints { ttl_minutes: Some(u32::MAX), ..Hints::default() }, 0);
    assert_eq!(story.wait(), 7.0 * DAY);
}

proptest! {
    #[test]
    fn rule_1_never_earlier_than_the_latest_of_everything_said(
        status in prop::sample::select(vec![200u16, 226, 304, 404, 429, 500, 503]),
        max_age in prop::option::of(0u32..2_000_000),
        retry in prop::option::of(0u32..5_000_000),
        ttl in prop::option::of(0u32..20_000),
        random in 0.0..1.0f64,
    ) {
        let mut story = Story::known();
        story.random = random;
        let mut headers = Vec::new();
        let max_age_text = max_age.map(|seconds| format!("max-age={seconds}"));
        headers.extend(max_age_text.as_deref().map(|text| ("cache-control", text)));
        let retry_text = retry.map(|seconds| seconds.to_string());
        headers.extend(retry_text.as_deref().map(|text| ("retry-after", text)));
        let hints = Hints { ttl_minutes: ttl, ..Hints::default() };
        let is_document = matches!(status, 200 | 226);
        story.exchange(status, &headers, &[], document(&hints, 0));
        let said = |seconds: Option<u32>, cap: f64| seconds.map_or(0.0, f64::from).min(cap);
        prop_assert!(story.wait() >= said(max_age, 7.0 * DAY));
        prop_assert!(story.wait() >= said(retry, 31.0 * DAY));
        prop_assert!(!is_document || story.wait() >= said(ttl.map(|ttl| ttl * 60), 7.0 * DAY));
        prop_assert!(story.wait() >= 15.0 * MINUTE);
        prop_assert!(story.wait() <= 31.0 * DAY + story.rules.offset_cap);
    }
}

#[test]
fn rule_2_validators_are_stored_byte_for_byte_after_every_200_and_304() {
    let mut story = Story::new();
    let date = "tue, 14 nov 2023 22:13:20 +0000";
    story.answer(200, &[("etag", "W/\"a \"b\""), ("last-modified", date)]);
    let sent = story.courtesy.request(story.now);
    assert_eq!(sent.etag.as_deref(), Some(&b"W/\"a \"b\""[..]));
    assert_eq!(sent.last_modified.as_deref(), Some(date.as_bytes()));

    story.answer(304, &[("etag", "unquoted-gzip")]);
    let sent = story.courtesy.request(story.now);
    assert_eq!(sent.etag.as_deref(), Some(&b"unquoted-gzip"[..]));
    assert_eq!(sent.last_modified.as_deref(), Some(date.as_bytes()), "a 304 may leave one out");

    story.exchange(200, &[("etag", "\"2\"")], &[], Gist::SameDocument);
    let sent = story.courtesy.request(story.now);
    assert_eq!(sent.etag.as_deref(), Some(&b"\"2\""[..]), "even if the body is the same");
    assert_eq!(sent.last_modified, None, "a 200 replaces both");
}

#[test]
fn rule_2_unconditional_only_the_first_time_and_once_in_30_days() {
    let mut story = Story::new();
    assert!(story.courtesy.request(story.now).is_empty());
    story.answer(200, &[("etag", "\"1\"")]);
    let mut unconditional = Vec::new();
    for hour in 1..=24 * 61 {
        story.later(HOUR);
        if story.courtesy.request(story.now).is_empty() {
            unconditional.push(hour);
            story.answer(503, &[]);
        } else {
            story.answer(304, &[]);
        }
    }
    assert_eq!(unconditional, [24 * 30, 24 * 60], "an audit that fails is not repeated");
}

#[test]
fn rule_3_the_floor_is_60_minutes_without_evidence() {
    let mut story = Story::new();
    story.answer(200, &[("cache-control", "max-age=0")]);
    assert_eq!(story.wait(), 60.0 * MINUTE);
    let mut story = Story::new();
    story.document(&Hints::default(), 500);
    assert_eq!(story.wait(), 60.0 * MINUTE, "what a first refresh finds is no history");
}

#[test]
fn rule_3_the_floor_is_15_minutes_once_history_or_a_hint_justifies_it() {
    let mut busy = Story::known();
    busy.later(HOUR).document(&Hints::default(), 4);
    assert_eq!(busy.wait(), 15.0 * MINUTE);

    let mut hinted = Story::known();
    hinted.document(&Hints { ttl_minutes: Some(5), ..Hints::default() }, 0);
    assert_eq!(hinted.wait(), 15.0 * MINUTE);
    hinted.document(&Hints { ttl_minutes: Some(30), ..Hints::default() }, 0);
    assert_eq!(hinted.wait(), 30.0 * MINUTE, "the hint itself is obeyed");
}

#[test]
fn rule_3_lower_only_for_hosts_that_the_configuration_names() {
    let mut story = Story::known();
    story.rules = Rules::for_peer();
    story.answer(304, &[]);
    assert_eq!(story.wait(), 0.0);
    story.answer(304, &[("cache-control", "max-age=40")]);
    assert_eq!(story.wait(), 40.0);
}

#[test]
fn rule_9_skip_hours_and_skip_days_are_honoured() {
    let mut story = Story::known();
    let hints = Hints { skip_hours: vec![23, 0, 1], skip_days: vec![2], ..Hints::default() };
    story.document(&hints, 0);
    // An hour later it is 23:13 on Tuesday; Wednesday is skipped, and so are the first hours.
    let thursday_2_00 = 1_700_006_400.0 + 86_400.0 + 2.0 * HOUR;
    assert_eq!(story.next_at, thursday_2_00);
    story.random = 0.5;
    story.failure(FailureKind::Connect);
    let offset = story.next_at - thursday_2_00;
    assert_eq!(offset, 150.0, "not everybody at the stroke of the hour");
}

#[test]
fn rule_9_a_random_offset_keeps_nodes_apart() {
    let waits = [0.0, 0.5, 0.999].map(|random| {
        let mut story = Story::new();
        story.random = random;
        story.answer(200, &[]);
        story.wait()
    });
    assert_eq!(waits[0], HOUR);
    assert_eq!(waits[1], HOUR + 150.0);
    assert!(waits[2] > waits[1] && waits[2] <= HOUR + 300.0);
}

#[test]
fn a_peer_says_nothing_of_the_document_whose_validators_are_kept() {
    let mut story = Story::new();
    story.answer(200, &[("etag", "\"1\""), ("cache-control", "max-age=36000")]);
    story.rules = Rules::for_peer();
    let hints = Hints::default();
    let verdict = story.later(HOUR).peer(document(&hints, 3), None);
    assert_eq!((verdict.outcome, story.wait()), (Outcome::Changed, 0.0));
    assert_eq!(story.courtesy.request(story.now).etag.as_deref(), Some(&b"\"1\""[..]));
    assert_eq!(story.later(HOUR).peer(Gist::NothingNew, None).outcome, Outcome::Unchanged);
    assert_eq!(story.courtesy.last_unconditional, Some(NOW), "it was not asked for the document");
}
