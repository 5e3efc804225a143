//! Which debates' prompts a model server still holds, as far as that can be told from its answers.
//!
//! Servers keep the prompts that they evaluated last, in slots or blocks, and forget the least recently used ones. So those debates count as
//! held that were called here last; how many of them, is learned from the cached tokens that the server reports.
use agon_core::{DebateId, Priority, Usage};
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::time::Duration;
use tokio::time::Instant;

/// So many debates are remembered, and twice as many as the server is first taken to hold: those that run are not looked through for one that does
/// not.
const MOST_KNOWN: usize = 1_024;
/// So many misses in a row, of debates that should have been held, say that the server holds fewer.
const MISSES: u32 = 4;
/// How long a place is kept for a debate whose next turn was never seen to come.
const FIRST_HOLD: Duration = Duration::from_millis(50);
/// A place is kept for so many of the usual pauses between two turns of a debate, and a little longer.
const HELD_PAUSES: u32 = 3;
const SHORTEST_HOLD: Duration = Duration::from_millis(10);
/// Nobody waits longer for a turn that is yet to come, whatever its prompt would cost.
const LONGEST_HOLD: Duration = Duration::from_secs(2);
/// The same where it is not known what evaluating a prompt costs.
const HOLD_UNPRICED: Duration = Duration::from_millis(100);
/// What a prompt is taken to cost where that is not known, and the shortest wait that is worth a move.
const PRICE_UNKNOWN: Duration = Duration::from_secs(10);
const SHORTEST_STAY: Duration = Duration::from_secs(1);
/// Fewer evaluated tokens say little of what one takes: every call takes some time besides.
const LEAST_EVALUATED: u64 = 256;

/// What one call told of the server's work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CallCost {
    /// Its tokens.
    pub(crate) usage: Usage,
    /// Milliseconds in which its prompt was evaluated.
    pub(crate) prefill_ms: Option<u64>,
}

/// The debates that were played at a gate, and which of them its server still holds.
#[derive(Debug)]
pub(crate) struct HeldPrompts {
    /// The last one first, each with the number of its last call.
    order: VecDeque<(u64, DebateId)>,
    known: HashMap<DebateId, PlayedDebate>,
    calls: u64,
    /// Until when the next turns of debates are waited for, by their priorities.
    expected: [BTreeSet<(Instant, DebateId)>; 3],
    /// So many debates are held at once.
    holds: usize,
    misses: u32,
    /// So many debates are remembered.
    most: usize,
    /// The usual pause between two turns of a debate.
    pause: Option<Duration>,
    /// What evaluating a token costs, in milliseconds.
    token_ms: Option<f64>,
    /// The usual time of a call.
    service: Option<Duration>,
}

#[derive(Debug, Default)]
struct PlayedDebate {
    running: usize,
    /// The number of its last call.
    call: u64,
    /// How many debates were called after it, when its running call began; nothing where another call of it was running.
    depth: Option<usize>,
    /// Tokens of its last prompt.
    tokens: u64,
    began: Option<Instant>,
    ended: Option<Instant>,
    priority: Option<Priority>,
    /// Its next turn is waited for until then.
    expected: Option<Instant>,
    /// The pause before its last turn.
    pause: Option<Duration>,
}

impl HeldPrompts {
    /// Of a server that is taken to hold so many debates, until its answers say something else.
    pub(crate) fn new(holds: usize) -> Self {
        Self {
            order: VecDeque::new(),
            known: HashMap::new(),
            calls: 0,
            expected: Default::default(),
            holds: holds.max(1),
            misses: 0,
            most: MOST_KNOWN.max(holds.saturating_mul(2)),
            pause: None,
            token_ms: None,
            service: None,
        }
    }

