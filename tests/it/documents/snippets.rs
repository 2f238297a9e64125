//! The Rust blocks of README and docs/programming.md. Here they are compiled and run; a test compares them with the pages.

use pergola_profile::{Channels, Novelty};
use pergola_refresh::{
    Budget, DAY, Invalid, ModelKind, Scheduler, Source, Sources, StrategyKind, Taste,
};

use super::page::pages;

#[test]
fn rust_blocks_are_compiled_here() {
    for page in pages() {
        for block in page.blocks.iter().filter(|block| block.info == "rust") {
            let mut compiled = include_str!("snippets.rs").lines().map(code);
            for line in block.text.lines().map(code).filter(|line| !line.is_empty()) {
                assert!(
                    compiled.any(|it| it == line),
                    "{}:{}: this line is not in tests/it/documents/snippets.rs, in this order: {line}",
                    page.path,
                    block.line
                );
            }
        }
    }
}

/// A line without its comment and its indentation. What a page leaves out between braces is anything here.
fn code(line: &str) -> &str {
    line.split("//").next().unwrap().split("/*").next().unwrap().trim()
}

#[test]
#[rustfmt::skip]
fn a_scheduler_decides() {
    fn decided(now: f64) -> Result<usize, Invalid> {
        let mut count = 0;
        let mut sources = Sources::new();
        let model = ModelKind::Calendar.build(1.0 / DAY)?;
        let blog = sources.add(Source::new(model, 20))?;
        let budget = Budget::new(0.5, 300.0)?;
        let strategy = StrategyKind::Plan.build(Taste::default());
        let mut scheduler = Scheduler::steady(strategy, budget, 288.0)?;
        for &source in scheduler.decide(now, &sources) {
            assert_eq!(source, blog);
            count += 1;
        }
        Ok(count)
    }
    assert_eq!(decided(300.0).unwrap(), 1, "a new source goes first");
}

#[test]
#[rustfmt::skip]
fn a_channel_is_searched() {
    let mut channels = Channels::new(20);
    let heard = channels.add(1, "A volcano erupts in Iceland");
    let mut novel = false;
    if Novelty::default().admits(&heard) {
        novel = true;
    }
    let mut found_channels = Vec::new();
    for found in channels.search("iceland volcano", 5) {
        found_channels.push(found.channel);
    }
    assert!(novel);
    assert_eq!(found_channels, [1]);
}
