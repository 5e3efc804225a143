//! Whether answers take longer at a model's speed than a turn may.
use super::{DebateSpec, Role, Voice};
use crate::ids::ModelName;
use std::fmt;

/// The part of a turn's time in which an answer is to be generated, in percent: the prompt is read in the rest.
const SHARE: f64 = 75.0;
/// An answer of fewer tokens is none.
const LEAST: u32 = 64;

/// Answers that do not end within `timeout_per_turn` if they are as long as they may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlong {
    /// The longest answer that the model is asked for, in tokens.
    pub max_tokens: u32,
    /// What the model generates a second.
    pub tokens_per_second: f64,
    /// What a turn may take, in milliseconds.
    pub limit_ms: u64,
}
impl Overlong {
    /// What to do about it.
    pub const REMEDY: &str = "raise `timeout_per_turn`, lower `max_tokens`, or let `adapt_max_tokens: true` lower it";

    /// What to tell whoever holds the debate, with the numbers and what to do.
    pub fn warning(&self) -> String {
        format!("the model may be too slow for this debate: {self}; {}", Self::REMEDY)
    }

    /// What the longest answer takes, in milliseconds.
    pub fn takes_ms(&self) -> u64 {
        millis(f64::from(self.max_tokens) / self.tokens_per_second)
    }
}
impl fmt::Display for Overlong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { max_tokens, tokens_per_second, limit_ms } = self;
        let (takes, limit) = (lasting(self.takes_ms()), lasting(*limit_ms));
        write!(
            f,
            "at {tokens_per_second:.1} tokens a second an answer of {max_tokens} (`max_tokens`) takes {takes}, and `timeout_per_turn` is {limit}"
        )
    }
}

/// The most tokens of an answer that fit into a turn's time at a model's speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// So many tokens, and at least so many that an answer makes sense.
    pub max_tokens: u32,
    /// What the model generates a second.
    pub tokens_per_second: f64,
}
impl Fit {
    /// How a voice speaks that keeps to it.
    pub fn of(self, voice: &Voice) -> Voice {
        Voice { max_tokens: voice.max_tokens.min(self.max_tokens), ..voice.clone() }
    }
}

impl DebateSpec {
    /// How long answers may be at this speed, where the debate adapts them.
    pub fn fit(&self, tokens_per_second: f64) -> Option<Fit> {
        self.answers.adapt_max_tokens.then(|| {
            let fitting = tokens_per_second * SHARE / 100.0 * self.timeout_per_turn_ms as f64 / 1000.0;
            Fit { max_tokens: (fitting as u32).max(LEAST), tokens_per_second }
        })
    }

    /// Whether an answer of a model that generates so fast may take longer than a turn.
    pub fn overlong(&self, model: &ModelName, tokens_per_second: f64) -> Option<Overlong> {
        let most = self.most_tokens_of(model)?;
        let max_tokens = self.fit(tokens_per_second).map_or(most, |fit| most.min(fit.max_tokens));
        let overlong = Overlong { max_tokens, tokens_per_second, limit_ms: self.timeout_per_turn_ms };
        (tokens_per_second > 0.0 && overlong.takes_ms() > self.timeout_per_turn_ms).then_some(overlong)
    }

    /// The longest answer that a model may be asked for.
    fn most_tokens_of(&self, model: &ModelName) -> Option<u32> {
        let judges = self.judge.iter().flat_map(|judge| (0..judge.panel).map(move |index| Role::Judge(index, judge)));
        let judged = judges.filter(|judge| judge.models().contains(&model)).filter_map(|judge| judge.voice());
        let uses = |voice: &&Voice| voice.model == *model || voice.fallback_models.contains(model);
        let others = self.voices().filter(uses);
        others.chain(judged).map(|voice| voice.max_tokens).max()
    }
}

fn millis(seconds: f64) -> u64 {
    (seconds * 1000.0) as u64
}

/// A length of time, for a person.
fn lasting(ms: u64) -> String {
    match ms {
        0..2_000 => format!("{ms} ms"),
        2_000..120_000 => format!("{} s", ms / 1000),
        120_000..7_200_000 => format!("{} min {} s", ms / 60_000, ms / 1000 % 60),
        _ => format!("{} h {} min", ms / 3_600_000, ms / 60_000 % 60),
    }
}
