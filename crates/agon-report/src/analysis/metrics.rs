//! What each debater did.
use super::AnalysisFacts;
use super::sums::{counted, share};
use serde::Serialize;
use std::collections::BTreeMap;

/// What a debater did. All that rests on speeches is absent where the debate file keeps the debaters' words out of reports.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DebaterMetrics {
    /// Who.
    pub debater: String,
    /// Speeches that it finished; critiques, points of information and their replies are not speeches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speeches: Option<u32>,
    /// Words of these speeches: what stands between white space and has a letter or a digit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<u64>,
    /// These words as a share of those of all debaters, 0 to 1, to thousandths; absent where nobody said a word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub word_share: Option<f64>,
    /// Tokens generated in all of its calls, ballots and failed tries included; absent where any call did not report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generated_tokens: Option<u64>,
    /// Attacks of its speeches on others, by the argument tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attacks_made: Option<u32>,
    /// Attacks of others on its speeches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attacks_received: Option<u32>,
    /// Of the attacks received, those that somebody answered: a later speech by anybody but the attacker attacks or
    /// answers the attacking speech, or the attacked speech was revised after the attack.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attacks_answered: Option<u32>,
}

/// The words of a text.
pub(super) fn words(text: &str) -> u64 {
    text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count() as u64
}

pub(super) fn of(facts: &AnalysisFacts<'_, '_>) -> Vec<DebaterMetrics> {
    let mut said: BTreeMap<&str, (u32, u64)> = BTreeMap::new();
    for (entry, speech) in facts.minutes.speeches() {
        let (speeches, sum) = said.entry(entry.participant).or_default();
        (*speeches, *sum) = (speeches.saturating_add(1), sum.saturating_add(words(&speech.text)));
    }
    let all = said.values().map(|(_, words)| words).sum();
    let one = |debater: &str| {
        let spoke = facts.floor.as_ref().map(|_| said.get(debater).copied().unwrap_or_default());
        let attacks = |which: fn(&super::TreeAttack<'_>, &str) -> bool| {
            let floor = facts.floor.as_ref()?;
            Some(counted(floor.attacks.iter().filter(|attack| which(attack, debater)).count()))
        };
        DebaterMetrics {
            debater: debater.to_owned(),
            speeches: spoke.map(|(speeches, _)| speeches),
            words: spoke.map(|(_, words)| words),
            word_share: spoke.and_then(|(_, words)| share(words, all)),
            generated_tokens: generated(facts, debater),
            attacks_made: attacks(|attack, debater| attack.by == debater),
            attacks_received: attacks(|attack, debater| attack.on == debater),
            attacks_answered: attacks(|attack, debater| attack.on == debater && attack.answered),
        }
    };
    facts.held.iter().map(|held| one(held.debater)).collect()
}

/// Tokens of all calls of a debater; unknown where one of them did not report.
fn generated(facts: &AnalysisFacts<'_, '_>, debater: &str) -> Option<u64> {
    let own = facts.minutes.calls().filter(|(entry, _)| entry.participant == debater);
    own.map(|(_, call)| call.usage.completion_tokens).try_fold(0_u64, |sum, made| Some(sum.saturating_add(made?)))
}
