//! What a participant answers.
use crate::ids::{ParticipantId, TurnId};
use serde::Serialize;
use std::sync::Arc;

/// A well-formed answer. Failures are [`crate::Failure`], never text.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Answer {
    /// To openings, arguments and closings.
    Speech {
        /// What was said, never empty.
        text: Arc<str>,
        /// The speaker was cut off here: the text is what was said until then.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        cut: bool,
        /// The limit of tokens cut it off: the text is what was said until then.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        cut_at_limit: bool,
    },
    /// To everything of the moderator's and the summarizer's that is plain text.
    Text {
        /// The text, never empty.
        text: Arc<str>,
    },
    /// To ballots and votes.
    Choice {
        /// The choice.
        choice: String,
        /// Why.
        reasons: Vec<String>,
        /// How sure the voter says it is, 0 to 100; absent unless the file asks for it.
        #[serde(skip_serializing_if = "Option::is_none")]
        confidence: Option<u8>,
    },
    /// To a vote by ranking or approval: candidates, best first, or all that are approved.
    Choices {
        /// The candidates.
        choices: Vec<String>,
        /// Why.
        reasons: Vec<String>,
        /// How sure the voter says it is, 0 to 100; absent unless the file asks for it.
        #[serde(skip_serializing_if = "Option::is_none")]
        confidence: Option<u8>,
    },
    /// To [`crate::Work::OpenRound`].
    RoundPlan(RoundPlan),
    /// To [`crate::Work::CloseRound`].
    RoundSummary(RoundSummary),
    /// To [`crate::Work::Judge`].
    Judgement(Judgement),
    /// To [`crate::Work::Rank`], best first.
    Ranking(Vec<Ranked>),
    /// To [`crate::Work::Bid`].
    Bid(Bid),
    /// To [`crate::Work::AnswerPoints`].
    PointReply(PointReply),
    /// To [`crate::Work::Critique`].
    Critique(Critique),
    /// To [`crate::Work::Revise`].
    Revision(Revision),
    /// To [`crate::Work::Reflect`].
    Note(Note),
    /// To [`crate::Work::Interject`].
    Interjection(Interjection),
    /// To [`crate::Work::ScoreSpeeches`].
    SpeechScores(Vec<SpeechScore>),
    /// To [`crate::Work::ScoreDebaters`].
    DebaterScores(Vec<DebaterScore>),
    /// To [`crate::Work::EnoughSaid`].
    Enough {
        /// Whether no further round can change the answer.
        enough: bool,
        /// Why.
        reasoning: String,
    },
    /// To [`crate::Work::Conclude`] as the decision of the debate.
    Conclusion {
        /// The answer to the topic.
        verdict: String,
        /// Why.
        reasoning: String,
    },
    /// To [`crate::Work::Measure`].
    Measures(Measures),
    /// To [`crate::Work::Synthesise`].
    Synthesis(Synthesis),
}

/// The moderator's decision when it opens a round.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RoundPlan {
    /// Whom to hear, in order; a repeated name speaks twice.
    pub next_speakers: Vec<ParticipantId>,
    /// What the speakers are told, for this round only.
    pub briefing: Option<String>,
    /// An angle not yet covered, for this round only.
    pub new_angle: Option<String>,
    /// This round is the last.
    pub done: bool,
}

/// The moderator's decision when it closes a round.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RoundSummary {
    /// What the round brought; shown in the next round.
    pub summary: String,
    /// Whether the question is settled.
    pub status: RoundStatus,
    /// The decision so far, if there is one.
    pub decision: Option<String>,
    /// Enough was said: the vote is to be taken now. Only where the debate is decided by a vote.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub vote_now: bool,
}
impl RoundSummary {
    /// The decision, where it says anything.
    pub fn decided(&self) -> Option<&str> {
        self.decision.as_deref().map(str::trim).filter(|decision| !decision.is_empty())
    }
    /// The decision that settled the question.
    pub fn settlement(&self) -> Option<&str> {
        self.decided().filter(|_| self.status == RoundStatus::Settled)
    }
}

/// Whether the moderator holds the question for settled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RoundStatus {
    /// No further round is needed.
    Settled,
    /// The debate goes on.
    #[default]
    Continue,
}

/// What the judge says of one order of presentation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Judgement {
    /// The answer to the topic.
    pub verdict: String,
    /// One of the candidates, or none for a synthesis.
    pub winner: Option<String>,
    /// Why.
    pub reasoning: String,
    /// What it rests on.
    pub citations: Vec<CitedEntry>,
    /// Critical objections that nobody answered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open_objections: Vec<String>,
}

/// A quotation as the judge gives it: by the number of the entry in the order that it was shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CitedEntry {
    /// Number of the entry in the judge's presentation, from 1.
    pub entry: u32,
    /// The words, verbatim.
    pub quote: String,
}

/// A quotation checked against the speech that it names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Citation {
    /// The speech; absent when the judge named an entry that does not exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnId>,
    /// Who spoke there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub participant: Option<ParticipantId>,
    /// The words.
    pub quote: String,
    /// Whether the speech has these words, white space, letter case and quotation marks aside.
    pub verified: bool,
    /// The words are too few to show anything by standing in a speech: they are not looked up, and not verified.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub too_short: bool,
}

/// A candidate's place in a ranking.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ranked {
    /// Who or what.
    pub candidate: String,
    /// Why it stands here.
    pub reason: String,
}

