//! The modelled prompt cache of one loaded model, after llama-server's slots and host-RAM prompt cache.
//!
//! Among the idle slots the one with the longest common prefix is taken if that covers more than a tenth of the new prompt, else
//! the least recently used one. If a slot would keep less than half of what it holds, its state is first stored in RAM, and the best stored
//! state is loaded if it serves the new prompt better. Reuse is by exact token prefix, and the last token is always evaluated.

use std::collections::VecDeque;

use crate::token;

/// What a prompt cost, and the slot that holds it until [`PromptCache::finish`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lease {
    /// The slot in use; `None` when all were busy, and then nothing was reused.
    pub slot: Option<usize>,
    /// Tokens of the prompt.
    pub prompt: u64,
    /// Tokens of it that a cached state covered.
    pub cached: u64,
}

/// Slots and stored states of one model.
#[derive(Debug)]
pub struct PromptCache {
    slots: Vec<CacheSlot>,
    stored: VecDeque<State>,
    ram_limit: u64,
    clock: u64,
}

#[derive(Debug, Default)]
struct CacheSlot {
    state: State,
    busy: bool,
    used: u64,
}

#[derive(Debug, Default, Clone)]
struct State {
    text: String,
    tokens: u64,
}

impl State {
    fn new(text: String) -> Self {
        let tokens = token::count(&text);
        Self { text, tokens }
    }

    fn shared_with(&self, prompt: &str) -> u64 {
        let length = common_prefix(self.text.as_bytes(), prompt.as_bytes());
        // both sides must have the whole piece, or the two last pieces differ
        token::count_prefix(self.text.as_bytes(), length).min(token::count_prefix(prompt.as_bytes(), length))
    }
}

impl PromptCache {
    /// A cold cache of `slots` slots that may store `ram_limit` tokens beside them.
    pub fn new(slots: usize, ram_limit: u64) -> Self {
        Self { slots: (0..slots).map(|_| CacheSlot::default()).collect(), stored: VecDeque::new(), ram_limit, clock: 0 }
    }

    /// Places `prompt` in a slot and says how much of it was there already.
    pub fn begin(&mut self, prompt: String) -> Lease {
        self.clock += 1;
        let state = State::new(prompt);
        let total = state.tokens;
        let Some((index, mut cached)) = self.choose(&state) else {
            return Lease { slot: None, prompt: total, cached: 0 };
        };
        if let Some(held) = self.slots.get_mut(index).map(|slot| std::mem::take(&mut slot.state))
            && cached * 2 < held.tokens
        {
            // the candidates are compared before the old state joins them: it would only find itself
            if let Some(loaded) = self.load(&state, cached, held.tokens) {
                cached = loaded;
            }
            self.store(held);
        }
        if let Some(slot) = self.slots.get_mut(index) {
            (slot.state, slot.busy, slot.used) = (state, true, self.clock);
        }
        Lease { slot: Some(index), prompt: total, cached: cached.min(total.saturating_sub(1)) }
    }

    /// Frees the slot; `answer` is what was generated after the prompt and now stands behind it.
    pub fn finish(&mut self, lease: Lease, answer: &str) {
        if let Some(slot) = lease.slot.and_then(|index| self.slots.get_mut(index)) {
            slot.busy = false;
            if !answer.is_empty() {
                slot.state.text.push_str(answer);
                slot.state.tokens = token::count(&slot.state.text);
            }
        }
    }

    /// Forgets everything, as a restarted process does.
    pub fn clear(&mut self) {
        self.stored.clear();
        for slot in &mut self.slots {
            slot.state = State::default();
        }
    }

    fn choose(&self, prompt: &State) -> Option<(usize, u64)> {
        let idle = || self.slots.iter().enumerate().filter(|(_, slot)| !slot.busy);
        let shared = |slot: &CacheSlot| slot.state.shared_with(&prompt.text);
        let best =
            idle().map(|(index, slot)| (index, shared(slot))).max_by_key(|(index, n)| (*n, usize::MAX - index))?;
        if best.1 * 10 > prompt.tokens {
            return Some(best);
        }
        idle().min_by_key(|(_, slot)| slot.used).map(|(index, slot)| (index, shared(slot)))
    }

    /// Takes the stored state that serves `prompt` better than what the slot holds, and says how many tokens it covers.
    fn load(&mut self, prompt: &State, shared: u64, held: u64) -> Option<u64> {
        let keep = |shared: u64, size: u64| shared as f64 / size.max(1) as f64;
        let (mut best, mut best_shared, mut best_keep) = (None, shared, keep(shared, held));
        for (index, state) in self.stored.iter().enumerate() {
            let n = state.shared_with(&prompt.text);
            let kept = keep(n, state.tokens);
            // a state that would lose three quarters of itself is worth more where it is
            if kept >= 0.25 && kept > best_keep && n > best_shared {
                (best, best_shared, best_keep) = (Some(index), n, kept);
            }
        }
        self.stored.remove(best?);
        Some(best_shared)
    }

