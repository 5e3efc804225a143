//! What formats, memory, votes and limits are set to.
use crate::enums::{Numbered, or_default};
use crate::error::{DecodeError, Problem, present, small};
use crate::flat as pb;
use agon_core::{
    AnswerOptions, Budget, FormatOptions, ModelName, ParticipantId, Phases, Quorum, Shown, Similarity, ToolLimits,
    Visible, Voting, Windows,
};

impl From<&FormatOptions> for pb::FormatOptions {
    fn from(format: &FormatOptions) -> Self {
        Self {
            inner_circle: Some(format.inner_circle),
            interruptions: format.interruptions.number(),
            interruption_threshold: Some(format.interruption_threshold.into()),
            points_of_information: Some(format.points_of_information),
            topology: format.topology.number(),
            hub: format.hub.as_ref().map(ToString::to_string),
            direction: format.direction.number(),
            density: Some(format.density),
        }
    }
}
impl TryFrom<pb::FormatOptions> for FormatOptions {
    type Error = DecodeError;
    fn try_from(format: pb::FormatOptions) -> Result<Self, DecodeError> {
        let usual = Self::default();
        let threshold = format.interruption_threshold.map(|value| small(value, "interruption_threshold"));
        Ok(Self {
            inner_circle: format.inner_circle.unwrap_or(usual.inner_circle),
            interruptions: or_default(format.interruptions, "interruptions")?,
            interruption_threshold: threshold.transpose()?.unwrap_or(usual.interruption_threshold),
            points_of_information: format.points_of_information.unwrap_or(usual.points_of_information),
            topology: or_default(format.topology, "topology")?,
            hub: format.hub.map(ParticipantId::new),
            direction: or_default(format.direction, "direction")?,
            density: format.density.unwrap_or(usual.density),
        })
    }
}

impl From<AnswerOptions> for pb::AnswerOptions {
    fn from(answers: AnswerOptions) -> Self {
        let AnswerOptions { coerce_answers, confidence, weigh_by_confidence, adapt_max_tokens } = answers;
        Self { coerce_answers, confidence, weigh_by_confidence, adapt_max_tokens }
    }
}
impl From<pb::AnswerOptions> for AnswerOptions {
    fn from(answers: pb::AnswerOptions) -> Self {
        let pb::AnswerOptions { coerce_answers, confidence, weigh_by_confidence, adapt_max_tokens } = answers;
        Self { coerce_answers, confidence, weigh_by_confidence, adapt_max_tokens }
    }
}

impl From<Windows> for pb::Windows {
    fn from(windows: Windows) -> Self {
        Self {
            context_turns: Some(windows.context_turns),
            memory_window: Some(windows.memory_window),
            summarize_every: Some(windows.summarize_every),
            window_step: Some(windows.window_step).filter(|step| *step != Windows::default().window_step),
        }
    }
}
impl From<pb::Windows> for Windows {
    fn from(windows: pb::Windows) -> Self {
        let usual = Self::default();
        Self {
            context_turns: windows.context_turns.unwrap_or(usual.context_turns),
            memory_window: windows.memory_window.unwrap_or(usual.memory_window),
            summarize_every: windows.summarize_every.unwrap_or(usual.summarize_every),
            window_step: windows.window_step.unwrap_or(usual.window_step),
        }
    }
}

impl From<&Similarity> for pb::Similarity {
    fn from(similarity: &Similarity) -> Self {
        Self {
            threshold: Some(similarity.similarity_threshold),
            embedding_model: similarity.embedding_model.as_ref().map(ToString::to_string),
        }
    }
}
impl From<pb::Similarity> for Similarity {
    fn from(similarity: pb::Similarity) -> Self {
        Self {
            similarity_threshold: similarity.threshold.unwrap_or(Self::default().similarity_threshold),
            embedding_model: similarity.embedding_model.map(ModelName::new),
        }
    }
}

impl From<ToolLimits> for pb::ToolLimits {
    fn from(limits: ToolLimits) -> Self {
        Self {
            max_calls_per_turn: Some(limits.max_calls_per_turn),
            timeout_ms: Some(limits.timeout_ms),
            max_result_chars: Some(limits.max_result_chars),
        }
    }
}
impl From<pb::ToolLimits> for ToolLimits {
    fn from(limits: pb::ToolLimits) -> Self {
        let usual = Self::default();
        Self {
            max_calls_per_turn: limits.max_calls_per_turn.unwrap_or(usual.max_calls_per_turn),
            timeout_ms: limits.timeout_ms.unwrap_or(usual.timeout_ms),
            max_result_chars: limits.max_result_chars.unwrap_or(usual.max_result_chars),
        }
    }
}

