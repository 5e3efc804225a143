//! When a coordinator has to look at what: pure bookkeeping over its open turns and timers.
use agon_core::{Ask, HostId, ModelName, Timestamp, TurnId};
use std::collections::BTreeMap;

/// A turn that was asked and is not decided.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OpenTurn {
    pub(crate) ask: Ask,
    /// Where it is played, as far as is known.
    pub(crate) host: Option<HostId>,
    /// A host that pulled it from the queue and is not known yet.
    taken_by: Option<HostId>,
    /// It was put into its model's queue, and no host has said that it has it.
    pub(crate) queued: bool,
    /// When it was last offered, no host was known that serves its model.
    pub(crate) unserved: bool,
    /// When it is given up if that stays so.
    unserved_until: Option<Timestamp>,
    opened: Timestamp,
    next_check: Timestamp,
    /// When its register is read wherever it is.
    next_look: Timestamp,
    next_offer: Timestamp,
}

impl OpenTurn {
    fn given_up_at(&self) -> Timestamp {
        self.unserved_until.map_or(self.ask.deadline, |until| until.min(self.ask.deadline))
    }
    /// Checks grow rarer with the age of the turn. The rarest ones of all turns, and those of all that wait in queues, fall
    /// due together, so that few requests are enough for them.
    fn check_after(&self, now: Timestamp, pauses: &Pauses) -> Timestamp {
        let longest = pauses.look_max.max(pauses.look).max(1);
        let pause = (now.since(self.opened) / 4).clamp(pauses.look, longest);
        match pause == longest || self.queued {
            true => Timestamp((now.0 / longest + 1).saturating_mul(longest)),
            false => now.plus(pause),
        }
    }
}

/// The pauses of a [`DueQueue`], in milliseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pauses {
    /// The shortest one between two checks of a turn.
    pub(crate) look: u64,
    /// The longest one.
    pub(crate) look_max: u64,
    /// Between two looks at a register, whatever checks say.
    pub(crate) sure: u64,
    pub(crate) offer: u64,
}

/// What is due for a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    /// Its deadline has passed: withdraw it.
    Withdraw(TurnId),
    /// Find out whether it is still where it is believed to be.
    Check(TurnId),
    /// Look at its register.
    Look(TurnId),
    /// Look at its register, then offer it again.
    Offer(TurnId),
    /// The wait before a try is over.
    Retry(TurnId),
}

/// The open turns and timers of one debate.
#[derive(Debug)]
pub(crate) struct DueQueue {
    pauses: Pauses,
    open: BTreeMap<TurnId, OpenTurn>,
    retries: BTreeMap<TurnId, Timestamp>,
}

