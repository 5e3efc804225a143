//! What debates that are over leave for later ones.
use crate::answer::{Method, ObjectionKind};
use crate::ids::{DebateId, ModelName, ParticipantId, Timestamp};
use crate::outcome::{MajorityShift, Outcome};
use crate::spec::ConsensusStrategy;
use serde::Serialize;

/// Characters of a verdict that are kept for later debates.
pub const VERDICT_CHARS: usize = 600;

/// Characters of an objection or a proposal that are kept for later debates.
pub const ARGUMENT_CHARS: usize = 200;

/// Accepted objections that are kept in words, of one debate.
pub const MOST_CONCEDED: usize = 8;

/// What is kept of a debate that was held to its end: enough for ratings, positions and later debates on the same question.
/// The log holds the truth.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Card {
    /// What came out.
    pub outcome: Outcome,
    /// The beginning of the answer, of [`VERDICT_CHARS`] characters at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    /// Who or what won, where somebody or something did: a stance, an answer, a debater.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winner: Option<String>,
    /// What became of the first ballots' majority.
    pub majority: MajorityShift,
    /// The debaters, in declared order.
    pub seats: Vec<CardSeat>,
    /// What happened on the way. Cards of earlier versions lack it: what they do not say is unknown, and not zero.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub course: Option<Box<Course>>,
}

/// A debater of a debate that is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CardSeat {
    /// Its name.
    pub persona: ParticipantId,
    /// The model that the debate file names for it.
    pub model: ModelName,
    /// What it had to argue, or the team that it spoke for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stance: Option<String>,
    /// What it chose in private before the first round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<String>,
    /// What it chose in private at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
}

/// What happened in a debate that is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Course {
    /// How it was decided.
    pub strategy: ConsensusStrategy,
    /// What each debater did, in declared order.
    pub conduct: Vec<Conduct>,
    /// What became of the objections, by who raised them, against whom and of which kind.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub objections: Vec<Objections>,
    /// Objections that the debaters accepted whom they were raised against, the most severe first, [`MOST_CONCEDED`] at most. Empty
    /// where the file keeps the words of debaters out of reports.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conceded: Vec<Conceded>,
}

/// What a debater did in a debate, as far as it had a choice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Conduct {
    /// Who.
    pub persona: ParticipantId,
    /// Critiques that it gave, and those of them that found something wrong.
    pub critiques: Chances,
    /// Times that points of information were offered to it, and those at which it took one.
    pub points: Chances,
    /// Votes that it could cast for itself or its stance, and those that it did.
    pub votes: Chances,
    /// The beginning of its proposal as it was last revised; only of `critique_revision`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proposal: Option<String>,
}

/// How often somebody could have done something, and did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Chances {
    /// How often it could.
    pub of: u32,
    /// How often it did.
    pub did: u32,
}
impl Chances {
    /// Counts one more.
    pub fn add(&mut self, did: bool) {
        self.join(Self { of: 1, did: did.into() });
    }
    /// Counts all of these too.
    pub fn join(&mut self, other: Self) {
        self.of = self.of.saturating_add(other.of);
        self.did = self.did.saturating_add(other.did);
    }
}

/// What became of the objections of one kind that one debater raised against another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Objections {
    /// Who raised them.
    pub by: ParticipantId,
    /// Against whose proposal.
    pub of: ParticipantId,
    /// How severe they are.
    pub kind: ObjectionKind,
    /// What became of them.
    #[serde(flatten)]
    pub fates: Fates,
}

/// What became of objections. Those that are neither accepted nor declined were left without an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Fates {
    /// How many were raised.
    pub raised: u32,
    /// Of these, those that the revision which followed accepts, in part at least.
    pub accepted: u32,
    /// Of these, those that it declines.
    pub declined: u32,
}
impl Fates {
    /// Counts all of these too.
    pub fn join(&mut self, other: Self) {
        self.raised = self.raised.saturating_add(other.raised);
        self.accepted = self.accepted.saturating_add(other.accepted);
        self.declined = self.declined.saturating_add(other.declined);
    }
}

/// An objection that was accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Conceded {
    /// Who raised it.
    pub by: ParticipantId,
    /// Who accepted it, against the own proposal.
    pub of: ParticipantId,
    /// The beginning of what was wrong, [`ARGUMENT_CHARS`] characters at most.
    pub text: String,
}

/// How an argument failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Failing {
    /// Somebody objected to it, and its author accepted the objection. The text is the objection.
    Conceded,
    /// Who stood for it from the start ended with another ballot.
    Left,
    /// Another position won.
    Lost,
}

/// An argument or a position that failed in a debate, and who says so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FailedArgument {
    /// How.
    pub how: Failing,
    /// The position or, where it was conceded, what was wrong with the proposal.
    pub text: String,
    /// Whose.
    pub persona: ParticipantId,
    /// The model that the debate file names for it.
    pub model: ModelName,
    /// How the debate was decided, where that is how it failed; absent where an earlier version did not note it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_by: Option<ConsensusStrategy>,
    /// Who raised the objection that was accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub raised_by: Option<ParticipantId>,
}

/// An earlier debate, as a later one is told of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PastDebate {
    /// Which.
    pub id: DebateId,
    /// The beginning of its topic.
    pub topic: String,
    /// When it was admitted.
    pub admitted: Timestamp,
    /// What came out.
    pub outcome: Outcome,
    /// The beginning of its answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    /// Who or what won.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub winner: Option<String>,
    /// What failed in it, where the later debate's file asks for that.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<FailedArgument>,
}

/// How the earlier debates were found that a debate is told of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Recalled {
    /// By the model's embeddings, or by words where there are none.
    pub method: Method,
    /// The embedding model that the file names.
    pub model: ModelName,
}

impl PastDebate {
    /// The positions that failed in it.
    pub fn positions(&self) -> impl Iterator<Item = &FailedArgument> {
        self.failed.iter().filter(|one| one.how != Failing::Conceded)
    }
    /// The objections that were accepted in it: what failed is the point of a proposal that they met.
    pub fn objections(&self) -> impl Iterator<Item = &FailedArgument> {
        self.failed.iter().filter(|one| one.how == Failing::Conceded)
    }
    /// About how many characters the telling of it takes.
    pub(crate) fn length(&self) -> u64 {
        const DATE_AND_KEYS: usize = 80;
        let texts = [&self.verdict, &self.winner].into_iter().flatten().map(String::len).sum::<usize>();
        let failed = self.failed.iter().map(|failed| failed.text.len() + DATE_AND_KEYS).sum::<usize>();
        (self.topic.len() + texts + failed + DATE_AND_KEYS) as u64
    }
}
