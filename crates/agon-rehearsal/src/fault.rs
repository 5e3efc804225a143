//! Fault scripts: which calls go wrong, and how.
//!
//! A script is a list of rules in TOML or JSON. A rule names the calls it is about (`when`) and what happens to them (`fault`):
//!
//! ```toml
//! [[rules]]
//! when = { speaker = "Ada", call = 2 }
//! fault = "busy"
//! for = 3
//! ```
//!
//! The selectors `model`, `speaker` and `task` choose the calls a rule counts; `call`, `every` and `first` choose among those it counted.

use std::{fmt, num::NonZeroU64, str::FromStr, time::Duration};

use serde::{Deserialize, Deserializer, Serialize};

use crate::{RehearsalError, task::PromptTask};

/// A validated list of fault rules; the default is no faults.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaultScript {
    /// The rules; of each group (delay, failure, behaviour) the first that fires counts.
    #[serde(default)]
    pub rules: Vec<Rule>,
}

/// One rule: which calls, what happens, how long, and its figures.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// Which calls it is about; absent means every chat call.
    #[serde(default)]
    pub when: When,
    /// What happens to them.
    pub fault: Fault,
    /// How many counted calls (or for how long) it lasts once it fired; for `crash`, how long the server is gone (2 s).
    #[serde(default, rename = "for")]
    pub lasts: Option<RuleDuration>,
    /// Delay of `slow` before the first token (2 s).
    #[serde(default, deserialize_with = "duration")]
    pub delay: Option<Duration>,
    /// Time between the tokens of a `slow` answer; absent, the server's own pace.
    #[serde(default, deserialize_with = "duration")]
    pub pace: Option<Duration>,
    /// Tokens sent before `error_line`, `cut`, `drop`, `truncated`, `crash` strike (8; `crash`: 0, before any answer).
    #[serde(default)]
    pub after: Option<u32>,
}

/// The calls a rule is about; every given selector must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct When {
    /// Model name as asked for.
    #[serde(default)]
    pub model: Option<String>,
    /// Who speaks: `agon_speaker` of the request, else the name after `You are:` in the prompt.
    #[serde(default)]
    pub speaker: Option<String>,
    /// Task the prompt sets.
    #[serde(default)]
    pub task: Option<PromptTask>,
    /// The nth counted call, from 1.
    #[serde(default)]
    pub call: Option<NonZeroU64>,
    /// Every nth counted call.
    #[serde(default)]
    pub every: Option<NonZeroU64>,
    /// The first n counted calls.
    #[serde(default)]
    pub first: Option<NonZeroU64>,
}

/// What happens to a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fault {
    /// The first token comes late by `delay`.
    Slow,
    /// 503, the queue is full.
    Busy,
    /// 404, the model is not there.
    NotFound,
    /// 500, the runner died.
    RunnerDied,
    /// Never answers; ends when the client hangs up.
    Hang,
    /// Status 200 and, after some tokens, an `{"error": ..}` line.
    ErrorLine,
    /// The stream ends after some tokens, well formed but without `done: true`.
    Cut,
    /// The connection closes in the middle of a line.
    Drop,
    /// Broken JSON where a schema was asked for; counts only such calls.
    Malformed,
    /// `done_reason: length` after some tokens.
    Truncated,
    /// Every connection is reset, new ones are refused for a while, the prompt cache is lost.
    Crash,
    /// No text at all.
    Empty,
    /// Thinking, then `done_reason: length` with no text.
    ThinkingOnly,
    /// A good answer without token counts.
    Uncounted,
    /// A debater who agrees with whoever spoke last.
    Sycophant,
    /// A debater who repeats its last speech and keeps its ballot.
    Stubborn,
    /// A debater whose speeches win ballots, votes and verdicts.
    Persuader,
    /// A judge who prefers whoever spoke first.
    OrderBiased,
    /// A debater who forges headers and fences, instructs judges and voters, and writes markup.
    Hostile,
}

