//! Who is next: the line of those who wait for a permit.
use crate::host::gate::held_prompts::HeldPrompts;
use crate::host::gate::stride::PriorityShares;
use agon_core::{DebateId, Priority};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::Instant;

/// How a host chooses whose call is next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheduling {
    /// Debates whose prompts the model server still holds go on, and others begin where a permit would stay free; within priorities,
    /// and nobody is passed over for ever.
    #[default]
    CacheAware,
    /// Debates take turns, within priorities.
    Fair,
    /// First come, first served, whatever the priority.
    Fifo,
}

/// Where one waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WaitingPlace {
    pub(crate) priority: Priority,
    pub(crate) debate: DebateId,
    /// Somebody was heard in the debate, so that its turns do not wait for longer than their patience.
    pub(crate) begun: bool,
    /// For how long others may be preferred to it.
    pub(crate) patience: Duration,
    pub(crate) since: Instant,
}

/// One who waits.
#[derive(Debug)]
pub(crate) struct WaitingCall<T> {
    pub(crate) place: WaitingPlace,
    pub(crate) item: T,
    arrived: u64,
}

/// Who is next.
#[derive(Debug)]
pub(crate) enum NextCall<T> {
    /// This one.
    Serve(WaitingCall<T>),
    /// Nobody before this moment: a permit is kept for a debate that is about to go on.
    Hold(Instant),
    /// Nobody waits.
    Nobody,
}

/// What the choice depends on besides those who wait.
#[derive(Clone, Copy)]
pub(crate) struct Outlook<'a> {
    pub(crate) now: Instant,
    /// Permits that are free.
    pub(crate) free: usize,
    pub(crate) cache: &'a HeldPrompts,
}

impl Outlook<'_> {
    /// Whether somebody was heard in the debate, or was called here for it.
    fn has_begun(&self, place: &WaitingPlace) -> bool {
        place.begun || self.cache.knows(&place.debate)
    }
}

/// A turn whose prompt is not held waits for so much of its patience, as a fraction, before it may come in between.
const BEGINS_AFTER: u32 = 3;

/// A bounded line of those who wait.
#[derive(Debug)]
pub(crate) struct Line<T> {
    scheduling: Scheduling,
    waiting: Vec<WaitingCall<T>>,
    shares: PriorityShares,
    /// When each debate that waits may go next, where debates take turns.
    laps: BTreeMap<(Priority, DebateId), u64>,
    count: u64,
    bound: usize,
    /// When one of each priority was last served whose prompt was not held.
    strangers: [Option<Instant>; 3],
}

impl<T> Line<T> {
    /// An empty line that holds at most `bound`.
    pub(crate) fn new(scheduling: Scheduling, bound: usize) -> Self {
        let (waiting, shares, laps) = (Vec::new(), PriorityShares::default(), BTreeMap::new());
        Self { scheduling, waiting, shares, laps, count: 0, bound, strangers: [None; 3] }
    }
    /// How many wait.
    pub(crate) fn len(&self) -> usize {
        self.waiting.len()
    }
    /// Adds one; gives it back when the line is full.
    pub(crate) fn push(&mut self, place: WaitingPlace, item: T) -> Result<(), T> {
        if self.len() >= self.bound {
            return Err(item);
        }
        self.count += 1;
        let lap = (place.priority, place.debate.clone());
        self.laps.entry(lap).or_insert(self.count);
        self.waiting.push(WaitingCall { place, item, arrived: self.count });
        Ok(())
    }
    /// Puts one back that was just taken: it is next again.
    pub(crate) fn put_back(&mut self, waiting: WaitingCall<T>) {
        let WaitingPlace { priority, debate, .. } = &waiting.place;
        self.shares.unserved(*priority);
        self.laps.insert((*priority, debate.clone()), 0);
        self.waiting.insert(0, waiting);
    }
    /// Drops those that no longer wait.
    pub(crate) fn retain(&mut self, waits: impl Fn(&T) -> bool) {
        let before = self.len();
        self.waiting.retain(|waiting| waits(&waiting.item));
        if self.len() == before {
            return;
        }
        let waiting = &self.waiting;
        self.laps.retain(|(priority, debate), _| {
            waiting.iter().any(|other| other.place.priority == *priority && other.place.debate == *debate)
        });
    }
    /// Takes everybody out.
    pub(crate) fn drain(&mut self) -> Vec<WaitingCall<T>> {
        self.laps.clear();
        std::mem::take(&mut self.waiting)
    }
    /// Takes out the last one that had better be played where nobody waits: it has waited for longer than its prompt takes.
    pub(crate) fn take_mover(&mut self, cache: &HeldPrompts, now: Instant) -> Option<WaitingCall<T>> {
        let moves = |WaitingPlace { debate, since, .. }: &WaitingPlace| {
            !cache.runs(debate) && now.duration_since(*since) >= cache.worth(debate)
        };
        let at = self.waiting.iter().rposition(|waiting| moves(&waiting.place))?;
        Some(self.remove(at))
    }

