//! Chained by plain HTTP, nodes lose what has left a window before anybody looked, and know about how much.

use std::time::Duration;

use pergola_newsroom::Process;
use pergola_newsroom::serve::Source;

use super::*;

/// Items that a document shows: less than is published in an outage, more than in any other time between
/// two looks.
const SHOWN: usize = 40;
const ITEMS_PER_SECOND: f64 = 20.0;
/// How far the estimate may be from the truth, as a share of it.
const TOLERANCE: f64 = 0.35;

async fn has(member: &Member, more_than: usize) -> usize {
    eventually(&format!("more than {more_than} items at {}", member.name), async || {
        let count = member.ids().await.len();
        if count > more_than { Ok(count) } else { Err(format!("{count}")) }
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn without_archive_and_grpc_a_chain_loses_items_and_estimates_how_many() {
    let process = Process::Constant { rate: ITEMS_PER_SECOND };
    let source = Source::new("origin", process).topics(&["volcano"], 1.0).window(2_000);
    let press = Press::start([source]).await;
    let plain = "[peers]\nenabled = false\n";
    let first = Member::with_window("the first", &[press.url("origin")], plain, SHOWN).await;
    let mut second = Member::with_window("the second", &[first.feed()], plain, SHOWN).await;
    let third = Member::with_window("the third", &[second.feed()], plain, SHOWN).await;
    // Long enough to learn how often the first one publishes.
    let learnt = has(&third, 8 * SHOWN).await;
    second.go(Away::Stopped).await;
    let missed = has(&first, learnt + 8 * SHOWN).await;
    second.come_back(Away::Stopped).await;
    has(&second, learnt + SHOWN).await;
    press.newsroom.set_all_rates(0.0).unwrap();
    let everything = has(&first, missed).await;
    // Nothing moves any more when the end of the chain shows what its beginning shows.
    eventually("the chain to be quiet", async || {
        let newest = async |member: &Member| member.node().titles("News").await;
        let (first, third) = (newest(&first).await, newest(&third).await);
        if first.first() == third.first() { Ok(()) } else { Err(format!("{first:?}, {third:?}")) }
    })
    .await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    let all = first.ids().await.len();
    let arrived = third.ids().await.len();
    let lost = (all - arrived) as f64;
    let mut estimated = 0.0;
    for member in [&first, &second, &third] {
        let status = member.node().json("/api/v1/status").await;
        estimated += status["lost"].as_f64().unwrap();
    }
    assert!(lost >= 2.0 * SHOWN as f64, "{arrived} of {all} (from {everything}) arrived");
    assert!(
        (estimated - lost).abs() <= TOLERANCE * lost,
        "{lost} of {all} items were lost, and the nodes believe {estimated:.1}"
    );
}