    /// Whether the debate was played here before.
    pub(crate) fn knows(&self, debate: &DebateId) -> bool {
        self.known.contains_key(debate)
    }
    /// Whether the server still holds what the debate's prompts begin with.
    pub(crate) fn holds(&self, debate: &DebateId) -> bool {
        self.depth(debate).is_some_and(|depth| depth < self.holds)
    }
    /// How many debates were called after it.
    fn depth(&self, debate: &DebateId) -> Option<usize> {
        let call = self.known.get(debate)?.call;
        self.order.binary_search_by(|(other, _)| call.cmp(other)).ok()
    }
    /// Whether a call of the debate runs: what it has evaluated serves no second call meanwhile.
    pub(crate) fn runs(&self, debate: &DebateId) -> bool {
        self.known.get(debate).is_some_and(|known| known.running > 0)
    }
    /// How many debates of these priorities are waited for, and when the first of them is waited for no longer.
    pub(crate) fn expected(&self, now: Instant, priorities: &[Priority]) -> (usize, Option<Instant>) {
        let of = priorities.iter().map(|priority| priority.pick(self.expected.each_ref()));
        of.fold((0, None), |(count, first), all| {
            let over = all.iter().take_while(|(until, _)| *until <= now).count();
            let until = all.iter().nth(over).map(|(until, _)| *until);
            (count + all.len() - over, first.into_iter().chain(until).min())
        })
    }
    /// The debate's next turn is waited for until then, or not.
    fn expect(&mut self, debate: &DebateId, until: Option<Instant>) {
        let Some(known) = self.known.get_mut(debate) else { return };
        let Some(priority) = known.priority else { return };
        let expected = priority.pick(self.expected.each_mut());
        if let Some(old) = std::mem::replace(&mut known.expected, until) {
            expected.remove(&(old, debate.clone()));
        }
        expected.extend(until.map(|until| (until, debate.clone())));
    }
    /// Nobody is waited for any more who did not come in time.
    fn give_up(&mut self, now: Instant) {
        for expected in &mut self.expected {
            while let Some(late) = expected.first().filter(|(until, _)| *until <= now).cloned() {
                expected.remove(&late);
                if let Some(known) = self.known.get_mut(&late.1) {
                    known.expected = None;
                }
            }
        }
    }
    /// What it would cost another server to evaluate the debate's prompt, where that is known.
    fn price(&self, debate: &DebateId) -> Option<Duration> {
        let tokens = self.known.get(debate)?.tokens;
        Some(Duration::from_millis((tokens as f64 * self.token_ms?) as u64))
    }
    /// How long the debate's turn may wait here before it had better be played where nobody waits.
    pub(crate) fn worth(&self, debate: &DebateId) -> Duration {
        let price = if self.holds(debate) { self.price(debate).unwrap_or(PRICE_UNKNOWN) } else { Duration::ZERO };
        price.max(SHORTEST_STAY)
    }
    /// Whether a debate that was played here had better move to an idle server than wait behind so many calls at a time.
    pub(crate) fn should_move(&self, debate: &DebateId, ahead: usize, permits: usize) -> bool {
        let wait = || Some(self.service?.mul_f64((ahead + 1) as f64 / permits.max(1) as f64));
        self.knows(debate)
            && (!self.holds(debate) || wait().zip(self.price(debate)).is_some_and(|(wait, price)| wait > price))
    }

    /// A turn of the debate waits.
    pub(crate) fn arrives(&mut self, debate: &DebateId, now: Instant) {
        self.expect(debate, None);
        let Some(known) = self.known.get_mut(debate) else { return };
        if let Some(ended) = known.ended.take() {
            let pause = now.saturating_duration_since(ended);
            known.pause = Some(pause);
            self.pause = Some(self.pause.map_or(pause, |usual| usual_of(usual, pause)));
        }
    }

    /// A call of the debate begins.
    pub(crate) fn begins(&mut self, debate: &DebateId, priority: Priority, now: Instant) {
        self.expect(debate, None);
        self.give_up(now);
        let depth = self.depth(debate);
        depth.map(|at| self.order.remove(at));
        self.calls += 1;
        self.order.push_front((self.calls, debate.clone()));
        let known = self.known.entry(debate.clone()).or_default();
        known.depth = depth.filter(|_| known.running == 0);
        known.running += 1;
        (known.call, known.priority, known.began) = (self.calls, Some(priority), Some(now));
        self.drop_old();
    }

