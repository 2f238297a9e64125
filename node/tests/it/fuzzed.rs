//! Every input that the fuzzer kept, without the fuzzer: each crash of the past stays a test.

#[path = "../../../fuzz/src/node_targets.rs"]
mod node_targets;
#[path = "../../../fuzz/src/targets.rs"]
mod targets;

use std::path::Path;

#[test]
fn what_the_fuzzer_kept_breaks_nothing() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus");
    for (name, target) in targets::TARGETS.iter().chain(&node_targets::TARGETS) {
        let folder = corpus.join(name);
        let mut files: Vec<_> = std::fs::read_dir(&folder)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
            .map(|file| file.unwrap().path())
            .collect();
        files.sort();
        assert!(!files.is_empty(), "{} is empty", folder.display());
        for file in files {
            println!("{}", file.display());
            target(&std::fs::read(&file).unwrap());
        }
    }
}
