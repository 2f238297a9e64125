//! Work that blocks: reading the disk, compressing, parsing. It runs on threads of its own.

use std::sync::Arc;

use tokio::sync::oneshot;

/// Work that blocks.
pub type Job = Box<dyn FnOnce() + Send>;

/// Runs jobs that block. It must run every job, and drops one only when that has panicked.
pub trait Executor: Send + Sync {
    /// Starts a job and returns at once.
    fn start(&self, job: Job);
}

/// The executor for work that blocks. Cheap to clone.
#[derive(Clone)]
pub struct Blocking(Arc<dyn Executor>);

/// The work panicked; the message is in the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("work on a blocking thread panicked; the log says where")]
pub struct Panicked;

impl Blocking {
    /// Runs work on `executor`.
    pub fn on(executor: impl Executor + 'static) -> Self {
        Self(Arc::new(executor))
    }

    /// Runs work on the blocking threads of the runtime.
    pub fn of_runtime() -> Self {
        Self::on(Runtime)
    }

    /// Runs `work` and waits for its result. The work is finished even if nobody waits any more.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Panicked> {
        let (done, result) = oneshot::channel();
        self.0.start(Box::new(move || {
            // Nobody may be waiting any more.
            let _ = done.send(work());
        }));
        result.await.map_err(|_| Panicked)
    }
}

struct Runtime;

impl Executor for Runtime {
    fn start(&self, job: Job) {
        drop(tokio::task::spawn_blocking(job));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_told_and_the_next_job_runs() {
        let blocking = Blocking::of_runtime();
        assert_eq!(blocking.run(|| -> u8 { panic!("on purpose") }).await, Err(Panicked));
        assert_eq!(blocking.run(|| 1 + 1).await, Ok(2));
    }

    #[tokio::test]
    async fn another_executor_does_the_work() {
        struct AtOnce;
        impl Executor for AtOnce {
            fn start(&self, job: Job) {
                job();
            }
        }
        let here = std::thread::current().id();
        let ran_on = Blocking::on(AtOnce).run(|| std::thread::current().id()).await;
        assert_eq!(ran_on, Ok(here));
    }
}
