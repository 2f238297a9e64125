//! Who is late, by a clock that is an argument.

use super::*;
use crate::clock::network_now;

const PATIENCE: Patience = Patience {
    head: Duration::from_secs(20),
    stall: Duration::from_secs(60),
    idle: Duration::from_secs(75),
};

/// A state, and the instants after its beginning.
fn begun() -> (State, impl Fn(u64) -> Instant) {
    let start = network_now();
    (State::new(PATIENCE, start), move |after| start + Duration::from_secs(after))
}

fn due(state: &State) -> Option<(Instant, Late)> {
    state.due(PATIENCE.idle)
}

#[test]
fn the_first_request_is_due_soon_and_further_ones_may_take_their_time() {
    let (mut state, at) = begun();
    assert_eq!(due(&state), Some((at(20), Late::Head)));
    state.read(at(5));
    assert_eq!(due(&state), Some((at(20), Late::Head)), "a byte does not begin it anew");
    let request = state.begin(false);
    assert_eq!(due(&state), None, "the node is to answer");
    state.end(request, at(30));
    assert_eq!(due(&state), Some((at(105), Late::Idle)));
    assert_eq!(state.due(Duration::from_secs(5)), Some((at(35), Late::Idle)), "others wait");
    state.read(at(100));
    state.read(at(110));
    assert_eq!(due(&state), Some((at(120), Late::Head)), "once begun, it is due");
}

#[test]
fn what_a_shared_connection_sends_between_requests_begins_none() {
    let (mut state, at) = begun();
    let request = state.begin(true);
    state.end(request, at(10));
    state.read(at(30));
    assert_eq!(due(&state), Some((at(85), Late::Idle)));
}

#[test]
fn a_body_must_come_on_and_a_byte_now_and_then_is_not_enough() {
    let (mut state, at) = begun();
    let waker = Waker::noop();
    let request = state.begin(false);
    assert!(!state.await_body(request, waker, at(0)));
    for second in 1..60 {
        state.got(request, 1);
        assert!(!state.await_body(request, waker, at(second)));
        assert!(state.too_slow(at(second)).is_empty());
    }
    assert_eq!(state.too_slow(at(60)).len(), 1);
    assert!(state.was_slow(request) && state.await_body(request, waker, at(60)));
    assert_eq!(due(&state), None, "only the request ends");
}

#[test]
fn a_body_that_keeps_coming_may_take_hours() {
    let (mut state, at) = begun();
    let request = state.begin(false);
    for minute in 0..600 {
        assert!(!state.await_body(request, Waker::noop(), at(minute * 60)));
        assert!(state.too_slow(at(minute * 60 + 59)).is_empty());
        state.got(request, LEAST_SENT);
    }
    state.got_all(request);
    assert!(state.too_slow(at(1_000_000)).is_empty(), "it is complete");
}

#[test]
fn a_stream_without_news_is_nobodys_fault() {
    let (mut state, at) = begun();
    let request = state.begin(true);
    state.hand(request, Some(at(1)));
    state.hand(request, None);
    assert_eq!(due(&state), None);
    assert!(state.too_slow(at(1_000_000)).is_empty());
}

#[test]
fn an_answer_that_is_not_taken_is_given_up() {
    let (mut state, at) = begun();
    let (one, _other) = (state.begin(true), state.begin(true));
    state.hand(one, Some(at(7)));
    assert_eq!(due(&state), Some((at(67), Late::Reader)), "whatever else goes on");
    state.end(one, at(8));
    assert_eq!(due(&state), None);
}

#[test]
fn a_connection_that_takes_a_little_is_as_bad_as_one_that_takes_nothing() {
    let (mut state, at) = begun();
    let request = state.begin(false);
    state.block(at(10));
    for second in 11..60 {
        state.written(100);
        state.block(at(second));
    }
    assert_eq!(due(&state), Some((at(70), Late::Reader)));
    state.written(LEAST_TAKEN);
    assert_eq!(due(&state), None);
    state.block(at(100));
    state.flushed();
    assert_eq!(due(&state), None);
    // The answer is out of the node's hands, and still not taken.
    state.block(at(200));
    state.end(request, at(201));
    assert_eq!(due(&state), Some((at(260), Late::Reader)));
    state.part(at(202));
    assert_eq!(due(&state), Some((at(260), Late::Reader)), "it may take the rest before it leaves");
}

#[test]
fn who_is_to_leave_has_a_moment_for_it_after_the_last_answer() {
    let (mut state, at) = begun();
    let request = state.begin(true);
    state.part(at(10));
    assert_eq!(due(&state), None, "its answer is finished first");
    state.end(request, at(1_000));
    assert_eq!(due(&state), Some((at(1_000) + PARTING, Late::Idle)));
}
