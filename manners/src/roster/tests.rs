use pergola_refresh::ModelKind;

use super::*;
use crate::budget::BudgetRule;
use crate::lanes::Lanes;

const ID: SourceId = SourceId(1);

#[test]
fn a_source_that_a_hub_tells_of_is_left_alone_and_may_have_news_at_any_time() {
    let rule = BudgetRule::Refreshes { per_minute: 60.0 };
    let purse = Purse::new(rule, None, 10.0);
    let mut roster = Roster::new(StrategyKind::TwoSteps, Taste::default(), None, purse).unwrap();
    let (id, url) = (ID, "https://example.org/rss");
    let lane = Lanes::new(Default::default()).lane_of(&url::Url::parse(url).unwrap());
    let source = Source::new(ModelKind::Gamma.build(1e-5).unwrap(), 20);
    roster.add(id, url, lane, source, 100.0).unwrap();
    assert_eq!((roster.next_refresh(&[id], 0.0), roster.has_hub(id)), (100.0, false));
    roster.postpone(id, Some(5_000.0));
    assert!(roster.decide(200.0).is_empty());
    assert_eq!(roster.standing(id), Some((false, 5_000.0)));
    assert_eq!(roster.next_refresh(&[id], 200.0), 200.0, "news may be pushed at any time");
    // While it is out it is not called back; what it says of politeness holds besides.
    assert!(roster.send(id, 200.0).is_some());
    roster.postpone(id, Some(6_000.0));
    assert_eq!(roster.standing(id), Some((true, 6_000.0)));
    assert!(roster.decide(7_000.0).is_empty());
    roster.settle(id, None, 8_000.0).unwrap();
    assert_eq!(roster.standing(id), Some((false, 8_000.0)));
    roster.settle(id, None, 300.0).unwrap();
    roster.postpone(id, Some(0.0));
    assert_eq!(roster.decide(300.0).len(), 1, "an unreliable hub changes nothing");
}

/// A roster with one source.
fn roster() -> Roster {
    let rule = BudgetRule::Bytes { per_hour: 1_000_000 };
    let purse = Purse::new(rule, None, 10.0);
    let mut roster = Roster::new(StrategyKind::TwoSteps, Taste::default(), None, purse).unwrap();
    let url = "https://example.org/rss";
    let lane = Lanes::new(Default::default()).lane_of(&url::Url::parse(url).unwrap());
    let source = Source::new(ModelKind::Gamma.build(1e-5).unwrap(), 20);
    roster.add(ID, url, lane, source, 0.0).unwrap();
    roster
}

/// A refresh that found nothing; the source may be asked again at once.
fn refresh(roster: &mut Roster, at: f64) {
    roster.send(ID, at).unwrap();
    let source = roster.schedule(ID).unwrap();
    let since = source.last;
    let nothing = Observation { at, since, new_items: 0, window: 0, censored: false, dates: &[] };
    let after = source.after(&nothing).unwrap();
    roster.settle(ID, Some((after, &nothing)), at).unwrap();
}

#[test]
fn a_watched_source_is_only_polled_as_a_safety_net_until_its_stream_ends() {
    let mut roster = roster();
    refresh(&mut roster, 100.0);
    assert_eq!(roster.standing(ID), Some((false, 100.0)));
    roster.watched(ID, true, 150.0);
    assert_eq!(roster.standing(ID), Some((false, 100.0 + SAFETY_NET)));
    refresh(&mut roster, 200.0);
    assert_eq!(roster.standing(ID), Some((false, 200.0 + SAFETY_NET)));
    // A refresh that failed, or news that could not be fetched, leave it to the scheduler.
    roster.send(ID, 250.0).unwrap();
    roster.settle(ID, None, 260.0).unwrap();
    assert_eq!(roster.standing(ID), Some((false, 260.0)));
    refresh(&mut roster, 300.0);
    roster.wake(ID);
    assert_eq!(roster.standing(ID), Some((false, 300.0)));
    refresh(&mut roster, 400.0);
    assert_eq!(roster.standing(ID), Some((false, 400.0 + SAFETY_NET)));
    roster.watched(ID, false, 500.0);
    assert_eq!(roster.standing(ID), Some((false, 400.0)));
}

#[test]
fn what_a_refresh_costs_in_bytes_outlives_a_change_of_its_worth() {
    let (mut roster, id) = (roster(), ID);
    let usual = roster.purse.mean_size();
    roster.pay(id, usual as u64, 3.0 * usual).unwrap();
    roster.weigh(id, 0.25).unwrap();
    let kept = roster.schedule(id).unwrap();
    assert!((kept.cost - 3.0).abs() < 0.01 && kept.relevance == 0.25, "{kept:?}");
}

