//! How far a running debate is, how fast it goes, and how long it will take.
use crate::words::{count, number};
use agon_core::{CallCounts, CallProgress, Event, ParticipantId, Timestamp, Usage};
use std::collections::BTreeMap;

/// Characters of a token, where no speech of this debate has told yet.
const USUAL: f64 = 4.0;
/// A rate that was measured over less than this says little, in milliseconds.
const SHORTEST: u64 = 1_000;

/// Progress, pace, and what prompts and tokens were so far.
#[derive(Clone, Debug, Default)]
pub(super) struct LivePace {
    progress: CallProgress,
    /// Since when the debate has been led without a break, and the calls that were done then.
    since: Option<(Timestamp, u64)>,
    /// Characters that were said before everybody.
    said: u64,
    /// The prompt of each participant's last call, and the characters that had been said then.
    prompts: BTreeMap<ParticipantId, (u64, u64)>,
    /// Characters and tokens of the speeches whose tokens are known.
    spoken: (u64, u64),
}

impl LivePace {
    pub(super) fn take(&mut self, at: Timestamp, event: &Event) {
        self.progress.take(event);
        if matches!(event, Event::DebateAdmitted(_) | Event::Claimed { .. }) {
            self.since = Some((at, self.progress.calls().done));
        }
        if let Some((said, speech)) = event.speech() {
            let length = speech.text.chars().count() as u64;
            if let Some(tokens) = said.call.usage.completion_tokens.filter(|tokens| *tokens > 0) {
                self.spoken = (self.spoken.0.saturating_add(length), self.spoken.1.saturating_add(tokens));
            }
            self.said = self.said.saturating_add(length);
        }
    }

    /// Remembers what a call had to read.
    pub(super) fn read(&mut self, participant: &str, usage: &Usage) {
        if let Some(prompt) = usage.prompt_tokens {
            self.prompts.insert(participant.into(), (prompt, self.said));
        }
    }

    /// About how many tokens the prompt of a participant has: its last one and what was said since, or that of another.
    pub(super) fn prompt(&self, participant: &ParticipantId) -> Option<u64> {
        let known = self.prompts.get(participant).or_else(|| self.prompts.values().max())?;
        let since = self.said.saturating_sub(known.1) as f64 / self.characters();
        Some(rounded(known.0.saturating_add(since as u64)))
    }

    /// Characters of a token in this debate.
    fn characters(&self) -> f64 {
        match self.spoken {
            (_, 0) => USUAL,
            (characters, tokens) => (characters as f64 / tokens as f64).clamp(1.0, 8.0),
        }
    }

    /// About how many tokens a second these characters are; nothing where they have not come for long enough.
    pub(super) fn rate(&self, characters: usize, ms: u64) -> Option<String> {
        let tokens = characters as f64 / self.characters();
        let rate = tokens * 1_000.0 / ms as f64;
        (ms >= SHORTEST && rate >= 0.05).then(|| match rate {
            rate if rate < 9.95 => format!("about {rate:.1} tokens/s"),
            rate => format!("about {rate:.0} tokens/s"),
        })
    }

    /// `turn 9 of about 22 · 41 % · about 6 min left`; nothing before the plan is known. Without `now` nothing is said of the time.
    pub(super) fn told(&self, now: Option<Timestamp>) -> Option<String> {
        let CallCounts { done, planned } = self.progress.calls();
        let percent = done.saturating_mul(100).checked_div(planned)?;
        let turn = done.saturating_add(1).min(planned);
        let told = format!("turn {} of about {} · {percent} %", number(turn), number(planned));
        Some(match now.and_then(|now| self.left(now, done, planned)) {
            Some(left) => format!("{told} · {left}"),
            None => told,
        })
    }

    fn left(&self, now: Timestamp, done: u64, planned: u64) -> Option<String> {
        let (since, before) = self.since?;
        // The first call tells too little of the others.
        let own = done.checked_sub(before).filter(|own| *own >= 2)?;
        let left = planned.checked_sub(done).filter(|left| *left > 0)?;
        let seconds = (now.since(since) as f64 / 1_000.0 / own as f64 * left as f64).round() as u64;
        Some(match seconds {
            0..10 => "a few seconds left".to_owned(),
            10..90 => format!("about {} s left", seconds.div_ceil(10) * 10),
            90..5_400 => format!("about {} min left", seconds.div_ceil(60)),
            _ => format!("about {} left", count(seconds.div_ceil(3_600), "hour")),
        })
    }
}

/// Two digits that count: the rest would not be true.
fn rounded(tokens: u64) -> u64 {
    let unit = 10_u64.pow(tokens.checked_ilog10().unwrap_or(0).saturating_sub(1));
    (tokens + unit / 2) / unit * unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn estimates_have_two_digits_that_count() {
        assert_eq!([0, 7, 44, 951, 4_128, 12_499].map(rounded), [0, 7, 44, 950, 4_100, 12_000]);
    }

    #[test]
    fn a_rate_is_told_once_it_says_something() {
        let mut pace = LivePace::default();
        assert_eq!(pace.rate(400, 900), None);
        assert_eq!(pace.rate(400, 2_000).as_deref(), Some("about 50 tokens/s"));
        pace.spoken = (600, 300);
        assert_eq!(pace.rate(10, 2_000).as_deref(), Some("about 2.5 tokens/s"));
    }
}
