//! The rows as they are on the disk.
//!
//! A row is written in postcard, which stores no names: a number of fields in their order, an enum by the
//! place of its variant. So every row is a type of its own here, spelt out field by field, and never changes
//! without a step of the schema (`engine::migrate`). What the rest of the program works with is converted at
//! this door ([`Stored`]) and is free to change.
//!
//! Writing borrows: no text and no list is copied to be written. Reading moves.
//!
//! The bytes of every row are in `tests/fixtures/rows.txt`; a test compares.

mod bytes;
pub(crate) mod chunk;
mod courtesy;
mod feed;
mod index;
mod item;
pub(crate) mod keys;
mod known;
mod list;
mod model;
mod more;
mod node;
mod notification;
mod packing;
mod peer;
pub(crate) mod person;
mod profile;
mod removed;
mod source;
mod websub;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub(crate) use bytes::Bytes;
pub(crate) use list::List;

/// Something that is stored in rows.
pub(crate) trait Stored: Sized + 'static {
    /// What is on the disk, borrowed from what is written.
    type Row<'a>: Serialize + DeserializeOwned;

    fn to_row(&self) -> Self::Row<'_>;

    fn from_row(row: Self::Row<'static>) -> Result<Self, Nonsense>;
}

/// A row that can be read but says what cannot be.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Nonsense(pub(crate) String);

impl From<pergola_refresh::Invalid> for Nonsense {
    fn from(invalid: pergola_refresh::Invalid) -> Self {
        Self(invalid.to_string())
    }
}

/// Most rows are shorter: a vector that grows from nothing is copied half a dozen times.
const USUAL_BYTES: usize = 256;

/// The bytes of a row.
pub(crate) fn encode<T: Stored>(value: &T) -> Vec<u8> {
    encode_onto(value, Vec::with_capacity(USUAL_BYTES))
}

/// The bytes of a row after others.
pub(crate) fn encode_onto<T: Stored>(value: &T, bytes: Vec<u8>) -> Vec<u8> {
    write_onto(&value.to_row(), bytes)
}

/// The bytes of something in postcard after others.
fn write_onto(value: &impl Serialize, bytes: Vec<u8>) -> Vec<u8> {
    postcard::serialize_with_flavor(value, Onto(bytes))
        .expect("rows hold nothing that postcard refuses")
}

/// Appends to a vector; `postcard::to_extend` does the same through iterators, which takes longer.
struct Onto(Vec<u8>);

impl postcard::ser_flavors::Flavor for Onto {
    type Output = Vec<u8>;

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.0.push(byte);
        Ok(())
    }

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<Vec<u8>> {
        Ok(self.0)
    }
}

/// What a row's bytes say, or what is wrong with them.
pub(crate) fn decode<T: Stored>(bytes: &[u8]) -> Result<T, Nonsense> {
    let row = postcard::from_bytes(bytes).map_err(|error| Nonsense(error.to_string()))?;
    T::from_row(row)
}

/// Declares the row of a struct: its fields, in the order in which they are stored.
macro_rules! row {
    ($domain:ident as $row:ident<$a:lifetime> { $($field:ident: $kind:ty),* $(,)? }) => {
        #[derive(serde::Serialize, serde::Deserialize)]
        pub(crate) struct $row<$a> { $($field: $kind),* }

        impl $crate::rows::Stored for $domain {
            type Row<$a> = $row<$a>;

            fn to_row(&self) -> $row<'_> {
                $row { $($field: $crate::rows::Stored::to_row(&self.$field)),* }
            }

            fn from_row(row: $row<'static>) -> Result<Self, $crate::rows::Nonsense> {
                Ok(Self { $($field: $crate::rows::Stored::from_row(row.$field)?),* })
            }
        }
    };
    ($domain:ident as $row:ident { $($field:ident: $kind:ty),* $(,)? }) => {
        #[derive(serde::Serialize, serde::Deserialize)]
        pub(crate) struct $row { $($field: $kind),* }

        impl $crate::rows::Stored for $domain {
            type Row<'a> = $row;

            fn to_row(&self) -> $row {
                $row { $($field: $crate::rows::Stored::to_row(&self.$field)),* }
            }

            fn from_row(row: $row) -> Result<Self, $crate::rows::Nonsense> {
                Ok(Self { $($field: $crate::rows::Stored::from_row(row.$field)?),* })
            }
        }
    };
}

/// Declares the row of an enum without fields: its variants, in the order in which they are stored.
macro_rules! variants {
    ($domain:ident as $row:ident { $($variant:ident),* $(,)? }) => {
        #[derive(serde::Serialize, serde::Deserialize)]
        pub(crate) enum $row { $($variant),* }

        impl $crate::rows::Stored for $domain {
            type Row<'a> = $row;

            fn to_row(&self) -> $row {
                match self { $($domain::$variant => $row::$variant),* }
            }

            fn from_row(row: $row) -> Result<Self, $crate::rows::Nonsense> {
                Ok(match row { $($row::$variant => $domain::$variant),* })
            }
        }
    };
}

/// Declares that something is stored as what is inside it.
macro_rules! inside {
    ($($domain:ident($inner:ty)),* $(,)?) => {
        $(impl $crate::rows::Stored for $domain {
            type Row<'a> = <$inner as $crate::rows::Stored>::Row<'a>;

            fn to_row(&self) -> Self::Row<'_> {
                $crate::rows::Stored::to_row(&self.0)
            }

            fn from_row(row: Self::Row<'static>) -> Result<Self, $crate::rows::Nonsense> {
                Ok(Self($crate::rows::Stored::from_row(row)?))
            }
        })*
    };
}

/// Declares that numbers are stored as they are.
macro_rules! plain {
    ($($number:ty),*) => {
        $(impl Stored for $number {
            type Row<'a> = Self;

            fn to_row(&self) -> Self {
                *self
            }

            fn from_row(row: Self) -> Result<Self, Nonsense> {
                Ok(row)
            }
        })*
    };
}

pub(crate) use {inside, row, variants};

plain!(bool, u8, u16, u32, u64, u128, i64, f32, f64);

impl Stored for String {
    type Row<'a> = Cow<'a, str>;

    fn to_row(&self) -> Cow<'_, str> {
        Cow::Borrowed(self)
    }

    fn from_row(row: Cow<'static, str>) -> Result<Self, Nonsense> {
        Ok(row.into_owned())
    }
}

impl<T: Stored> Stored for Option<T> {
    type Row<'a> = Option<T::Row<'a>>;

    fn to_row(&self) -> Option<T::Row<'_>> {
        self.as_ref().map(T::to_row)
    }

    fn from_row(row: Option<T::Row<'static>>) -> Result<Self, Nonsense> {
        row.map(T::from_row).transpose()
    }
}

impl<A: Stored, B: Stored> Stored for (A, B) {
    type Row<'a> = (A::Row<'a>, B::Row<'a>);

    fn to_row(&self) -> Self::Row<'_> {
        (self.0.to_row(), self.1.to_row())
    }

    fn from_row((a, b): Self::Row<'static>) -> Result<Self, Nonsense> {
        Ok((A::from_row(a)?, B::from_row(b)?))
    }
}
