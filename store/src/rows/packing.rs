//! Items compressed with zstd.
//!
//! Each thread keeps its compressor: a chunk is small, and making a compressor for it would cost as much as
//! compressing it.

use std::cell::RefCell;
use std::io;

use zstd::bulk::{Compressor, Decompressor};

/// Texts shrink to a third or less at the lowest level, which takes less time than writing the rest would.
const LEVEL: i32 = 1;

/// No chunk is larger when unpacked: it holds at most thirty-two items of bounded documents.
const MAX_UNPACKED: usize = 256 << 20;

thread_local! {
    static PACKER: RefCell<Compressor<'static>> =
        RefCell::new(Compressor::new(LEVEL).expect("the level exists"));
    static UNPACKER: RefCell<Decompressor<'static>> =
        RefCell::new(Decompressor::new().expect("nothing is asked of it yet"));
}

pub(super) fn pack(bytes: &[u8]) -> Vec<u8> {
    let packed = PACKER.with_borrow_mut(|packer| packer.compress(bytes));
    packed.expect("a buffer of the right size is enough")
}

/// What was packed, if it is no longer than `length`.
pub(super) fn unpack(packed: &[u8], length: u64) -> io::Result<Vec<u8>> {
    let length = usize::try_from(length).unwrap_or(usize::MAX).min(MAX_UNPACKED);
    UNPACKER.with_borrow_mut(|unpacker| unpacker.decompress(packed, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_unpacked_again_also_after_something_broken() {
        let text = "One item and then another one. ".repeat(1_000).into_bytes();
        let packed = pack(&text);
        assert!(packed.len() < text.len() / 3);
        assert_eq!(unpack(&packed, text.len() as u64).unwrap(), text);
        assert!(unpack(&packed[..packed.len() / 2], text.len() as u64).is_err());
        assert!(unpack(&packed, text.len() as u64 - 1).is_err());
        assert_eq!(unpack(&pack(b""), 0).unwrap(), b"");
        assert_eq!(unpack(&packed, text.len() as u64).unwrap(), text);
    }
}
