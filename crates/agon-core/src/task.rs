//! What a participant is asked to do.
use crate::answer::Answer;
use crate::call::Call;
use crate::ids::{ModelName, ParticipantId, Position, Timestamp, TurnId};
use crate::spec::{BallotForm, Bench};
use serde::Serialize;
use std::sync::Arc;

/// What a turn asks for. Together with the log up to [`Ask::sees`] it determines the prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Task {
    /// A private ballot.
    Ballot {
        /// Before round 1 or at the end.
        stage: BallotStage,
        /// The allowed choices; empty where each voter names its own answer.
        choices: Vec<String>,
    },
    /// An opening statement. Sees nobody.
    Opening,
    /// A speech of a round.
    Argument {
        /// What the moderator says to this round.
        #[serde(flatten)]
        guidance: Guidance,
        /// Whom the speaker said it would answer, where it bid for the floor.
        #[serde(skip_serializing_if = "Option::is_none")]
        to: Option<ParticipantId>,
        /// The speaker's place in a British Parliamentary debate.
        #[serde(skip_serializing_if = "Option::is_none")]
        bench: Option<Bench>,
    },
    /// A speech that is neither opening, argument nor closing.
    Statement {
        /// What kind of speech.
        speech: SpeechKind,
        /// What the moderator says to this round.
        #[serde(flatten)]
        guidance: Guidance,
        /// To whom.
        #[serde(skip_serializing_if = "Option::is_none")]
        to: Option<ParticipantId>,
        /// What was asked: a question, or a moderator's remark.
        #[serde(skip_serializing_if = "Option::is_none")]
        about: Option<Arc<str>>,
    },
    /// A final statement.
    Closing,
    /// Whether one wants to speak.
    Bid {
        /// For what.
        purpose: BidPurpose,
        /// On whose speech.
        #[serde(skip_serializing_if = "Option::is_none")]
        on: Option<ParticipantId>,
        /// What was heard so far of a running speech.
        #[serde(skip_serializing_if = "Option::is_none")]
        heard: Option<Arc<str>>,
    },
    /// Which point of information a speaker takes, and what it answers.
    AnswerPoints {
        /// Those that were offered.
        points: Vec<Point>,
    },
    /// A critique of somebody's proposal.
    Critique {
        /// Whose.
        of: ParticipantId,
    },
    /// One's own proposal, revised in the light of its critiques.
    Revise {
        /// Whose critiques there are.
        critics: Vec<ParticipantId>,
    },
    /// Notes for oneself.
    Reflect {
        /// On one's position.
        reflection: bool,
        /// On one's tactics.
        evolution: bool,
    },
    /// The moderator opens the round: whom to hear, on what.
    OpenRound,
    /// The moderator closes the round: summary and status.
    CloseRound,
    /// The moderator says what there is to be said between speeches.
    Interject,
    /// The moderator scores the speeches of the round.
    ScoreSpeeches {
        /// Which, in the order in which they were held.
        speeches: Vec<TurnId>,
    },
    /// The moderator researches and briefs everybody.
    Research,
    /// The moderator concludes.
    Conclude {
        /// In what manner.
        conclusion: Conclusion,
    },
    /// What was said up to the end of a round is summed up.
    Summarise {
        /// That round.
        through: u32,
    },
    /// The similarity of speeches is measured.
    Measure {
        /// Of this round.
        round: u32,
    },
    /// The judge says whether enough was said.
    EnoughSaid,
    /// The judge reads the whole log in one order.
    Judge {
        /// Which order of presentation, from 0; order 1 is the reverse of order 0.
        order: u32,
        /// The candidates, in the order in which they are presented.
        candidates: Vec<String>,
    },
    /// The judge ranks all candidates.
    Rank {
        /// Which order of presentation, from 0.
        order: u32,
        /// The candidates, in the order in which they are presented.
        candidates: Vec<String>,
    },
    /// A vote that decides.
    Vote {
        /// The candidates on this voter's ballot.
        candidates: Vec<String>,
        /// What is filled in.
        form: BallotForm,
    },
    /// Every other debater is scored.
    ScoreDebaters {
        /// Whom, under which label: `Speaker A`.
        debaters: Vec<(ParticipantId, String)>,
    },
    /// The result is turned into what the author wants.
    Synthesise,
}

