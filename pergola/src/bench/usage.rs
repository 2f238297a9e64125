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
        let spent = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        let cpu = spent.tv_sec as f64 + spent.tv_nsec as f64 / 1e9;
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        Self { cpu, resident: kilobytes(&status, "VmRSS:"), peak: kilobytes(&status, "VmHWM:") }
    }

    /// CPU seconds since an earlier reading.
    pub fn cpu_since(&self, earlier: &Self) -> f64 {
        self.cpu - earlier.cpu
    }
}

/// A line of `/proc/PID/status`, in bytes.
pub(super) fn kilobytes(status: &str, name: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let number = line.and_then(|rest| rest.split_whitespace().next()?.parse::<u64>().ok());
    number.unwrap_or(0) * 1024
}
