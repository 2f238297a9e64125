//! Every input that the fuzzer kept, without the fuzzer: each crash of the past stays a test.
//!
//! `.ci/run` fuzzes the targets of `feed` and `query` with coverage. The others take too long to build for that, so
//! here they also get each kept input with many small changes, always the same ones.

#[path = "../../../fuzz/src/node_targets.rs"]
mod node_targets;
#[path = "../../../fuzz/src/store_targets.rs"]
mod store_targets;
#[path = "../../../fuzz/src/targets.rs"]
mod targets;

use std::path::Path;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Changed inputs for each that was kept.
const CHANGED: usize = 500;

/// The inputs that were kept for a target, in order.
fn kept(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(name);
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|file| file.unwrap().path())
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{} is empty", folder.display());
    files.iter().map(|file| std::fs::read(file).unwrap()).collect()
}

/// The last input that is printed is the one that fails.
fn try_out(name: &str, target: fn(&[u8]), input: &[u8]) {
    println!("{name}: {}", input.escape_ascii());
    target(input);
}

/// An input with one to four changes: a byte or a part of it, or a part of another input put in.
fn changed(input: &[u8], others: &[Vec<u8>], random: &mut ChaCha8Rng) -> Vec<u8> {
    let mut bytes = input.to_vec();
    for _ in 0..random.random_range(1..=4) {
        let from = random.random_range(0..=bytes.len());
        let to = random.random_range(from..=bytes.len().min(from + 16));
        match random.random_range(0..5) {
            0 => drop(bytes.drain(from..to)),
            1 => bytes.truncate(from),
            2 => bytes.insert(from, random.random()),
            3 if from < bytes.len() => bytes[from] ^= 1 << random.random_range(0..8),
            _ => {
                let other = &others[random.random_range(0..others.len())];
                let start = random.random_range(0..=other.len());
                let end = random.random_range(start..=other.len().min(start + 64));
                bytes.splice(from..to, other[start..end].iter().copied());
            }
        }
    }
    bytes
}

#[test]
fn what_the_fuzzer_kept_breaks_nothing() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for (name, target) in targets::TARGETS {
        kept(name).iter().for_each(|input| try_out(name, target, input));
    }
    for (name, target) in store_targets::TARGETS.into_iter().chain(node_targets::TARGETS) {
        let inputs = kept(name);
        for input in &inputs {
            try_out(name, target, input);
            for _ in 0..CHANGED {
                try_out(name, target, &changed(input, &inputs, &mut random));
            }
        }
    }
}
