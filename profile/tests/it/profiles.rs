//! The profile of one channel, compared with the formulas.

use pergola_profile::{Bag, Channels, Cohesion, Novelty, Profile, Vocabulary, cosine};
use proptest::prelude::*;

fn learnt(texts: &[&str]) -> Vocabulary {
    let mut vocabulary = Vocabulary::default();
    texts.iter().for_each(|text| vocabulary.learn(&Bag::of(text)));
    vocabulary
}

#[test]
fn similarities_equal_those_computed_by_hand() {
    // Three items with one word each: the idf of each is ln 4 and cancels out.
    let vocabulary = learnt(&["volcano", "chess", "opera"]);
    let mut profile = Profile::new(20);
    let first = profile.add(&Bag::of("volcano"), &vocabulary);
    assert_eq!(first.similarity, 0.0);
    // (1, 0) against (1, 1): 1/√2.
    let second = profile.add(&Bag::of("chess"), &vocabulary);
    assert!((second.similarity - 0.5f64.sqrt()).abs() < 1e-12);
    // (1, 1) against (2, 1): 3/√10.
    let third = profile.add(&Bag::of("volcano"), &vocabulary);
    assert!((third.similarity - 3.0 / 10f64.sqrt()).abs() < 1e-12);
    assert!(third.filling && third.cohesion.items() == 0);
}

#[test]
fn cohesion_starts_when_the_window_is_full() {
    let vocabulary = learnt(&["volcano", "chess", "opera"]);
    let mut profile = Profile::new(2);
    profile.add(&Bag::of("volcano"), &vocabulary);
    profile.add(&Bag::of("chess"), &vocabulary);
    // (volcano, chess) against (chess, volcano): nothing changes.
    let same = profile.add(&Bag::of("volcano"), &vocabulary);
    assert!((same.similarity - 1.0).abs() < 1e-12 && !same.filling);
    // (chess, volcano) against (volcano, opera): half of each.
    let other = profile.add(&Bag::of("opera"), &vocabulary);
    assert!((other.similarity - 0.5).abs() < 1e-12);
    assert!((other.cohesion.mean() - 0.75).abs() < 1e-12);
    assert!(Novelty::default().admits(&other) && !Novelty::default().admits(&same));
}

#[test]
fn rare_terms_lead_and_old_items_leave_the_window() {
    let vocabulary = learnt(&["daily volcano", "daily chess", "daily opera", "daily news"]);
    let mut profile = Profile::new(2);
    for text in ["daily opera", "daily volcano", "daily chess"] {
        profile.add(&Bag::of(text), &vocabulary);
    }
    assert_eq!(profile.len(), 2);
    let top: Vec<&str> = profile.top(10, &vocabulary).into_iter().map(|(text, _)| text).collect();
    assert!(!top.iter().any(|text| text.contains("opera")), "{top:?}");
    assert_eq!(top.last(), Some(&"daily"), "{top:?}");
}

#[test]
fn an_item_without_words_changes_nothing() {
    let vocabulary = learnt(&["volcano"]);
    let mut profile = Profile::new(3);
    profile.add(&Bag::of("volcano"), &vocabulary);
    let before = profile.cohesion();
    assert_eq!(profile.add(&Bag::of("42"), &vocabulary).similarity, 1.0);
    assert_eq!((profile.cohesion(), profile.len()), (before, 1));
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    let word = prop::sample::select(vec!["volcano", "chess", "opera", "news", "daily", "rust"]);
    let text = prop::collection::vec(word, 0..6).prop_map(|words| words.join(" "));
    prop::collection::vec(text, 1..40)
}

proptest! {
    #[test]
    fn a_sliding_profile_equals_one_of_the_last_items(texts in texts(), window in 1_usize..8) {
        let mut vocabulary = Vocabulary::default();
        let mut sliding = Profile::new(window);
        let bags: Vec<Bag> =
            texts.iter().map(|text| Bag::of(text)).filter(|bag| !bag.is_empty()).collect();
        for bag in &bags {
            vocabulary.learn(bag);
            let impact = sliding.add(bag, &vocabulary);
            prop_assert!((0.0..=1.0).contains(&impact.similarity));
        }
        let mut fresh = Profile::new(window);
        bags.iter().skip(bags.len().saturating_sub(window)).for_each(|bag| { fresh.add(bag, &vocabulary); });
        prop_assert_eq!(sliding.weights(&vocabulary), fresh.weights(&vocabulary));
    }

    #[test]
    fn cosine_is_symmetric_and_one_for_the_same(a in texts(), b in texts()) {
        let mut vocabulary = Vocabulary::default();
        let mut build = |texts: &[String]| {
            let mut profile = Profile::new(10);
            for text in texts {
                vocabulary.learn(&Bag::of(text));
                profile.add(&Bag::of(text), &vocabulary);
            }
            profile
        };
        let (a, b) = (build(&a), build(&b));
        let one = cosine(&a, &vocabulary, &b, &vocabulary);
        prop_assert!((one - cosine(&b, &vocabulary, &a, &vocabulary)).abs() < 1e-12);
        let own = cosine(&a, &vocabulary, &a, &vocabulary);
        prop_assert!(own == 0.0 || (own - 1.0).abs() < 1e-9);
    }

    #[test]
    fn cohesion_item_by_item_equals_cohesion_over_the_series(series in prop::collection::vec(0.0_f64..1.0, 2..60)) {
        let mut cohesion = Cohesion::default();
        series.iter().for_each(|similarity| cohesion.add(*similarity));
        let count = series.len() as f64;
        let mean = series.iter().sum::<f64>() / count;
        let variance = series.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / (count - 1.0);
        prop_assert!((cohesion.mean() - mean).abs() < 1e-9);
        prop_assert!((cohesion.deviation() - variance.sqrt()).abs() < 1e-9);
    }

    #[test]
    fn a_stored_profile_is_restored(texts in texts()) {
        let mut channels = Channels::new(5);
        texts.iter().for_each(|text| { channels.add(7, text); });
        let profile = channels.profile(7).unwrap();
        let kept = profile.keep(channels.vocabulary());
        let mut again = Channels::new(5);
        again.restore(7, &kept);
        let restored = again.profile(7).unwrap();
        prop_assert_eq!(restored.cohesion(), profile.cohesion());
        prop_assert_eq!(restored.keep(again.vocabulary()), kept);
    }
}
