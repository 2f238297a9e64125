//! A chain over plain HTTP loses items that leave a window between two refreshes, and estimates how many.

use pergola_newsroom::Process;
use pergola_newsroom::serve::Source;

use super::*;

/// Items that a document shows: fewer than are published in an outage, more than between any other two
/// refreshes.
const SHOWN: usize = 50;
const ITEMS_PER_SECOND: f64 = 20.0;
/// How much the estimate may differ, as a share of the truth.
const TOLERANCE: f64 = 0.35;

/// Waits until a member has so many more items than before.
async fn gains(member: &Member, before: &BTreeSet<String>, count: usize) -> BTreeSet<String> {
    eventually(&format!("{count} more items at {}", member.name), async || {
        let held: BTreeSet<String> = member.ids().await.into_iter().collect();
        let gained = held.difference(before).count();
        if gained >= count { Ok(held) } else { Err(format!("{gained}")) }
    })
    .await
}

/// Waits until the end of the chain has an item as new as those at its beginning now. Any of them will do: on a
/// busy machine each may leave a window before the next refresh.
async fn arrives(first: &Member, last: &Member) {
    let now = first.ids().await.len().saturating_sub(1);
    eventually("an item of now at the end of the chain", async || {
        let recent = first.ids().await.split_off(now);
        let held = last.ids().await;
        let arrived = recent.iter().any(|id| held.contains(id));
        if arrived { Ok(()) } else { Err(format!("{} items", held.len())) }
    })
    .await;
}

/// Waits until a member has the last item of the source.
async fn rests(member: &Member, press: &Press) {
    let mut items = press.newsroom.truth("origin").unwrap().items.into_iter().rev();
    let newest = items.find(|item| item.keywords.iter().any(|word| word == "volcano"));
    let newest = newest.expect("it speaks of volcanoes").guid;
    eventually("the last item of all", async || {
        let held = member.ids().await;
        if held.contains(&newest) { Ok(()) } else { Err(format!("{} items", held.len())) }
    })
    .await;
}

/// How many items the nodes estimate to have lost since they were started.
async fn believed(members: &[&Member]) -> f64 {
    let mut sum = 0.0;
    for member in members {
        sum += member.node().json("/api/v1/status").await["lost"].as_f64().unwrap();
    }
    sum
}

#[tokio::test(flavor = "multi_thread")]
async fn without_archive_and_grpc_a_chain_loses_items_and_estimates_how_many() {
    let process = Process::Constant { rate: ITEMS_PER_SECOND };
    let source = Source::new("origin", process).topics(&["volcano"], 1.0).window(2_000);
    let press = Press::start([source]).await;
    let plain = "[peers]\nenabled = false\ncooperate = []\n[websub]\nsubscribe = false\n";
    let first = Member::with_window("the first", &[press.url("origin")], plain, SHOWN).await;
    let second = Member::with_window("the second", &[first.feed()], plain, SHOWN).await;
    let mut third = Member::with_window("the third", &[second.feed()], plain, SHOWN).await;
    // Long enough to learn the rate of the first one.
    gains(&third, &BTreeSet::new(), 1).await;
    let begun = third.ids().await.into_iter().collect();
    gains(&third, &begun, 4 * SHOWN).await;
    let before: BTreeSet<String> = first.ids().await.into_iter().collect();
    let lost_before = believed(&[&first, &second]).await;
    // The last node is stopped, because a node backs off for an hour from a site that it cannot reach.
    third.go(Away::Stopped).await;
    gains(&first, &before, 5 * SHOWN).await;
    third.come_back(Away::Stopped).await;
    arrives(&first, &third).await;
    press.newsroom.set_all_rates(0.0).unwrap();
    rests(&first, &press).await;
    rests(&third, &press).await;
    let published: BTreeSet<String> = first.ids().await.into_iter().collect();
    let published: BTreeSet<String> = published.difference(&before).cloned().collect();
    let arrived: BTreeSet<String> = third.ids().await.into_iter().collect();
    let lost = published.difference(&arrived).count() as f64;
    let estimated = believed(&[&first, &second, &third]).await - lost_before;
    assert!(lost >= 2.0 * SHOWN as f64, "only {lost} of {} were lost", published.len());
    assert!(
        (estimated - lost).abs() <= TOLERANCE * lost,
        "{lost} of {} items were lost, and the nodes estimate {estimated:.1}",
        published.len()
    );
}
