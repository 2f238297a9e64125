//! What a process has used: CPU seconds and the most memory it ever held.

use serde::{Deserialize, Serialize};

/// What a process has used so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// CPU seconds, user and system.
    pub cpu: f64,
    /// Resident bytes now.
    pub resident: u64,
    /// The most resident bytes at any time.
    pub peak: u64,
}

impl Usage {
    /// Of this process. Zeros where the system does not tell.
    pub fn now() -> Self {
        let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        // After the name in parentheses, which may hold anything, user and system time are the
        // twelfth and thirteenth fields, in hundredths of a second.
        let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
        let ticks: f64 =
            fields.split_whitespace().skip(11).take(2).filter_map(|f| f.parse::<f64>().ok()).sum();
        Self {
            cpu: ticks / 100.0,
            resident: kilobytes(&status, "VmRSS:"),
            peak: kilobytes(&status, "VmHWM:"),
        }
    }

    /// CPU seconds since an earlier reading.
    pub fn cpu_since(&self, earlier: &Self) -> f64 {
        self.cpu - earlier.cpu
    }
}

fn kilobytes(status: &str, name: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let number = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    number.unwrap_or(0) * 1024
}
