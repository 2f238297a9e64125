//! Search over 10,000 channels: median of a query, of an update after a refresh, and bytes per channel.
//!
//! `cargo bench -p pergola-profile`. The ratio beside a query is to comparing the asked profile with each
//! channel's in turn, which is what there would be without an index.

#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a benchmark looks at the clock"
)]

use std::time::Instant;

use pergola_profile::{Bag, Channels, Profile, cosine};

const CHANNELS: u32 = 10_000;
const ITEMS: u32 = 20;

fn main() {
    let mut random = Random(7);
    let mut channels = Channels::new(ITEMS as usize);
    for _ in 0..ITEMS {
        for channel in 0..CHANNELS {
            let title = title(channel, &mut random);
            channels.add(channel, &title);
        }
    }
    let queries: Vec<String> = (0..500)
        .map(|n| {
            let title = title(n * 17 % CHANNELS, &mut random);
            title.split(' ').take(1 + n as usize % 4).collect::<Vec<_>>().join(" ")
        })
        .collect();
    let query = median(&queries, |text| {
        channels.search(text, 20);
    });
    let each = median(&queries[..5], |text| {
        let mut asked = Profile::new(1);
        let vocabulary = channels.vocabulary();
        asked.add(&Bag::of(text), vocabulary);
        let _: f64 = (0..CHANNELS)
            .map(|n| cosine(&asked, vocabulary, channels.profile(n).unwrap(), vocabulary))
            .sum();
    });
    let similar = median(&(0..200).collect::<Vec<u32>>(), |n| {
        channels.similar(n * 37 % CHANNELS, 20);
    });
    let size = channels.size();
    // A refresh that finds three items, a common case, and a full window, the worst one.
    let mut refresh = |items: u32| {
        let times = (0..500_u32).map(|n| {
            let channel = n * 19 % CHANNELS;
            let titles: Vec<String> = (0..items).map(|_| title(channel, &mut random)).collect();
            let started = Instant::now();
            let bags: Vec<Bag> = titles.iter().map(|title| Bag::of(title)).collect();
            channels.add_all(channel, &bags);
            started.elapsed().as_secs_f64()
        });
        middle(times.collect())
    };
    let (few, full) = (refresh(3), refresh(ITEMS));
    println!("{CHANNELS} channels, {ITEMS} items each");
    println!(
        "query, median            {:>9.1} µs   {:.0} times quicker than one by one",
        query * 1e6,
        each / query
    );
    println!("similar channels, median {:>9.1} µs", similar * 1e6);
    println!("refresh with 3 items     {:>9.1} µs", few * 1e6);
    println!("refresh with 20 items    {:>9.1} µs", full * 1e6);
    println!("bytes per channel        {:>9}", size.bytes / size.channels);
    println!("vocabulary, bounded      {:>9} kB", size.vocabulary / 1000);
}

fn median<T>(cases: &[T], mut run: impl FnMut(&T)) -> f64 {
    let times = cases.iter().map(|case| {
        let started = Instant::now();
        run(case);
        started.elapsed().as_secs_f64()
    });
    middle(times.collect())
}

fn middle(mut times: Vec<f64>) -> f64 {
    times.sort_unstable_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Nine words: four of the channel's own two hundred subjects, five of the language, common ones more often.
fn title(channel: u32, random: &mut Random) -> String {
    let words = (0..9).map(|n| {
        if n % 2 == 1 {
            format!("s{}x{}", channel % 200, random.below(60))
        } else {
            format!("w{}", (20_000f64.powf(random.share()) - 1.0) as u32)
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

struct Random(u64);

impl Random {
    fn share(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, limit: u32) -> u32 {
        (self.share() * f64::from(limit)) as u32
    }
}