/// How many refreshes the scheduler decides on in 400 cycles with a budget of one each, if the first of many
/// sources is sent out so many times in each cycle besides.
fn decided_beside(times: impl Fn(u32) -> u32, send: impl Fn(&mut Roster)) -> usize {
    let rule = BudgetRule::Refreshes { per_minute: 6.0 };
    let purse = Purse::new(rule, None, 10.0);
    let mut roster = Roster::new(StrategyKind::TwoSteps, Taste::default(), None, purse).unwrap();
    let lanes = Lanes::new(Default::default());
    for number in 1..=40 {
        let url = format!("https://example.org/{number}");
        let lane = lanes.lane_of(&url::Url::parse(&url).unwrap());
        let source = Source::new(ModelKind::Gamma.build(1e-3).unwrap(), 20);
        roster.add(SourceId(number), &url, lane, source, 0.0).unwrap();
    }
    roster.watched(ID, true, 0.0);
    let mut decided = 0;
    for cycle in 0..400 {
        let now = f64::from(cycle) * 10.0;
        for (id, _) in roster.decide(now) {
            decided += 1;
            roster.settle(id, None, now).unwrap();
        }
        for _ in 0..times(cycle) {
            send(&mut roster);
            roster.settle(ID, None, f64::INFINITY).unwrap();
        }
    }
    decided
}

#[test]
fn news_cost_budget_but_leave_half_of_it_to_the_other_sources_however_many_there_are() {
    let told = |roster: &mut Roster| assert!(roster.send_told(ID, 0.0).is_some());
    let without = decided_beside(|_| 0, told);
    assert!((380..=420).contains(&without), "{without} without news");
    let few = decided_beside(|cycle| u32::from(cycle % 4 == 0), told);
    assert!((few + 100).abs_diff(without) <= 10, "{few} beside 100 refreshes for news");
    let many = decided_beside(|_| 5, told);
    assert!((2 * many).abs_diff(without) <= 20, "{many} beside 2000 refreshes for news");
    let by_hand = decided_beside(|_| 5, |roster| assert!(roster.send(ID, 0.0).is_some()));
    assert!(by_hand.abs_diff(without) <= 10, "{by_hand} beside refreshes that somebody asked for");
}

#[test]
fn a_source_that_wants_quiet_is_sent_out_by_nobody_before_its_pause_ends() {
    let mut roster = roster();
    refresh(&mut roster, 100.0);
    roster.keep_quiet(ID, Some(400.0));
    assert!(roster.wants_quiet(ID, 399.0) && !roster.wants_quiet(ID, 400.0));
    assert_eq!(roster.send(ID, 399.0), None);
    assert_eq!(roster.send_told(ID, 399.0), None, "not even if its peer has news");
    assert!(!roster.is_out(ID));
    assert!(roster.send(ID, 400.0).is_some() && roster.is_out(ID));
    roster.settle(ID, None, 500.0).unwrap();
    roster.keep_quiet(ID, None);
    assert!(roster.send(ID, 401.0).is_some(), "a person need not wait for the scheduler");
}

#[test]
fn a_source_is_found_by_the_addresses_that_it_had() {
    let mut roster = roster();
    let (old, new) = ("https://example.org/rss", "https://example.org/new");
    let lane = Lanes::new(Default::default()).lane_of(&url::Url::parse(new).unwrap());
    roster.moved(ID, new, lane);
    roster.was_at(ID, "https://example.org/older");
    for url in [old, new, "https://example.org/older"] {
        assert_eq!(roster.by_address(url), Some(ID), "{url}");
    }
    assert_eq!((roster.resident(old), roster.resident(new)), (None, Some(ID)));
    // Another one that moves there does not take its place, whether it stays or goes.
    let other = SourceId(2);
    let source = Source::new(ModelKind::Gamma.build(1e-5).unwrap(), 20);
    roster.add(other, "https://example.org/other", lane, source, 0.0).unwrap();
    roster.moved(other, new, lane);
    assert_eq!(roster.resident(new), Some(ID));
    roster.remove(other);
    assert_eq!(roster.resident(new), Some(ID));
    assert_eq!(roster.by_address("https://example.org/other"), None);
    roster.remove(ID);
    assert_eq!([old, new].map(|url| roster.by_address(url)), [None, None]);
}
