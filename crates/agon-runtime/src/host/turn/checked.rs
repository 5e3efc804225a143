//! The claims that a speech marks are checked where it was generated, before it is anybody else's: what came of them is a part of it.
use super::Play;
use crate::cluster::is_speech;
use crate::host::host_state::Answerer;
use agon_core::{
    Answer, CLAIM_CHARS, Call, Check, CheckFailure, CheckResult, DebateSpec, Failure, FailureCause, MarkedClaim,
    marked_claims,
};
use std::time::Duration;

/// So long before the turn's deadline the last check ends: a check must not cost the speech.
const RESERVE: Duration = Duration::from_secs(5);

/// The most claims of a speech that are checked, by whichever verifiers: the speech has to fit a message.
const MOST_OF_A_SPEECH: usize = 20;

impl Play {
    /// A host that lacks a verifier of the debate plays none of its speeches, as it plays no turn whose tools it lacks.
    pub(super) fn verifiers_there(&self, spec: &DebateSpec) -> Result<(), Failure> {
        if !self.is_speech_of_a_model() {
            return Ok(());
        }
        let known: Vec<&str> = self.shared.verifiers.names().collect();
        match spec.verifiers.iter().find(|name| !known.contains(&name.as_str())) {
            None => Ok(()),
            Some(missing) => {
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                let detail = format!("{}: there is no verifier `{missing}` here; there is {known}", self.host_state.id);
                Err(Failure::new(FailureCause::ToolMissing, detail))
            }
        }
    }

    /// Has the claims of a finished speech checked, one after the other.
    pub(super) async fn check_claims(&self, spec: &DebateSpec, answer: &Answer, call: &mut Call) {
        let text = match answer {
            Answer::Speech { text, cut: false, cut_at_limit: false } => text,
            Answer::Revision(revision) => &revision.text,
            _ => return,
        };
        if spec.verifiers.is_empty() || !self.is_speech_of_a_model() {
            return;
        }
        let mut known = self.replica.checks(self.work.ask.sees);
        let before = known.len();
        for marked in marked_claims(text) {
            if let Some(check) = Box::pin(self.checked(spec, marked, (&known, before))).await {
                known.push(check);
            }
        }
        call.checks = known.split_off(before);
    }

    /// One claim; none where there is nothing new to say of it. Of `known`, those from `before` on are of the same speech.
    async fn checked(
        &self,
        spec: &DebateSpec,
        marked: MarkedClaim,
        (known, before): (&[Check], usize),
    ) -> Option<Check> {
        let own = known.get(before..).unwrap_or_default();
        let MarkedClaim { verifier, claim } = marked;
        let same = |check: &Check| check.verifier == verifier && check.claim == claim && check.result.cause().is_none();
        if known.iter().any(same) {
            return None;
        }
        let Some((cause, output)) = self.refusal(spec, &verifier, (known, own)) else {
            return Some(self.shared.verifiers.check(&verifier, &claim, self.time_left()).await);
        };
        let (result, claim) = (CheckResult::Failed { cause }, claim.chars().take(CLAIM_CHARS).collect());
        // once for a speech is enough
        let told = own.iter().any(|told| told.result == result && told.output == output);
        (!told).then_some(Check { verifier, claim, result, output, truncated: false, duration_ms: 0 })
    }

    /// Why a verifier is not asked.
    fn refusal(
        &self,
        spec: &DebateSpec,
        verifier: &str,
        (known, own): (&[Check], &[Check]),
    ) -> Option<(CheckFailure, String)> {
        if !spec.verifiers.iter().any(|name| name == verifier) {
            let there = spec.verifiers.join(", ");
            return Some((CheckFailure::UnknownVerifier, format!("this debate has no such verifier; it has {there}")));
        }
        let (speech, debate) = self.shared.verifiers.most(verifier);
        let run = |checks: &[Check]| checks.iter().filter(|check| check.verifier == verifier && was_run(check)).count();
        let words = if own.iter().filter(|check| was_run(check)).count() >= MOST_OF_A_SPEECH {
            format!("{MOST_OF_A_SPEECH} claims of a speech are checked at most")
        } else if run(own) >= speech {
            format!("`{verifier}` checks {speech} claims of a speech at most")
        } else if run(known) >= debate {
            format!("`{verifier}` checks {debate} claims of a debate at most")
        } else {
            return None;
        };
        Some((CheckFailure::OverLimit, words))
    }

    /// A process outside Agon brings verifiers of its own, as it does tools.
    fn is_speech_of_a_model(&self) -> bool {
        is_speech(&self.work.ask.task.work) && matches!(self.host_state.player, Answerer::Server(_))
    }

    fn time_left(&self) -> Duration {
        self.work.left().saturating_sub(RESERVE)
    }
}

/// Whether a verifier was asked: only that is limited.
fn was_run(check: &Check) -> bool {
    !matches!(check.result.cause(), Some(CheckFailure::UnknownVerifier | CheckFailure::OverLimit))
}
