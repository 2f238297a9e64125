//! One program for all targets: `PERGOLA_FUZZ_TARGET` names the one to run. `fuzz/run` builds and starts it.

#![no_main]

#[cfg(feature = "node")]
mod node_targets;
#[cfg(feature = "store")]
mod store_targets;
mod targets;

use std::sync::LazyLock;

type Target = fn(&[u8]);

static TARGET: LazyLock<Target> = LazyLock::new(|| {
    let wanted = std::env::var("PERGOLA_FUZZ_TARGET").unwrap_or_default();
    let all = targets::TARGETS.iter();
    #[cfg(feature = "store")]
    let all = all.chain(&store_targets::TARGETS);
    #[cfg(feature = "node")]
    let all = all.chain(&node_targets::TARGETS);
    let found = all.clone().find(|(name, _)| *name == wanted);
    let names: Vec<&str> = all.map(|(name, _)| *name).collect();
    found.unwrap_or_else(|| panic!("PERGOLA_FUZZ_TARGET must be one of {names:?}")).1
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| TARGET(data));
