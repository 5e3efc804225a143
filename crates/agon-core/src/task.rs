//! What a participant is asked to do.
use crate::answer::Answer;
use crate::call::Call;
use crate::ids::{ModelName, ParticipantId, Position, Timestamp, TurnId};
use crate::spec::{BallotForm, Bench};
use crate::work::Work;
use serde::Serialize;
use std::sync::Arc;

/// What a turn asks for. Together with the log up to [`Ask::sees`] it determines the prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// What the seat was opened for.
    pub work: Work,
    /// What is known of it only now that it is asked.
    pub material: Box<Material>,
}
impl Task {
    /// The work, with what it is asked with.
    pub fn new(work: Work, material: Material) -> Self {
        Self { work, material: Box::new(material) }
    }
}
impl From<Work> for Task {
    fn from(work: Work) -> Self {
        Self::new(work, Material::default())
    }
}

/// One object. Guidance stands before whom an argument or a statement is for.
impl Serialize for Task {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Members<'a> {
            #[serde(flatten)]
            work: Work,
            #[serde(flatten)]
            material: &'a Material,
            #[serde(flatten)]
            addressed: Option<Addressed<'a>>,
        }
        #[derive(Serialize)]
        struct Addressed<'a> {
            #[serde(skip_serializing_if = "Option::is_none")]
            to: &'a Option<ParticipantId>,
            #[serde(skip_serializing_if = "Option::is_none")]
            bench: Option<Bench>,
            #[serde(skip_serializing_if = "Option::is_none")]
            about: Option<&'a str>,
        }
        let material = self.material.as_ref();
        let members = match &self.work {
            Work::Argument { to, bench } => {
                let addressed = Some(Addressed { to, bench: *bench, about: None });
                Members { work: Work::ARGUMENT, material, addressed }
            }
            Work::Statement { speech, to, about } => {
                let addressed = Some(Addressed { to, bench: None, about: about.as_deref() });
                Members { work: Work::Statement { speech: *speech, to: None, about: None }, material, addressed }
            }
            work => Members { work: work.clone(), material, addressed: None },
        };
        members.serialize(serializer)
    }
}

/// What is known of a task only when it is asked. Each kind of turn has a few of these.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Material {
    /// What the moderator says to the round.
    #[serde(flatten)]
    pub guidance: Guidance,
    /// What may be chosen on a ballot; empty where each voter names its own answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub choices: Option<Vec<String>>,
    /// The candidates, in the order in which they are presented.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidates: Option<Vec<String>>,
    /// What is filled in on a vote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<BallotForm>,
    /// The points of information that were offered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<Vec<Point>>,
    /// Whose critiques there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub critics: Option<Vec<ParticipantId>>,
    /// Whether notes are on one's position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reflection: Option<bool>,
    /// Whether notes are on one's tactics.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evolution: Option<bool>,
    /// The speeches to be scored, in the order in which they were held.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speeches: Option<Vec<TurnId>>,
    /// The debaters to be scored, under which label: `Speaker A`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub debaters: Option<Vec<(ParticipantId, String)>>,
    /// The round up to the end of which is summed up.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub through: Option<u32>,
    /// The round whose speeches are compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
}
impl Material {
    /// What may be chosen on a ballot.
    pub fn choices(&self) -> &[String] {
        self.choices.as_deref().unwrap_or_default()
    }
    /// The candidates of a vote, a judgement or a ranking.
    pub fn candidates(&self) -> &[String] {
        self.candidates.as_deref().unwrap_or_default()
    }
    /// What is filled in on a vote.
    pub fn form(&self) -> BallotForm {
        self.form.unwrap_or_default()
    }
    /// The points of information that were offered.
    pub fn points(&self) -> &[Point] {
        self.points.as_deref().unwrap_or_default()
    }
    /// Whose critiques a revision answers.
    pub fn critics(&self) -> &[ParticipantId] {
        self.critics.as_deref().unwrap_or_default()
    }
    /// Whether notes are on one's position, and on one's tactics.
    pub fn notes(&self) -> (bool, bool) {
        (self.reflection.unwrap_or_default(), self.evolution.unwrap_or_default())
    }
    /// The speeches to be scored.
    pub fn speeches(&self) -> &[TurnId] {
        self.speeches.as_deref().unwrap_or_default()
    }
    /// The debaters to be scored, and under which label.
    pub fn debaters(&self) -> &[(ParticipantId, String)] {
        self.debaters.as_deref().unwrap_or_default()
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_one_object_in_which_guidance_stands_before_whom_it_is_for() {
        let guidance = Guidance { briefing: Some("b".into()), new_angle: None, summary: Some("s".into()) };
        let guided = |work| Task::new(work, Material { guidance: guidance.clone(), ..Material::default() });
        let (to, about) = (Some("Ada".into()), Some("Why?".into()));
        let tasks = [
            (
                guided(Work::Argument { to: Some("Ada".into()), bench: Some(Bench::GovernmentWhip) }),
                r#"{"kind":"argument","briefing":"b","summary":"s","to":"Ada","bench":"government_whip"}"#,
            ),
            (
                guided(Work::Statement { speech: SpeechKind::Answer, to, about }),
                r#"{"kind":"statement","speech":"answer","briefing":"b","summary":"s","to":"Ada","about":"Why?"}"#,
            ),
            (crate::testing::judging(1, vec!["yes".into()]), r#"{"kind":"judge","order":1,"candidates":["yes"]}"#),
            (crate::testing::vote(Vec::new()), r#"{"kind":"vote","candidates":[],"form":"single"}"#),
            (Work::Opening.into(), r#"{"kind":"opening"}"#),
        ];
        for (task, json) in tasks {
            assert_eq!(serde_json::to_string(&task).unwrap(), json);
        }
    }
}
