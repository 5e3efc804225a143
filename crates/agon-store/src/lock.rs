//! Locking without poisoning.
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks. A panic elsewhere leaves the data whole, because no guard here is held across a step that can fail.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
