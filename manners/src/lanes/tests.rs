//! The lanes' invariants over arbitrary histories.

use std::collections::{HashMap, HashSet};

use proptest::prelude::*;

use super::*;

fn lanes(rules: LaneRules) -> (Lanes, Vec<LaneId>) {
    let lanes = Lanes::new(rules);
    let ids = (0..8)
        .map(|site| lanes.lane_of(&Url::parse(&format!("http://site-{site}.example/")).unwrap()))
        .collect();
    (lanes, ids)
}

fn popped(lanes: &mut Lanes, now: f64) -> Option<u32> {
    lanes.pop(now).map(|(source, _)| source)
}

#[test]
fn rule_4_one_request_at_a_time_and_2_seconds_apart() {
    let (mut lanes, ids) = lanes(LaneRules::default());
    lanes.push(1, ids[0]);
    lanes.push(2, ids[0]);
    lanes.push(3, ids[1]);
    assert_eq!(popped(&mut lanes, 100.0), Some(1));
    assert_eq!(popped(&mut lanes, 100.0), Some(3), "another site is not held up");
    assert_eq!(popped(&mut lanes, 200.0), None, "the first has not finished");
    assert_eq!(lanes.next_wakeup(200.0), None);
    lanes.finished(ids[0], 200.0);
    assert_eq!(lanes.next_wakeup(200.0), Some(202.0));
    assert_eq!(popped(&mut lanes, 201.9), None);
    assert_eq!(popped(&mut lanes, 202.0), Some(2));
}

#[test]
fn rule_4_a_look_that_asks_again_waits_and_so_do_those_after_it() {
    let (mut lanes, ids) = lanes(LaneRules::default());
    lanes.push(1, ids[0]);
    lanes.push(2, ids[0]);
    assert_eq!(popped(&mut lanes, 100.0), Some(1));
    assert_eq!(lanes.again(ids[0], 105.0, 60.0), Some(107.0), "2 s after the first one ended");
    assert_eq!(lanes.again(ids[0], 107.5, 60.0), Some(109.5));
    lanes.finished(ids[0], 110.0);
    assert_eq!(popped(&mut lanes, 111.9), None);
    assert_eq!(popped(&mut lanes, 112.0), Some(2));
    lanes.pause(ids[0], 500.0);
    assert_eq!(lanes.again(ids[0], 113.0, 60.0), None, "the site wants quiet");
    assert_eq!(lanes.again(ids[0], 450.0, 60.0), Some(500.0));
    assert_eq!(lanes.again(ids[1], 450.0, 60.0), Some(452.0), "also outside the queue");
    assert_eq!(lanes.in_flight(), 1);
}

#[test]
fn rule_4_what_is_no_source_takes_its_turn_like_the_others() {
    let (mut lanes, ids) = lanes(LaneRules::default());
    lanes.push(1, ids[0]);
    lanes.push(2, ids[0]);
    assert_eq!(popped(&mut lanes, 100.0), Some(1));
    assert_eq!(lanes.aside(ids[0], 103.0), Err(105.0), "the first has not finished");
    lanes.finished(ids[0], 104.0);
    assert_eq!(lanes.aside(ids[0], 105.0), Err(106.0));
    assert_eq!(lanes.aside(ids[0], 106.0), Ok(()));
    assert_eq!(popped(&mut lanes, 120.0), None, "one at a time");
    lanes.finished(ids[0], 121.0);
    assert_eq!(popped(&mut lanes, 123.0), Some(2));
    lanes.pause(ids[1], 500.0);
    assert_eq!(lanes.aside(ids[1], 130.0), Err(500.0), "the site wants quiet");
    assert_eq!(lanes.in_flight(), 1);
}

