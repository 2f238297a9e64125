//! Work for a request: on a thread that may wait for the disk, or to its end whoever hangs up.

use std::future::Future;

use super::refusal::failed;
use crate::publish::Problem;
use crate::surroundings::Blocking;

/// Runs work that waits for the disk.
pub(super) async fn blocking<T: Send + 'static>(
    threads: Blocking,
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let done = threads.run(work).await;
    done.unwrap_or_else(|error| Err(failed(format!("reading for a request ended early: {error}"))))
}

/// Makes a change to its end, so that a client who hangs up leaves nothing half done.
pub(super) async fn to_the_end<T: Send + 'static>(
    change: impl Future<Output = Result<T, Problem>> + Send + 'static,
) -> Result<T, Problem> {
    let done = tokio::spawn(change).await;
    done.unwrap_or_else(|error| Err(failed(format!("a change ended early: {error}"))))
}
