//! One 2Steps decision over a million sources, compared with a plain sum over as many bytes.
//!
//! `cargo bench -p pergola-refresh`. The two are measured in turn, and the minimum over the rounds counts,
//! so that the ratio is reliable on a busy machine. Target: at most 4.

use std::hint::black_box;
use std::time::Instant;

use pergola_refresh::{
    Budget, DAY, GammaSlots, HOUR, Model, ModelKind, Observation, Periodic, Scheduler,
    SingleVariable, Source, Sources, StrategyKind, Taste,
};

const SOURCES: usize = 1_000_000;
const ROUNDS: usize = 15;
/// Refreshes per minute of a node that refreshes every source once in eight hours on average.
const BUDGET: f64 = SOURCES as f64 / 480.0;
const CYCLE: f64 = 60.0;
/// The memory limit of a source.
const ALLOWED_BYTES: usize = 256;

/// Sources with a short history, last refreshed at various times in the last eight hours.
fn sources(kind: ModelKind) -> Sources {
    let mut sources = Sources::new();
    for number in 0..SOURCES {
        // Multiples of an irrational number spread the values evenly and deterministically.
        let spread = |factor: f64| (number as f64 * factor).fract();
        let rate = 0.2 + 40.0 * spread(0.618_033_988_75).powi(3);
        let mut model: Model = kind.build(rate / DAY).expect("a positive rate");
        let at = 8.0 * HOUR * spread(0.414_213_562_37);
        for refresh in 0..3 {
            let at = at - f64::from(2 - refresh) * 5.0 * HOUR;
            model_learns(&mut model, at, (rate * 5.0 / 24.0).round() as u32);
        }
        let last = Some(at);
        let relevance = 0.1 + 0.9 * spread(0.732_050_807_57);
        let source = Source { last, relevance, ..Source::new(model, 20) };
        sources.add(source).expect("a sane source");
    }
    sources
}

fn model_learns(model: &mut Model, at: f64, new_items: u32) {
    use pergola_refresh::PublicationModel;
    let since = Some(at - 5.0 * HOUR);
    model.learn(&Observation { at, since, new_items, window: 20, censored: false, dates: &[] });
}

#[expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
fn seconds(f: impl FnOnce()) -> f64 {
    let started = Instant::now();
    f();
    started.elapsed().as_secs_f64()
}

fn main() {
    println!("one 2Steps decision over {SOURCES} sources; minimum of {ROUNDS} rounds");
    println!(
        "{:12} {:>14} {:>12} {:>12} {:>7}",
        "model", "bytes/source", "decision", "plain sum", "ratio"
    );
    for (kind, elsewhere) in [
        (ModelKind::Single, size_of::<SingleVariable>()),
        (ModelKind::Gamma, 0),
        (ModelKind::Periodic, size_of::<Periodic>()),
        (ModelKind::GammaSlots, size_of::<GammaSlots>()),
    ] {
        let bytes = Sources::BYTES_PER_SOURCE + elsewhere;
        let sources = sources(kind);
        let words = ALLOWED_BYTES * SOURCES / 8;
        let plain: Vec<u64> = (0..words as u64).collect();
        let budget = Budget::new(BUDGET, CYCLE).expect("a positive budget");
        let mut scheduler =
            Scheduler::steady(StrategyKind::TwoSteps.build(Taste::default()), budget, 1440.0)
                .expect("a positive horizon");
        let (mut decision, mut sum) = (f64::INFINITY, f64::INFINITY);
        let mut chosen = 0;
        for round in 0..ROUNDS + 250 {
            let now = 8.0 * HOUR + round as f64 * CYCLE;
            // The first decisions only adapt the threshold.
            let took = seconds(|| chosen = black_box(scheduler.decide(now, &sources)).len());
            if round < 250 {
                continue;
            }
            decision = decision.min(took);
            sum = sum.min(seconds(|| {
                black_box(plain.iter().fold(0u64, |sum, &word| sum.wrapping_add(word)));
            }));
        }
        println!(
            "{:12} {:>14} {:>9.2} ms {:>9.2} ms {:>7.2}   ({chosen} chosen)",
            kind.name(),
            bytes,
            1e3 * decision,
            1e3 * sum,
            decision / sum,
        );
    }
}
