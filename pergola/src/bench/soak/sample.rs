//! What is looked at every few seconds, from outside the node.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use anyhow::{Context, Result};
use pergola_api::client::Client;
use pergola_store::Table;
use pergola_store::backup::bytes_by_table;
use serde::{Serialize, Serializer};

use super::household::Household;
use crate::bench::usage::kilobytes;

/// Ticks of a second in `/proc/PID/stat`.
const TICKS: f64 = 100.0;

/// The node at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Sample {
    /// Seconds since the start.
    pub seconds: f64,
    /// What the node's clock shows.
    pub now: f64,
    /// Resident bytes of its process.
    pub resident: u64,
    /// Descriptors that it has open.
    pub descriptors: u64,
    /// Bytes of its data folder on the disk.
    pub disk: u64,
    /// Bytes of all keys and values, as a backup counts them.
    pub live: u64,
    /// The same by table.
    pub tables: Tables,
    /// The threshold τ.
    pub threshold: f64,
    /// Requests that the sources have got so far.
    pub requests: u64,
    /// Refreshes that the node counts.
    pub refreshes: u64,
    /// CPU seconds of its process so far.
    pub cpu: f64,
}

impl Sample {
    /// Looks. The caller knows the time and the requests.
    pub(super) async fn take(
        household: &Household,
        client: &Client,
        requests: u64,
        [seconds, now]: [f64; 2],
    ) -> Result<Self> {
        let process = Path::new("/proc").join(household.process().to_string());
        let read = |name: &str| {
            let path = process.join(name);
            fs::read_to_string(&path).with_context(|| {
                format!(
                    "{} cannot be read: the node has ended, or this is not Linux",
                    path.display()
                )
            })
        };
        let status = client.status().await?;
        let tables = stored(client).await?;
        Ok(Self {
            seconds,
            now,
            resident: kilobytes(&read("status")?, "VmRSS:"),
            descriptors: fs::read_dir(process.join("fd"))?.count() as u64,
            disk: on_disk(&household.data())?,
            live: tables.0.iter().sum(),
            tables,
            threshold: status.threshold,
            requests,
            refreshes: status.refreshes,
            cpu: processor_time(&read("stat")?).context("an odd line in /proc/PID/stat")?,
        })
    }

    /// What the columns of [`Self::row`] are.
    pub(super) fn columns() -> String {
        let tables: String = Table::ALL.map(|table| format!(",{}", name(table))).concat();
        format!(
            "seconds,now,resident,descriptors,disk,live,threshold,requests,refreshes,cpu{tables}\n"
        )
    }

    /// A line of a table.
    pub(super) fn row(&self) -> String {
        let Self { seconds, now, resident, descriptors, disk, live, .. } = self;
        let Self { threshold, requests, refreshes, cpu, tables, .. } = self;
        let tables: String = tables.0.map(|bytes| format!(",{bytes}")).concat();
        format!(
            "{seconds:.1},{now:.0},{resident},{descriptors},{disk},{live},{threshold:e},{requests},\
             {refreshes},{cpu:.2}{tables}\n"
        )
    }
}

/// Bytes of keys and values by table, in the order of [`Table::ALL`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tables(pub [u64; Table::ALL.len()]);

impl Serialize for Tables {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer
            .collect_map(Table::ALL.iter().map(|&table| (name(table), self.0[table as usize])))
    }
}

/// What a table is called.
pub(super) fn name(table: Table) -> String {
    format!("{table:?}").to_lowercase()
}

/// Bytes of all keys and values of the store, by a backup of it.
async fn stored(client: &Client) -> Result<Tables> {
    let (mut download, mut backup) = (client.backup().await?, Vec::new());
    while let Some(chunk) = download.chunk().await? {
        backup.extend_from_slice(&chunk);
    }
    let bytes = tokio::task::spawn_blocking(move || bytes_by_table(&backup[..])).await??;
    Ok(Tables(bytes))
}

/// Bytes that a folder and all within it take on the disk. Files may go while it is read.
fn on_disk(path: &Path) -> Result<u64> {
    let Ok(about) = fs::symlink_metadata(path) else { return Ok(0) };
    let mut bytes = about.blocks() * 512;
    if about.is_dir() {
        for entry in fs::read_dir(path)? {
            bytes += on_disk(&entry?.path())?;
        }
    }
    Ok(bytes)
}

/// CPU seconds by `/proc/PID/stat`: the 14th and 15th field. The name in the second may have blanks in it.
fn processor_time(stat: &str) -> Option<f64> {
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut fields = rest.split(' ').skip(11);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    Some((ticks()? + ticks()?) / TICKS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_time_is_found_behind_an_odd_name() {
        let stat = "17 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 250 50 0 0 20";
        assert_eq!(processor_time(stat), Some(3.0));
        assert_eq!(processor_time("17 (a"), None);
    }
}