    /// Takes the next one out.
    pub(crate) fn next(&mut self, outlook: Outlook<'_>) -> NextCall<T> {
        let chosen = match self.scheduling {
            Scheduling::Fifo => self.first(|_| true).map(Ok),
            Scheduling::Fair => {
                let mut order = self.shares.order().into_iter();
                order.find_map(|priority| self.next_in_turn(priority, |_| true)).map(Ok)
            }
            Scheduling::CacheAware => self.cheapest(outlook),
        };
        match chosen {
            Some(Ok(at)) => NextCall::Serve(self.serve(at, outlook)),
            Some(Err(until)) => NextCall::Hold(until),
            None => NextCall::Nobody,
        }
    }

    /// By priorities: whose patience is over; whose prompt the server holds; then, unless somebody is waited for, others that have begun,
    /// those that have not, and last the second calls of debates, which reuse nothing of the first.
    fn cheapest(&self, outlook: Outlook<'_>) -> Option<Result<usize, Instant>> {
        if self.waiting.is_empty() {
            return None;
        }
        let order = self.shares.order();
        for (at, priority) in (1..).zip(order) {
            if let Some(at) = self.due(priority, outlook).or_else(|| self.warm(priority, outlook)) {
                return Some(Ok(at));
            }
            let (expected, _) = outlook.cache.expected(outlook.now, order.get(..at).unwrap_or(&order));
            if outlook.free > expected
                && let Some(at) = self.cold(priority, outlook)
            {
                return Some(Ok(at));
            }
        }
        // who waits may be let in then
        let (_, until) = outlook.cache.expected(outlook.now, &order);
        until.map(Err)
    }

    /// One that others may no longer be preferred to: whose patience is over, and now and then one whose prompt is not held.
    fn due(&self, priority: Priority, outlook: Outlook<'_>) -> Option<usize> {
        let waited = |place: &WaitingPlace| outlook.now.duration_since(place.since);
        let begun = |place: &WaitingPlace| outlook.has_begun(place);
        let last = priority.pick(self.strangers);
        let long = |place: &WaitingPlace| {
            let rest = place.patience / BEGINS_AFTER;
            waited(place) >= rest && last.is_none_or(|last| outlook.now.duration_since(last) >= rest)
        };
        let is_stranger = |place: &WaitingPlace| begun(place) && !outlook.cache.holds(&place.debate) && long(place);
        self.first_of(priority, |place| begun(place) && waited(place) >= place.patience)
            .or_else(|| self.first_of(priority, is_stranger))
            .or_else(|| self.first_of(priority, |place| !begun(place) && long(place)))
    }

    /// One whose prompt is held by the server.
    fn warm(&self, priority: Priority, outlook: Outlook<'_>) -> Option<usize> {
        let cache = outlook.cache;
        self.next_in_turn(priority, |place| cache.holds(&place.debate) && !cache.runs(&place.debate))
    }

    /// One whose prompt is evaluated from its beginning.
    fn cold(&self, priority: Priority, outlook: Outlook<'_>) -> Option<usize> {
        let runs = |place: &WaitingPlace| outlook.cache.runs(&place.debate);
        self.first_of(priority, |place| outlook.has_begun(place) && !runs(place))
            .or_else(|| self.first_of(priority, |place| !runs(place)))
            .or_else(|| self.first_of(priority, |_| true))
    }

    /// The first of a priority that came.
    fn first_of(&self, priority: Priority, wanted: impl Fn(&WaitingPlace) -> bool) -> Option<usize> {
        self.first(|waiting| waiting.place.priority == priority && wanted(&waiting.place))
    }

