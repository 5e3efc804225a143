//! What formats, memory, votes and limits are set to.
use crate::error::{DecodeError, FieldProblem, present};
use crate::field::Mirrored;
use crate::flat as pb;
use crate::mirror::{message, mirror};
use agon_core::gate::GateRule;
use agon_core::{
    AnswerForm, AnswerOptions, Budget, FormatOptions, GateOptions, Phases, Quorum, Shown, Similarity, Tolerance,
    ToolLimits, Visible, Voting, Windows,
};

mirror! {
    FormatOptions as FormatOptions {
        inner_circle: or(FormatOptions::default().inner_circle),
        interruptions: or(Default::default()),
        interruption_threshold: or(FormatOptions::default().interruption_threshold),
        points_of_information: or(FormatOptions::default().points_of_information),
        topology: or(Default::default()),
        hub,
        direction: or(Default::default()),
        density: or(FormatOptions::default().density),
        samples,
    }
    AnswerForm as AnswerForm { kind, options, tolerance }
    GateOptions as GateOptions { rule, explore, strict }
    AnswerOptions as AnswerOptions { coerce_answers, confidence, weigh_by_confidence, adapt_max_tokens, confidence_at_least }
    Windows as Windows {
        context_turns: or(Windows::default().context_turns),
        memory_window: or(Windows::default().memory_window),
        summarize_every: or(Windows::default().summarize_every),
        window_step: unless(Windows::default().window_step),
    }
    Similarity as Similarity {
        similarity_threshold as threshold: or(Similarity::default().similarity_threshold),
        embedding_model,
    }
    ToolLimits as ToolLimits {
        max_calls_per_turn: or(ToolLimits::default().max_calls_per_turn),
        timeout_ms: or(ToolLimits::default().timeout_ms),
        max_result_chars: or(ToolLimits::default().max_result_chars),
    }
    Visible as Visible {
        debaters: or(Default::default()),
        moderator: or(Default::default()),
        judge: or(Default::default()),
        synthesizer: unless(Default::default()),
        names: unless(true),
    }
    Shown as Shown {
        client: or(Shown::default().client),
        history: or(Shown::default().history),
    }
    Voting as Voting { rule, self_votes, voters: or(Default::default()), every_round }
    Phases as Phases { opening_statements, final_statements, rebuttals, analysis: or(true), feedback: or(true) }
    Budget as Budget { tokens, seconds }
}

/// A rule is its JSON.
impl Mirrored<String> for GateRule {
    fn out(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
    fn read(wire: String, field: &str) -> Result<Self, DecodeError> {
        Self::read(&wire).map_err(|error| DecodeError::field(field, FieldProblem::Invalid(error.to_string())))
    }
}

impl Mirrored<Option<pb::Tolerance>> for Tolerance {
    fn out(&self) -> Option<pb::Tolerance> {
        let limit = match self {
            Self::Exact => return None,
            Self::Absolute(most) => pb::tolerance::Limit::Absolute(*most),
            Self::Relative(share) => pb::tolerance::Limit::Relative(*share),
        };
        Some(pb::Tolerance { limit: Some(limit) })
    }
    fn read(tolerance: Option<pb::Tolerance>, field: &str) -> Result<Self, DecodeError> {
        let Some(tolerance) = tolerance else { return Ok(Self::Exact) };
        match present(tolerance.limit, "limit").map_err(|error| error.within(field))? {
            pb::tolerance::Limit::Absolute(most) => Ok(Self::Absolute(most)),
            pb::tolerance::Limit::Relative(share) => Ok(Self::Relative(share)),
        }
    }
}

impl Mirrored<pb::Quorum> for Quorum {
    fn out(&self) -> pb::Quorum {
        let named = |rule| pb::quorum::Rule::Named(i32::from(rule));
        let rule = match self {
            Self::Majority => named(pb::QuorumRule::Majority),
            Self::All => named(pb::QuorumRule::All),
            Self::AtLeast(count) => pb::quorum::Rule::AtLeast(*count),
        };
        pb::Quorum { rule: Some(rule) }
    }
    fn read(quorum: pb::Quorum, field: &str) -> Result<Self, DecodeError> {
        match present(quorum.rule, "rule").map_err(|error| error.within(field))? {
            pb::quorum::Rule::AtLeast(count) => Ok(Self::AtLeast(count)),
            pb::quorum::Rule::Named(number) => match pb::QuorumRule::try_from(number) {
                Ok(pb::QuorumRule::Majority) => Ok(Self::Majority),
                Ok(pb::QuorumRule::All) => Ok(Self::All),
                Ok(pb::QuorumRule::Unspecified) | Err(_) => {
                    Err(DecodeError::field("named", FieldProblem::UnknownNumber(number)).within(field))
                }
            },
        }
    }
}
message!(Quorum as Quorum);
