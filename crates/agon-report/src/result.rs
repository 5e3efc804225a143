//! The result of a debate as JSON.
use crate::key;
use crate::minutes::{Choice, Entry, Minutes};
use crate::verdict::{Standing, verified};
use crate::words::rfc3339;
use agon_core::{
    BallotStage, Citation, Consensus, ConsensusSource, DebateState, FailureCause, MajorityShift, MissingSeat,
    ModeratorDecision, Outcome, Reason, SpeechKind, StopRule, Strength, TurnId, UsageTotals, VoteRule,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The result of a debate, or what is known of it so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DebateResult {
    /// The debate.
    pub id: String,
    /// What is debated.
    pub topic: String,
    /// Where the debate is.
    pub state: ResultState,
    /// What came out; absent unless the debate succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Why, where the outcome needs a reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// Rounds that were opened.
    pub rounds: u32,
    /// Why the rounds ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped_by: Option<Stopped>,
    /// What was said, by round and seat.
    pub transcript: Vec<TranscriptEntry>,
    /// The answer, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<VerdictResult>,
    /// What the judge said of each order of presentation.
    pub judgements: Vec<JudgementResult>,
    /// The count, where votes decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub votes: Option<VotesResult>,
    /// How far the debaters agree; apart from the verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consensus: Option<ConsensusResult>,
    /// What the moderator decided.
    pub moderator_decisions: Vec<ModeratorResult>,
    /// The private ballots, initial ones first.
    pub ballots: Vec<BallotResult>,
    /// What became of the first ballots' majority; absent before the verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub majority: Option<MajorityShift>,
    /// Whose final ballot differs from the initial one.
    pub moved: Vec<String>,
    /// Every failed try.
    pub failures: Vec<FailureResult>,
    /// Seats that failed for good.
    pub missing_seats: Vec<MissingSeat>,
    /// Tokens of all calls.
    pub usage: UsageTotals,
    /// When.
    pub timing: TimingResult,
    /// The seed that every random choice derives from.
    pub seed: u64,
    /// The version of Agon that admitted the debate.
    pub agon_version: String,
    /// Hash of the log's last record, where the caller knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_head: Option<String>,
    /// What to know before trusting the result.
    pub warnings: Vec<String>,
    /// Scripted speakers: no model said any of this.
    pub rehearsal: bool,
}

/// Where a debate is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResultState {
    /// It has not ended.
    Running,
    /// It has not ended, but is to.
    Cancelling,
    /// It came to an outcome.
    Succeeded,
    /// It could not.
    Failed,
    /// Somebody ended it.
    Cancelled,
}

/// Why the rounds ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stopped {
    /// The rule that fired.
    pub rule: StopRule,
    /// After this round.
    pub round: u32,
}

/// A speech.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TranscriptEntry {
    /// The round: 0 before the first, one more than the last after it.
    pub round: u32,
    /// The slot in the round.
    pub seat: u32,
    /// For which stance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stance: Option<String>,
    /// What kind of speech.
    pub kind: SpeechKind,
    /// What was said.
    pub text: String,
    /// Who spoke.
    pub speaker: String,
}

/// The answer to the topic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerdictResult {
    /// In words; absent where votes decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    /// Who won; null is a synthesis or nobody.
    pub winner: Option<String>,
    /// Why.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// What the judge rests it on, each citation once.
    pub citations: Vec<Citation>,
    /// How many of these were found where they are said to stand.
    pub citations_verified: Verified,
}

/// Some of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verified {
    /// Found.
    pub verified: usize,
    /// All.
    pub total: usize,
}

/// The judge on one order of presentation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgementResult {
    /// Who judged.
    pub judge: String,
    /// Which order, from 0.
    pub order: u32,
    /// The answer to the topic.
    pub verdict: String,
    /// Who won; null is a synthesis.
    pub winner: Option<String>,
    /// Why.
    pub reasoning: String,
    /// What it rests on.
    pub citations: Vec<Citation>,
    /// Who stands behind each label in the judge's words; empty where the judge saw the names.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// The speeches by the numbers that the judge's words name them by, in the order in which it read them.
    #[serde(default)]
    pub entries: Vec<NumberedSpeech>,
}

/// A speech under the number that the judge knows it by in one order of presentation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumberedSpeech {
    /// The number, from 1.
    pub entry: u32,
    /// The round of the speech.
    pub round: u32,
    /// Its slot in the round.
    pub seat: u32,
    /// Who spoke.
    pub participant: String,
}

