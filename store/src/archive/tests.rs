use pergola_feed::Item;
use pergola_feed::address::origin_of;
use pergola_refresh::{DAY, ModelKind, Observation, PublicationModel, Source};

use super::*;

mod damaged;

fn archive() -> (Archive, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let opened = crate::engine::open(folder.path(), None, 1 << 20).unwrap();
    (Archive::new(opened.store), folder)
}

fn commit(archive: &Archive, fill: impl FnOnce(&mut Commit)) {
    let mut commit = Commit::new();
    fill(&mut commit);
    archive.commit(commit).unwrap();
}

const SOURCE: SourceId = SourceId(3);
const FEED: FeedId = FeedId(9);

fn entry(chunk: u32, index: u16, at: f64) -> Entry {
    let key = ItemKey(u128::from(chunk) << 16 | u128::from(index));
    Entry { key, source: SOURCE, chunk, index, at, changed_at: at, dated: at }
}

#[test]
fn every_model_survives_the_store() {
    let (archive, _folder) = archive();
    for kind in ModelKind::ALL {
        let schedule = Source::new(kind.build(2.0 / DAY).unwrap(), 20);
        let state = SourceState::new(schedule);
        commit(&archive, |commit| {
            commit.source(SOURCE).put_state(&state);
            commit.source(SOURCE).put_model(&state.schedule);
        });
        assert_eq!(archive.state(SOURCE).unwrap().unwrap(), state, "{kind:?}");
    }
}

#[test]
fn refreshes_without_news_are_one_stretch_for_a_model_that_was_not_written() {
    let (archive, _folder) = archive();
    let refresh = |at: f64, since: Option<f64>, new_items: u32| Observation {
        at,
        since,
        new_items,
        window: new_items,
        censored: false,
        dates: &[],
    };
    let fresh = Source::new(ModelKind::Gamma.build(1.0 / DAY).unwrap(), 20);
    let seen = fresh.after(&refresh(0.0, None, 5)).unwrap();
    let mut state = SourceState::new(seen.clone());
    commit(&archive, |commit| commit.source(SOURCE).put_model(&state.schedule));
    // Ten empty refreshes, each seen by the scheduler; only the state's row is written.
    let mut truth = seen;
    for hour in 1..=10 {
        let at = f64::from(hour) * 3_600.0;
        let since = truth.last;
        truth = truth.after(&refresh(at, since, 0)).unwrap();
        state.unchanged_at = Some(at);
        commit(&archive, |commit| commit.source(SOURCE).put_state(&state));
    }
    let kept = archive.state(SOURCE).unwrap().unwrap().schedule;
    assert_eq!(kept.last, truth.last);
    let (kept, truth) = (kept.model.mean_rate(), truth.model.mean_rate());
    assert!((kept / truth - 1.0).abs() < 0.01, "{kept} is not {truth}");
}

#[test]
fn a_window_is_newest_first_and_reads_each_item_from_its_chunk() {
    let (archive, _folder) = archive();
    let items: Vec<Item> = (0..4).map(|n| Item::new(format!("item {n}"))).collect();
    commit(&archive, |commit| {
        commit.source(SOURCE).put_chunk(0, 1.0, &[&items[0], &items[1]]);
        commit.source(SOURCE).put_chunk(1, 2.0, &[&items[2], &items[3]]);
        for (sequence, place) in [(0, (0, 0)), (1, (0, 1)), (2, (1, 0)), (3, (1, 1))] {
            commit.feed(FEED).put_entry(sequence, &entry(place.0, place.1, 5.0));
        }
    });
    let ids = |list: Vec<Published>| -> Vec<(u64, String)> {
        list.into_iter().map(|p| (p.sequence, p.item.id.0)).collect()
    };
    let newest = ids(archive.window(FEED, 2).unwrap());
    assert_eq!(newest, [(3, "item 3".to_owned()), (2, "item 2".to_owned())]);
    let after = ids(archive.after(FEED, 0, 2).unwrap());
    assert_eq!(after, [(1, "item 1".to_owned()), (2, "item 2".to_owned())]);
    assert_eq!(archive.window(FeedId(8), 5).unwrap(), []);
    assert_eq!(archive.member(FEED, entry(1, 0, 0.0).key).unwrap(), Some(2));
}

#[test]
fn an_entry_whose_item_is_gone_is_passed_over_and_counted() {
    let (archive, _folder) = archive();
    commit(&archive, |commit| {
        commit.source(SOURCE).put_chunk(0, 1.0, &[&Item::new("there")]);
        commit.feed(FEED).put_entry(0, &entry(7, 0, 1.0));
        commit.feed(FEED).put_entry(1, &entry(0, 0, 1.0));
    });
    let shown: Vec<u64> = archive.window(FEED, 5).unwrap().iter().map(|p| p.sequence).collect();
    assert_eq!(shown, [1]);
    assert_eq!(archive.damage().passed(), 1);
}

#[test]
fn the_key_of_an_expired_item_stays_for_as_long_as_a_source_knows_it() {
    let (archive, _folder) = archive();
    let other = FeedId(10);
    let entries = [0, 1, 2].map(|index| entry(0, index, 1.0));
    let known = |indices: &[usize]| {
        let memory = |&index: &usize| KnownItem {
            key: entries[index].key,
            digest: 0,
            chunk: 0,
            index: index as u16,
            first_seen: 1.0,
            seen_at: 1.0,
        };
        Known { items: indices.iter().map(memory).collect(), ..Known::default() }
    };
    commit(&archive, |commit| {
        commit.source(SOURCE).put_known(&known(&[0, 1]));
        commit.source(SourceId(4)).put_known(&known(&[1, 2]));
        for feed in [FEED, other] {
            for (sequence, entry) in (0..).zip(&entries) {
                commit.feed(feed).put_entry(sequence, entry);
            }
        }
    });
    commit(&archive, |commit| {
        for (sequence, entry) in (0..).zip(&entries) {
            commit.feed(FEED).expire_entry(sequence, entry.key);
        }
        commit.feed(other).expire_entry(0, entries[0].key);
        commit.feed(other).delete_entry(1, entries[1].key);
    });
    let expired = |feed| entries.map(|entry| archive.has_expired(feed, entry.key).unwrap());
    assert_eq!((expired(FEED), expired(other)), ([true; 3], [true, false, false]));
    assert_eq!(archive.member(FEED, entries[0].key).unwrap(), None);
    assert_eq!(archive.expired_of(FEED, 2).unwrap(), [entries[0].key, entries[1].key]);
    for at_once in 1..6 {
        assert_eq!(archive.expired_and_gone_by(at_once).unwrap(), []);
    }
    commit(&archive, |commit| commit.source(SOURCE).put_known(&known(&[1])));
    for at_once in 1..6 {
        let mut gone = archive.expired_and_gone_by(at_once).unwrap();
        gone.sort();
        assert_eq!(gone, [(FEED, entries[0].key), (other, entries[0].key)]);
    }
    commit(&archive, |commit| commit.feed(other).forget_expired(entries[0].key));
    assert_eq!((expired(FEED), expired(other)), ([true; 3], [false; 3]));
}

#[test]
fn ids_that_mean_the_same_everywhere_are_keys_by_themselves() {
    let item = Item::new("x");
    let key = |id: &str, source: &str| {
        item_key(&pergola_feed::ItemId(id.into()), &item, origin_of(source))
    };
    assert_eq!(key("tag:example.org,2026:1", "a"), key("tag:example.org,2026:1", "b"));
    assert_eq!(key("https://example.org/1", "a"), key("https://example.org/1", "b"));
    assert_ne!(key("1", "a"), key("1", "b"));
}
