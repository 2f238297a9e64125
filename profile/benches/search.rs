//! Search over 10,000 channels: the median times of a query and of an update after a refresh, and the
//! bytes per channel.
//!
//! `cargo bench -p pergola-profile`. Times are compared with limits: a user waits for a query, and an
//! update is part of a refresh that takes about a millisecond.

#![expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

use std::time::Instant;

use pergola_profile::{Bag, Channels};

const CHANNELS: u32 = 10_000;
const ITEMS: u32 = 20;
/// The limits of a query and of an update, in seconds.
const QUERY: f64 = 10e-3;
const REFRESH: f64 = 1e-3;

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
    let similar = median(&(0..200).collect::<Vec<u32>>(), |n| {
        channels.similar(n * 37 % CHANNELS, 20);
    });
    let size = channels.size();
    // A refresh with three items is common, one with a full window is the worst case.
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
    let row = |what: &str, seconds: f64, limit: f64| {
        println!("{what:<24} {:>9.1} µs   {:.3} of the limit", seconds * 1e6, seconds / limit);
    };
    row("query, median", query, QUERY);
    row("similar channels, median", similar, QUERY);
    row("refresh with 3 items", few, REFRESH);
    row("refresh with 20 items", full, REFRESH);
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

/// Nine words: four of the subject of the channel, one of two hundred, and five general ones, of which
/// common ones are more frequent.
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