#[test]
fn rule_4_operators_change_the_limits_per_host() {
    let mut rules = LaneRules::default();
    rules.treat("site-0.example", LaneOverride { spacing: Some(0.0), parallel: Some(2) });
    let (mut lanes, ids) = lanes(rules);
    for source in 0..3 {
        lanes.push(source, ids[0]);
    }
    assert_eq!(popped(&mut lanes, 1.0), Some(0));
    assert_eq!(popped(&mut lanes, 1.0), Some(1));
    assert_eq!(popped(&mut lanes, 1.0), None);
    lanes.finished(ids[0], 1.0);
    assert_eq!(popped(&mut lanes, 1.0), Some(2));
}

#[test]
fn rule_5_a_paused_lane_waits_and_the_others_do_not() {
    let (mut lanes, ids) = lanes(LaneRules::default());
    lanes.push(1, ids[0]);
    lanes.pause(ids[0], 500.0);
    lanes.pause(ids[1], 300.0);
    lanes.push(2, ids[1]);
    lanes.push(3, ids[2]);
    assert_eq!(popped(&mut lanes, 100.0), Some(3));
    assert_eq!(lanes.next_wakeup(100.0), Some(300.0));
    assert_eq!(popped(&mut lanes, 300.0), Some(2));
    assert_eq!(popped(&mut lanes, 499.0), None);
    assert_eq!(popped(&mut lanes, 500.0), Some(1));
}

#[test]
fn all_lanes_together_keep_the_limit() {
    let (mut lanes, ids) = lanes(LaneRules { in_flight: 2, ..LaneRules::default() });
    for (source, id) in ids.iter().take(3).enumerate() {
        lanes.push(source as u32, *id);
    }
    assert_eq!(
        (popped(&mut lanes, 1.0), popped(&mut lanes, 1.0), popped(&mut lanes, 1.0)),
        (Some(0), Some(1), None)
    );
    assert_eq!(lanes.next_wakeup(1.0), None);
    lanes.finished(ids[1], 1.0);
    assert_eq!(popped(&mut lanes, 1.0), Some(2));
}

#[test]
fn newcomers_do_not_starve_a_lane_that_waits() {
    let (mut lanes, ids) = lanes(LaneRules { in_flight: 1, spacing: 1.0, ..LaneRules::default() });
    lanes.push(0, ids[0]);
    lanes.push(1, ids[0]);
    assert_eq!(popped(&mut lanes, 0.0), Some(0));
    lanes.finished(ids[0], 0.0);
    for round in 0..100 {
        let now = 10.0 + f64::from(round);
        let id = ids[1 + round as usize % 7];
        lanes.push(100, id);
        let popped = popped(&mut lanes, now).unwrap();
        lanes.finished(if popped == 1 { ids[0] } else { id }, now);
        if popped == 1 {
            return;
        }
    }
    panic!("the lane that waited was never served");
}

#[test]
fn a_hundred_thousand_sources_on_fifty_thousand_lanes_leave_nothing_behind() {
    let mut lanes = Lanes::new(LaneRules { in_flight: 1_000, ..LaneRules::default() });
    let ids: Vec<LaneId> = (0..50_000)
        .map(|site| lanes.lane_of(&Url::parse(&format!("http://s{site}.example/")).unwrap()))
        .collect();
    for source in 0..100_000u32 {
        lanes.push(source, ids[source as usize % ids.len()]);
    }
    assert_eq!((lanes.waiting(), lanes.len()), (100_000, 50_000));
    let mut now = 0.0;
    let mut served = HashSet::new();
    while let Some(wakeup) = lanes.next_wakeup(now) {
        now = wakeup;
        let mut busy = Vec::new();
        while let Some(source) = popped(&mut lanes, now) {
            assert!(served.insert(source));
            busy.push(ids[source as usize % ids.len()]);
        }
        now += 0.01;
        busy.into_iter().for_each(|lane| lanes.finished(lane, now));
    }
    assert_eq!((served.len(), lanes.waiting(), lanes.in_flight()), (100_000, 0, 0));
    assert_eq!(popped(&mut lanes, now + 10.0), None);
    assert!(lanes.is_empty(), "idle lanes take no memory");
}

