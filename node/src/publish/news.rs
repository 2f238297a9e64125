//! A value that changes, for whoever waits for that.
//!
//! Why not `tokio::sync::watch`: it wakes those who wait in an order drawn at random, and here the first to wait is
//! the first to be woken, so that a simulation of many nodes runs the same way every time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use pergola_outside::locks::Mutex;
use tokio::sync::Notify;

/// Changes the value. When this is dropped, those who wait learn that nothing will change any more.
pub(super) struct News<T>(Arc<Shared<T>>);

/// Waits for changes. A change before it was made is none.
pub struct Follower<T> {
    shared: Arc<Shared<T>>,
    /// The changes that it has seen.
    seen: u64,
}

struct Shared<T> {
    value: Mutex<T>,
    /// How often it was changed.
    changes: AtomicU64,
    changed: Notify,
    over: AtomicBool,
}

/// Nothing will change any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("nothing will change any more")]
pub struct Over;

impl<T: Copy> News<T> {
    pub(super) fn new(value: T) -> Self {
        Self(Arc::new(Shared {
            value: Mutex::new(value),
            changes: AtomicU64::new(0),
            changed: Notify::new(),
            over: AtomicBool::new(false),
        }))
    }

    /// Another value takes the place of the one before; also if it is the same, everybody is woken.
    pub(super) fn set(&self, value: T) {
        *self.0.value.lock() = value;
        self.tell();
    }

    /// Wakes everybody although the value is the same.
    pub(super) fn tell(&self) {
        self.0.changes.fetch_add(1, Ordering::AcqRel);
        self.0.changed.notify_waiters();
    }

    pub(super) fn follow(&self) -> Follower<T> {
        let seen = self.0.changes.load(Ordering::Acquire);
        Follower { shared: Arc::clone(&self.0), seen }
    }
}

impl<T> Drop for News<T> {
    fn drop(&mut self) {
        self.0.over.store(true, Ordering::Release);
        self.0.changed.notify_waiters();
    }
}

impl<T: Copy> Follower<T> {
    /// Waits until there was a change since the last call.
    pub async fn changed(&mut self) -> Result<(), Over> {
        loop {
            let told = self.shared.changed.notified();
            let changes = self.shared.changes.load(Ordering::Acquire);
            if changes != self.seen {
                self.seen = changes;
                return Ok(());
            }
            if self.shared.over.load(Ordering::Acquire) {
                return Err(Over);
            }
            told.await;
        }
    }

    /// What has changed so far counts as seen.
    pub fn mark_unchanged(&mut self) {
        self.seen = self.shared.changes.load(Ordering::Acquire);
    }

    /// The next call of [`Follower::changed`] does not wait.
    pub fn mark_changed(&mut self) {
        self.seen = self.seen.wrapping_sub(1);
    }

    /// The value as it is now; a change to it counts as seen.
    pub fn see(&mut self) -> T {
        self.seen = self.shared.changes.load(Ordering::Acquire);
        *self.shared.value.lock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_change_is_told_once_to_everybody_who_follows() {
        let news = News::new(1);
        let (mut one, mut other) = (news.follow(), news.follow());
        news.set(2);
        assert_eq!(one.changed().await, Ok(()));
        news.set(3);
        assert_eq!((one.changed().await, one.see()), (Ok(()), 3));
        assert_eq!((other.changed().await, other.see()), (Ok(()), 3));
        let waiting = tokio::spawn(async move { one.changed().await });
        tokio::task::yield_now().await;
        drop(news);
        assert_eq!(waiting.await.unwrap(), Err(Over));
        assert_eq!(other.changed().await, Err(Over), "what was seen is no change");
        other.mark_changed();
        assert_eq!(other.changed().await, Ok(()));
    }

    #[tokio::test]
    async fn the_first_to_wait_is_the_first_to_be_woken() {
        let news = News::new(());
        let woken = Arc::new(Mutex::new(Vec::new()));
        let mut waiting = Vec::new();
        for number in 0..20 {
            let (mut follower, woken) = (news.follow(), Arc::clone(&woken));
            waiting.push(tokio::spawn(async move {
                follower.changed().await.unwrap();
                woken.lock().push(number);
            }));
        }
        tokio::task::yield_now().await;
        news.tell();
        for task in waiting {
            task.await.unwrap();
        }
        assert_eq!(*woken.lock(), (0..20).collect::<Vec<_>>());
    }
}