    /// The first that came.
    fn first(&self, wanted: impl Fn(&WaitingCall<T>) -> bool) -> Option<usize> {
        let wanted = self.waiting.iter().enumerate().filter(|(_, waiting)| wanted(waiting));
        wanted.min_by_key(|(_, waiting)| waiting.arrived).map(|(at, _)| at)
    }

    /// The first of the debate whose turn it is.
    fn next_in_turn(&self, priority: Priority, wanted: impl Fn(&WaitingPlace) -> bool) -> Option<usize> {
        let of = self.waiting.iter().enumerate();
        let of = of.filter(|(_, waiting)| waiting.place.priority == priority && wanted(&waiting.place));
        of.min_by_key(|(_, waiting)| {
            let lap = self.laps.get(&(priority, waiting.place.debate.clone()));
            (lap.copied().unwrap_or(u64::MAX), waiting.arrived)
        })
        .map(|(at, _)| at)
    }

    fn serve(&mut self, at: usize, outlook: Outlook<'_>) -> WaitingCall<T> {
        let served = self.remove(at);
        let WaitingPlace { priority, debate, .. } = &served.place;
        self.shares.served(*priority);
        if !outlook.cache.holds(debate) {
            *priority.pick(self.strangers.each_mut()) = Some(outlook.now);
        }
        served
    }

    fn remove(&mut self, at: usize) -> WaitingCall<T> {
        let taken = self.waiting.remove(at);
        let lap = (taken.place.priority, taken.place.debate.clone());
        let waits = self.waiting.iter().any(|other| (other.place.priority, &other.place.debate) == (lap.0, &lap.1));
        self.count += 1;
        match waits {
            true => self.laps.insert(lap, self.count),
            false => self.laps.remove(&lap),
        };
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);
    /// How long a turn may be passed over here.
    const PATIENCE: Duration = Duration::from_secs(300);

    fn id(name: &str) -> DebateId {
        DebateId::parse(&format!("debate-{name}")).unwrap()
    }