/// A wish to speak.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Bid {
    /// How much, 0 (not at all) to 10.
    pub urgency: u8,
    /// To whom.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<ParticipantId>,
    /// About what; the question itself in a point of information.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// What a speaker makes of the points of information that it was offered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PointReply {
    /// Whose point it takes; absent where it declines all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepts: Option<ParticipantId>,
    /// What it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply: Option<String>,
}

/// The severity from which a critique must not stand unanswered.
pub const CRITICAL_SEVERITY: u8 = 8;
/// Critiques up to this severity leave nothing to mend.
pub const MILD_SEVERITY: u8 = 2;

named! {
    /// How severe an objection is, by the severity that its critic gives it.
    #[derive(PartialOrd, Ord)]
    pub enum ObjectionKind {
        /// From [`CRITICAL_SEVERITY`].
        Critical = "critical",
        /// Between the two.
        Serious = "serious",
        /// Up to [`MILD_SEVERITY`].
        Mild = "mild",
    }
}
impl ObjectionKind {
    /// The kind of a critique of this severity; none of one that finds nothing wrong.
    pub fn of(severity: u8) -> Option<Self> {
        match severity {
            0 => None,
            1..=MILD_SEVERITY => Some(Self::Mild),
            CRITICAL_SEVERITY.. => Some(Self::Critical),
            _ => Some(Self::Serious),
        }
    }
}

/// A structured critique of somebody's proposal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Critique {
    /// How much is wrong, 0 (nothing) to 10 (it cannot stand).
    pub severity: u8,
    /// What is wrong.
    pub issues: Vec<String>,
    /// What would mend it.
    pub suggestions: Vec<String>,
}

/// A proposal, revised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Revision {
    /// The proposal as it stands now.
    pub text: Arc<str>,
    /// Whose critiques it accepts.
    pub accepted: Vec<ParticipantId>,
    /// Whose it does not, and why.
    pub declined: Vec<Declined>,
}

/// A critique that is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Declined {
    /// Whose.
    pub critic: ParticipantId,
    /// Why not.
    pub why: String,
}

/// What a debater notes for itself. Fields that were not asked for are absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Note {
    /// What it holds now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    /// What changed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed_by: Option<String>,
    /// Where its own turns contradict each other.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contradictions: Vec<String>,
    /// What worked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worked: Option<String>,
    /// What did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub did_not_work: Option<String>,
    /// What it will try next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

/// What a moderator says between a round's speeches and its end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Interjection {
    /// To everybody.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
    /// To those who are off topic.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Remark>,
    /// To those who are to clarify something.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<Remark>,
    /// To those who are to revise something.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub revisions: Vec<Remark>,
}

/// What a moderator says to one debater.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Remark {
    /// To whom.
    pub to: ParticipantId,
    /// What.
    pub text: String,
}

/// Scores from 0 to 10.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Score {
    /// How clear.
    pub clarity: u8,
    /// How well supported.
    pub evidence: u8,
    /// How new.
    pub originality: u8,
    /// How much to the topic.
    pub on_topic: u8,
}
impl Score {
    /// The four scales by name.
    pub fn scales(&self) -> [(&'static str, u8); 4] {
        [
            ("clarity", self.clarity),
            ("evidence", self.evidence),
            ("originality", self.originality),
            ("on_topic", self.on_topic),
        ]
    }
    /// The sum of the four scales, 0 to 40.
    pub fn total(&self) -> u32 {
        self.scales().iter().map(|(_, score)| u32::from(*score)).sum()
    }
}

/// What a moderator scores a speech with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SpeechScore {
    /// The speech.
    pub speech: TurnId,
    /// The scores.
    #[serde(flatten)]
    pub score: Score,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub comment: Option<String>,
}

/// What one debater scores another with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DebaterScore {
    /// Whom.
    pub debater: ParticipantId,
    /// The scores.
    #[serde(flatten)]
    pub score: Score,
}

/// How similar the speeches of a round are: to each other, to their speakers' own before, and to all before.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Measures {
    /// Between speakers: the mean similarity of all pairs, 0 to 1; where the speakers named answers, the share of pairs
    /// that named the same. Absent with fewer than two speakers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agreement: Option<f64>,
    /// The mean of [`Measures::stable`]; absent where nobody spoke in two rounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stability: Option<f64>,
    /// Each speaker against its own last round.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stable: Vec<Figure>,
    /// Each speaker's new speech against the most similar speech of an earlier round, whoever's; only where the end
    /// condition `no_new_arguments` looks at it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub known: Vec<Figure>,
    /// How agreement was found.
    pub by_answers: bool,
    /// By what texts were compared.
    pub method: Method,
}

/// A speaker's figure, 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// Whose.
    pub participant: ParticipantId,
    /// The figure.
    pub value: f64,
}

named! {
    /// By what texts were compared.
    pub enum Method {
        /// Cosine of embeddings.
        Embeddings = "embeddings" => "by embeddings",
        /// Cosine of word counts, because no embedding model is named.
        Words = "words" => "by words",
        /// Cosine of word counts, because the embeddings could not be had.
        WordsInstead = "words_instead" => "by words, because the embeddings could not be had",
    }
}

/// The result as the author wants it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Synthesis {
    /// What the model wrote.
    pub text: Arc<str>,
    /// The output as JSON text, where a schema was given and it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output: Option<Arc<str>>,
    /// What the schema finds wrong, after one repair.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}
