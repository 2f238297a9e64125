//! Where the rows of a segment are read from.

use std::ops::ControlFlow;

/// A key and its value.
pub type Row = (Vec<u8>, Vec<u8>);

/// Gets a row's key and value, and says whether to continue.
pub type Visit<'a> = dyn FnMut(&[u8], &[u8]) -> ControlFlow<()> + 'a;

/// The rows of one segment, in the order of their keys. Keys are shorter than 64 bytes.
pub trait Rows {
    /// Why a row could not be read.
    type Error;

    /// The error of a row that is missing, or says what cannot be.
    fn broken(&self, key: &[u8]) -> Self::Error;

    /// The value of one row.
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, Self::Error>;

    /// The last row with `from <= key <= to`.
    fn last(&self, from: &[u8], to: &[u8]) -> Result<Option<Row>, Self::Error>;

    /// Visits the rows with `from <= key < to` in order until the visitor breaks.
    fn each(&self, from: &[u8], to: &[u8], visit: &mut Visit<'_>) -> Result<(), Self::Error>;
}

/// The kinds of rows in a segment, the first byte of their keys.
pub(crate) mod kind {
    /// Documents in their order, by the number of the block.
    pub(crate) const DOCUMENTS: u8 = 1;
    /// Documents by the number of their item, by the highest bits of that.
    pub(crate) const NUMBERS: u8 = 2;
    /// Words, by the first word of the block.
    pub(crate) const TERMS: u8 = 3;
}