    /// A call of the debate has ended; what it cost is known if it was answered.
    pub(crate) fn ends(&mut self, debate: &DebateId, now: Instant, cost: Option<CallCost>) {
        if let Some(cost) = cost {
            self.learn(debate, cost);
            self.time(debate, now);
        }
        let hold = self.hold(debate);
        let Some(known) = self.known.get_mut(debate) else { return };
        known.running = known.running.saturating_sub(1);
        if known.running == 0 {
            known.ended = Some(now);
            self.expect(debate, hold.map(|hold| now + hold));
        }
    }

    /// The debate plays here no more.
    pub(crate) fn forget(&mut self, debate: &DebateId) {
        self.expect(debate, None);
        self.depth(debate).map(|at| self.order.remove(at));
        self.known.remove(debate);
    }

    /// How long a place is kept for the debate's next turn: not for one that usually takes its time, and not longer than its prompt
    /// would cost.
    fn hold(&self, debate: &DebateId) -> Option<Duration> {
        let Some(pause) = self.known.get(debate).and_then(|known| known.pause).or(self.pause) else {
            return Some(FIRST_HOLD);
        };
        let most = self.price(debate).unwrap_or(HOLD_UNPRICED);
        let most = most.clamp(SHORTEST_HOLD, LONGEST_HOLD);
        (pause <= most).then(|| (pause * HELD_PAUSES + SHORTEST_HOLD).min(most.max(SHORTEST_HOLD * 2)))
    }

    fn time(&mut self, debate: &DebateId, now: Instant) {
        if let Some(began) = self.known.get(debate).filter(|known| known.running == 1).and_then(|known| known.began) {
            let took = now.saturating_duration_since(began);
            self.service = Some(self.service.map_or(took, |usual| usual_of(usual, took)));
        }
    }

    fn learn(&mut self, debate: &DebateId, CallCost { usage, prefill_ms }: CallCost) {
        let Some(prompt) = usage.prompt_tokens else { return };
        let Some(known) = self.known.get_mut(debate) else { return };
        let before = std::mem::replace(&mut known.tokens, prompt);
        let Some(cached) = usage.cached_tokens else { return };
        if let Some(ms) = prefill_ms
            && let evaluated @ LEAST_EVALUATED.. = prompt.saturating_sub(cached)
        {
            let cost = ms as f64 / evaluated as f64;
            self.token_ms = Some(self.token_ms.map_or(cost, |usual| (usual * 7.0 + cost) / 8.0));
        }
        // more than half of what it had seen: the tail of a prompt is never seen again
        let (Some(depth), 1..) = (known.depth, before) else { return };
        match cached.saturating_mul(2) >= before.min(prompt) {
            true => {
                self.misses = 0;
                self.holds = self.holds.max(depth + 1);
            }
            false if depth < self.holds => {
                self.misses += 1;
                if self.misses >= MISSES {
                    (self.misses, self.holds) = (0, depth.max(1));
                }
            }
            false => {}
        }
    }

    fn drop_old(&mut self) {
        while self.order.len() > self.most
            && let Some((_, debate)) = self.order.iter().rfind(|(_, debate)| !self.runs(debate)).cloned()
        {
            self.forget(&debate);
        }
    }
}

