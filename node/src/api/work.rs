//! Runs the work of a request: on a thread that may block, or to its end even if the client hangs up.

use std::future::Future;

use super::refusal::failed;
use crate::publish::Refusal;
use pergola_outside::surroundings::Blocking;

/// Runs work that blocks.
pub(super) async fn blocking<T: Send + 'static>(
    threads: Blocking,
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let done = threads.run(work).await;
    done.unwrap_or_else(|error| Err(failed(format!("reading for a request ended early: {error}"))))
}

/// Completes a change even if the client hangs up, so that nothing is left half done.
pub(super) async fn to_the_end<T: Send + 'static>(
    change: impl Future<Output = Result<T, Refusal>> + Send + 'static,
) -> Result<T, Refusal> {
    let done = tokio::spawn(change).await;
    done.unwrap_or_else(|error| Err(failed(format!("a change ended early: {error}"))))
}
