//! What was removed and can still be restored: when, and the record as it was.
//!
//! A step of the schema that changes the row of a source or feed must change it here, too.

use super::{Nonsense, Stored};
use crate::records::Removed;

impl<T: Stored> Stored for Removed<T> {
    type Row<'a> = (f64, T::Row<'a>);

    fn to_row(&self) -> Self::Row<'_> {
        (self.at, self.what.to_row())
    }

    fn from_row((at, what): Self::Row<'static>) -> Result<Self, Nonsense> {
        Ok(Self { at, what: T::from_row(what)? })
    }
}