/// How long a rule lasts once it fired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleDuration {
    /// That many counted calls, the firing one included.
    Calls(u64),
    /// That long from the firing call on.
    Time(Duration),
}

impl Fault {
    /// The group a fault belongs to; one fault of each group can meet one call.
    pub(crate) fn group(self) -> FaultGroup {
        match self {
            Self::Slow => FaultGroup::Delay,
            Self::Sycophant | Self::Stubborn | Self::Persuader | Self::OrderBiased | Self::Hostile => {
                FaultGroup::Behaviour
            }
            Self::Busy
            | Self::NotFound
            | Self::RunnerDied
            | Self::Hang
            | Self::ErrorLine
            | Self::Cut
            | Self::Drop
            | Self::Malformed
            | Self::Truncated
            | Self::Crash
            | Self::Empty
            | Self::ThinkingOnly
            | Self::Uncounted => FaultGroup::Failure,
        }
    }
}

/// Groups of faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FaultGroup {
    Delay,
    Failure,
    Behaviour,
}

impl FromStr for FaultScript {
    type Err = RehearsalError;

    /// Reads TOML, or JSON when the text starts with `{`.
    fn from_str(text: &str) -> Result<Self, RehearsalError> {
        let script: Self = if text.trim_start().starts_with('{') {
            serde_json::from_str(text).map_err(|error| RehearsalError::Script(error.to_string()))?
        } else {
            toml::from_str(text).map_err(|error| RehearsalError::Script(error.to_string()))?
        };
        script.check()?;
        Ok(script)
    }
}

impl FaultScript {
    fn check(&self) -> Result<(), RehearsalError> {
        let wrong: Vec<String> = self.rules.iter().enumerate().filter_map(|(n, rule)| rule.problem(n + 1)).collect();
        if wrong.is_empty() { Ok(()) } else { Err(RehearsalError::Script(wrong.join("; "))) }
    }
}

impl Rule {
    fn problem(&self, number: usize) -> Option<String> {
        let picks = [self.when.call, self.when.every, self.when.first].iter().flatten().count();
        if picks > 1 {
            return Some(format!("rule {number}: give one of `call`, `every` and `first`"));
        }
        if self.delay.is_some() && self.fault != Fault::Slow {
            return Some(format!("rule {number}: `delay` is for the fault `slow` alone"));
        }
        if self.pace.is_some() && self.fault != Fault::Slow {
            return Some(format!("rule {number}: `pace` is for the fault `slow` alone"));
        }
        if self.fault == Fault::Crash && matches!(self.lasts, Some(RuleDuration::Calls(_))) {
            return Some(format!("rule {number}: `for` of a `crash` is a time such as \"2s\""));
        }
        None
    }

    /// Delay before the first token that this rule asks for.
    ///
    /// A rule that sets a pace alone delays nothing.
    pub(crate) fn slow_by(&self) -> Duration {
        let usual = if self.pace.is_some() { Duration::ZERO } else { Duration::from_secs(2) };
        self.delay.unwrap_or(usual)
    }

    /// How long a crashed server is gone.
    pub(crate) fn gone_for(&self) -> Duration {
        match self.lasts {
            Some(RuleDuration::Time(time)) => time,
            Some(RuleDuration::Calls(_)) | None => Duration::from_secs(2),
        }
    }

    /// Tokens before the fault strikes.
    pub(crate) fn strikes_after(&self) -> usize {
        let default = if self.fault == Fault::Crash { 0 } else { 8 };
        usize::try_from(self.after.unwrap_or(default)).unwrap_or(usize::MAX)
    }
}

/// Reads `"500ms"`, `"2s"`, `"1m"`.
pub(crate) fn parse_duration(text: &str) -> Option<Duration> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at_checked(digits)?;
    let number: u64 = number.parse().ok()?;
    match unit.trim() {
        "ms" => Some(Duration::from_millis(number)),
        "s" => Some(Duration::from_secs(number)),
        "m" => number.checked_mul(60).map(Duration::from_secs),
        _ => None,
    }
}

