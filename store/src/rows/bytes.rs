//! Bytes in rows: written and read as a whole. They look like a list of bytes on the disk, which would be written and
//! read one by one.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Bytes of a row.
pub(crate) struct Bytes<'a>(Cow<'a, [u8]>);

impl<'a> Bytes<'a> {
    /// What is to be written.
    pub(super) fn of(bytes: &'a [u8]) -> Self {
        Self(Cow::Borrowed(bytes))
    }

    /// What was read.
    pub(super) fn read(self) -> Vec<u8> {
        self.0.into_owned()
    }
}

impl Serialize for Bytes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Bytes<'_> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Whole;

        impl Visitor<'_> for Whole {
            type Value = Vec<u8>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
                Ok(bytes.to_vec())
            }
        }

        deserializer.deserialize_bytes(Whole).map(|bytes| Self(Cow::Owned(bytes)))
    }
}