#[derive(Clone, Debug)]
enum Step {
    Push(usize),
    Finish(usize),
    Wait(f64),
    Pause(usize, f64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..8usize).prop_map(Step::Push),
        3 => (0..64usize).prop_map(Step::Finish),
        2 => (0.0..3.0f64).prop_map(Step::Wait),
        1 => (0..8usize, 0.0..20.0f64).prop_map(|(lane, seconds)| Step::Pause(lane, seconds)),
    ]
}

/// Plays a history and checks every start against the rules, told only what the caller knows.
struct Referee {
    lanes: Lanes,
    ids: Vec<LaneId>,
    now: f64,
    lane_of: Vec<usize>,
    busy: Vec<u32>,
    last_event: HashMap<usize, f64>,
    paused_until: HashMap<usize, f64>,
    served: HashSet<u32>,
}

impl Referee {
    fn serve(&mut self, spacing: f64, parallel: usize, most: usize) {
        while let Some(source) = popped(&mut self.lanes, self.now) {
            let lane = self.lane_of[source as usize];
            assert!(self.served.insert(source), "served twice");
            if let Some(last) = self.last_event.insert(lane, self.now) {
                assert!(self.now >= last + spacing, "too close");
            }
            assert!(self.now >= self.paused_until.get(&lane).copied().unwrap_or(0.0), "paused");
            self.busy.push(source);
            let here = self.busy.iter().filter(|busy| self.lane_of[**busy as usize] == lane);
            assert!(here.count() <= parallel && self.busy.len() <= most, "too many at once");
        }
        assert_eq!(self.lanes.in_flight(), self.busy.len());
        assert_eq!(self.lanes.waiting(), self.lane_of.len() - self.served.len());
    }

    fn finish(&mut self, which: usize) {
        if self.busy.is_empty() {
            return;
        }
        let source = self.busy.swap_remove(which % self.busy.len());
        let lane = self.lane_of[source as usize];
        self.last_event.insert(lane, self.now);
        self.lanes.finished(self.ids[lane], self.now);
    }
}

proptest! {
    #[test]
    fn rule_4_nothing_is_too_close_too_many_lost_or_starved(
        steps in prop::collection::vec(step(), 0..200),
        spacing in prop::sample::select(vec![0.0, 0.5, 2.0]),
        parallel in 1..3usize,
        most in 1..6usize,
    ) {
        let rules =
            LaneRules { spacing, parallel: parallel as u32, in_flight: most, ..LaneRules::default() };
        let (lanes, ids) = lanes(rules);
        let mut referee = Referee {
            lanes, ids, now: 1_000.0, lane_of: Vec::new(), busy: Vec::new(),
            last_event: HashMap::new(), paused_until: HashMap::new(), served: HashSet::new(),
        };
        for step in steps {
            match step {
                Step::Push(lane) => {
                    referee.lanes.push(referee.lane_of.len() as u32, referee.ids[lane]);
                    referee.lane_of.push(lane);
                }
                Step::Finish(which) => referee.finish(which),
                Step::Wait(seconds) => referee.now += seconds,
                Step::Pause(lane, seconds) => {
                    let until = referee.paused_until.entry(lane).or_insert(0.0);
                    *until = until.max(referee.now + seconds);
                    referee.lanes.pause(referee.ids[lane], referee.now + seconds);
                }
            }
            referee.serve(spacing, parallel, most);
        }
        // From here on only time passes and requests finish: everything must be served.
        for _ in 0..1_000 {
            if referee.served.len() == referee.lane_of.len() {
                break;
            }
            while !referee.busy.is_empty() {
                referee.finish(0);
            }
            let wakeup = referee.lanes.next_wakeup(referee.now);
            referee.now = wakeup.expect("something waits and nothing is in flight");
            referee.serve(spacing, parallel, most);
        }
        prop_assert_eq!(referee.served.len(), referee.lane_of.len());
    }
}
