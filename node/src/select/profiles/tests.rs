use super::*;

const NEWS: SourceId = SourceId(7);
const STRICT: FeedId = FeedId(1);
const LOOSE: FeedId = FeedId(2);

fn news(number: u64, title: &str, edited: bool) -> News {
    let item = Item { title: Some(title.into()), ..Item::new("x") };
    News { item, key: ItemKey(number.into()), edited, chunk: 0, index: 0 }
}

/// Who keeps the items of a refresh.
fn heard(profiles: &Profiles, news: &[News], holds: &[u64]) -> Vec<Vec<FeedId>> {
    let mut wanted = vec![vec![STRICT, LOOSE]; news.len()];
    let novel = |feed| (feed == STRICT).then_some(0.1);
    let holds = |_, key: ItemKey| holds.iter().any(|held| ItemKey((*held).into()) == key);
    profiles.hear(NEWS, news, &mut wanted, novel, holds);
    wanted
}

fn filled() -> Profiles {
    let profiles = Profiles::new(10, true);
    let words = ["volcano", "chess", "opera", "garden", "linux"];
    for number in 0..40_u64 {
        let title = format!("{} daily w{}x", words[number as usize % 5], number * 7919 % 31);
        heard(&profiles, &[news(number, &title, false)], &[]);
    }
    profiles
}

#[test]
fn a_strict_feed_leaves_out_what_it_has_heard_and_a_loose_one_nothing() {
    let profiles = filled();
    for number in 100..125 {
        let kept = heard(&profiles, &[news(number, "Data updated again", false)], &[]);
        assert!(kept[0].contains(&LOOSE));
    }
    assert_eq!(heard(&profiles, &[news(200, "Data updated again", false)], &[]), [vec![LOOSE]]);
    let other = news(201, "An earthquake shakes the coast of Peru", false);
    assert_eq!(heard(&profiles, &[other], &[]), [vec![STRICT, LOOSE]]);
}

#[test]
fn an_edit_reaches_a_strict_feed_only_if_it_holds_the_item() {
    let profiles = filled();
    let edit = [news(5, "Volcano daily, corrected", true)];
    assert_eq!(heard(&profiles, &edit, &[5]), [vec![STRICT, LOOSE]]);
    assert_eq!(heard(&profiles, &edit, &[]), [vec![LOOSE]]);
}

#[test]
fn sources_and_feeds_are_found_by_what_they_said() {
    let profiles = filled();
    let found = profiles.search("opera", 10);
    let channels: Vec<Channel> = found.iter().map(|about| about.channel).collect();
    assert!(channels.contains(&Channel::Source(NEWS)) && channels.contains(&Channel::Feed(LOOSE)));
    assert!(found[0].terms.iter().any(|(text, _)| text == "opera"), "{found:?}");
    assert!(profiles.similar(LOOSE, 5).iter().any(|a| a.channel == Channel::Source(NEWS)));
    profiles.forget(Channel::Source(NEWS));
    let found = profiles.search("opera", 10);
    assert!(found.iter().all(|about| about.channel != Channel::Source(NEWS)));
}

#[test]
fn what_is_stored_comes_back_and_what_is_gone_goes() {
    let profiles = filled();
    let rows = profiles.changed(100);
    assert_eq!(rows.len(), 3);
    assert!(profiles.changed(100).is_empty());
    let restored = Profiles::new(10, true);
    restored.restore(rows.into_iter().map(|(channel, row)| (channel, row.unwrap())).collect());
    let both = [&profiles, &restored].map(|p| p.about(Channel::Feed(LOOSE), 5).unwrap().1);
    assert_eq!(both[0], both[1]);
    assert_eq!(restored.worth(NEWS), profiles.worth(NEWS));
    restored.forget(Channel::Feed(LOOSE));
    assert_eq!(restored.changed(9), [(Channel::Feed(LOOSE), None)]);
}

#[test]
fn a_source_that_repeats_itself_is_worth_less_and_more_sources_than_agreed_have_none() {
    let profiles = Profiles::new(1, true);
    assert_eq!(profiles.worth(NEWS), 1.0);
    for number in 0..200 {
        heard(&profiles, &[news(number, "Data updated again", false)], &[]);
    }
    assert!(profiles.worth(NEWS) < 0.2, "{}", profiles.worth(NEWS));
    let none = Profiles::new(0, true);
    heard(&none, &[news(1, "Volcano", false)], &[]);
    assert!(none.about(Channel::Source(NEWS), 5).is_none());
    assert!(none.about(Channel::Feed(LOOSE), 5).is_some());
}