/// What is usual, once something more was seen.
fn usual_of(usual: Duration, seen: Duration) -> Duration {
    (usual * 7 + seen) / 8
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn id(n: usize) -> DebateId {
        DebateId::parse(&format!("debate-{n}")).unwrap()
    }
    fn cost(prompt: u64, cached: u64) -> Option<CallCost> {
        let usage = Usage { prompt_tokens: Some(prompt), cached_tokens: Some(cached), completion_tokens: Some(9) };
        Some(CallCost { usage, prefill_ms: Some(prompt - cached) })
    }
    /// A call of a debate, and what it is told of the cache.
    fn call(cache: &mut HeldPrompts, n: usize, cached: u64) {
        let now = Instant::now();
        cache.arrives(&id(n), now);
        cache.begins(&id(n), Priority::Normal, now);
        cache.ends(&id(n), now + 100 * MS, cost(1_000, cached));
    }

    #[test]
    fn the_debates_that_were_called_last_are_held() {
        let mut cache = HeldPrompts::new(2);
        for n in [0, 1, 2, 1] {
            call(&mut cache, n, 0);
        }

        let held: Vec<bool> = (0..4).map(|n| cache.holds(&id(n))).collect();

        assert_eq!(held, [false, true, true, false]);
        assert!(cache.knows(&id(0)) && !cache.knows(&id(3)));
    }

    #[test]
    fn cached_tokens_of_a_debate_that_was_thought_forgotten_say_that_more_are_held() {
        let mut cache = HeldPrompts::new(1);
        (0..4).for_each(|n| call(&mut cache, n, 0));

        call(&mut cache, 0, 900);

        assert!((0..4).all(|n| cache.holds(&id(n))));
    }

    #[test]
    fn misses_of_debates_that_were_thought_held_say_that_fewer_are_and_one_says_nothing() {
        let mut cache = HeldPrompts::new(4);
        for n in [0, 1, 0, 1, 0] {
            call(&mut cache, n, 0);
        }
        assert!(cache.holds(&id(0)) && cache.holds(&id(1)), "the first of each says nothing, three misses are chance");

        call(&mut cache, 1, 0);

        assert!(cache.holds(&id(1)) && !cache.holds(&id(0)));
    }

    #[test]
    fn second_calls_of_a_debate_that_plays_say_nothing_of_the_cache() {
        let (mut cache, now) = (HeldPrompts::new(4), Instant::now());
        call(&mut cache, 0, 0);
        for _ in 0..8 {
            cache.begins(&id(0), Priority::Normal, now);
        }
        for _ in 0..8 {
            cache.ends(&id(0), now, cost(1_000, 0));
        }

        (1..4).for_each(|n| call(&mut cache, n, 0));

        assert!(cache.holds(&id(0)));
    }

    #[test]
    fn a_place_is_kept_for_a_debate_that_usually_goes_on_at_once_and_not_for_one_that_does_not() {
        let (mut cache, start) = (HeldPrompts::new(4), Instant::now());
        let expected = |cache: &HeldPrompts, now| cache.expected(now, &[Priority::Normal]).0;
        let mut play = |n: usize, pause: Duration, at: Instant| {
            cache.begins(&id(n), Priority::Normal, at);
            cache.ends(&id(n), at + 1_000 * MS, cost(1_000, 0));
            cache.arrives(&id(n), at + 1_000 * MS + pause);
            cache.begins(&id(n), Priority::Normal, at + 1_000 * MS + pause);
            cache.ends(&id(n), at + 2_000 * MS, cost(1_000, 900));
        };

        play(1, 60_000 * MS, start);
        play(0, 2 * MS, start + 62_000 * MS);

        let ended = start + 64_000 * MS;
        assert_eq!(expected(&cache, ended + MS), 1);
        assert_eq!(expected(&cache, ended + 100 * MS), 0, "three times the pause and a little");
        assert_eq!(cache.expected(ended, &[Priority::Batch]).0, 0);
        cache.forget(&id(0));
        assert_eq!(expected(&cache, ended + MS), 0);
    }

    #[test]
    fn a_debate_moves_where_waiting_takes_longer_than_its_prompt() {
        let mut cache = HeldPrompts::new(1);
        let now = Instant::now();
        for _ in 0..2 {
            cache.begins(&id(0), Priority::Normal, now);
            cache.ends(&id(0), now + 3_000 * MS, cost(2_000, 1_000));
        }

        assert!(!cache.should_move(&id(0), 0, 2), "1.5 s against 2 s");
        assert!(cache.should_move(&id(0), 1, 2), "3 s against 2 s");
        call(&mut cache, 1, 0);
        assert!(cache.should_move(&id(0), 0, 2), "it is forgotten here anyway");
        assert!(!cache.should_move(&id(7), 5, 1), "it has never been here");
    }
}
