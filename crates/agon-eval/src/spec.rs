//! What an eval compares, as an eval file or flags say it, normalised.
use crate::Question;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// The name of an arm: 1 to 40 characters of `[a-z0-9_-]`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ArmName(pub String);
impl fmt::Display for ArmName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A whole eval, normalised.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvalSpec {
    /// What reports of it are called; by default they say what is compared, on how many questions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The questions, in the order of the file.
    pub questions: Vec<Question>,
    /// Of so many questions these are a pilot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pilot_of: Option<u32>,
    /// The debates that are compared; never empty.
    pub debates: Vec<DebateArm>,
    /// Methods of the user's own, each a program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<CommandArm>,
    /// What they are compared with.
    pub arms: Vec<BaselineArm>,
    /// The comparisons that get a verdict; by default each debate with `self_consistency`.
    pub primary: Vec<Comparison>,
    /// How much the others may spend.
    #[serde(rename = "match")]
    pub matching: Matching,
    /// What is counted for that.
    pub count: Count,
    /// Most samples of a poll, 1 to 64.
    pub max_samples: u32,
    /// How often each question is asked of each arm, 1 to 20.
    pub repetitions: u32,
    /// The smallest gain worth having, in points of a hundred.
    pub worth: f64,
    /// The significance level.
    pub alpha: f64,
    /// Whether the number of questions is fixed.
    pub design: Design,
    /// Whether ballots and samples are asked how sure they are.
    pub confidence: bool,
    /// Where the eval ends, whatever is open.
    #[serde(default)]
    pub limits: EvalLimits,
    /// Who grades what no pattern can score.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grader: Option<Grader>,
    /// The program that scores questions of the kind `command`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scorer: Option<UserProgram>,
    /// Every random choice derives from it.
    pub seed: u64,
}

impl EvalSpec {
    /// The programs of the user's own, each with the key of the eval file that names it.
    pub fn programs(&self) -> impl Iterator<Item = (String, &UserProgram)> {
        let commands = self.commands.iter().enumerate();
        let commands = commands.map(|(at, command)| (format!("commands[{at}].run"), &command.program));
        commands.chain(self.scorer.iter().map(|program| ("scorer.command".to_owned(), program)))
    }
}

/// A program of the user's own, as it was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserProgram {
    /// The program's path and its arguments; never empty.
    pub run: Vec<String>,
    /// The folder in which it runs: that of the eval file.
    pub folder: String,
}

/// A method of the user's own: a program that answers questions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandArm {
    /// Its name in tables.
    pub name: ArmName,
    /// What runs, once for each question and repetition.
    pub program: UserProgram,
    /// When a run is ended, in milliseconds.
    pub timeout_ms: u64,
    /// The debate whose tokens are its budget; the first one where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_of: Option<ArmName>,
}

/// A debate that is held on every question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DebateArm {
    /// Its name in tables.
    pub name: ArmName,
    /// The debate file, as it was read.
    pub template: DebateTemplate,
    /// The same debate in which nobody sees the others is held besides: self-correction.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub isolated: bool,
}

/// A debate file into which questions are put.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DebateTemplate {
    /// The file's name, for messages.
    pub file: String,
    /// The file's text.
    pub text: String,
    /// Its syntax: `markdown`, `yaml` or `json`.
    pub syntax: String,
    /// Keys that are set over it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub set: BTreeMap<String, serde_json::Value>,
}

/// Methods without a debate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BaselineArm {
    /// Sample 1 of the question's poll.
    Single,
    /// The plurality of as many samples as the tokens allow.
    SelfConsistency,
    /// As many samples as the tokens allow, of which the debate's judge picks one.
    BestOfN,
    /// Samples of the judge's model; only where it is no debater's.
    JudgeAlone,
}

impl BaselineArm {
    /// Its name, which is the arm's too.
    pub fn name(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::SelfConsistency => "self_consistency",
            Self::BestOfN => "best_of_n",
            Self::JudgeAlone => "judge_alone",
        }
    }

    /// The method of that name.
    pub fn of_name(name: &str) -> Option<Self> {
        [Self::Single, Self::SelfConsistency, Self::BestOfN, Self::JudgeAlone]
            .into_iter()
            .find(|method| method.name() == name)
    }
}

/// Two arms that are compared: how much better is the first?
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Comparison {
    /// The arm that is to be better.
    pub arm: ArmName,
    /// What it is compared with.
    pub rival: ArmName,
}

/// How much the arms without a debate may spend.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Matching {
    /// On each question what the debate spent on it.
    Debate,
    /// On each question what the debate spent in the mean.
    Mean,
    /// So much on each question, whoever.
    Budget(u64),
    /// As is; nothing is called equal.
    None,
}

/// What is counted, over all calls of a cell, failed ones included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Count {
    /// Prompt tokens, cached ones included, and generated tokens.
    Total,
    /// Generated tokens, thinking included.
    Generated,
    /// The total without cached tokens.
    New,
    /// Seconds of prefill and decoding.
    Seconds,
    /// Money, by the prices of the settings.
    Money,
}
impl Count {
    /// All of them, in the order of tables.
    pub const ALL: [Self; 5] = [Self::Total, Self::Generated, Self::New, Self::Seconds, Self::Money];
}

/// Whether the number of questions is fixed beforehand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Design {
    /// All questions are asked, then one test.
    Fixed,
    /// A look after each block of questions; ends as soon as the answer is known.
    Sequential,
}

/// Where an eval ends at the end of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EvalLimits {
    /// Tokens of all cells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Seconds since the eval began, or was retried or rescored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Money of all cells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub money: Option<f64>,
}

/// Who grades.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Grader {
    /// One model, or a panel of 3 or 5.
    pub models: Vec<String>,
    /// The graders may be of a family that is tested; marks each verdict.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub same_family: bool,
}

/// The model that grades where nobody is named and all speakers are scripted.
const SCRIPTED_GRADER: &str = "rehearsal-grader";

/// What whoever begins an eval says of its graders.
#[derive(Clone, Copy, Debug)]
pub struct GraderChoice<'a> {
    /// The models; none where the eval file or the settings decide.
    pub models: &'a [String],
    /// They may be of a family that is tested, even if the eval file does not say so.
    pub same_family: bool,
    /// All speakers are scripted.
    pub rehearsal: bool,
}

impl GraderChoice<'_> {
    /// Who grades: whoever is named, else as the eval file has it, else the `usual` model of the settings, where an answer needs it; in a
    /// rehearsal somebody always can.
    pub fn of(&self, spec: &EvalSpec, usual: Option<&str>) -> Option<Grader> {
        let same_family = self.same_family || spec.grader.as_ref().is_some_and(|grader| grader.same_family);
        let named = |models: Vec<String>| Grader { models, same_family };
        if !self.models.is_empty() {
            return Some(named(self.models.to_vec()));
        }
        if let Some(grader) = &spec.grader {
            return Some(named(grader.models.clone()));
        }
        let usual = usual.or(self.rehearsal.then_some(SCRIPTED_GRADER));
        let needed = spec.questions.iter().any(|question| question.is_scored_by_grader());
        usual.filter(|_| needed).map(|model| named(vec![model.to_owned()]))
    }
}

/// The price of a model in money for a million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelPrice {
    /// Of prompt tokens that were not cached.
    pub prompt: f64,
    /// Of cached prompt tokens; the prompt's price where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<f64>,
    /// Of generated tokens.
    pub generated: f64,
}
