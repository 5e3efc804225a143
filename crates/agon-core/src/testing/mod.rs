//! Debates, admissions and logs to test with. Behind the feature `testing`, and never part of a release.
//!
//! ```
//! use agon_core::testing::{LogBuilder, admission, spec};
//! use agon_core::{BidPurpose, Bid, SpeechKind};
//!
//! let mut log = LogBuilder::new(admission("bridge", spec()));
//! log.round(1, &["Ada", "Bob"]);
//! log.speak(1, "Ada", SpeechKind::Argument, "A bridge pays for itself.");
//! log.bid(1, "Bob", BidPurpose::Floor, Bid { urgency: 7, ..Bid::default() });
//! assert_eq!(log.events().count(), 7);
//! ```
#![expect(clippy::panic, reason = "only tests call this, and a panic is how they fail")]

mod asked;
mod log;

pub use asked::Asked;
pub use log::{LogBuilder, ReachedVerdict, START};

use crate::*;

/// The voice of a model, without any option.
pub fn voice(model: &str, max_tokens: u32) -> Voice {
    Voice {
        model: model.into(),
        temperature: None,
        top_p: None,
        presence_penalty: None,
        max_tokens,
        think: None,
        num_ctx: None,
        fallback_models: Vec::new(),
    }
}

/// A debater of that name, with a stance or without.
pub fn persona<'a>(name: &str, stance: impl Into<Option<&'a str>>) -> Persona {
    Persona {
        name: name.into(),
        stance: stance.into().map(str::to_owned),
        role: None,
        system_prompt: None,
        instructions: None,
        voice: voice("m", 200),
        style: None,
        tone: None,
        language: None,
        priority: 0,
        sees: None,
        hidden_from: Vec::new(),
        reflection: false,
        evolution: false,
        weight: None,
        elo: None,
        calibration: None,
        tools: Vec::new(),
    }
}

/// A moderator that opens and closes rounds.
pub fn moderator() -> Moderator {
    Moderator {
        opens: true,
        closes: true,
        interjects: false,
        warns: false,
        clarifies: false,
        reflects: false,
        scores: false,
        researches: false,
        reconciles: false,
        concludes: false,
        interject: Interject::default(),
        summary_style: SummaryStyle::default(),
        tools: Vec::new(),
        instructions: None,
        voice: voice("m", 200),
    }
}

/// One judge, who is shown a shuffled transcript without names in one order.
pub fn judge() -> Judge {
    Judge {
        orders: 1,
        anonymize_transcript: true,
        shuffle_for_judge: true,
        panel: 1,
        panel_models: Vec::new(),
        ends_rounds: false,
        instructions: None,
        voice: voice("m", 200),
    }
}

/// Debaters vote by this rule at the end, for whom they like.
pub fn voting(rule: VoteRule) -> Voting {
    Voting { rule, self_votes: SelfVotes::Allow, voters: Voters::Debaters, every_round: false }
}

/// No statements around the rounds, and all that comes after the debate.
pub fn no_statements() -> Phases {
    Phases { opening_statements: false, final_statements: false, rebuttals: false, analysis: true, feedback: true }
}

/// Opening and final statements.
pub fn statements() -> Phases {
    Phases { opening_statements: true, final_statements: true, ..no_statements() }
}

/// A small debate: two debaters, one round, a judge with one order. Three turns.
pub fn spec() -> DebateSpec {
    DebateSpec {
        topic: "Should the town build a bridge?".to_owned(),
        context: None,
        materials: None,
        answer: None,
        mode: Mode::Adversarial,
        debate_format: DebateFormat::RoundRobin,
        format: FormatOptions::default(),
        debate: DebateWhen::default(),
        gate: GateOptions::default(),
        max_rounds: 1,
        personas: vec![persona("Ada", "for"), persona("Bob", "against")],
        turn_mode: TurnMode::RoundRobin,
        visibility: Visibility::Sequential,
        context_scope: ContextScope::FullLog,
        memory: Memory::AppendAll,
        windows: Windows::default(),
        summarizer: None,
        history_limit: 0,
        failed_arguments: 0,
        feeds: Vec::new(),
        phases: no_statements(),
        moderator: None,
        consensus_strategy: ConsensusStrategy::Judge,
        judge: Some(judge()),
        voting: None,
        scoring: Scoring::None,
        ballots: Ballots::None,
        end_condition: vec![EndCondition::RoundsExhausted],
        terminate_when: None,
        similarity: Similarity::default(),
        timeout_per_turn_ms: 120_000,
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
        outputs: Vec::new(),
        labels: Default::default(),
    }
}

