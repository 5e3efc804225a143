//! Whose turn it is among the priorities: each gets its share, 8 to 3 to 1, and none starves.
use agon_core::Priority;

/// Stride scheduling: each priority has a pass, the least is served, and being served moves it on by the inverse of its weight.
#[derive(Clone, Debug, Default)]
pub(crate) struct PriorityShares {
    passes: [u64; 3],
}

/// Divisible by every weight.
const WHOLE: u64 = 24;

impl PriorityShares {
    /// The priorities, the one that is served next first.
    pub(crate) fn order(&self) -> [Priority; 3] {
        let mut order = Priority::ALL;
        // stable: between equals the more urgent one is first
        order.sort_by_key(|priority| self.pass(*priority));
        order
    }
    /// Counts that one was served. Those that come before it in the order had nothing: they do not save their turns up.
    pub(crate) fn served(&mut self, priority: Priority) {
        let now = self.pass(priority);
        for pass in &mut self.passes {
            *pass = now.max(*pass);
        }
        self.change(priority, |pass| pass.saturating_add(stride(priority)));
    }
    /// Takes that back.
    pub(crate) fn unserved(&mut self, priority: Priority) {
        self.change(priority, |pass| pass.saturating_sub(stride(priority)));
    }

    fn pass(&self, priority: Priority) -> u64 {
        priority.pick(self.passes)
    }
    fn change(&mut self, priority: Priority, change: impl Fn(u64) -> u64) {
        let pass = priority.pick(self.passes.each_mut());
        *pass = change(*pass);
    }
}

fn stride(priority: Priority) -> u64 {
    WHOLE / u64::from(priority.weight()).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn serve(shares: &mut PriorityShares, waiting: &[Priority]) -> Priority {
        for priority in shares.order() {
            if waiting.contains(&priority) {
                shares.served(priority);
                return priority;
            }
        }
        panic!("nobody waits")
    }
    fn counts(served: &[Priority]) -> [usize; 3] {
        Priority::ALL.map(|priority| served.iter().filter(|of| **of == priority).count())
    }

    #[test]
    fn of_twelve_that_are_served_eight_are_interactive_three_normal_and_one_is_batch() {
        let mut shares = PriorityShares::default();

        for _ in 0..5 {
            let served: Vec<Priority> = (0..12).map(|_| serve(&mut shares, &Priority::ALL)).collect();
            assert_eq!(counts(&served), [8, 3, 1], "{served:?}");
        }
    }

    #[test]
    fn the_share_of_one_that_does_not_wait_goes_to_the_others_and_is_not_saved_up() {
        let mut shares = PriorityShares::default();
        for _ in 0..1_000 {
            serve(&mut shares, &[Priority::Batch]);
        }

        let served: Vec<Priority> = (0..24).map(|_| serve(&mut shares, &Priority::ALL)).collect();

        let [interactive, normal, batch] = counts(&served);
        assert!(interactive.abs_diff(16) <= 1 && normal.abs_diff(6) <= 1 && batch.abs_diff(2) <= 1, "{served:?}");
    }

    #[test]
    fn one_that_was_taken_back_is_next_again() {
        let mut shares = PriorityShares::default();
        let first = serve(&mut shares, &Priority::ALL);

        shares.unserved(first);

        assert_eq!(serve(&mut shares, &Priority::ALL), first);
    }
}
