//! Waits until the program is told to stop.

use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};

/// Waits for Ctrl-C, SIGTERM or the end of the time.
pub(crate) async fn stop(seconds: Option<u64>) -> anyhow::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let time = async {
        match seconds {
            Some(seconds) => tokio::time::sleep(Duration::from_secs(seconds)).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = time => {}
        _ = terminate.recv() => {}
        stopped = tokio::signal::ctrl_c() => stopped?,
    }
    Ok(())
}
