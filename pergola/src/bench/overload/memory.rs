//! The memory that a node may take: what the service that is shipped with it allows (`deploy/pergola.service`).
//!
//! The configuration bounds every buffer and cache by itself, and `docs/reliability.md` lists them. Their sum is
//! what an attacker could reach who fills all of them at once; what an operator sets is one figure for the
//! process, and beyond it the system ends the service.

use anyhow::{Context, Result};

/// The unit of the service.
const UNIT: &str = include_str!("../../../../deploy/pergola.service");
/// The setting in it.
const SETTING: &str = "MemoryMax=";

/// Bytes that the service may take.
pub(super) fn allowed() -> Result<u64> {
    setting(UNIT).with_context(|| format!("deploy/pergola.service needs {SETTING}, such as 512M"))
}

fn setting(unit: &str) -> Option<u64> {
    let value = unit.lines().find_map(|line| line.strip_prefix(SETTING))?.trim();
    let (number, shift) = match value.as_bytes().last()? {
        b'K' => (&value[..value.len() - 1], 10),
        b'M' => (&value[..value.len() - 1], 20),
        b'G' => (&value[..value.len() - 1], 30),
        _ => (value, 0),
    };
    Some(number.parse::<u64>().ok()? << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_systemd_reads_them() {
        assert_eq!(setting("[Service]\nMemoryMax=512M\n"), Some(512 << 20));
        assert_eq!(setting("MemoryMax=2G"), Some(2 << 30));
        assert_eq!(setting("MemoryMax=4096"), Some(4_096));
        assert_eq!(setting("MemoryMax=infinity"), None);
        assert!(allowed().unwrap() > 0);
    }
}
