//! What every test here needs: a node as a process, and sources that publish.
//!
//! ```ignore
//! let press = Press::start([silent("news")]).await;          // sources, served by the test
//! let home = Home::new("");                                  // a folder with a configuration
//! let node = home.start().await;                             // `pergola run`, ready
//! node.create_feed(&format!(r#"CREATE FEED F AS RETURN "{}";"#, press.url("news"))).await;
//! node.kill();                                               // kill -9, anywhere
//! let node = home.start().await;                             // … and again on the same data
//! ```
//!
//! A node is killed on drop, and a failed test shows its log. Tests never wait for a time in the hope that something
//! happens: [`eventually`] waits for a state, and reports the last one it saw.

mod client;
mod home;
mod press;
mod program;

use std::time::Duration;

pub(crate) use client::{Archived, Client, http_client};
pub(crate) use home::{Home, Node};
pub(crate) use press::{Press, silent};
pub(crate) use program::{
    Output, lab, missing, pergola, pergola_binary, python, run, skipped, topology_gen, workspace,
};

/// How often a state is checked.
const CHECK_EVERY: Duration = Duration::from_millis(50);
/// How long to wait for a state; long, because machines are busy.
const PATIENCE: Duration = Duration::from_secs(60);

/// Waits for a state; fails with the last one seen if it does not come.
pub(crate) async fn eventually<T>(what: &str, probe: impl AsyncFnMut() -> Result<T, String>) -> T {
    within(PATIENCE, what, probe).await
}

/// [`eventually`] with a timeout of its own.
pub(crate) async fn within<T>(
    patience: Duration,
    what: &str,
    mut probe: impl AsyncFnMut() -> Result<T, String>,
) -> T {
    let mut last_seen = String::new();
    let found = tokio::time::timeout(patience, async {
        loop {
            match probe().await {
                Ok(found) => return found,
                Err(seen) => last_seen = seen,
            }
            tokio::time::sleep(CHECK_EVERY).await;
        }
    });
    match found.await {
        Ok(found) => found,
        Err(_) => panic!("gave up waiting for {what}; last seen: {last_seen}"),
    }
}

/// Seconds since the Unix epoch.
#[expect(clippy::disallowed_methods, reason = "these tests are the edge: they run in real time")]
pub(crate) fn now() -> f64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.unwrap().as_secs_f64()
}
