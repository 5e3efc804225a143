//! The result of a debate as JSON.
mod build;
mod decision;
mod floor;

use crate::analysis::Analysis;
use crate::minutes::Minutes;
use crate::prices::Expense;
use crate::tree::ArgumentTree;
use crate::words::rfc3339;
use agon_core::gate::{GateFeatures, GateReason};
use agon_core::{
    BallotStage, FeedFault, Interjection, MajorityShift, Measures, MissingSeat, Outcome, Reason, Recalled, UsageTotals,
};
pub use decision::*;
pub use floor::*;
use serde::Serialize;

/// The result of a debate, or what is known of it so far.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DebateResult {
    /// The debate.
    pub id: String,
    /// What is debated.
    pub topic: String,
    /// Where the debate is.
    pub state: ResultState,
    /// What came out; absent unless the debate succeeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Why, where the outcome needs a reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// The earlier debates that the speakers were told of; absent where the file does not ask for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<Vec<PastResult>>,
    /// By what those were found; absent: by words, as where the file names no embedding model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recalled: Option<Recalled>,
    /// The feeds that the speakers were given; absent where the file names none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub feeds: Vec<FeedResult>,
    /// The ended debate whose speeches are judged again here; its own result is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejudges: Option<String>,
    /// Rounds that were opened.
    pub rounds: u32,
    /// Why the rounds ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stopped_by: Option<Stopped>,
    /// What the gate decided, where one did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gate: Option<DebateGate>,
    /// What was said, by round and seat.
    pub transcript: Vec<TranscriptEntry>,
    /// The answer, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<VerdictResult>,
    /// What the judge said of each order of presentation.
    pub judgements: Vec<JudgementResult>,
    /// How each judge ranked the candidates in each order of presentation.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rankings: Vec<RankingResult>,
    /// What the debaters scored each other with beside the decision; absent where they did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scoring: Option<ScoringResult>,
    /// The count, where votes or rankings decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub votes: Option<VotesResult>,
    /// How far the debaters agree; apart from the verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub consensus: Option<ConsensusResult>,
    /// The result as the author wants it, where a synthesizer was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub synthesis: Option<SynthesisResult>,
    /// How similar the speeches of each round were.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub measures: Vec<InRound<Measures>>,
    /// What the moderator scored the speeches with.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub speech_scores: Vec<SpeechScoreResult>,
    /// What the moderator decided.
    pub moderator_decisions: Vec<ModeratorResult>,
    /// What the moderator said between speeches and the end of a round.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moderator_interjections: Vec<InRound<Interjection>>,
    /// How the moderator concluded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moderator_conclusions: Vec<ConclusionResult>,
    /// The private ballots, initial ones first.
    pub ballots: Vec<BallotResult>,
    /// What became of the first ballots' majority; absent before the verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub majority: Option<MajorityShift>,
    /// Whose final ballot differs from the initial one.
    pub moved: Vec<String>,
    /// Every failed try.
    pub failures: Vec<FailureResult>,
    /// Seats that failed for good.
    pub missing_seats: Vec<MissingSeat>,
    /// How often who used which tool.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolResult>,
    /// The claims that speeches mark, and what verifiers said of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<ClaimResult>,
    /// Who attacks or supports what.
    pub tree: ArgumentTree,
    /// What follows from all of this; absent until the debate has ended with a result, and where its file does not want it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub analysis: Option<Analysis>,
    /// Roles whose words are left out here, because the debate file asks for it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_shown: Vec<String>,
    /// Tokens of all calls.
    pub usage: UsageTotals,
    /// What the calls cost, by currency; absent where no price is known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cost: Vec<Expense>,
    /// Calls that are not in `cost`, because their price or their tokens are unknown; absent where there is no cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls_without_cost: Option<u32>,
    /// When.
    pub timing: TimingResult,
    /// The seed that every random choice derives from.
    pub seed: u64,
    /// The version of Agon that admitted the debate.
    pub agon_version: String,
    /// Hash of the log's last record, where the caller knows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_head: Option<String>,
    /// What to know before trusting the result.
    pub warnings: Vec<String>,
    /// Scripted speakers: no model said any of this.
    pub rehearsal: bool,
}

