//! What stands where a file says nothing, as far as nothing else decides it.
use crate::defaults::{Defaults, OUTPUTS, ROUNDS};
use agon_core::{
    AnswerOptions, Ballots, Budget, ConsensusStrategy, ContextScope, DebateFormat, DebateSpec, DebateWhen,
    EndCondition, FormatOptions, GateOptions, Judge, Memory, Mode, ModelName, Moderator, OnCut, OnTurnFailure, Phases,
    Quorum, Scoring, SelfVotes, Similarity, ToolLimits, TurnMode, Visibility, Visible, Voice, VoteRule, Voters, Voting,
    Windows,
};
use std::collections::BTreeMap;

pub(crate) fn debate() -> DebateSpec {
    DebateSpec {
        topic: String::new(),
        context: None,
        materials: None,
        answer: None,
        mode: Mode::Adversarial,
        debate_format: DebateFormat::RoundRobin,
        format: FormatOptions::default(),
        debate: DebateWhen::default(),
        gate: GateOptions::default(),
        max_rounds: ROUNDS,
        personas: Vec::new(),
        turn_mode: TurnMode::RoundRobin,
        visibility: Visibility::Sequential,
        context_scope: ContextScope::FullLog,
        memory: Memory::AppendAll,
        windows: Windows::default(),
        summarizer: None,
        history_limit: 0,
        failed_arguments: 0,
        feeds: Vec::new(),
        phases: Phases {
            opening_statements: true,
            final_statements: true,
            rebuttals: false,
            analysis: true,
            feedback: true,
        },
        moderator: None,
        consensus_strategy: ConsensusStrategy::Judge,
        judge: None,
        voting: None,
        scoring: Scoring::None,
        ballots: Ballots::Both,
        end_condition: vec![EndCondition::RoundsExhausted],
        terminate_when: None,
        similarity: Similarity::default(),
        timeout_per_turn_ms: Defaults::default().timeout_per_turn_ms,
        budget: Budget::default(),
        on_turn_failure: OnTurnFailure::Skip,
        on_cut: OnCut::Keep,
        quorum: Quorum::Majority,
        seed: None,
        agreement_intensity: None,
        language: None,
        instructions: None,
        synthesizer: None,
        tools: ToolLimits::default(),
        verifiers: Vec::new(),
        answers: AnswerOptions::default(),
        visible: Visible::default(),
        outputs: OUTPUTS.to_vec(),
        labels: BTreeMap::new(),
    }
}

pub(crate) fn voice(model: Option<&str>, max_tokens: u32) -> Voice {
    Voice { model: ModelName::new(model.unwrap_or_default()), max_tokens, ..Voice::default() }
}

/// With these duties.
pub(crate) fn moderator(voice: Voice, duties: &[&str]) -> Moderator {
    let has = |duty| duties.contains(&duty);
    Moderator {
        opens: has("opens"),
        closes: has("closes"),
        interjects: has("interjects"),
        warns: has("warns"),
        clarifies: has("clarifies"),
        reflects: has("reflects"),
        scores: has("scores"),
        researches: has("researches"),
        reconciles: has("reconciles"),
        concludes: has("concludes"),
        voice,
        ..Moderator::default()
    }
}

pub(crate) fn judge(voice: Voice) -> Judge {
    Judge {
        orders: 2,
        anonymize_transcript: true,
        shuffle_for_judge: true,
        panel: 1,
        panel_models: Vec::new(),
        ends_rounds: false,
        instructions: None,
        voice: Voice { temperature: Some(0.0), ..voice },
    }
}

pub(crate) fn voting(voters: Voters) -> Voting {
    let self_votes = if voters == Voters::Judges { SelfVotes::Allow } else { SelfVotes::Exclude };
    Voting { rule: VoteRule::Majority, self_votes, voters, every_round: false }
}
