//! A condition as an array of tests, each of which says where to continue.
//!
//! In a tree every step goes to another allocation, and with 100,000 queries waits for memory. Here the
//! tests of a rule are next to each other.

use super::scratch::{Scratch, places};
use super::word::PhraseId;
use crate::condition::Condition;
use crate::item::ItemView;

/// A compiled condition.
#[derive(Debug)]
pub(super) struct Program {
    tests: Box<[Test]>,
    /// Tests of other things than phrases.
    others: Box<[Condition<PhraseId>]>,
    start: u32,
}

/// One test, and where to continue.
#[derive(Clone, Copy, Debug)]
struct Test {
    /// A phrase, or an index into the other tests.
    what: u32,
    /// Where the phrase must occur; 0 for the other tests.
    places: u16,
    yes: u32,
    no: u32,
}

/// The two ends of a program.
const HOLDS: u32 = u32::MAX;
const FAILS: u32 = u32::MAX - 1;

impl Program {
    /// Compiles a condition; without one, everything passes.
    pub(super) fn new(condition: Option<Condition<PhraseId>>) -> Self {
        let (mut tests, mut others) = (Vec::new(), Vec::new());
        let start = match condition {
            Some(condition) => emit(condition, HOLDS, FAILS, &mut tests, &mut others),
            None => HOLDS,
        };
        Self { tests: tests.into(), others: others.into(), start }
    }

    /// Whether the condition holds for an item whose phrases are in `scratch`.
    pub(super) fn holds(&self, item: &ItemView<'_>, now: i64, scratch: &Scratch) -> bool {
        let mut at = self.start;
        while let Some(test) = self.tests.get(at as usize) {
            let passed = if test.places != 0 {
                scratch.places_of(test.what) & test.places != 0
            } else {
                self.others[test.what as usize].holds(item, now, &|_| false)
            };
            at = if passed { test.yes } else { test.no };
        }
        at == HOLDS
    }
}

/// Appends the tests of a condition that continues at `yes` or `no`, and returns where it starts. The
/// last test comes first, so that the targets of a test are known when it is written.
fn emit(
    condition: Condition<PhraseId>,
    yes: u32,
    no: u32,
    tests: &mut Vec<Test>,
    others: &mut Vec<Condition<PhraseId>>,
) -> u32 {
    let (what, places) = match condition {
        Condition::All(parts) => {
            let parts = parts.into_iter().rev();
            return parts.fold(yes, |next, part| emit(part, next, no, tests, others));
        }
        Condition::Any(parts) => {
            let parts = parts.into_iter().rev();
            return parts.fold(no, |next, part| emit(part, yes, next, tests, others));
        }
        Condition::Not(inner) => return emit(*inner, no, yes, tests, others),
        Condition::Has(wanted) => (wanted.phrase, places(&wanted)),
        other => {
            others.push(other);
            (others.len() as u32 - 1, 0)
        }
    };
    tests.push(Test { what, places, yes, no });
    tests.len() as u32 - 1
}
