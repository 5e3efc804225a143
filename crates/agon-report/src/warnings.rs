//! What a reader should know before trusting the result.
use crate::feeds;
use crate::minutes::{Deed, Minutes, MinutesEntry};
use crate::text::{excerpt, sentence};
use crate::words::{self, count};
use agon_core::{Coercion, Method, judge_index};
use std::collections::BTreeMap;

impl<'a> Minutes<'a> {
    /// What a reader should know before trusting the result.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if let Some(source) = &self.admission.rejudges {
            warnings.push(format!("The speeches are those of debate {source}; only the judgement is new."));
        }
        for (entry, _, fallback) in self.decisions() {
            if fallback {
                warnings.push(format!(
                    "Round {}: the moderator's own decision could not be had; the default stands in for it.",
                    entry.turn.round
                ));
            }
        }
        for (entry, speech) in self.speeches().filter(|(_, speech)| speech.neutralised > 0) {
            let marks = count(speech.neutralised.into(), "look-alike");
            warnings.push(format!(
                "{} of the transcript's own marks in {}'s speech ({}) did not reach the other speakers as such.",
                marks, entry.participant, entry.turn
            ));
        }
        for (entry, of, neutralised) in self.neutralised_critiques() {
            let marks = count(neutralised.into(), "look-alike");
            warnings.push(format!(
                "{marks} of the transcript's own marks in {}'s critique of {of} ({}) did not reach the other speakers as such.",
                entry.participant, entry.turn
            ));
        }
        warnings.extend(feeds::warnings(self.admission));
        warnings.extend(self.unlike_wanted());
        warnings.extend(self.substitutions());
        warnings.extend(self.others());
        warnings.extend(self.coercions());
        warnings.extend(self.adapted());
        let citations = self.citations();
        let short = citations.iter().filter(|citation| citation.too_short).count();
        let missing = citations.iter().filter(|citation| !citation.verified && !citation.too_short).count();
        for (what, found) in [("Not found in the speech that they name", missing), ("Too short to verify", short)] {
            if found > 0 {
                let all = count(citations.len() as u64, "citation");
                warnings.push(format!("{what}: {found} of the judge's {all}."));
            }
        }
        if self.usage().unknown_calls > 0 {
            warnings.push(format!(
                "{} did not report all tokens; the sums have what was reported.",
                count(self.usage().unknown_calls.into(), "call")
            ));
        }
        warnings.extend(self.shared_model());
        warnings
    }
    fn neutralised_critiques(&self) -> impl Iterator<Item = (&MinutesEntry<'a>, &'a str, u32)> {
        self.entries.iter().filter_map(|entry| {
            let Deed::Criticised { of, neutralised, .. } = entry.deed else { return None };
            (neutralised > 0).then_some((entry, of.as_str(), neutralised))
        })
    }
    /// What was not done as the debate file asks for.
    fn unlike_wanted(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let instead: Vec<u32> = self
            .measures
            .iter()
            .filter(|(_, measures)| measures.method == Method::WordsInstead)
            .map(|(round, _)| *round)
            .collect();
        if !instead.is_empty() {
            let rounds: Vec<String> = instead.iter().map(ToString::to_string).collect();
            warnings.push(format!(
                "Similarity was measured by words, because the embeddings could not be had (round {}).",
                rounds.join(", ")
            ));
        }
        let failed = self.tools.iter().filter(|used| used.tool.error.is_some()).count();
        if failed > 0 {
            warnings.push(format!(
                "{failed} of {} failed.",
                words::counted(self.tools.len() as u64, "use of a tool", "uses of tools")
            ));
        }
        let checks = self.formal_checks().count();
        let failed = self.formal_checks().filter(|(_, check)| check.result.cause().is_some()).count();
        if failed > 0 {
            let all = words::counted(checks as u64, "check of a claim", "checks of claims");
            warnings.push(format!("{failed} of {all} failed, which says nothing about these claims."));
        }
        if self.synthesis().is_some_and(|(_, synthesis)| !synthesis.problems.is_empty()) {
            warnings.push("The synthesis does not fit the schema; its text is kept as it came.".to_owned());
        }
        warnings.extend(self.predicate_problem.map(|problem| sentence(&format!("After the last round, {problem}"))));
        let hidden = self.left_out().join(" and ");
        if !hidden.is_empty() {
            warnings
                .push(format!("The words of the {hidden} are not shown, as the debate file asks; the log has them."));
        }
        warnings
    }
    /// Whose words are not in the reports, because the debate file says so.
    pub(crate) fn left_out(&self) -> Vec<&'static str> {
        let visible = &self.visible;
        let roles = [
            ("debaters", visible.debaters),
            ("moderator", visible.moderator),
            ("judges", visible.judge),
            ("synthesizer", visible.synthesizer),
        ];
        roles.iter().filter(|(_, shown)| !shown.history).map(|(name, _)| *name).collect()
    }
    fn substitutions(&self) -> Vec<String> {
        let mut found = Vec::new();
        // A model that failed has played nobody.
        for (entry, call) in self.calls().filter(|(entry, _)| !matches!(entry.deed, Deed::Failed { .. })) {
            let wanted = self
                .admission
                .spec
                .role(&entry.participant.into())
                .and_then(|role| role.models().first().map(|model| (*model).clone()));
            let (Some(wanted), Some(used)) = (wanted, &call.model) else { continue };
            let warning = format!("{} was played by {used} instead of {wanted}.", entry.participant);
            if *used != wanted && !found.contains(&warning) {
                found.push(warning);
            }
        }
        found
    }
    /// Models that answered under another name than they were asked for by.
    fn others(&self) -> Vec<String> {
        let mut found = Vec::new();
        for (_, call) in self.calls() {
            let (Some(asked), Some(answered)) = (&call.model, call.other_model()) else { continue };
            let place = call.host.as_ref().map(|host| format!(" on {host}")).unwrap_or_default();
            let warning = sentence(&format!("{asked}{place} was answered by {}", excerpt(answered, 80)));
            if !found.contains(&warning) {
                found.push(warning);
            }
        }
        found
    }
    /// Values that were not among the allowed ones and were read as another one.
    fn coercions(&self) -> Vec<String> {
        let told = self.calls().flat_map(|(entry, call)| call.coerced.iter().map(move |coercion| (entry, coercion)));
        let told = told.map(|(entry, Coercion { field, from, to })| {
            let who = words::who(entry.participant);
            let (from, to) = (excerpt(from, 80), excerpt(to, 80));
            if field.is_empty() {
                return sentence(&format!(
                    "the JSON of {who} had a mistake ({}), and was read as it was meant: {from}",
                    entry.turn
                ));
            }
            if to.is_empty() {
                return sentence(&format!("the {field} of {who} ended where it went on as {from} ({})", entry.turn));
            }
            sentence(&format!("{who} answered {from} as {field} ({}); it was read as {to}", entry.turn))
        });
        told.collect()
    }
    /// Answers that were to be shorter than their `max_tokens`, because of their models' speeds.
    fn adapted(&self) -> Vec<String> {
        let mut models: BTreeMap<&str, (u64, u32, f64)> = BTreeMap::new();
        for (_, call) in self.calls() {
            let (Some(speed), Some(model)) = (call.options.tokens_per_second, &call.model) else { continue };
            let most = call.options.max_tokens.unwrap_or_default();
            let (calls, least, slowest) = models.entry(model.as_str()).or_insert((0, most, speed));
            (*calls, *least, *slowest) = (*calls + 1, most.min(*least), speed.min(*slowest));
        }
        let told = models.into_iter().map(|(model, (calls, least, slowest))| {
            let calls = count(calls, "answer");
            format!("`max_tokens` was lowered for {calls} of {model}, to {least} at the least: it generated {slowest:.1} tokens a second.")
        });
        told.collect()
    }
    /// The debaters that have the judge's model, once a judge was asked.
    fn shared_model(&self) -> Option<String> {
        let spec = &self.admission.spec;
        let judge = &spec.judge.as_ref()?.voice.model;
        self.asks.values().find(|(_, ask)| judge_index(&ask.participant).is_some())?;
        let shared = spec.personas.iter().filter(|persona| persona.voice.model == *judge);
        let mut names: Vec<&str> = shared.map(|persona| persona.name.as_str()).collect();
        let last = names.pop()?;
        let others: String = names.into_iter().map(|name| format!(", {name}")).collect();
        Some(format!("The judge{others} and {last} are the same model ({judge}); a judge may favour its own kind."))
    }
}
