//! Locks that ignore poisoning.
//!
//! A panic while a lock is held poisons a lock of the standard library, and everybody who takes it later has
//! to decide what that means. Here it means nothing: what the locks of a node guard is whole between any two
//! statements, and a refresh that panics must not stop all others.

use std::sync::PoisonError;
pub use std::sync::{MutexGuard, RwLockReadGuard, RwLockWriteGuard};

/// [`std::sync::Mutex`] without poisoning.
#[derive(Debug, Default)]
pub struct Mutex<T>(std::sync::Mutex<T>);

impl<T> Mutex<T> {
    /// An unlocked mutex that holds `value`.
    pub const fn new(value: T) -> Self {
        Self(std::sync::Mutex::new(value))
    }

    /// Waits for the lock.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// [`std::sync::RwLock`] without poisoning.
#[derive(Debug, Default)]
pub struct RwLock<T>(std::sync::RwLock<T>);

impl<T> RwLock<T> {
    /// An unlocked lock that holds `value`.
    pub const fn new(value: T) -> Self {
        Self(std::sync::RwLock::new(value))
    }

    /// Waits until nobody writes.
    pub fn read(&self) -> RwLockReadGuard<'_, T> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until nobody else reads or writes.
    pub fn write(&self) -> RwLockWriteGuard<'_, T> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_under_a_lock_does_not_stop_the_next_one() {
        let (mutex, lock) = (Mutex::new(1), RwLock::new(1));
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let (mut one, mut other) = (mutex.lock(), lock.write());
            (*one, *other) = (2, 2);
            panic!("on purpose");
        }));
        assert!(panicked.is_err());
        assert_eq!((*mutex.lock(), *lock.read()), (2, 2));
        *lock.write() = 3;
        assert_eq!(*lock.read(), 3);
    }
}
