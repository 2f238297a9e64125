//! How well a model follows one source: refreshes at random intervals, without a scheduler, and after each cycle
//! the divergence that the model expects beside the real one.

use pergola_newsroom::random_stream;
use pergola_refresh::quality::{Delivery, Ledger};
use pergola_refresh::{Model, Observation, PublicationModel};
use rand::{Rng, RngExt};

use crate::world::{Stream, World};

/// When a source is refreshed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum RefreshTimes {
    /// After a random number of cycles, uniform from one to twice the mean, which is in seconds.
    Random { mean: f64 },
    /// After exactly so many seconds.
    Regular { interval: f64 },
}

impl RefreshTimes {
    fn next(self, cycle: f64, random: &mut impl Rng) -> usize {
        let cycles = |seconds: f64| ((seconds / cycle).round() as usize).max(1);
        match self {
            Self::Random { mean } => random.random_range(1..=cycles(2.0 * mean)),
            Self::Regular { interval } => cycles(interval),
        }
    }
}

/// What a model learns from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sight {
    /// What a refresh really shows: at most a window of items, with their dates.
    Window,
    /// The true count, as if no window hid items: the published experiments assume it.
    Everything,
}

/// Follows one source with one model; calls `f(cycle, model, real divergence, estimated)` after each
/// cycle, before any refresh in it.
pub(crate) fn follow(
    world: &World,
    stream: &Stream,
    mut model: Model,
    times: RefreshTimes,
    sight: Sight,
    seed: u64,
    mut f: impl FnMut(usize, &Model, f64, f64),
) {
    let mut random = random_stream(seed, REFRESHES);
    let mut ledger = Ledger::new(world.window);
    let (mut next_item, mut last, mut order) = (0, 0.0, 0);
    let mut delivery = Delivery::default();
    // The first refresh is at the start and finds an empty window.
    ledger.refresh(&mut order, &mut delivery);
    let mut next_refresh = times.next(world.cycle, &mut random);
    for cycle in 0..world.cycles {
        let now = (cycle + 1) as f64 * world.cycle;
        while stream.times.get(next_item).is_some_and(|&at| at <= now) {
            ledger.publish(stream.times[next_item], true);
            next_item += 1;
        }
        let real = ledger.stream_divergence();
        f(cycle, &model, f64::from(real), model.expected(last, now));
        if cycle + 1 < next_refresh {
            continue;
        }
        ledger.refresh(&mut order, &mut delivery);
        let (new_items, censored, dates) = match sight {
            Sight::Window => (delivery.new.len() as u32, delivery.censored, &delivery.new[..]),
            Sight::Everything => (real, false, &[][..]),
        };
        let (since, window) = (Some(last), delivery.shown);
        model.learn(&Observation { at: now, since, new_items, window, censored, dates });
        last = now;
        next_refresh = cycle + 1 + times.next(world.cycle, &mut random);
    }
}

/// The random stream that decides when to refresh.
const REFRESHES: u64 = 1 << 41;

/// Root mean square error of the divergence over the sources, averaged over the measured cycles.
pub(crate) fn divergence_error(
    world: &World,
    model: &Model,
    times: RefreshTimes,
    sight: Sight,
    seed: u64,
) -> f64 {
    let mut squares = vec![0.0; world.cycles];
    for (stream, source) in world.streams.iter().zip(0..) {
        let seed = seed.wrapping_mul(1_000_003).wrapping_add(source);
        follow(world, stream, model.clone(), times, sight, seed, |cycle, _, real, estimated| {
            squares[cycle] += (real - estimated).powi(2);
        });
    }
    let sources = world.streams.len() as f64;
    let measured = &squares[world.warmup..];
    measured.iter().map(|sum| (sum / sources).sqrt()).sum::<f64>() / measured.len() as f64
}