    /// Stores a state, dropping what it makes redundant and then the oldest ones beyond the limit.
    fn store(&mut self, state: State) {
        if state.tokens == 0 || self.stored.iter().any(|other| other.text.starts_with(&state.text)) {
            return;
        }
        self.stored.retain(|other| !state.text.starts_with(&other.text));
        self.stored.push_back(state);
        while self.stored.iter().map(|state| state.tokens).sum::<u64>() > self.ram_limit {
            self.stored.pop_front();
        }
    }
}

fn common_prefix(a: &[u8], b: &[u8]) -> usize {
    const BLOCK: usize = 256; // whole blocks compare as memcmp; only the last is walked
    let equal = a.chunks_exact(BLOCK).zip(b.chunks_exact(BLOCK)).take_while(|(x, y)| x == y).count() * BLOCK;
    let tail = |text| <[u8]>::iter(text).skip(equal);
    equal + tail(a).zip(tail(b)).take_while(|(x, y)| x == y).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn speak(cache: &mut PromptCache, prompt: &str) -> u64 {
        let lease = cache.begin(prompt.to_owned());
        cache.finish(lease, "");
        lease.prompt - lease.cached
    }

    fn shared_head(turn: usize) -> String {
        let transcript: String =
            (0..turn).map(|n| format!("### T{n}\n{}\n", "some words of a speech. ".repeat(20))).collect();
        format!("{}\n{transcript}=== YOUR TURN ===\nYou are speaker{}.\n", "rules and roster. ".repeat(50), turn % 3)
    }

    fn persona_first(turn: usize) -> String {
        format!("You are speaker{}.\n{}", turn % 3, shared_head(turn))
    }

    #[test]
    fn an_append_only_prompt_with_a_shared_head_evaluates_only_the_new_tail() {
        let mut cache = PromptCache::new(1, 0);
        let first = speak(&mut cache, &shared_head(0));
        assert_eq!(first, token::count(&shared_head(0)));
        let step = token::count(&shared_head(2)) - token::count(&shared_head(1));
        for turn in 1..12 {
            let evaluated = speak(&mut cache, &shared_head(turn));
            assert!(evaluated <= step + 20, "turn {turn} evaluated {evaluated}, one speech and a tail is {step}");
        }
    }

    #[test]
    fn a_persona_first_prompt_evaluates_all_with_one_slot_and_no_ram_cache() {
        let mut cache = PromptCache::new(1, 0);
        for turn in 0..12 {
            let prompt = persona_first(turn);
            assert!(speak(&mut cache, &prompt) + 8 >= token::count(&prompt), "turn {turn}");
        }
    }

    #[test]
    fn a_ram_cache_gives_each_persona_its_own_state_until_it_is_full() {
        let evaluated = |ram| {
            let mut cache = PromptCache::new(1, ram);
            (0..12).map(|turn| speak(&mut cache, &persona_first(turn))).sum::<u64>()
        };
        assert!(evaluated(1_000_000) * 2 < evaluated(0), "{} {}", evaluated(1_000_000), evaluated(0));
        assert!(evaluated(1_500) > evaluated(1_000_000), "a small cache evicts exactly what comes next");
    }

    #[test]
    fn a_prompt_that_finds_every_slot_busy_reuses_nothing() {
        let mut cache = PromptCache::new(1, 0);
        let lease = cache.begin(shared_head(3));
        assert_eq!(cache.begin(shared_head(3)), Lease { slot: None, prompt: lease.prompt, cached: 0 });
        cache.finish(lease, "");
        assert_eq!(cache.begin(shared_head(3)).cached, lease.prompt - 1, "the last token is always evaluated");
    }

    #[test]
    fn an_answer_that_is_replayed_behind_its_prompt_is_reused() {
        let mut cache = PromptCache::new(1, 0);
        let lease = cache.begin("head\n".to_owned());
        cache.finish(lease, "an answer of some words\n");
        assert_eq!(speak(&mut cache, "head\nan answer of some words\nnext"), 1);
    }

    proptest! {
        #[test]
        fn the_common_prefix_is_that_of_a_plain_walk(a in "[ab]{0,600}", keep in 0usize..600, b in "[ab]{0,20}") {
            let other = format!("{}{b}", a.get(..keep.min(a.len())).unwrap());
            let naive = a.bytes().zip(other.bytes()).take_while(|(x, y)| x == y).count();
            prop_assert_eq!(common_prefix(a.as_bytes(), other.as_bytes()), naive);
        }
    }
}