impl From<Visible> for pb::Visible {
    fn from(visible: Visible) -> Self {
        let shown = |shown: Shown| Some(pb::Shown { client: Some(shown.client), history: Some(shown.history) });
        Self {
            debaters: shown(visible.debaters),
            moderator: shown(visible.moderator),
            judge: shown(visible.judge),
            synthesizer: shown(visible.synthesizer).filter(|_| visible.synthesizer != Shown::default()),
            names: (!visible.names).then_some(false),
        }
    }
}
impl From<pb::Visible> for Visible {
    fn from(visible: pb::Visible) -> Self {
        let shown = |shown: Option<pb::Shown>| {
            let (shown, usual) = (shown.unwrap_or_default(), Shown::default());
            Shown { client: shown.client.unwrap_or(usual.client), history: shown.history.unwrap_or(usual.history) }
        };
        Self {
            debaters: shown(visible.debaters),
            moderator: shown(visible.moderator),
            judge: shown(visible.judge),
            synthesizer: shown(visible.synthesizer),
            names: visible.names.unwrap_or(true),
        }
    }
}

impl From<Voting> for pb::Voting {
    fn from(voting: Voting) -> Self {
        Self {
            rule: voting.rule.number(),
            self_votes: voting.self_votes.number(),
            voters: voting.voters.number(),
            every_round: voting.every_round,
        }
    }
}
impl TryFrom<pb::Voting> for Voting {
    type Error = DecodeError;
    fn try_from(voting: pb::Voting) -> Result<Self, DecodeError> {
        Ok(Self {
            rule: Numbered::from_number(voting.rule, "rule")?,
            self_votes: Numbered::from_number(voting.self_votes, "self_votes")?,
            voters: or_default(voting.voters, "voters")?,
            every_round: voting.every_round,
        })
    }
}

impl From<Phases> for pb::Phases {
    fn from(phases: Phases) -> Self {
        Self {
            opening_statements: phases.opening_statements,
            final_statements: phases.final_statements,
            rebuttals: phases.rebuttals,
            analysis: Some(phases.analysis),
            feedback: Some(phases.feedback),
        }
    }
}
impl From<pb::Phases> for Phases {
    fn from(phases: pb::Phases) -> Self {
        Self {
            opening_statements: phases.opening_statements,
            final_statements: phases.final_statements,
            rebuttals: phases.rebuttals,
            analysis: phases.analysis.unwrap_or(true),
            feedback: phases.feedback.unwrap_or(true),
        }
    }
}

impl From<Budget> for pb::Budget {
    fn from(budget: Budget) -> Self {
        Self { tokens: budget.tokens, seconds: budget.seconds }
    }
}
impl From<pb::Budget> for Budget {
    fn from(budget: pb::Budget) -> Self {
        Self { tokens: budget.tokens, seconds: budget.seconds }
    }
}

impl From<Quorum> for pb::Quorum {
    fn from(quorum: Quorum) -> Self {
        let named = |rule| pb::quorum::Rule::Named(i32::from(rule));
        let rule = match quorum {
            Quorum::Majority => named(pb::QuorumRule::Majority),
            Quorum::All => named(pb::QuorumRule::All),
            Quorum::AtLeast(count) => pb::quorum::Rule::AtLeast(count),
        };
        Self { rule: Some(rule) }
    }
}
impl TryFrom<pb::Quorum> for Quorum {
    type Error = DecodeError;
    fn try_from(quorum: pb::Quorum) -> Result<Self, DecodeError> {
        match present(quorum.rule, "rule")? {
            pb::quorum::Rule::AtLeast(count) => Ok(Self::AtLeast(count)),
            pb::quorum::Rule::Named(number) => match pb::QuorumRule::try_from(number) {
                Ok(pb::QuorumRule::Majority) => Ok(Self::Majority),
                Ok(pb::QuorumRule::All) => Ok(Self::All),
                Ok(pb::QuorumRule::Unspecified) | Err(_) => {
                    Err(DecodeError::field("named", Problem::UnknownNumber(number)))
                }
            },
        }
    }
}
