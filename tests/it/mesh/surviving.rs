//! A node is away for a while, in which more is published than a window shows. Afterwards every wanted item
//! arrives at the end of the mesh, exactly once, with the id that its publisher gave it.

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

/// Requests that a member has made for a source.
async fn requests(member: &Member, url: &str) -> u64 {
    member.node().source(url).await["requests"].as_u64().unwrap()
}

/// Waits until a source was polled so many times more.
async fn polled_again(press: &Press, source: &str, times: usize) {
    let wanted = press.asked(source).len() + times;
    eventually(&format!("{times} more polls of {source}"), async || {
        let polls = press.asked(source).len();
        if polls >= wanted { Ok(()) } else { Err(format!("{polls} of {wanted}")) }
    })
    .await;
}

/// Beside its peer every node reads a plain source, which it polls in every cycle: these polls show that it had
/// the occasion to poll its peer, too.
#[tokio::test(flavor = "multi_thread")]
async fn with_watch_every_item_costs_each_node_of_a_chain_one_request_and_no_poll() {
    const ITEMS: u64 = 10;
    let names = ["origin", "plain-second", "plain-third"];
    let press = Press::start(names.map(|name| silent(name).window(1_000))).await;
    let ways = configuration("\"watch\", \"archive\"");
    let first = Member::start("the first", &[press.url("origin")], &ways).await;
    let own = press.url("plain-second");
    let second = Member::start("the second", &[first.feed(), own], &ways).await;
    let own = press.url("plain-third");
    let third = Member::start("the third", &[second.feed(), own], &ways).await;
    third.holds(&publish(&press, 1)).await;
    for member in [&second, &third] {
        eventually("the stream", async || {
            let watched = member.node().metric("pergola_peer_streams", &[]).await;
            if watched == Some(1.0) { Ok(()) } else { Err(format!("{watched:?}")) }
        })
        .await;
    }
    // A poll may have been on its way when the stream began. One source is never asked twice at a time, so that
    // poll is over once another item has arrived.
    third.holds(&publish(&press, 1)).await;
    let count =
        async || (requests(&second, &first.feed()).await, requests(&third, &second.feed()).await);
    let before = count().await;
    for _ in 0..ITEMS {
        third.holds(&publish(&press, 1)).await;
        polled_again(&press, "plain-second", 3).await;
        polled_again(&press, "plain-third", 3).await;
    }
    let after = count().await;
    assert_eq!((after.0 - before.0, after.1 - before.1), (ITEMS, ITEMS));
}
