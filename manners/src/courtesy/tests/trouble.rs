//! Rules 5 and 6: pauses, failures, moves and ends.

use super::*;

#[test]
fn rule_5_a_pause_holds_for_the_url_and_is_not_an_error() {
    for status in [429, 503] {
        let mut story = Story::known();
        let verdict = story.answer(status, &[("retry-after", "36000")]);
        assert_eq!(verdict.outcome, Outcome::Paused);
        assert_eq!(verdict.host_pause, Some(story.now + 10.0 * HOUR));
        assert_eq!(story.wait(), 10.0 * HOUR);
        assert_eq!(story.courtesy.failures, None);
        assert!(verdict.note.unwrap().contains("quiet"));
    }
}

#[test]
fn rule_5_without_retry_after_the_pause_doubles_up_to_a_day() {
    let mut story = Story::known();
    let waits: Vec<f64> = (0..7)
        .map(|_| {
            story.answer(429, &[("retry-after", "sometime")]);
            story.wait() / HOUR
        })
        .collect();
    assert_eq!(waits, [1.0, 2.0, 4.0, 8.0, 16.0, 24.0, 24.0]);
    story.answer(304, &[]);
    assert_eq!(story.courtesy.pause, None);
    story.answer(429, &[]);
    assert_eq!(story.wait(), HOUR, "a good answer ends the series");
}

#[test]
fn rule_5_a_retry_after_of_zero_is_no_invitation() {
    let mut story = Story::known();
    story.rules = Rules::for_peer();
    story.answer(429, &[("retry-after", "0")]);
    assert_eq!(story.wait(), 60.0);
}

#[test]
fn rule_5_named_peers_stay_url_scoped() {
    let mut story = Story::known();
    story.rules = Rules::for_peer();
    let verdict = story.answer(503, &[("retry-after", "600")]);
    assert_eq!((verdict.outcome, verdict.host_pause), (Outcome::Paused, None));
    assert_eq!(story.wait(), 600.0);
    assert_eq!(story.answer(403, &[]).host_pause, None);
}

#[test]
fn rule_5_a_burst_of_403_counts_as_429() {
    let mut story = Story::known();
    let forbidden = Outcome::Failed(FailureKind::Forbidden);
    let outcomes: Vec<Outcome> = (0..4)
        .map(|_| {
            let verdict = story.answer(403, &[]);
            assert!(verdict.host_pause.is_some(), "a ban is usually of all URLs");
            verdict.outcome
        })
        .collect();
    assert_eq!(outcomes, [forbidden, forbidden, Outcome::Paused, Outcome::Paused]);
    assert_eq!(story.courtesy.failures.as_ref().unwrap().count, 2);
    story.answer(304, &[]);
    assert_eq!(story.answer(403, &[]).outcome, forbidden, "not in a row any more");
}

#[test]
fn rule_6_a_permanent_redirect_is_adopted_after_7_days_of_the_same_target() {
    for status in [301, 308] {
        let mut story = Story::new();
        let b = [(status, "https://b.example/feed")];
        assert_eq!(story.redirected(&b).adopt, None);
        assert_eq!(story.later(6.9 * DAY).redirected(&b).adopt, None);
        let verdict = story.later(0.2 * DAY).redirected(&b);
        assert_eq!(verdict.adopt.unwrap().as_str(), "https://b.example/feed");
        assert!(verdict.note.unwrap().contains("b.example"));
        assert_eq!(story.courtesy.moved, None);
    }
}

#[test]
fn rule_6_another_target_or_none_begins_anew() {
    let b = [(301, "https://b.example/feed")];
    let c = [(301, "https://c.example/feed")];
    let mut story = Story::new();
    story.redirected(&b);
    assert_eq!(story.later(8.0 * DAY).redirected(&c).adopt, None);
    story.redirected(&[]);
    assert_eq!(story.courtesy.moved, None);
    assert_eq!(story.redirected(&b).adopt, None);
    assert_eq!(story.later(8.0 * DAY).redirected(&c).adopt, None);
}

#[test]
fn rule_6_only_a_target_that_answers_well_is_valid() {
    let mut story = Story::new();
    let hops = [Hop { status: 301, to: Url::parse("https://parked.example/").unwrap() }];
    for _ in 0..5 {
        story.later(8.0 * DAY);
        let page = Gist::Unusable(FailureKind::NotAFeed);
        assert_eq!(story.exchange(200, &[], &hops, page).adopt, None);
        assert_eq!(story.exchange(500, &[], &hops, Gist::SameDocument).adopt, None);
    }
    assert_eq!(story.courtesy.moved, None);
}

#[test]
fn rule_6_from_http_to_https_at_once() {
    let mut story = Story::new();
    story.url = "http://a.example/feed";
    let verdict = story.redirected(&[(301, "https://a.example/feed")]);
    assert_eq!(verdict.adopt.unwrap().as_str(), "https://a.example/feed");
    let verdict = story.redirected(&[(302, "https://a.example/feed")]);
    assert_eq!(verdict.adopt, None);
}

