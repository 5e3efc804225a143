//! From the events of a log to the figures of a debate.
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What one debate asked of its model.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ContextFigures {
    /// How it ended.
    pub ended: String,
    /// Rounds that were to be held.
    pub planned: u32,
    /// Rounds in which somebody spoke.
    pub rounds: u32,
    /// Calls that were answered.
    pub calls: u64,
    /// Calls that the server refused, because the prompt was longer than the context.
    pub refused: u64,
    /// Tokens of the longest prompt that was answered, of the judge's too.
    pub longest_prompt: u64,
    /// Prompt tokens that the server's cache spared, of all.
    pub spared: u64,
    /// Prompt tokens of all calls.
    pub prompt_tokens: u64,
    /// Prompt tokens that the server evaluated, per turn of the rounds.
    pub evaluated: TokenLoad,
    /// The same, had the server no cache: the whole prompts.
    pub uncached: TokenLoad,
    /// What speaks against this debate being bounded; nothing if it is.
    pub findings: Vec<String>,
}

/// Prompt tokens per turn. A summary is a call of its own, and in the means a part of what the speeches of its round cost.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TokenLoad {
    /// The mean over all speeches.
    pub mean: f64,
    /// Of a hundred calls one is dearer.
    pub p99: u64,
    /// The dearest call.
    pub max: u64,
    /// The means of the four quarters of the rounds; none where nobody spoke.
    pub quarters: [Option<f64>; 4],
    /// How many times the second quarter's mean the last quarter's is.
    pub growth: Option<f64>,
}

/// The last quarter of a debate may cost this many times what the second one did.
const MOST_GROWTH: f64 = 1.5;

impl ContextFigures {
    fn find(&self) -> Vec<String> {
        let mut findings = Vec::new();
        if self.refused > 0 {
            findings.push(format!("{} prompts did not fit the context", self.refused));
        }
        if self.rounds < self.planned {
            findings.push(format!("only {} of {} rounds were held", self.rounds, self.planned));
        }
        if self.evaluated.growth.is_none_or(|growth| growth > MOST_GROWTH) {
            findings.push(format!("evaluated tokens per turn grow: {:?}", self.evaluated.quarters));
        }
        findings
    }
}

/// The calls of one quarter of the rounds.
#[derive(Clone, Debug, Default)]
struct Quarter {
    speeches: u64,
    evaluated: Vec<u64>,
    uncached: Vec<u64>,
}

/// What was added up so far.
#[derive(Debug)]
pub struct Sums {
    planned: u32,
    rounds: u32,
    calls: u64,
    refused: u64,
    longest_prompt: u64,
    spared: u64,
    prompt_tokens: u64,
    quarters: [Quarter; 4],
}

impl Sums {
    /// Nothing yet, of a debate of so many rounds.
    pub fn new(planned: u32) -> Self {
        let quarters = Default::default();
        Self { planned, rounds: 0, calls: 0, refused: 0, longest_prompt: 0, spared: 0, prompt_tokens: 0, quarters }
    }

