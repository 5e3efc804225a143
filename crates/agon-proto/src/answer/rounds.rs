//! What moderators and judges decide of a round and of the debate.
use crate::mirror::mirror;

mirror! {
    agon_core::RoundPlan as RoundPlan { next_speakers, briefing, new_angle, done }
    agon_core::RoundSummary as RoundSummary { summary, status, decision, vote_now }
    agon_core::Judgement as Judgement { verdict, winner, reasoning, citations, open_objections }
    agon_core::CitedEntry as CitedEntry { entry, quote }
    agon_core::Ranked as Ranked { candidate, reason }
    agon_core::Synthesis as Synthesis { text, output, problems }
}
