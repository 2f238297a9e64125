//! Reading every row to find those that are damaged, some at a time.

use std::ops::ControlFlow;

use super::{Archive, ArchiveError};
use crate::engine::{Order, Table, seal};

/// How far scrubbing has come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    table: usize,
    from: Vec<u8>,
}

impl Archive {
    /// Checks rows from a place on, until about so many bytes are read; returns where to go on, or nothing at the
    /// end. What is damaged is in [`Archive::damage`] afterwards.
    pub fn scrub(&self, place: Place, bytes: usize) -> Result<Option<Place>, ArchiveError> {
        let Place { mut table, mut from } = place;
        let mut left = bytes;
        while let Some(of) = Table::ALL.get(table).copied() {
            let mut last = None;
            let scanned = self.store.scan(of, &from, None, Order::Ascending, &mut |key, row| {
                match seal::unseal(of, key, row) {
                    Some(_) => self.damage.forget(of, key),
                    None => self.damage.note(of, key, "its checksum does not fit"),
                }
                left = left.saturating_sub(key.len() + row.len());
                if left > 0 {
                    return ControlFlow::Continue(());
                }
                last = Some([key, &[0]].concat());
                ControlFlow::Break(())
            });
            if let Err(error) = scanned {
                self.damage.set_unreadable(Some(error.to_string()));
                return Err(error.into());
            }
            if let Some(from) = last {
                return Ok(Some(Place { table, from }));
            }
            (table, from) = (table + 1, Vec::new());
        }
        self.damage.set_unreadable(None);
        Ok(None)
    }

    /// Checks every row at once.
    pub fn check(&self) -> Result<(), ArchiveError> {
        let mut place = Some(Place::default());
        while let Some(from) = place {
            place = self.scrub(from, usize::MAX)?;
        }
        Ok(())
    }
}
