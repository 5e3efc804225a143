//! How many calls a server bears at once: halved when it says that it is busy, raised by one after a row of successes.

/// So many successes in a row raise the limit by one.
const SUCCESSES_TO_GROW: u32 = 8;

/// Additive increase, multiplicative decrease.
#[derive(Clone, Debug)]
pub(crate) struct Aimd {
    most: usize,
    limit: usize,
    successes: u32,
    era: u64,
}

impl Aimd {
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

    fn succeed(aimd: &mut Aimd, times: u32) {
        (0..times).for_each(|_| aimd.success());
    }

    #[test]
    fn a_busy_server_gets_half_and_never_less_than_one() {
        let mut aimd = Aimd::new(8);
        let mut limits = Vec::new();

        for _ in 0..5 {
            aimd.busy(aimd.era());
            limits.push(aimd.limit());
        }

        assert_eq!(limits, [4, 2, 1, 1, 1]);
    }

    #[test]
    fn calls_that_were_under_way_together_halve_once() {
        let mut aimd = Aimd::new(8);
        let era = aimd.era();

        (0..8).for_each(|_| aimd.busy(era));

        assert_eq!(aimd.limit(), 4);
    }

    #[test]
    fn a_row_of_successes_raises_the_limit_by_one_up_to_the_configured_most() {
        let mut aimd = Aimd::new(4);
        aimd.busy(aimd.era());

        succeed(&mut aimd, SUCCESSES_TO_GROW - 1);
        assert_eq!(aimd.limit(), 2);
        succeed(&mut aimd, 1);
        assert_eq!(aimd.limit(), 3);
        succeed(&mut aimd, 10 * SUCCESSES_TO_GROW);
        assert_eq!(aimd.limit(), 4);
    }

    #[test]
    fn a_busy_answer_begins_the_row_anew() {
        let mut aimd = Aimd::new(4);
        aimd.busy(aimd.era());
        succeed(&mut aimd, SUCCESSES_TO_GROW - 1);

        aimd.busy(0);
        succeed(&mut aimd, SUCCESSES_TO_GROW - 1);

        assert_eq!(aimd.limit(), 2);
    }
}
