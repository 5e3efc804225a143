//! What moderators and judges decide of a round and of the debate.
use crate::enums::Numbered;
use crate::error::DecodeError;
use crate::flat as pb;
use crate::task::{names, participants};
use agon_core::{CitedEntry, Judgement, Ranked, RoundPlan, RoundSummary, Synthesis};

impl From<&RoundPlan> for pb::RoundPlan {
    fn from(plan: &RoundPlan) -> Self {
        Self {
            next_speakers: names(&plan.next_speakers),
            briefing: plan.briefing.clone(),
            new_angle: plan.new_angle.clone(),
            done: plan.done,
        }
    }
}
impl From<pb::RoundPlan> for RoundPlan {
    fn from(plan: pb::RoundPlan) -> Self {
        Self {
            next_speakers: participants(plan.next_speakers),
            briefing: plan.briefing,
            new_angle: plan.new_angle,
            done: plan.done,
        }
    }
}

impl From<&RoundSummary> for pb::RoundSummary {
    fn from(summary: &RoundSummary) -> Self {
        Self {
            summary: summary.summary.clone(),
            status: summary.status.number(),
            decision: summary.decision.clone(),
            vote_now: summary.vote_now,
        }
    }
}
impl TryFrom<pb::RoundSummary> for RoundSummary {
    type Error = DecodeError;
    fn try_from(summary: pb::RoundSummary) -> Result<Self, DecodeError> {
        Ok(Self {
            summary: summary.summary,
            status: Numbered::from_number(summary.status, "status")?,
            decision: summary.decision,
            vote_now: summary.vote_now,
        })
    }
}

impl From<&Judgement> for pb::Judgement {
    fn from(judgement: &Judgement) -> Self {
        let cited = |cited: &CitedEntry| pb::CitedEntry { entry: cited.entry, quote: cited.quote.clone() };
        Self {
            verdict: judgement.verdict.clone(),
            winner: judgement.winner.clone(),
            reasoning: judgement.reasoning.clone(),
            citations: judgement.citations.iter().map(cited).collect(),
            open_objections: judgement.open_objections.clone(),
        }
    }
}
impl From<pb::Judgement> for Judgement {
    fn from(judgement: pb::Judgement) -> Self {
        let cited = |cited: pb::CitedEntry| CitedEntry { entry: cited.entry, quote: cited.quote };
        Self {
            verdict: judgement.verdict,
            winner: judgement.winner,
            reasoning: judgement.reasoning,
            citations: judgement.citations.into_iter().map(cited).collect(),
            open_objections: judgement.open_objections,
        }
    }
}

impl From<&Ranked> for pb::Ranked {
    fn from(ranked: &Ranked) -> Self {
        Self { candidate: ranked.candidate.clone(), reason: ranked.reason.clone() }
    }
}
impl From<pb::Ranked> for Ranked {
    fn from(ranked: pb::Ranked) -> Self {
        Self { candidate: ranked.candidate, reason: ranked.reason }
    }
}

impl From<&Synthesis> for pb::Synthesis {
    fn from(synthesis: &Synthesis) -> Self {
        Self {
            text: synthesis.text.to_string(),
            output: synthesis.output.as_deref().map(Into::into),
            problems: synthesis.problems.clone(),
        }
    }
}
impl From<pb::Synthesis> for Synthesis {
    fn from(synthesis: pb::Synthesis) -> Self {
        Self { text: synthesis.text.into(), output: synthesis.output.map(Into::into), problems: synthesis.problems }
    }
}
