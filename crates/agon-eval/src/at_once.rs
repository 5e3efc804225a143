//! The same computation of several things, on all cores.
use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// What `each` makes of every item, in the order of the items.
pub(crate) fn at_once<T: Send, R: Send>(items: Vec<T>, each: impl Fn(T) -> R + Sync) -> Vec<R> {
    let cores = thread::available_parallelism().map_or(1, usize::from).min(items.len());
    if cores < 2 {
        return items.into_iter().map(each).collect();
    }
    let queue = Mutex::new(items.into_iter().enumerate());
    let work = || {
        let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
        std::iter::from_fn(next).map(|(at, item)| (at, each(item))).collect::<Vec<_>>()
    };
    let mut made: Vec<(usize, R)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    made.sort_by_key(|(at, _)| *at);
    made.into_iter().map(|(_, one)| one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_made_once_and_in_order() {
        let made = at_once((0..100).collect(), |n: u32| n * n);
        assert_eq!(made, (0..100).map(|n| n * n).collect::<Vec<_>>());
        assert!(at_once(Vec::<u32>::new(), |n| n).is_empty());
    }
}