/// The count of the votes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VotesResult {
    /// By this rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<VoteRule>,
    /// Votes per candidate, most first.
    pub counts: Vec<(String, u32)>,
    /// Who could vote, failed voters included.
    pub eligible: u32,
    /// Votes that came.
    pub received: u32,
    /// Who met the rule; null is nobody.
    pub winner: Option<String>,
    /// Who voted for whom.
    pub votes: Vec<VoteResult>,
}

/// One vote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VoteResult {
    /// Whose.
    pub participant: String,
    /// For whom.
    pub choice: String,
    /// Why.
    pub reasons: Vec<String>,
}

/// How far the debaters agree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConsensusResult {
    /// The top answer; absent where several answers share the top.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// The share's name.
    pub strength: Strength,
    /// The share.
    pub share: Share,
    /// Not unanimous, and the judge was order-sensitive.
    pub contested: bool,
    /// Which votes were counted.
    pub source: ConsensusSource,
}

/// Voters for the top answer among all that could have voted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// For the top answer.
    pub top: u32,
    /// All, failed ones included.
    pub eligible: u32,
}

/// A decision of the moderator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModeratorResult {
    /// The round.
    pub round: u32,
    /// The decision is the fallback.
    pub fallback: bool,
    /// What was decided.
    #[serde(flatten)]
    pub decision: ModeratorDecision,
}

/// A private ballot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BallotResult {
    /// Before round 1 or at the end.
    pub stage: BallotStage,
    /// Whose.
    pub participant: String,
    /// What.
    pub choice: String,
    /// Why.
    pub reasons: Vec<String>,
}

/// A try that failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureResult {
    /// Which turn, which try.
    pub turn: TurnId,
    /// Who.
    pub participant: String,
    /// Why.
    pub cause: FailureCause,
    /// What happened, for a person.
    pub detail: String,
    /// Whether another try followed or will.
    pub will_retry: bool,
}

/// When the debate was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimingResult {
    /// RFC 3339.
    pub admitted_at: String,
    /// RFC 3339; absent while it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// From admission to the end or, while it runs, to the last event.
    pub duration_ms: u64,
}

impl DebateResult {
    /// The result that the minutes state.
    pub fn of(minutes: &Minutes<'_>) -> Self {
        let admission = minutes.admission;
        Self {
            id: admission.id.to_string(),
            topic: admission.spec.topic.clone(),
            state: state(minutes.standing()),
            outcome: minutes.outcome(),
            reason: minutes.end.and_then(|end| end.reason).cloned(),
            rounds: u32::try_from(minutes.rounds.len()).unwrap_or(u32::MAX),
            stopped_by: minutes.stopped.map(|(rule, round)| Stopped { rule, round }),
            transcript: transcript(minutes),
            verdict: verdict(minutes),
            judgements: judgements(minutes),
            votes: votes(minutes),
            consensus: minutes.verdict.and_then(|verdict| verdict.consensus).map(consensus),
            moderator_decisions: moderator_decisions(minutes),
            ballots: [BallotStage::Initial, BallotStage::Final]
                .into_iter()
                .flat_map(|stage| ballots(minutes, stage))
                .collect(),
            majority: minutes.verdict.map(|verdict| verdict.majority),
            moved: minutes
                .verdict
                .map(|verdict| verdict.moved)
                .unwrap_or_default()
                .iter()
                .map(ToString::to_string)
                .collect(),
            failures: failures(minutes),
            missing_seats: minutes.end.map(|end| end.missing).unwrap_or_default().to_vec(),
            usage: minutes.usage(),
            timing: TimingResult {
                admitted_at: rfc3339(minutes.admitted_at),
                ended_at: minutes.end.map(|end| rfc3339(end.at)),
                duration_ms: minutes.duration_ms(),
            },
            seed: admission.seed,
            agon_version: admission.agon_version.clone(),
            log_head: minutes.log_head.clone(),
            warnings: minutes.warnings(),
            rehearsal: minutes.rehearsal(),
        }
    }
}

fn state(standing: Standing) -> ResultState {
    match standing {
        Standing::Running => ResultState::Running,
        Standing::Cancelling => ResultState::Cancelling,
        Standing::Ended(DebateState::Succeeded) => ResultState::Succeeded,
        Standing::Ended(DebateState::Failed) => ResultState::Failed,
        Standing::Ended(DebateState::Cancelled) => ResultState::Cancelled,
    }
}

