//! The bytes of every row, compared with those of the version that first wrote them.

mod samples;

use std::collections::BTreeMap;
use std::fmt::Debug;

use super::*;

/// A name and the bytes in hexadecimal on each line.
const WRITTEN: &str = include_str!("../../tests/fixtures/rows.txt");

/// Rows by name, each to be looked at once.
struct Written(BTreeMap<&'static str, Vec<u8>>);

impl Written {
    fn read() -> Self {
        let lines = WRITTEN.lines().filter(|line| !line.starts_with('#'));
        let row = |line: &'static str| {
            let (name, bytes) = line.split_once(' ').unwrap();
            let byte = |at: usize| u8::from_str_radix(&bytes[at..at + 2], 16).unwrap();
            (name, (0..bytes.len()).step_by(2).map(byte).collect())
        };
        Self(lines.map(row).collect())
    }

    /// The value is written as these bytes, and these bytes are read as the value.
    fn is<T: Stored + PartialEq + Debug>(&mut self, name: &str, value: &T) {
        let Some(bytes) = self.0.remove(name) else { panic!("no row is called {name}") };
        assert_eq!(hex(&encode(value)), hex(&bytes), "{name} is written otherwise");
        assert_eq!(decode::<T>(&bytes).unwrap(), *value, "{name} is read otherwise");
        for length in 0..bytes.len() {
            assert!(decode::<T>(&bytes[..length]).is_err(), "{length} bytes of {name} are enough");
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn every_row_has_the_bytes_it_always_had() {
    let mut written = Written::read();
    samples::items(&mut written);
    samples::sources(&mut written);
    samples::models(&mut written);
    samples::peers(&mut written);
    samples::feeds(&mut written);
    samples::node(&mut written);
    let left: Vec<&str> = written.0.into_keys().collect();
    assert_eq!(left, [""; 0], "rows that nothing was compared with");
}

#[test]
fn a_row_that_makes_no_sense_is_an_error() {
    let model = samples::model_bytes_with_a_wrong_place();
    let error = decode::<pergola_refresh::Model>(&model).unwrap_err();
    assert!(error.to_string().contains("place in a ring"), "{error}");
}