#[test]
fn rule_6_temporary_redirects_are_never_adopted() {
    for status in [302, 303, 307] {
        let mut story = Story::new();
        for _ in 0..10 {
            story.later(5.0 * DAY);
            assert_eq!(story.redirected(&[(status, "https://b.example/feed")]).adopt, None);
        }
    }
}

#[test]
fn rule_6_gone_ends_the_source_and_says_so_once() {
    let mut story = Story::known();
    let verdict = story.answer(410, &[]);
    assert_eq!(verdict.outcome, Outcome::Gone);
    assert!(verdict.note.unwrap().contains("archive is kept"));
    assert_eq!(story.next_at, f64::INFINITY);
    assert_eq!(story.courtesy.ended, Some(Ended { status: 410, at: story.now }));
    story.failure(FailureKind::Timeout);
    assert_eq!(story.next_at, f64::INFINITY, "a failure does not bring it back");
    assert_eq!(story.answer(410, &[]).note, None);
    story.answer(200, &[]);
    assert_eq!(story.courtesy.ended, None, "a document does");
    assert_eq!(story.wait(), HOUR);
}

#[test]
fn rule_6_not_found_backs_off_to_weekly() {
    let mut story = Story::known();
    let waits: Vec<f64> = (0..7)
        .map(|_| {
            story.answer(404, &[]);
            story.wait()
        })
        .collect();
    assert_eq!(waits[..4], [HOUR, 4.0 * HOUR, 16.0 * HOUR, 64.0 * HOUR]);
    assert!(waits[4..].iter().all(|wait| *wait >= 6.0 * DAY && *wait <= 7.0 * DAY), "{waits:?}");
}

#[test]
fn rule_6_errors_back_off_exponentially_with_jitter_up_to_7_days() {
    let mut longest = [0.0; 2];
    for (random, longest) in [0.0, 0.999].into_iter().zip(&mut longest) {
        let mut story = Story::known();
        story.random = random;
        let mut before = 0.0;
        for count in 1..=40 {
            let verdict = story.later(story.wait()).failure(FailureKind::Connect);
            assert!(story.wait() >= before && story.wait() <= 7.0 * DAY, "{count}");
            assert_eq!(verdict.note.is_some(), count == 1, "said once");
            before = story.wait();
        }
        assert_eq!(story.courtesy.failures.as_ref().unwrap().count, 40);
        *longest = before;
    }
    assert!(longest[0] >= 6.0 * DAY && longest[1] > longest[0], "{longest:?}");
}

#[test]
fn rule_6_a_good_answer_ends_the_failures_and_says_so() {
    let mut story = Story::known();
    story.answer(500, &[]);
    assert_eq!(story.failure(FailureKind::Dns).note.map(|note| note.contains("dns")), Some(true));
    let verdict = story.answer(304, &[]);
    assert!(verdict.note.unwrap().contains("again after 2 failures"));
    assert_eq!(story.courtesy.failures, None);
    assert_eq!(story.wait(), HOUR);
}

#[test]
fn what_could_not_be_read_is_still_unread_after_a_304() {
    let mut story = Story::new();
    let page = Gist::Unusable(FailureKind::NotAFeed);
    let failed = Outcome::Failed(FailureKind::NotAFeed);
    assert_eq!(story.exchange(200, &[("etag", "\"1\"")], &[], page).outcome, failed);
    assert_eq!(story.answer(304, &[]).outcome, failed);
    assert_eq!(story.courtesy.failures.as_ref().unwrap().count, 2);
    assert_eq!(story.answer(200, &[]).outcome, Outcome::Changed);
}

#[test]
fn a_304_that_nobody_asked_for_is_a_failure() {
    let mut story = Story::new();
    let expected = Outcome::Failed(FailureKind::UnexpectedStatus);
    assert_eq!(story.answer(304, &[]).outcome, expected);
}

#[test]
fn rule_7_a_delta_is_understood_and_keeps_its_validators() {
    let mut story = Story::known();
    assert_eq!(story.answer(226, &[("etag", "\"2\"")]).outcome, Outcome::Delta);
    assert_eq!(story.courtesy.request(story.now).etag.as_deref(), Some(&b"\"2\""[..]));
}

#[test]
fn a_peer_that_is_busy_gets_the_quiet_it_asks_for_without_a_status() {
    let mut story = Story::known();
    story.rules = Rules::for_peer();
    let verdict = story.peer(Gist::Refused(No::Quiet(None)), Some(40.0));
    assert_eq!((verdict.outcome, story.wait()), (Outcome::Paused, 40.0));
    assert_eq!(story.courtesy.pause.as_ref().unwrap().status, None);
    assert!(verdict.note.unwrap().contains("quiet"));
}

#[test]
fn a_peer_that_has_nothing_new_is_well_whatever_its_document_was() {
    let mut story = Story::new();
    story.exchange(200, &[("etag", "\"1\"")], &[], Gist::Unusable(FailureKind::NotAFeed));
    assert_eq!(story.peer(Gist::NothingNew, None).outcome, Outcome::Unchanged);
    assert_eq!(story.courtesy.failures, None);
}