fn transcript(minutes: &Minutes<'_>) -> Vec<TranscriptEntry> {
    let entry = |speech: &agon_core::Speech| TranscriptEntry {
        round: speech.turn.round,
        seat: speech.turn.seat,
        stance: speech.stance.clone(),
        kind: speech.kind,
        text: speech.text.to_string(),
        speaker: speech.participant.to_string(),
    };
    minutes.speeches().map(|(_, speech)| entry(speech)).collect()
}

fn verdict(minutes: &Minutes<'_>) -> Option<VerdictResult> {
    let verdict = minutes.verdict.filter(|verdict| verdict.verdict.is_some() || verdict.winner.is_some())?;
    let citations = minutes.citations();
    Some(VerdictResult {
        verdict: verdict.verdict.map(str::to_owned),
        winner: verdict.winner.map(str::to_owned),
        reasoning: verdict.reasoning.map(str::to_owned),
        citations_verified: Verified { verified: verified(&citations), total: citations.len() },
        citations: citations.into_iter().cloned().collect(),
    })
}

fn judgements(minutes: &Minutes<'_>) -> Vec<JudgementResult> {
    let labels = key::labels(minutes.admission).into_iter().map(|(label, name)| (label, name.to_string()));
    let labels: BTreeMap<String, String> = labels.collect();
    let one = |entry: &Entry<'_>, judged: crate::minutes::Judged<'_>| JudgementResult {
        judge: entry.participant.to_owned(),
        order: judged.order,
        verdict: judged.verdict.to_owned(),
        winner: judged.winner.map(str::to_owned),
        reasoning: judged.reasoning.to_owned(),
        citations: judged.citations.to_vec(),
        labels: labels.clone(),
        entries: minutes.numbered(entry.turn, judged.order).into_iter().map(numbered).collect(),
    };
    minutes.judgements().map(|(entry, judged)| one(entry, judged)).collect()
}

fn numbered(shown: key::Numbered) -> NumberedSpeech {
    let (round, seat) = (shown.turn.round, shown.turn.seat);
    NumberedSpeech { entry: shown.number, round, seat, participant: shown.participant.to_string() }
}

fn votes(minutes: &Minutes<'_>) -> Option<VotesResult> {
    let tally = minutes.tally?;
    let one = |entry: &Entry<'_>, vote: Choice<'_>| VoteResult {
        participant: entry.participant.to_owned(),
        choice: vote.choice.to_owned(),
        reasons: vote.reasons.to_vec(),
    };
    Some(VotesResult {
        rule: tally.rule,
        counts: tally.counts.to_vec(),
        eligible: tally.eligible,
        received: tally.received,
        winner: tally.winner.map(str::to_owned),
        votes: minutes.votes().map(|(entry, vote)| one(entry, vote)).collect(),
    })
}

fn consensus(consensus: &Consensus) -> ConsensusResult {
    ConsensusResult {
        answer: consensus.answer.clone(),
        strength: consensus.strength,
        share: Share { top: consensus.top, eligible: consensus.eligible },
        contested: consensus.contested,
        source: consensus.source,
    }
}

fn moderator_decisions(minutes: &Minutes<'_>) -> Vec<ModeratorResult> {
    let decisions = minutes.decisions();
    decisions
        .map(|(entry, decision, fallback)| ModeratorResult {
            round: entry.turn.round,
            fallback,
            decision: decision.clone(),
        })
        .collect()
}

fn ballots(minutes: &Minutes<'_>, stage: BallotStage) -> Vec<BallotResult> {
    let one = |entry: &Entry<'_>, ballot: Choice<'_>| BallotResult {
        stage,
        participant: entry.participant.to_owned(),
        choice: ballot.choice.to_owned(),
        reasons: ballot.reasons.to_vec(),
    };
    minutes.ballots(stage).map(|(entry, ballot)| one(entry, ballot)).collect()
}

fn failures(minutes: &Minutes<'_>) -> Vec<FailureResult> {
    let failures = minutes.failures();
    failures
        .map(|(entry, failure, retry_at)| FailureResult {
            turn: entry.turn,
            participant: entry.participant.to_owned(),
            cause: failure.cause,
            detail: failure.detail.clone(),
            will_retry: retry_at.is_some(),
        })
        .collect()
}
