//! Work that blocks: reading the disk, compressing, parsing. It runs on threads of its own.

use std::io;
use std::sync::Arc;
use std::task::{Context, Wake, Waker};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::oneshot;

use super::Pending;

/// Work that blocks.
pub type Job = Box<dyn FnOnce() + Send>;

/// Runs jobs that block. It must run every job, and drops one only when that has panicked.
pub trait Executor: Send + Sync {
    /// Starts a job and returns at once.
    fn start(&self, job: Job);

    /// Runs work that goes on for as long as the node does, and blocks now and then: on a thread of its own. Must
    /// be called inside a runtime.
    fn thread(&self, name: &str, work: Pending<'static, ()>) -> io::Result<()> {
        let runtime = Handle::current();
        let thread = std::thread::Builder::new().name(name.to_owned());
        let work = move || {
            let _timers_and_tasks = runtime.enter();
            drive(work);
        };
        thread.spawn(work).map(drop)
    }

    /// Lets time pass for such work.
    fn rest(&self, time: Duration) -> Pending<'static, ()> {
        Box::pin(async move { sleep(time) })
    }
}

/// Runs work on this thread, which sleeps while the work waits. Unlike under `Handle::block_on`, the work may itself
/// block on the runtime.
fn drive(mut work: Pending<'static, ()>) {
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    while work.as_mut().poll(&mut context).is_pending() {
        std::thread::park();
    }
}

struct Unpark(std::thread::Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a thread of its own has nothing else to do meanwhile"
)]
fn sleep(time: Duration) {
    std::thread::sleep(time);
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

    /// Runs work that goes on for as long as the node does, and blocks now and then. Must be called inside a
    /// runtime.
    pub fn thread(
        &self,
        name: &str,
        work: impl Future<Output = ()> + Send + 'static,
    ) -> io::Result<Thread> {
        let (ended, end) = oneshot::channel();
        let work = async move {
            work.await;
            // Nobody may be waiting; what the work held is released by now.
            let _ = ended.send(());
        };
        self.0.thread(name, Box::pin(work))?;
        Ok(Thread(end))
    }

    /// Lets time pass for work that has a thread of its own.
    pub async fn rest(&self, time: Duration) {
        self.0.rest(time).await;
    }
}

/// Work on a thread of its own.
#[derive(Debug)]
pub struct Thread(oneshot::Receiver<()>);

impl Thread {
    /// Waits until the work is over and has released what it held.
    pub async fn ended(self) {
        // It also ends in a panic, which the log tells.
        let _ = self.0.await;
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
