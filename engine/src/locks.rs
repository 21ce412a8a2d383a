//! Locks that ignore poisoning.
//!
//! A panic while a lock is held poisons it. Every state behind a lock here is replaced or extended in one step, so that
//! it is whole after a panic too, and a process that refused to read it would only fail later and elsewhere.

use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};

/// A mutex that is locked whether or not it is poisoned.
pub trait MutexExt<T> {
    /// Waits for the lock.
    fn lock_unpoisoned(&self) -> MutexGuard<'_, T>;
    /// Takes the lock if no thread holds it.
    fn try_lock_unpoisoned(&self) -> Option<MutexGuard<'_, T>>;
}

impl<T> MutexExt<T> for Mutex<T> {
    fn lock_unpoisoned(&self) -> MutexGuard<'_, T> {
        self.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn try_lock_unpoisoned(&self) -> Option<MutexGuard<'_, T>> {
        match self.try_lock() {
            Ok(guard) => Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }
}

/// A reader-writer lock that is locked whether or not it is poisoned.
pub trait RwLockExt<T> {
    /// Waits for shared access.
    fn read_unpoisoned(&self) -> RwLockReadGuard<'_, T>;
    /// Waits for exclusive access.
    fn write_unpoisoned(&self) -> RwLockWriteGuard<'_, T>;
}

impl<T> RwLockExt<T> for RwLock<T> {
    fn read_unpoisoned(&self) -> RwLockReadGuard<'_, T> {
        self.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_unpoisoned(&self) -> RwLockWriteGuard<'_, T> {
        self.write().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;
    use std::sync::Arc;

    use super::*;

    #[test]
    fn a_lock_is_usable_after_a_panic_of_its_holder() {
        let (mutex, lock) = (Arc::new(Mutex::new(1)), Arc::new(RwLock::new(1)));
        let (held, written) = (Arc::clone(&mutex), Arc::clone(&lock));
        let panicked = catch_unwind(move || {
            let _guards = (held.lock().unwrap(), written.write().unwrap());
            panic!("while both are held");
        });
        assert!(panicked.is_err() && mutex.is_poisoned() && lock.is_poisoned());
        *mutex.lock_unpoisoned() += 1;
        *lock.write_unpoisoned() += 1;
        assert_eq!((*mutex.lock_unpoisoned(), *lock.read_unpoisoned()), (2, 2));
        let held = mutex.try_lock_unpoisoned();
        assert!(held.is_some() && mutex.try_lock_unpoisoned().is_none());
    }
}
