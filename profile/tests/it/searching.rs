//! Search and similarity over many channels.

use pergola_profile::{Channels, cosine};
use proptest::prelude::*;

const WORDS: [&str; 12] = [
    "volcano", "chess", "opera", "news", "daily", "rust", "linux", "garden", "jazz", "poetry",
    "tennis", "sailing",
];

fn streams() -> impl Strategy<Value = Vec<(u32, String)>> {
    let text = prop::collection::vec(prop::sample::select(WORDS.to_vec()), 1..6)
        .prop_map(|words| words.join(" "));
    prop::collection::vec((0_u32..9, text), 1..120)
}

#[test]
fn a_channel_is_found_by_its_words_until_they_leave_the_window() {
    let mut channels = Channels::new(3);
    channels.add(4, "Volcano in Iceland");
    channels.add(9, "A garden in spring");
    let numbers = |found: Vec<pergola_profile::Found>| {
        found.into_iter().map(|f| f.channel).collect::<Vec<_>>()
    };
    assert_eq!(numbers(channels.search("ICELAND", 10)), [4]);
    assert_eq!(numbers(channels.search("nothing of that", 10)), Vec::<u32>::new());
    for _ in 0..3 {
        channels.add(4, "Chess tonight");
    }
    assert_eq!(numbers(channels.search("iceland", 10)), Vec::<u32>::new());
    channels.remove(9);
    assert_eq!(numbers(channels.search("garden", 10)), Vec::<u32>::new());
    assert_eq!(channels.len(), 1);
}

#[test]
fn channels_with_more_of_the_words_come_first() {
    let mut channels = Channels::new(10);
    channels.add(1, "volcano iceland eruption");
    channels.add(2, "volcano holiday hotel");
    channels.add(3, "chess final hotel");
    let found = channels.search("iceland volcano", 10);
    assert_eq!(found.iter().map(|f| f.channel).collect::<Vec<_>>(), [1, 2]);
    assert!(found[0].score > 2.0 * found[1].score);
    assert_eq!(channels.search("volcano", 1).len(), 1);
}

proptest! {
    #[test]
    fn the_index_finds_the_same_as_a_comparison_with_each_channel(stream in streams()) {
        let mut channels = Channels::new(4);
        for (channel, text) in &stream {
            channels.add(*channel, text);
        }
        channels.settle();
        let vocabulary = channels.vocabulary();
        for channel in 0..9 {
            let Some(profile) = channels.profile(channel) else { continue };
            let found = channels.similar(channel, 20);
            for other in (0..9).filter(|other| *other != channel) {
                let exact = channels
                    .profile(other)
                    .map_or(0.0, |other| cosine(profile, vocabulary, other, vocabulary));
                let score = found.iter().find(|f| f.channel == other).map_or(0.0, |f| f.score);
                prop_assert!((score - exact).abs() < 1e-5, "{score} against {exact}");
            }
        }
    }

    #[test]
    fn removing_every_channel_leaves_an_empty_index(stream in streams()) {
        let mut channels = Channels::new(4);
        stream.iter().for_each(|(channel, text)| { channels.add(*channel, text); });
        (0..9).for_each(|channel| channels.remove(channel));
        prop_assert!(channels.is_empty());
        for word in WORDS {
            prop_assert!(channels.search(word, 5).is_empty());
        }
    }
}