fn duration<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(from)?;
    parse_duration(&text).map(Some).ok_or_else(|| serde::de::Error::custom(not_a_duration(&text)))
}

fn not_a_duration(text: &str) -> String {
    format!("`{text}` is not a duration; write a whole number with `ms`, `s` or `m`, such as \"2s\"")
}

impl<'de> Deserialize<'de> for RuleDuration {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = RuleDuration;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of calls or a duration such as \"2s\"")
            }

            fn visit_u64<E: serde::de::Error>(self, n: u64) -> Result<RuleDuration, E> {
                Ok(RuleDuration::Calls(n))
            }

            fn visit_i64<E: serde::de::Error>(self, n: i64) -> Result<RuleDuration, E> {
                u64::try_from(n).map(RuleDuration::Calls).map_err(|_| E::custom("a number of calls is not negative"))
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<RuleDuration, E> {
                parse_duration(text).map(RuleDuration::Time).ok_or_else(|| E::custom(not_a_duration(text)))
            }
        }
        from.deserialize_any(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn toml_and_json_give_the_same_script() {
        let toml: FaultScript =
            "[[rules]]\nwhen = { speaker = \"Ada\", task = \"argument\", call = 2 }\nfault = \"busy\"\nfor = 3\n\
            [[rules]]\nfault = \"slow\"\ndelay = \"1500ms\"\nfor = \"2m\"\n"
                .parse()
                .unwrap();
        let json: FaultScript = r#"{"rules":[
            {"when":{"speaker":"Ada","task":"argument","call":2},"fault":"busy","for":3},
            {"fault":"slow","delay":"1500ms","for":"2m"}]}"#
            .parse()
            .unwrap();
        assert_eq!(toml, json);
        assert_eq!(toml.rules[0].lasts, Some(RuleDuration::Calls(3)));
        assert_eq!(toml.rules[1].lasts, Some(RuleDuration::Time(Duration::from_secs(120))));
        assert_eq!(toml.rules[1].slow_by(), Duration::from_millis(1500));
    }

    #[test]
    fn a_slow_rule_delays_two_seconds_unless_it_sets_a_delay_or_a_pace() {
        let delay = |more: &str| {
            let script: FaultScript = format!("[[rules]]\nfault = \"slow\"\n{more}").parse().unwrap();
            script.rules[0].slow_by()
        };
        assert_eq!(delay(""), Duration::from_secs(2));
        assert_eq!(delay("pace = \"20ms\""), Duration::ZERO);
        assert_eq!(delay("pace = \"20ms\"\ndelay = \"1s\""), Duration::from_secs(1));
    }

    #[test]
    fn an_unknown_kind_is_refused_with_the_list_of_kinds() {
        let error = "[[rules]]\nfault = \"explode\"\n".parse::<FaultScript>().unwrap_err().to_string();
        for part in ["explode", "busy", "thinking_only", "order_biased"] {
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn a_misspelt_selector_a_bad_duration_and_two_picks_are_refused() {
        let error = |text: &str| text.parse::<FaultScript>().unwrap_err().to_string();
        assert!(error("[[rules]]\nfault = \"busy\"\nwhen = { speeker = \"Ada\" }").contains("speaker"));
        assert!(error("[[rules]]\nfault = \"slow\"\ndelay = \"soon\"").contains("`soon` is not a duration"));
        assert!(error("[[rules]]\nfault = \"busy\"\nwhen = { call = 1, first = 2 }").contains("one of"));
        assert!(error("[[rules]]\nfault = \"crash\"\nfor = 3").contains("a time"));
        assert!(error("[[rules]]\nfault = \"busy\"\npace = \"1s\"").contains("`slow` alone"));
        assert!(error("[[rules]]\nfault = \"busy\"\nwhen = { call = 0 }").contains("nonzero"));
    }
}