/// A debate with all that debates usually have: ballots, statements, a moderator, rounds, two orders of judging.
pub fn full_spec() -> DebateSpec {
    DebateSpec {
        max_rounds: 3,
        phases: statements(),
        moderator: Some(moderator()),
        judge: Some(Judge { orders: 2, ..judge() }),
        ballots: Ballots::Both,
        ..spec()
    }
}

/// The admission of a debate of that id.
pub fn admission(id: &str, spec: DebateSpec) -> Admission {
    Admission {
        id: DebateId::parse(id).unwrap_or_else(|error| panic!("{error}")),
        spec,
        seed: 42,
        retry: RetryPolicy::default(),
        agon_version: "test".to_owned(),
        request_id: None,
        rehearsal: false,
        priority: Priority::default(),
        labels: Default::default(),
        creator: None,
        submitted_by: None,
        rejudges: None,
        history: Vec::new(),
        recalled: None,
        feeds: Vec::new(),
        ratings: Default::default(),
    }
}

/// The turn of a seat at its first try.
pub fn turn(round: u32, seat: u32) -> TurnId {
    TurnId { round, seat, attempt: 1 }
}

/// What is asked of a participant who has seen nothing.
pub fn ask(turn: TurnId, who: &str, task: Task) -> Ask {
    Ask {
        turn,
        participant: who.into(),
        model: "m".into(),
        task,
        sees: Position(0),
        deadline: Timestamp(0),
        correction: None,
        kept: false,
    }
}

/// To argue, without guidance.
pub fn argument() -> Task {
    Work::ARGUMENT.into()
}

/// To bid for something, in general.
pub fn bidding(purpose: BidPurpose) -> Task {
    Work::Bid { purpose, on: None, heard: None }.into()
}

/// To vote for one.
pub fn vote(candidates: Vec<String>) -> Task {
    vote_by(candidates, BallotForm::Single)
}

/// To vote by this form.
pub fn vote_by(candidates: Vec<String>, form: BallotForm) -> Task {
    let material = Material { candidates: Some(candidates), form: Some(form), ..Material::default() };
    Task::new(Work::Vote, material)
}

/// To choose among these on a ballot.
pub fn ballot(stage: BallotStage, choices: Vec<String>) -> Task {
    let material = Material { choices: Some(choices), ..Material::default() };
    Task::new(Work::Ballot { stage }, material)
}

/// To judge among these, in an order of presentation.
pub fn judging(order: u32, candidates: Vec<String>) -> Task {
    let material = Material { candidates: Some(candidates), ..Material::default() };
    Task::new(Work::Judge { order }, material)
}

/// To rank these, in an order of presentation.
pub fn ranking(order: u32, candidates: Vec<String>) -> Task {
    Task { work: Work::Rank { order }, ..judging(order, candidates) }
}

/// To score these debaters.
pub fn scoring(debaters: Vec<(ParticipantId, String)>) -> Task {
    Task::new(Work::ScoreDebaters, Material { debaters: Some(debaters), ..Material::default() })
}

/// To score these speeches.
pub fn scoring_speeches(speeches: Vec<TurnId>) -> Task {
    Task::new(Work::ScoreSpeeches, Material { speeches: Some(speeches), ..Material::default() })
}

/// To revise what these criticised.
pub fn revising(critics: Vec<ParticipantId>) -> Task {
    Task::new(Work::Revise, Material { critics: Some(critics), ..Material::default() })
}

/// To answer these points of information.
pub fn answering(points: Vec<Point>) -> Task {
    Task::new(Work::AnswerPoints, Material { points: Some(points), ..Material::default() })
}

/// To note what one thinks of one's position, and of one's tactics.
pub fn reflecting(reflection: bool, evolution: bool) -> Task {
    let (reflection, evolution) = (Some(reflection), Some(evolution));
    Task::new(Work::Reflect, Material { reflection, evolution, ..Material::default() })
}

/// To sum up what was said up to the end of a round.
pub fn summarising(through: u32) -> Task {
    Task::new(Work::Summarise, Material { through: Some(through), ..Material::default() })
}

/// To compare the speeches of a round.
pub fn measuring(round: u32) -> Task {
    Task::new(Work::Measure, Material { round: Some(round), ..Material::default() })
}
