//! How many calls a server bears at once: halved when it says that it is busy, raised by one after a row of successes.

/// So many successes in a row raise the limit by one.
const SUCCESSES_TO_GROW: u32 = 8;

/// Additive increase, multiplicative decrease.
#[derive(Clone, Debug)]
pub(crate) struct Limiter {
    most: usize,
    limit: usize,
    successes: u32,
    era: u64,
}

impl Limiter {
    /// Begins with all that is allowed.
    pub(crate) fn new(most: usize) -> Self {
        let most = most.max(1);
        Self { most, limit: most, successes: 0, era: 0 }
    }
    /// Calls that may run at once, now.
    pub(crate) fn limit(&self) -> usize {
        self.limit
    }
    /// The era in which a call starts. What a call of an earlier one says of the load was taken into account already.
    pub(crate) fn era(&self) -> u64 {
        self.era
    }
    /// The server answered.
    pub(crate) fn success(&mut self) {
        self.successes += 1;
        if self.successes >= SUCCESSES_TO_GROW {
            self.successes = 0;
            self.limit = self.most.min(self.limit + 1);
        }
    }
    /// The server said that it is busy to a call of this era.
    pub(crate) fn busy(&mut self, era: u64) {
        if era == self.era {
            self.era = self.era.wrapping_add(1);
            self.limit = (self.limit / 2).max(1);
        }
        self.successes = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn succeed(limiter: &mut Limiter, times: u32) {
        (0..times).for_each(|_| limiter.success());
    }

    #[test]
    fn a_busy_server_gets_half_and_never_less_than_one() {
        let mut limiter = Limiter::new(8);
        let mut limits = Vec::new();

        for _ in 0..5 {
            limiter.busy(limiter.era());
            limits.push(limiter.limit());
        }

        assert_eq!(limits, [4, 2, 1, 1, 1]);
    }

    #[test]
    fn calls_that_were_under_way_together_halve_once() {
        let mut limiter = Limiter::new(8);
        let era = limiter.era();

        (0..8).for_each(|_| limiter.busy(era));

        assert_eq!(limiter.limit(), 4);
    }

    #[test]
    fn a_row_of_successes_raises_the_limit_by_one_up_to_the_configured_most() {
        let mut limiter = Limiter::new(4);
        limiter.busy(limiter.era());

        succeed(&mut limiter, SUCCESSES_TO_GROW - 1);
        assert_eq!(limiter.limit(), 2);
        succeed(&mut limiter, 1);
        assert_eq!(limiter.limit(), 3);
        succeed(&mut limiter, 10 * SUCCESSES_TO_GROW);
        assert_eq!(limiter.limit(), 4);
    }

    #[test]
    fn a_busy_answer_begins_the_row_anew() {
        let mut limiter = Limiter::new(4);
        limiter.busy(limiter.era());
        succeed(&mut limiter, SUCCESSES_TO_GROW - 1);

        limiter.busy(0);
        succeed(&mut limiter, SUCCESSES_TO_GROW - 1);

        assert_eq!(limiter.limit(), 2);
    }
}
