//! Who takes part, and how each speaks.
use crate::ids::{ModelName, ParticipantId};
use serde::Serialize;

/// A debater.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Persona {
    /// Unique in the debate.
    pub name: ParticipantId,
    /// The position it argues; always present in adversarial mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stance: Option<String>,
    /// Who it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Replaces the default debater rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// Added to the rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// The model and how it is sampled.
    #[serde(flatten)]
    pub voice: Voice,
    /// Form of the speech.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub style: Option<Style>,
    /// Tone of the speech, free text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tone: Option<String>,
    /// Language of this persona, else the debate's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Rank in `priority_order`, higher first.
    pub priority: i64,
    /// Whose turns it sees besides its own and the moderator's; absent: everybody's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sees: Option<Vec<Sight>>,
    /// Who does not see its turns.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hidden_from: Vec<ParticipantId>,
    /// Notes its position after each round: what it holds, what changed it, where it contradicts itself.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub reflection: bool,
    /// Notes after each round what worked, what did not, and what to try next.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub evolution: bool,
    /// The weight of its vote under `rule: weighted`, 0.1 to 5; else it follows from `elo` and `calibration`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// Its rating, for the weight of its vote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elo: Option<f64>,
    /// How well it judges its own certainty, 0 to 1, for the weight of its vote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibration: Option<f64>,
    /// The tools that it may use, by the names that the host's configuration gives them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
}

/// What `sees` may name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(untagged)]
pub enum Sight {
    /// A kind of turn.
    Kind(TurnKind),
    /// A persona.
    Persona(ParticipantId),
}

named! {
    /// A kind of turn, as masking tells them apart.
    #[derive(PartialOrd, Ord)]
    pub enum TurnKind {
        /// Opening statements and proposals.
        Openings = "openings",
        /// Speeches of rounds, points of information included.
        Arguments = "arguments",
        /// Critiques.
        Critiques = "critiques",
        /// Revisions.
        Revisions = "revisions",
        /// Final statements and rebuttals.
        Closings = "closings",
    }
}

/// A model with its sampling options.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Voice {
    /// The model.
    pub model: ModelName,
    /// Sampling temperature, 0 to 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Nucleus sampling, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// Presence penalty, -2 to 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presence_penalty: Option<f64>,
    /// Cap on generated tokens of one answer, thinking included.
    pub max_tokens: u32,
    /// Thinking policy; absent leaves it to the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub think: Option<Think>,
    /// Tokens that prompt and answer must fit into, where that is less than what the host gives the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub num_ctx: Option<u32>,
    /// Models to try, in order, when `model` has failed for good. Opt-in; a substitution is recorded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fallback_models: Vec<ModelName>,
}

named! {
    /// Thinking policy of a call.
    pub enum Think {
        /// No thinking.
        Off = "off",
        /// Thinking at the model's own level.
        On = "on",
        Low = "low": "a little",
        Medium = "medium": "some",
        High = "high": "much",
    }
}

named! {
    /// Form of a speech.
    pub enum Style {
        Formal = "formal": "formal prose",
        Casual = "casual": "everyday prose",
        BulletPoint = "bullet_point": "a list of points",
        Paragraph = "paragraph": "plain paragraphs",
    }
}

/// The moderator and its duties.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Moderator {
    /// Opens every round with speakers, a briefing and an angle.
    pub opens: bool,
    /// Closes every round with a summary and a status.
    pub closes: bool,
    /// Comments on a round, as often as `interject` says.
    pub interjects: bool,
    /// Warns speakers who are off topic, when it interjects.
    pub warns: bool,
    /// Asks speakers to clarify, when it interjects; they answer at once.
    pub clarifies: bool,
    /// Asks speakers to revise, when it interjects; they answer at once.
    pub reflects: bool,
    /// Scores every speech of a round.
    pub scores: bool,
    /// Researches before the first round, with tools if it has some, and briefs everybody.
    pub researches: bool,
    /// Reconciles the positions before the decision.
    pub reconciles: bool,
    /// Sums the debate up at its end.
    pub concludes: bool,
    /// When it interjects.
    pub interject: Interject,
    /// How it sums up.
    pub summary_style: SummaryStyle,
    /// The tools that it may use, by the names that the host's configuration gives them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// Added to its prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// The model and how it is sampled.
    #[serde(flatten)]
    pub voice: Voice,
}

impl Moderator {
    /// Whether it has anything to say between speeches and the end of a round.
    pub fn has_interjections(&self) -> bool {
        self.interjects || self.warns || self.clarifies || self.reflects
    }
    /// Whether its one interjection sums up what was said in the first half.
    pub fn sums_up_midway(&self) -> bool {
        self.interjects && self.interject == Interject::Midpoint
    }
}

named! {
    /// When a moderator interjects.
    #[derive(Default)]
    pub enum Interject {
        #[default]
        EveryRound = "every_round": "after every round",
        Midpoint = "midpoint": "after the round in the middle of `max_rounds`: the second of three, the second of four",
        FinalOnly = "final_only": "after the last round, whichever rule ended the rounds",
    }
}

named! {
    /// How a moderator sums up.
    #[derive(Default)]
    pub enum SummaryStyle {
        #[default]
        Neutral = "neutral": "each side at its strongest",
        Critical = "critical": "with the weaknesses of each side",
        Persuasive = "persuasive": "towards the best supported answer",
    }
}