/// What the moderator says to the speakers of a round.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Guidance {
    /// Its briefing for this round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub briefing: Option<Arc<str>>,
    /// Its new angle for this round.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_angle: Option<Arc<str>>,
    /// Its summary of the round before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<Arc<str>>,
}

named! {
    /// What kind of speech.
    #[derive(PartialOrd, Ord)]
    pub enum SpeechKind {
        /// An opening statement.
        Opening = "opening" => "opening statement",
        /// A speech of a round.
        Argument = "argument",
        /// A final statement.
        Closing = "closing" => "final statement",
        /// A question of a Socratic round.
        Question = "question",
        /// The answer to a question.
        Answer = "answer",
        /// The question that follows an answer.
        FollowUp = "follow_up" => "follow-up",
        /// A proposal, before its first critique.
        Proposal = "proposal",
        /// A proposal after its critiques, or a position after the moderator asked to revise it.
        Revision = "revision",
        /// An answer to the final statements.
        Rebuttal = "rebuttal",
        /// What a debater says when the moderator asks to clarify something.
        Clarification = "clarification",
        /// A short word between two speeches, or into one.
        Interjection = "interjection",
        /// A critique, in words. Made from the structured one; nobody is asked for it.
        Critique = "critique",
        /// A point of information.
        Point = "point" => "point of information",
        /// The answer to a point of information.
        PointReply = "point_reply" => "reply to a point of information",
        /// What the moderator said. Never a debater's.
        Moderation = "moderation" => "word of the moderator",
    }
}

named! {
    /// What a bid is for.
    #[derive(PartialOrd, Ord)]
    pub enum BidPurpose {
        /// To have the floor next.
        Floor = "floor" => "bid for the floor",
        /// To react to the speech just heard.
        Reaction = "reaction" => "bid to react",
        /// To come into the inner circle.
        Circle = "circle" => "bid for the inner circle",
        /// To cut a running speech.
        Interruption = "interruption" => "bid to interrupt",
        /// To offer a point of information.
        Point = "point" => "point of information offered",
    }
}

named! {
    /// In what manner a moderator concludes.
    #[derive(PartialOrd, Ord)]
    pub enum Conclusion {
        /// It reconciles the positions, before ballots and decision.
        Reconciliation = "reconciliation",
        /// It sums the debate up.
        Summary = "summary" => "closing summary",
        /// Its synthesis is the verdict.
        Decision = "decision" => "decision of the moderator",
    }
}

/// A point of information.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Point {
    /// Who offers it.
    pub by: ParticipantId,
    /// What it says.
    pub text: String,
}

named! {
    /// When a private ballot is cast.
    #[derive(PartialOrd, Ord)]
    pub enum BallotStage {
        /// Before round 1.
        Initial = "initial" => "initial ballot",
        /// After the last round.
        Final = "final" => "final ballot",
    }
}

/// One request to one participant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ask {
    /// Which turn, which try.
    pub turn: TurnId,
    /// Who.
    pub participant: ParticipantId,
    /// By which model.
    pub model: ModelName,
    /// What.
    pub task: Task,
    /// The last event that the speaker may see.
    pub sees: Position,
    /// When the coordinator gives the turn up, waiting included.
    pub deadline: Timestamp,
    /// What was wrong with the try before, told to the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correction: Option<String>,
    /// One who reads the whole debate is shown only what the debate's memory keeps, because the whole did not fit.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub kept: bool,
}

/// What became of one try: the content of its write-once register.
#[derive(Clone, Debug, PartialEq)]
pub enum TurnResult {
    /// The participant answered.
    Answered {
        /// What.
        answer: Answer,
        /// How it came about.
        call: Box<Call>,
    },
    /// The try failed.
    Failed {
        /// Why.
        failure: crate::Failure,
        /// What it cost, as far as it is known.
        call: Box<Call>,
    },
    /// The coordinator gave the try up before there was a result.
    Withdrawn,
}