    /// Takes in an event, as the log has it in JSON. A call whose tokens the server did not report is none.
    pub fn add(&mut self, event: &Value) {
        let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str);
        let number = |pointer: &str| event.pointer(pointer).and_then(Value::as_u64);
        self.refused += u64::from(text("/failure/cause") == Some("context_overflow"));
        let usage = (number("/call/usage/prompt_tokens"), number("/call/usage/cached_tokens"));
        let (Some(prompt), Some(cached)) = usage else { return };
        self.calls += 1;
        self.prompt_tokens += prompt;
        self.spared += cached;
        self.longest_prompt = self.longest_prompt.max(prompt);
        let speaks = text("/type") == Some("speech_recorded") && text("/kind") == Some("argument");
        let sums_up = text("/type") == Some("summary_recorded");
        let round = number(if sums_up { "/through" } else { "/turn/round" }).and_then(|round| round.try_into().ok());
        if let Some(round) = round.filter(|_| speaks || sums_up) {
            self.rounds = self.rounds.max(round);
            self.add_to_quarter(round, speaks, (prompt - cached, prompt));
        }
    }

    fn add_to_quarter(&mut self, round: u32, speaks: bool, (evaluated, uncached): (u64, u64)) {
        let at = round.saturating_sub(1) * 4 / self.planned.max(1);
        if let Some(quarter) = self.quarters.get_mut(at as usize) {
            quarter.speeches += u64::from(speaks);
            quarter.evaluated.push(evaluated);
            quarter.uncached.push(uncached);
        }
    }

    /// The figures of a debate that ended so.
    pub fn figures(self, ended: &str) -> ContextFigures {
        let mut figures = ContextFigures {
            evaluated: self.load(|quarter| &quarter.evaluated),
            uncached: self.load(|quarter| &quarter.uncached),
            ended: ended.to_owned(),
            planned: self.planned,
            rounds: self.rounds,
            calls: self.calls,
            refused: self.refused,
            longest_prompt: self.longest_prompt,
            spared: self.spared,
            prompt_tokens: self.prompt_tokens,
            findings: Vec::new(),
        };
        figures.findings = figures.find();
        figures
    }

    fn load(&self, of: fn(&Quarter) -> &[u64]) -> TokenLoad {
        let mean = |tokens: u64, speeches: u64| tokens as f64 / speeches as f64;
        let quarters = self.quarters.each_ref();
        let mut all: Vec<u64> = quarters.iter().flat_map(|quarter| of(quarter)).copied().collect();
        all.sort_unstable();
        let speeches = quarters.iter().map(|quarter| quarter.speeches).sum::<u64>().max(1);
        let means =
            quarters.map(|quarter| (quarter.speeches > 0).then(|| mean(of(quarter).iter().sum(), quarter.speeches)));
        let [_, second, _, last] = means;
        TokenLoad {
            mean: mean(all.iter().sum(), speeches),
            p99: all.get((all.len() * 99).div_ceil(100).saturating_sub(1)).copied().unwrap_or(0),
            max: all.last().copied().unwrap_or(0),
            quarters: means,
            growth: second.zip(last).map(|(second, last)| last / second),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn event(kind: &str, round: u32, prompt: u64, cached: u64) -> Value {
        let usage = json!({"prompt_tokens": prompt, "cached_tokens": cached});
        json!({"type": kind, "kind": "argument", "turn": {"round": round}, "through": round, "call": {"usage": usage}})
    }

    #[test]
    fn a_summary_is_a_call_and_a_part_of_what_the_speeches_of_its_quarter_cost() {
        let mut sums = Sums::new(8);
        for round in 1..=8 {
            sums.add(&event("speech_recorded", round, 100, 60));
            sums.add(&event("speech_recorded", round, 120, 100));
        }
        sums.add(&event("summary_recorded", 4, 50, 0));
        sums.add(&event("vote_cast", 9, 500, 490));

        let figures = sums.figures("decided");

        assert_eq!((figures.calls, figures.rounds, figures.longest_prompt), (18, 8, 500));
        assert_eq!(figures.evaluated.quarters, [Some(30.0), Some(42.5), Some(30.0), Some(30.0)]);
        assert_eq!((figures.evaluated.mean, figures.evaluated.max, figures.uncached.max), (33.125, 50, 120));
        assert!(figures.findings.is_empty());
    }

    #[test]
    fn what_is_refused_cut_short_or_grows_is_told() {
        let mut sums = Sums::new(8);
        for round in 1..=7 {
            sums.add(&event("speech_recorded", round, 100 * u64::from(round), 0));
        }
        sums.add(&json!({"type": "turn_failed", "failure": {"cause": "context_overflow"}, "call": {"usage": {}}}));

        let findings = sums.figures("failed").findings;

        assert_eq!(findings.len(), 3, "{findings:?}");
    }
}