    /// A line, what its server holds, and the time.
    struct LineScene {
        line: Line<&'static str>,
        cache: HeldPrompts,
        now: Instant,
    }
    impl LineScene {
        fn new(scheduling: Scheduling, holds: usize) -> Self {
            Self { line: Line::new(scheduling, 100), cache: HeldPrompts::new(holds), now: Instant::now() }
        }
        fn wait_as(&mut self, priority: Priority, begun: bool, debate: &str, item: &'static str) {
            let (debate, since) = (id(debate), self.now);
            self.cache.arrives(&debate, since);
            self.line.push(WaitingPlace { priority, debate, begun, patience: PATIENCE, since }, item).unwrap();
        }
        fn wait(&mut self, debate: &str, item: &'static str) {
            self.wait_as(Priority::Normal, true, debate, item);
        }
        fn runs(&mut self, debate: &str) {
            self.cache.begins(&id(debate), Priority::Normal, self.now);
        }
        fn ends(&mut self, debate: &str) {
            self.cache.ends(&id(debate), self.now, None);
        }
        /// A debate that was played, and is not about to go on.
        fn played(&mut self, debate: &str) {
            self.runs(debate);
            self.ends(debate);
            self.cache.arrives(&id(debate), self.now);
        }
        fn next(&mut self, free: usize) -> NextCall<&'static str> {
            self.line.next(Outlook { now: self.now, free, cache: &self.cache })
        }
        fn serve(&mut self) -> Option<&'static str> {
            match self.next(1) {
                NextCall::Serve(waiting) => Some(waiting.item),
                NextCall::Hold(_) | NextCall::Nobody => None,
            }
        }
        fn order(&mut self) -> Vec<&'static str> {
            std::iter::from_fn(|| self.serve()).collect()
        }
    }

    #[test]
    fn where_it_is_fair_debates_take_turns_and_each_keeps_its_own_order() {
        let mut scene = LineScene::new(Scheduling::Fair, 1);
        for (debate, turn) in [("a", "a1"), ("a", "a2"), ("a", "a3"), ("b", "b1"), ("c", "c1"), ("b", "b2")] {
            scene.wait(debate, turn);
        }

        assert_eq!(scene.order(), ["a1", "b1", "c1", "a2", "b2", "a3"]);
    }

    #[test]
    fn where_it_is_first_come_first_served_priorities_do_not_count() {
        let mut scene = LineScene::new(Scheduling::Fifo, 1);
        scene.wait_as(Priority::Batch, true, "a", "batch");
        scene.wait_as(Priority::Interactive, true, "b", "interactive");
        scene.wait_as(Priority::Batch, true, "a", "batch again");

        assert_eq!(scene.order(), ["batch", "interactive", "batch again"]);
    }

    #[test]
    fn a_full_line_gives_back_what_it_cannot_hold() {
        let mut scene = LineScene::new(Scheduling::CacheAware, 1);
        (0..100).for_each(|_| scene.wait("a", "in"));
        let place = scene.line.waiting[0].place.clone();

        assert_eq!(scene.line.push(place, "out"), Err("out"));
    }

    #[test]
    fn those_that_gave_up_make_room_and_lose_their_place() {
        let mut scene = LineScene::new(Scheduling::Fair, 1);
        for (debate, turn) in [("a", "a1"), ("b", "b1"), ("b", "b2")] {
            scene.wait(debate, turn);
        }

        scene.line.retain(|turn| *turn == "b2");

        assert_eq!((scene.line.len(), scene.order()), (1, vec!["b2"]));
    }

    #[test]
    fn one_that_is_put_back_is_next_again() {
        for scheduling in [Scheduling::Fair, Scheduling::CacheAware] {
            let mut scene = LineScene::new(scheduling, 1);
            for (debate, turn) in [("a", "a1"), ("a", "a2"), ("b", "b1")] {
                scene.wait(debate, turn);
            }

            let NextCall::Serve(first) = scene.next(1) else { panic!("nobody") };
            scene.line.put_back(first);

            assert_eq!(scene.serve(), Some("a1"));
        }
    }

    #[test]
    fn priorities_share_by_weight_whoever_is_warm() {
        for scheduling in [Scheduling::Fair, Scheduling::CacheAware] {
            let mut scene = LineScene::new(scheduling, 2);
            ["even", "odd"].into_iter().for_each(|debate| scene.played(debate));
            for n in 0..12 {
                let debate = if n % 2 == 0 { "even" } else { "odd" };
                scene.wait_as(Priority::Interactive, true, debate, "interactive");
                scene.wait_as(Priority::Normal, true, debate, "normal");
                scene.wait_as(Priority::Batch, true, "cold", "batch");
            }

            let first: Vec<&str> = std::iter::from_fn(|| scene.serve()).take(12).collect();

            let count = |wanted| first.iter().filter(|item| **item == wanted).count();
            assert_eq!((count("interactive"), count("normal"), count("batch")), (8, 3, 1), "{scheduling:?}");
        }
    }

    #[test]
    fn a_debate_whose_prompt_is_held_comes_before_others_that_waited_longer() {
        let mut scene = LineScene::new(Scheduling::CacheAware, 1);
        scene.played("cold");
        scene.played("warm");
        scene.wait_as(Priority::Normal, false, "new", "new");
        scene.wait("cold", "cold");
        scene.wait("warm", "warm");

        assert_eq!(scene.order(), ["warm", "cold", "new"]);
    }

    #[test]
    fn debates_that_are_all_held_take_turns() {
        let mut scene = LineScene::new(Scheduling::CacheAware, 2);
        ["a", "b"].into_iter().for_each(|debate| scene.played(debate));
        for (debate, turn) in [("a", "a1"), ("a", "a2"), ("b", "b1"), ("b", "b2")] {
            scene.wait(debate, turn);
        }

        assert_eq!(scene.order(), ["a1", "b1", "a2", "b2"]);
    }

    #[test]
    fn a_second_call_of_a_debate_waits_for_the_first_where_others_wait_too() {
        let mut scene = LineScene::new(Scheduling::CacheAware, 4);
        scene.runs("a");
        scene.wait("a", "a2");
        scene.wait_as(Priority::Normal, false, "b", "b1");

        assert_eq!(scene.order(), ["b1", "a2"], "and no permit stays free for it");
    }

    #[test]
    fn a_permit_is_kept_for_a_debate_that_is_about_to_go_on_and_no_more_than_one() {
        let mut scene = LineScene::new(Scheduling::CacheAware, 1);
        scene.runs("a");
        scene.ends("a");
        scene.wait_as(Priority::Normal, false, "b", "b1");

        let NextCall::Hold(until) = scene.next(1) else { panic!("served") };
        assert!(until > scene.now && until <= scene.now + SECOND);
        assert!(matches!(scene.next(2), NextCall::Serve(WaitingCall { item: "b1", .. })), "a second one is free");

        scene.wait_as(Priority::Normal, false, "c", "c1");
        scene.wait("a", "a2");
        assert_eq!(scene.order(), ["a2", "c1"]);
    }

    #[test]
    fn a_permit_that_was_kept_in_vain_goes_to_whoever_waits() {
        let mut scene = LineScene::new(Scheduling::CacheAware, 1);
        scene.runs("a");
        scene.ends("a");
        scene.wait_as(Priority::Normal, false, "b", "b1");
        let NextCall::Hold(until) = scene.next(1) else { panic!("served") };

        scene.now = until;

        assert_eq!(scene.serve(), Some("b1"));
    }

    #[test]
    fn no_permit_is_kept_for_a_less_urgent_debate() {
        let mut scene = LineScene::new(Scheduling::CacheAware, 1);
        scene.cache.begins(&id("a"), Priority::Batch, scene.now);
        scene.ends("a");
        scene.wait_as(Priority::Interactive, false, "b", "b1");

        assert_eq!(scene.serve(), Some("b1"));
    }

    #[test]
    fn nobody_is_passed_over_for_longer_than_its_patience() {
        let mut scene = LineScene::new(Scheduling::CacheAware, 1);
        scene.played("cold");
        scene.played("warm");
        scene.wait("cold", "cold");
        scene.now += PATIENCE - SECOND;
        scene.line.strangers = [Some(scene.now); 3];
        scene.wait("warm", "warm 1");
        assert_eq!(scene.serve(), Some("warm 1"));

        scene.now += SECOND;
        scene.wait("warm", "warm 2");

        assert_eq!(scene.order(), ["cold", "warm 2"]);
    }

    #[test]
    fn first_turns_of_a_debate_that_was_played_here_are_not_passed_over_for_ever_either() {
        let mut scene = LineScene::new(Scheduling::CacheAware, 1);
        scene.played("early");
        scene.wait_as(Priority::Normal, false, "early", "early 2");
        scene.played("warm");
        scene.now += PATIENCE;
        scene.wait("warm", "warm 1");

        assert_eq!(scene.order(), ["early 2", "warm 1"]);
    }

    #[test]
    fn debates_that_have_begun_come_in_between_before_new_ones_do() {
        let mut scene = LineScene::new(Scheduling::CacheAware, 1);
        scene.played("cold");
        scene.played("warm");
        scene.wait_as(Priority::Normal, false, "new", "new");
        scene.wait("cold", "cold");
        scene.now += PATIENCE / BEGINS_AFTER;
        scene.wait("warm", "warm");

        assert_eq!(scene.order(), ["cold", "warm", "new"]);
    }

    #[test]
    fn what_waits_for_longer_than_its_prompt_takes_may_move_to_an_idle_host() {
        let mut scene = LineScene::new(Scheduling::CacheAware, 2);
        scene.runs("plays");
        scene.wait("plays", "plays 2");
        scene.wait_as(Priority::Normal, false, "new", "new");

        assert!(scene.line.take_mover(&scene.cache, scene.now).is_none());
        let moved = scene.line.take_mover(&scene.cache, scene.now + 10 * SECOND).unwrap();

        assert_eq!(moved.item, "new");
        assert!(scene.line.take_mover(&scene.cache, scene.now + 10 * SECOND).is_none(), "what plays here stays");
    }

    #[test]
    fn new_debates_begin_one_by_one_although_others_are_held() {
        let mut scene = LineScene::new(Scheduling::CacheAware, 1);
        scene.played("warm");
        scene.wait_as(Priority::Normal, false, "new-1", "new 1");
        scene.wait_as(Priority::Normal, false, "new-2", "new 2");
        scene.now += PATIENCE / BEGINS_AFTER;
        scene.wait("warm", "warm 1");
        scene.wait("warm", "warm 2");

        let order = [scene.serve(), scene.serve()];
        scene.now += PATIENCE / BEGINS_AFTER;

        assert_eq!(order, [Some("new 1"), Some("warm 1")]);
        assert_eq!(scene.order(), ["new 2", "warm 2"]);
    }
}