/// A feed that the speakers were given.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FeedResult {
    /// Its name in the settings.
    pub name: String,
    /// The titles of its items.
    pub items: Vec<String>,
    /// Why it gave none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<FeedFault>,
}

/// An earlier debate that the speakers were told of.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PastResult {
    /// The debate.
    pub id: String,
    /// The beginning of its topic.
    pub topic: String,
    /// What came out.
    pub outcome: Outcome,
    /// Who or what won.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winner: Option<String>,
    /// The beginning of its answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    /// What failed in it, where the file asks for that.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<agon_core::FailedArgument>,
}

/// What a gate decided by the first ballots.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct DebateGate {
    /// What it knew.
    pub features: GateFeatures,
    /// Who could cast a ballot.
    pub eligible: u32,
    /// Ballots that were cast.
    pub cast: u32,
    /// By which it decided; absent where its rule has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// No round was held.
    pub skip: bool,
    /// Why.
    pub reason: GateReason,
}

impl DebateResult {
    /// The result that the minutes state.
    pub fn of(minutes: &Minutes<'_>) -> Self {
        let (admission, costs) = (minutes.admission, minutes.costs());
        Self {
            id: admission.id.to_string(),
            topic: admission.spec.topic.clone(),
            state: minutes.state(),
            outcome: minutes.outcome(),
            reason: minutes.end.map_or(minutes.interrupted, |end| end.reason).cloned(),
            history: build::history(admission),
            recalled: admission.recalled.clone(),
            feeds: build::feeds(admission),
            rejudges: admission.rejudges.as_ref().map(|old| old.name().to_owned()),
            rounds: u32::try_from(minutes.rounds.len()).unwrap_or(u32::MAX),
            stopped_by: minutes.stopped.map(|(rule, round)| Stopped { rule, round }),
            gate: minutes.gate,
            transcript: build::transcript(minutes),
            verdict: build::verdict(minutes),
            judgements: build::judgements(minutes),
            scoring: build::scoring(minutes),
            votes: build::votes(minutes),
            consensus: build::consensus(minutes),
            rankings: build::rankings(minutes),
            synthesis: build::synthesis(minutes),
            measures: minutes.measures.iter().map(|(round, what)| InRound::of(*round, *what)).collect(),
            speech_scores: build::speech_scores(minutes),
            moderator_interjections: minutes
                .interjections()
                .map(|(entry, what)| InRound::of(entry.turn.round, what))
                .collect(),
            moderator_conclusions: build::conclusions(minutes),
            tools: build::tools(minutes),
            checks: build::checks(minutes),
            tree: ArgumentTree::of(minutes),
            analysis: Analysis::of(minutes),
            not_shown: minutes.left_out().into_iter().map(str::to_owned).collect(),
            moderator_decisions: build::moderator_decisions(minutes),
            ballots: [BallotStage::Initial, BallotStage::Final]
                .into_iter()
                .flat_map(|stage| build::ballots(minutes, stage))
                .collect(),
            majority: minutes.verdict.map(|verdict| verdict.majority),
            moved: minutes
                .verdict
                .map(|verdict| verdict.moved)
                .unwrap_or_default()
                .iter()
                .map(ToString::to_string)
                .collect(),
            failures: build::failures(minutes),
            missing_seats: minutes.end.map(|end| end.missing).unwrap_or_default().to_vec(),
            usage: minutes.usage(),
            calls_without_cost: Some(costs.unknown()).filter(|_| !costs.known().is_empty()),
            cost: costs.known(),
            timing: TimingResult {
                admitted_at: rfc3339(minutes.admitted_at),
                ended_at: minutes.end.map(|end| rfc3339(end.at)),
                duration_ms: minutes.duration_ms(),
                paused_ms: minutes.paused_ms,
                server_away_ms: minutes.away_ms(),
            },
            seed: admission.seed,
            agon_version: admission.agon_version.clone(),
            log_head: minutes.log_head.clone(),
            warnings: minutes.warnings(),
            rehearsal: minutes.rehearsal(),
        }
    }
}
