//! Whoever is away for a while, in which more is published than a window shows: every item that was asked
//! for arrives at the end, exactly once, with the id that its publisher gave it.

use std::time::Duration;

use super::*;
use crate::harness::silent;

/// More than a window, in the feed and in what the origin adds to it.
const OUTAGE: usize = 3 * WINDOW;

fn configuration(ways: &str) -> String {
    format!("[peers]\ncooperate = [{ways}]\n")
}

/// Everybody in turn goes away in every way, and comes back.
async fn survives(press: &Press, members: &mut [Member], last: usize) {
    let mut wanted = publish(press, WINDOW - 1);
    for member in &*members {
        member.holds(&wanted).await;
    }
    for member in &members[1..] {
        member.reads_via("peer").await;
    }
    for away in [Away::CutOff, Away::Killed, Away::Stopped] {
        for place in 0..members.len() {
            members[place].go(away).await;
            wanted = publish(press, OUTAGE);
            if place > 0 {
                members[0].holds(&wanted).await;
            }
            members[place].come_back(away).await;
            members[last].holds(&wanted).await;
        }
    }
    for member in &*members {
        member.holds(&wanted).await;
        let lost = member.node().json("/api/v1/status").await["lost"].as_f64().unwrap();
        assert_eq!(lost, 0.0, "{} believes to have lost something", member.name);
        assert!(!member.home.log().contains("panicked"), "{}", member.home.log());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_of_three_delivers_everything_once_whoever_was_away() {
    let press = Press::start([silent("origin").window(1_000)]).await;
    let ways = configuration("\"archive\"");
    let first = Member::start("the first", &[press.url("origin")], &ways).await;
    let second = Member::start("the second", &[first.feed()], &ways).await;
    let third = Member::start("the third", &[second.feed()], &ways).await;
    survives(&press, &mut [first, second, third], 2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_diamond_delivers_everything_once_whoever_was_away() {
    let press = Press::start([silent("origin").window(1_000)]).await;
    let ways = configuration("\"watch\", \"archive\"");
    let top = Member::start("the top", &[press.url("origin")], &ways).await;
    let left = Member::start("the left", &[top.feed()], &ways).await;
    let right = Member::start("the right", &[top.feed()], &ways).await;
    let bottom = Member::start("the bottom", &[left.feed(), right.feed()], &ways).await;
    survives(&press, &mut [top, left, right, bottom], 3).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn with_watch_news_pass_a_chain_without_a_poll() {
    let press = Press::start([silent("origin").window(1_000)]).await;
    let ways = configuration("\"watch\", \"archive\"");
    let first = Member::start("the first", &[press.url("origin")], &ways).await;
    let second = Member::start("the second", &[first.feed()], &ways).await;
    let third = Member::start("the third", &[second.feed()], &ways).await;
    let mut wanted = publish(&press, 1);
    third.holds(&wanted).await;
    for member in [&second, &third] {
        eventually("the stream", async || {
            let watched = member.node().metric("pergola_peer_streams", &[]).await;
            if watched == Some(1.0) { Ok(()) } else { Err(format!("{watched:?}")) }
        })
        .await;
    }
    let looks = async |member: &Member| {
        let status = member.node().json("/api/v1/status").await;
        status["refreshes"].as_u64().unwrap()
    };
    let before = (looks(&second).await, looks(&third).await);
    for _ in 0..10 {
        wanted = publish(&press, 1);
        third.holds(&wanted).await;
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let after = (looks(&second).await, looks(&third).await);
    for looks in [after.0 - before.0, after.1 - before.1] {
        // A poll in every cycle would be more than twenty a second.
        assert!((10..=25).contains(&looks), "{looks} looks for ten items");
    }
}