impl DueQueue {
    pub(crate) fn new(pauses: Pauses) -> Self {
        Self { pauses, open: BTreeMap::new(), retries: BTreeMap::new() }
    }
    /// Adds a turn; false when it is there already.
    pub(crate) fn open(&mut self, now: Timestamp, ask: &Ask) -> bool {
        if self.open.contains_key(&ask.turn) {
            return false;
        }
        let [next_check, next_look, next_offer] =
            [self.pauses.look, self.pauses.sure, self.pauses.offer].map(|pause| now.plus(pause));
        let turn = OpenTurn {
            ask: ask.clone(),
            host: None,
            taken_by: None,
            queued: false,
            unserved: false,
            unserved_until: None,
            opened: now,
            next_check,
            next_look,
            next_offer,
        };
        self.open.insert(ask.turn, turn);
        true
    }
    /// Offers the turn at another time than it would be.
    pub(crate) fn offer_at(&mut self, turn: TurnId, at: Timestamp) {
        if let Some(turn) = self.open.get_mut(&turn) {
            turn.next_offer = at;
        }
    }
    pub(crate) fn get(&self, turn: TurnId) -> Option<&OpenTurn> {
        self.open.get(&turn)
    }
    /// Forgets a turn that was decided.
    pub(crate) fn close(&mut self, turn: TurnId) {
        self.open.remove(&turn);
    }
    pub(crate) fn placed(&mut self, turn: TurnId, host: HostId) {
        if let Some(turn) = self.open.get_mut(&turn) {
            turn.host = Some(host);
            (turn.taken_by, turn.queued, turn.unserved) = (None, false, false);
            turn.unserved_until = None;
        }
    }
    pub(crate) fn queued(&mut self, now: Timestamp, turn: TurnId) {
        if let Some(turn) = self.open.get_mut(&turn) {
            turn.queued = turn.host.is_none();
            turn.next_check = turn.check_after(now, &self.pauses);
        }
    }
    /// The turn is where it is believed to be: it need not be offered before another pause.
    pub(crate) fn confirmed(&mut self, now: Timestamp, turn: TurnId) {
        if let Some(turn) = self.open.get_mut(&turn) {
            turn.next_offer = now.plus(self.pauses.offer);
        }
    }
    /// A host that is not known has pulled the turn: whoever appears next is not to have it too.
    pub(crate) fn taken(&mut self, turn: TurnId, host: HostId) {
        if let Some(turn) = self.open.get_mut(&turn) {
            turn.taken_by = Some(host);
            (turn.unserved, turn.unserved_until) = (false, None);
        }
    }
    /// The host that was to play the turn does not: it belongs into the queue. False where another one has it, or it is decided.
    pub(crate) fn returned(&mut self, turn: TurnId, host: &HostId) -> bool {
        let Some(turn) = self.open.get_mut(&turn) else { return false };
        let elsewhere = |at: &Option<HostId>| at.as_ref().is_some_and(|at| at != host);
        if elsewhere(&turn.host) || elsewhere(&turn.taken_by) {
            return false;
        }
        (turn.host, turn.taken_by, turn.queued) = (None, None, true);
        true
    }
    /// Nobody serves the turn; it is given up at `until` if that stays so.
    pub(crate) fn not_served(&mut self, turn: TurnId, until: Timestamp) {
        if let Some(turn) = self.open.get_mut(&turn) {
            turn.unserved = turn.taken_by.is_none();
            turn.unserved_until = turn.unserved_until.or(Some(until)).filter(|_| turn.unserved);
        }
    }
    /// The turns that are to be offered anew, now that other hosts live: those whose host is gone, and those that nobody
    /// served and somebody does.
    pub(crate) fn homeless(
        &mut self,
        lives: impl Fn(&HostId) -> bool,
        served: impl Fn(&ModelName) -> bool,
    ) -> Vec<TurnId> {
        let mut homeless = Vec::new();
        for (id, turn) in &mut self.open {
            if let Some(host) = turn.taken_by.take_if(|host| lives(host)) {
                turn.host = Some(host);
            }
            let gone = turn.host.as_ref().is_some_and(|host| !lives(host));
            if gone || (turn.unserved && served(&turn.ask.model)) {
                (turn.host, turn.unserved) = (None, false);
                turn.unserved_until = None;
                homeless.push(*id);
            }
        }
        homeless
    }
    pub(crate) fn len(&self) -> usize {
        self.open.len()
    }
    /// Forgets the turns that are no longer asked, and takes over the retries that are waited for. Returns the turns forgotten.
    pub(crate) fn keep(&mut self, asked: &[TurnId], retries: BTreeMap<TurnId, Timestamp>) -> Vec<TurnId> {
        self.retries = retries;
        let gone: Vec<TurnId> = self.open.keys().filter(|turn| !asked.contains(turn)).copied().collect();
        gone.iter().for_each(|turn| drop(self.open.remove(turn)));
        gone
    }
    pub(crate) fn turns(&self) -> Vec<TurnId> {
        self.open.keys().copied().collect()
    }
    /// When something is due next.
    pub(crate) fn next(&self) -> Option<Timestamp> {
        let turns = self.open.values().map(|turn| turn.next_check.min(turn.next_offer).min(turn.given_up_at()));
        turns.chain(self.retries.values().copied()).min()
    }
    /// What is due at `now`.
    pub(crate) fn due(&mut self, now: Timestamp) -> Vec<Due> {
        let mut due: Vec<Due> = Vec::new();
        for (id, turn) in &mut self.open {
            if turn.given_up_at() <= now {
                due.push(Due::Withdraw(*id));
                // asked again when the register could not be written
                turn.ask.deadline = turn.ask.deadline.max(now.plus(self.pauses.look));
                turn.unserved_until = turn.unserved_until.map(|_| now.plus(self.pauses.look));
            } else if turn.next_offer <= now {
                due.push(Due::Offer(*id));
                turn.next_offer = now.plus(self.pauses.offer);
                turn.next_look = now.plus(self.pauses.sure);
            } else if turn.next_check <= now && turn.next_look <= now {
                due.push(Due::Look(*id));
                turn.next_look = now.plus(self.pauses.sure);
            } else if turn.next_check <= now {
                due.push(Due::Check(*id));
            } else {
                continue;
            }
            turn.next_check = turn.check_after(now, &self.pauses);
        }
        due.extend(self.retries.iter().filter(|(_, at)| **at <= now).map(|(turn, _)| Due::Retry(*turn)));
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::{Work, testing};

    const TURN: TurnId = TurnId { round: 1, seat: 0, attempt: 1 };
    const PAUSES: Pauses = Pauses { look: 1_000, look_max: 10_000, sure: 300_000, offer: 30_000 };

    fn ask(deadline: u64) -> Ask {
        Ask { deadline: Timestamp(deadline), ..testing::ask(TURN, "optimist", Work::Opening.into()) }
    }
    fn queue(deadline: u64) -> DueQueue {
        let mut queue = DueQueue::new(PAUSES);
        queue.open(Timestamp(0), &ask(deadline));
        queue
    }

    #[test]
    fn a_turn_is_given_back_by_whoever_has_it_and_by_nobody_else() {
        let (one, other) = (HostId::new("gpu-1"), HostId::new("gpu-2"));
        let mut queue = queue(1_000_000);
        queue.placed(TURN, one.clone());
        assert!(!queue.returned(TURN, &other), "it was placed elsewhere since");
        assert_eq!(queue.get(TURN).unwrap().host.as_ref(), Some(&one));
        assert!(queue.returned(TURN, &one));
        let open = queue.get(TURN).unwrap();
        assert!(open.queued && open.host.is_none());
        queue.taken(TURN, other);
        assert!(!queue.returned(TURN, &one), "somebody else has pulled it");
        queue.close(TURN);
        assert!(!queue.returned(TURN, &one), "it is decided");
    }

    #[test]
    fn checks_grow_rarer_with_the_age_of_the_turn_and_fall_due_together_at_last() {
        let mut queue = queue(1_000_000);
        let mut checks = Vec::new();

        while let Some(at) = queue.next().filter(|at| at.0 < 90_000) {
            checks.push(at.0);
            assert_eq!(queue.due(at), [Due::Check(TURN)]);
            queue.confirmed(at, TURN);
        }

        assert_eq!(checks[..5], [1_000, 2_000, 3_000, 4_000, 5_000]);
        assert!(checks.windows(2).all(|pair| pair[1] - pair[0] <= 10_000));
        assert_eq!(checks[checks.len() - 3..], [60_000, 70_000, 80_000]);
    }

    #[test]
    fn turns_that_wait_in_queues_are_checked_together_from_the_beginning() {
        let mut queue = queue(1_000_000);
        queue.queued(Timestamp(3), TURN);
        assert_eq!(queue.next(), Some(Timestamp(10_000)));
        assert_eq!(queue.due(Timestamp(10_000)), [Due::Check(TURN)]);
        assert_eq!(queue.next(), Some(Timestamp(20_000)));
    }

    #[test]
    fn a_register_is_read_now_and_then_whatever_checks_say() {
        let mut queue = queue(1_000_000);
        let mut looks = Vec::new();
        while let Some(at) = queue.next().filter(|at| at.0 < 700_000) {
            looks.extend(queue.due(at).contains(&Due::Look(TURN)).then_some(at.0));
            queue.confirmed(at, TURN);
        }
        assert_eq!(looks, [300_000, 600_000]);
    }

    #[test]
    fn a_turn_that_stays_undecided_is_offered_again() {
        let mut queue = queue(1_000_000);

        assert_eq!(queue.due(Timestamp(30_000)), [Due::Offer(TURN)]);
        assert_eq!(queue.due(Timestamp(60_000)), [Due::Offer(TURN)]);
    }

    #[test]
    fn a_turn_whose_host_is_gone_is_homeless_once() {
        let mut queue = queue(1_000_000);
        queue.placed(TURN, HostId::from("gpu1"));

        assert!(queue.homeless(|_| true, |_| true).is_empty());
        assert_eq!(queue.homeless(|_| false, |_| true), [TURN]);
        assert!(queue.homeless(|_| false, |_| true).is_empty());
    }

    #[test]
    fn a_turn_that_nobody_served_is_homeless_when_somebody_does() {
        let mut queue = queue(1_000_000);
        queue.not_served(TURN, Timestamp(500_000));

        assert!(queue.homeless(|_| true, |_| false).is_empty());
        assert_eq!(queue.homeless(|_| true, |_| true), [TURN]);
    }

    #[test]
    fn a_turn_that_an_unknown_host_pulled_is_that_hosts_once_it_is_known() {
        let mut queue = queue(1_000_000);
        queue.taken(TURN, HostId::from("gpu1"));
        // the answer to the offer comes later than the news that the turn was pulled
        queue.not_served(TURN, Timestamp(500_000));

        assert!(queue.homeless(|host| host.as_str() == "gpu2", |_| true).is_empty());
        assert!(queue.homeless(|_| true, |_| true).is_empty());
        assert_eq!(queue.get(TURN).and_then(|turn| turn.host.clone()), Some(HostId::from("gpu1")));
        assert_eq!(queue.homeless(|_| false, |_| true), [TURN]);
    }

    #[test]
    fn a_turn_that_nobody_serves_is_given_up_before_its_deadline_unless_somebody_appears() {
        let mut queue = queue(1_000_000);
        queue.not_served(TURN, Timestamp(20_000));
        queue.not_served(TURN, Timestamp(25_000));

        assert_eq!(queue.due(Timestamp(19_999)), [Due::Check(TURN)]);
        assert_eq!(queue.due(Timestamp(20_000)), [Due::Withdraw(TURN)]);
        assert_eq!(queue.due(Timestamp(20_100)), [], "not again at once");
        queue.placed(TURN, HostId::from("gpu1"));
        assert_eq!(queue.due(Timestamp(29_000)), [Due::Check(TURN)]);
    }

    #[test]
    fn the_deadline_comes_before_everything_else() {
        let mut queue = queue(30_000);

        assert_eq!(queue.due(Timestamp(30_000)), [Due::Withdraw(TURN)]);
    }

    #[test]
    fn a_turn_that_is_open_already_is_not_opened_again() {
        let mut queue = queue(1_000);

        assert!(!queue.open(Timestamp(5), &ask(1_000)));
    }

    #[test]
    fn what_is_no_longer_asked_is_forgotten_with_its_timers() {
        let mut queue = queue(1_000);

        let gone = queue.keep(&[], BTreeMap::from([(TURN.next_attempt(), Timestamp(700))]));

        assert_eq!(gone, [TURN]);
        assert_eq!(queue.next(), Some(Timestamp(700)));
        assert_eq!(queue.due(Timestamp(700)), [Due::Retry(TURN.next_attempt())]);
    }
}
