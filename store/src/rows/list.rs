//! Lists in rows: written from where they are, read into rows.

use std::collections::VecDeque;

use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Nonsense, Stored};

/// A list of rows.
pub(crate) enum List<'a, T: Stored> {
    /// What is to be written; a ring buffer is in two pieces.
    Written(&'a [T], &'a [T]),
    /// What was read.
    Read(Vec<T::Row<'static>>),
}

impl<T: Stored> Serialize for List<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Written(one, two) => {
                let mut list = serializer.serialize_seq(Some(one.len() + two.len()))?;
                for value in one.iter().chain(*two) {
                    list.serialize_element(&value.to_row())?;
                }
                list.end()
            }
            Self::Read(rows) => rows.serialize(serializer),
        }
    }
}

impl<'de, T: Stored> Deserialize<'de> for List<'_, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self::Read)
    }
}

impl<T: Stored> List<'static, T> {
    /// What the rows say.
    pub(super) fn read(self) -> Result<Vec<T>, Nonsense> {
        match self {
            Self::Read(rows) => rows.into_iter().map(T::from_row).collect(),
            Self::Written(one, two) => {
                one.iter().chain(two).map(|value| T::from_row(value.to_row())).collect()
            }
        }
    }
}

impl<T: Stored> Stored for Vec<T> {
    type Row<'a> = List<'a, T>;

    fn to_row(&self) -> List<'_, T> {
        List::Written(self, &[])
    }

    fn from_row(row: List<'static, T>) -> Result<Self, Nonsense> {
        row.read()
    }
}

impl<T: Stored> Stored for VecDeque<T> {
    type Row<'a> = List<'a, T>;

    fn to_row(&self) -> List<'_, T> {
        let (one, two) = self.as_slices();
        List::Written(one, two)
    }

    fn from_row(row: List<'static, T>) -> Result<Self, Nonsense> {
        row.read().map(Self::from)
    }
}
