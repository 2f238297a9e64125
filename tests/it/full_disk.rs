//! A disk that fills up under a running node, and is freed again.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use crate::harness::{Home, Press, eventually, silent, skipped, within};

const DISK_MEGABYTES: u64 = 64;
/// What stays free; the store refuses to write below 16.
const LEFT_MEGABYTES: u64 = 10;

#[tokio::test(flavor = "multi_thread")]
async fn a_node_on_sled_outlives_a_full_disk_and_loses_nothing() {
    outlives_a_full_disk("sled", "a_node_on_sled_outlives_a_full_disk_and_loses_nothing").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_on_redb_outlives_a_full_disk_and_loses_nothing() {
    outlives_a_full_disk("redb", "a_node_on_redb_outlives_a_full_disk_and_loses_nothing").await;
}

async fn outlives_a_full_disk(backend: &str, test: &str) {
    let home = Home::new(&format!("[store]\nbackend = \"{backend}\""));
    let Some(disk) = Disk::mount(home.data()) else {
        return skipped(test, "a small disk can only be mounted by root");
    };
    let press = Press::start([silent("news")]).await;
    let node = home.start().await;
    press.publish("news", "Before");
    node.create_feed(&format!(r#"CREATE FEED News AS RETURN "{}";"#, press.url("news"))).await;
    node.shows("News", "Before").await;

    disk.fill();
    press.publish("news", "During");
    let reasons = eventually("the node to say that it is degraded", async || {
        match node.get("/readyz").await {
            (200, text) if text.contains("nearly full") => Ok(text),
            other => Err(format!("{other:?}")),
        }
    })
    .await;
    assert!(reasons.contains("the disk is nearly full"), "{reasons}");
    assert!(home.log().contains("the disk is nearly full"), "{}", home.log());
    eventually("a refused commit to be counted", async || {
        let refused = node.metric("pergola_commits_refused_total", &[]).await;
        if refused >= Some(1.0) { Ok(()) } else { Err(format!("{refused:?}")) }
    })
    .await;
    assert_eq!(node.get("/healthz").await.0, 200);
    assert_eq!(node.titles("News").await, ["Before"], "it continues to serve");

    disk.free();
    // The node backs off for a minute after a failure of its own.
    within(Duration::from_secs(150), "what was published meanwhile", async || {
        let titles = node.titles("News").await;
        if titles == ["During", "Before"] { Ok(()) } else { Err(format!("{titles:?}")) }
    })
    .await;
    assert_eq!(node.get("/readyz").await.0, 200);
    node.stop().await;

    disk.fill();
    let node = home.start().await;
    assert_eq!(node.titles("News").await, ["During", "Before"], "it starts and serves");
    let (code, text) = node.get("/readyz").await;
    assert!(code == 200 && text.contains("nearly full"), "{code} {text}");
    press.publish("news", "After");
    disk.free();
    within(Duration::from_secs(150), "what was published meanwhile", async || {
        let titles = node.titles("News").await;
        if titles == ["After", "During", "Before"] { Ok(()) } else { Err(format!("{titles:?}")) }
    })
    .await;
    let (code, text) = node.get("/readyz").await;
    assert!(code == 200 && !text.contains("nearly full"), "{code} {text}");
    node.stop().await;
}

/// A small disk in memory; unmounted on drop.
struct Disk {
    folder: PathBuf,
}

impl Disk {
    fn mount(folder: PathBuf) -> Option<Self> {
        fs::create_dir(&folder).unwrap();
        let size = format!("size={DISK_MEGABYTES}m");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(&folder);
        let mounted = mount.output().is_ok_and(|output| output.status.success());
        mounted.then_some(Self { folder })
    }

    /// Fills the disk, but for a little.
    fn fill(&self) {
        let mut stat = Command::new("stat");
        stat.args(["--file-system", "--format", "%a %S"]).arg(&self.folder);
        let text = String::from_utf8(stat.output().unwrap().stdout).unwrap();
        let (blocks, size) = text.trim().split_once(' ').unwrap();
        let free = blocks.parse::<u64>().unwrap() * size.parse::<u64>().unwrap();
        let ballast = free - (LEFT_MEGABYTES << 20);
        fs::write(self.ballast(), vec![0; usize::try_from(ballast).unwrap()]).unwrap();
    }

    fn free(&self) {
        fs::remove_file(self.ballast()).unwrap();
    }

    fn ballast(&self) -> PathBuf {
        self.folder.join("ballast")
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // Lazily, because a node may still use it.
        let _ = Command::new("umount").arg("--lazy").arg(&self.folder).status();
    }
}
