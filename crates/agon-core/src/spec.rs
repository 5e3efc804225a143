//! The debate as its author wants it: validated, with every default filled in.
//!
//! `agon-spec` makes these from files; past that door nothing is checked again.
use crate::ids::{JUDGE, MODERATOR, ModelName, ParticipantId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A whole debate file, normalised.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DebateSpec {
    /// What is debated.
    pub topic: String,
    /// Background that everybody reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Quotable evidence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub materials: Option<String>,
    /// Assigned stances or own answers.
    pub mode: Mode,
    /// What happens in a round.
    pub debate_format: DebateFormat,
    /// Hard cap on rounds, 1 to 100.
    pub max_rounds: u32,
    /// The debaters, 2 to 16, in declared order.
    pub personas: Vec<Persona>,
    /// Who speaks when.
    pub turn_mode: TurnMode,
    /// Whether later speakers of a round see earlier ones.
    pub visibility: Visibility,
    /// What a speaker sees.
    pub context_scope: ContextScope,
    /// What is kept of the past.
    pub memory: Memory,
    /// Which optional phases run.
    pub phases: Phases,
    /// The moderator, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moderator: Option<Moderator>,
    /// How the debate is decided.
    pub consensus_strategy: ConsensusStrategy,
    /// The judge; present exactly when the strategy is [`ConsensusStrategy::Judge`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<Judge>,
    /// The vote; present exactly when the strategy is [`ConsensusStrategy::Vote`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub voting: Option<Voting>,
    /// Which private ballots are cast.
    pub ballots: Ballots,
    /// The stop rules that are on besides the moderator, budgets and `terminate_when`.
    pub end_condition: Vec<EndCondition>,
    /// CEL expression over the debate's figures; true ends the rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terminate_when: Option<String>,
    /// Milliseconds that one answer may take, from the start of generation.
    pub timeout_per_turn_ms: u64,
    /// Caps on the whole debate.
    #[serde(default, skip_serializing_if = "Budget::is_unlimited")]
    pub budget: Budget,
    /// What happens when a turn has failed for good.
    pub on_turn_failure: OnTurnFailure,
    /// How many speakers of a round must succeed.
    pub quorum: Quorum,
    /// Fixed seed, else one is drawn at admission and recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// How far the prompts push towards agreement, 0 to 10.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agreement_intensity: Option<u8>,
    /// Language of the debate, as the author names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Text added to every built-in prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// What is written when the debate ends.
    pub outputs: Vec<Output>,
    /// The author's own labels; `terminate_when` reads them as `labels`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
}

/// Assigned stances that are held to the end, or own answers that may be revised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Every persona argues its assigned stance.
    Adversarial,
    /// Every persona has its own answer and may revise it by naming the flaw in it.
    Deliberative,
}

/// What happens in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DebateFormat {
    /// Every debater speaks once, in turn order.
    RoundRobin,
}

/// Who speaks when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TurnMode {
    /// Declared order.
    RoundRobin,
    /// A fresh seeded permutation each round.
    Random,
    /// By priority, highest first, ties in declared order.
    PriorityOrder,
    /// The moderator's `next_speakers`.
    Moderator,
}

/// Whether later speakers of a round see earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Visibility {
    /// One after the other, each sees all before.
    Sequential,
    /// All at once on the same transcript.
    Simultaneous,
}

/// What a speaker sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContextScope {
    /// The whole log.
    FullLog,
}

/// What is kept of the past.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Memory {
    /// Everything.
    AppendAll,
}

/// Which optional phases run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Phases {
    /// Opening statements before round 1.
    pub opening_statements: bool,
    /// Final statements after the last round.
    pub final_statements: bool,
}

/// A debater.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Persona {
    /// Unique in the debate.
    pub name: ParticipantId,
    /// The position it argues; always present in adversarial mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stance: Option<String>,
    /// Who it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Replaces the default debater rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// Added to the rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// The model and how it is sampled.
    #[serde(flatten)]
    pub voice: Voice,
    /// Models to try, in order, when `model` has failed for good. Opt-in; a substitution is recorded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallback_models: Vec<ModelName>,
    /// Form of the speech.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<Style>,
    /// Tone of the speech, free text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tone: Option<String>,
    /// Language of this persona, else the debate's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Rank in `priority_order`, higher first.
    #[serde(default)]
    pub priority: i64,
}

/// A model with its sampling options.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Voice {
    /// The model.
    pub model: ModelName,
    /// Sampling temperature, 0 to 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Nucleus sampling, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// Presence penalty, -2 to 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub presence_penalty: Option<f64>,
    /// Cap on generated tokens of one answer, thinking included.
    pub max_tokens: u32,
    /// Thinking policy; absent leaves it to the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub think: Option<Think>,
}

/// Thinking policy of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Think {
    /// No thinking.
    Off,
    /// Thinking at the model's own level.
    On,
    /// Little thinking.
    Low,
    /// Some thinking.
    Medium,
    /// Much thinking.
    High,
}

/// Form of a speech.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Style {
    /// Formal prose.
    Formal,
    /// Everyday prose.
    Casual,
    /// A list of points.
    BulletPoint,
    /// Plain paragraphs.
    Paragraph,
}

/// The moderator and its duties.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Moderator {
    /// Opens every round with speakers, a briefing and an angle.
    pub opens: bool,
    /// Closes every round with a summary and a status.
    pub closes: bool,
    /// Added to its prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// The model and how it is sampled.
    #[serde(flatten)]
    pub voice: Voice,
}

/// How the debate is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConsensusStrategy {
    /// A judge reads the whole log.
    Judge,
    /// The debaters vote.
    Vote,
}

/// The judge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judge {
    /// 2: one order and its reverse must agree; 1: a single reading.
    pub orders: u32,
    /// Speakers become Speaker A, B, ...
    pub anonymize_transcript: bool,
    /// Permute the order of speeches inside each round, from the recorded seed.
    pub shuffle_for_judge: bool,
    /// Added to its prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// The model and how it is sampled.
    #[serde(flatten)]
    pub voice: Voice,
}

/// A vote of the debaters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Voting {
    /// The rule that a winner must meet.
    pub rule: VoteRule,
    /// Whether one may vote for one's own side.
    pub self_votes: SelfVotes,
}

/// The rule that a winner must meet. Shares are of the eligible voters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VoteRule {
    /// More than one half.
    Majority,
    /// At least two thirds.
    Supermajority,
    /// All.
    Unanimous,
    /// More than any other.
    Plurality,
}

/// Whether one may vote for one's own side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SelfVotes {
    /// One's own side is not on one's ballot.
    Exclude,
    /// Every candidate is on every ballot.
    Allow,
}

/// Which private ballots are cast.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ballots {
    /// Before round 1 and at the end.
    Both,
    /// At the end only.
    FinalOnly,
    /// None.
    None,
}

/// A stop rule that can be switched on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndCondition {
    /// `max_rounds` rounds were held. Always in force.
    RoundsExhausted,
}

/// Caps on the whole debate. The decision's share is reserved first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budget {
    /// Prompt plus generated tokens of all calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Seconds from the first turn to the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
}
impl Budget {
    /// Whether nothing is capped.
    pub fn is_unlimited(&self) -> bool {
        self.tokens.is_none() && self.seconds.is_none()
    }
}

/// What happens when a turn has failed for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OnTurnFailure {
    /// The seat stays empty, the debate goes on while the quorum holds.
    Skip,
    /// The debate ends as failed.
    Abort,
}

/// How many speakers of a round must succeed; below it the round is void.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quorum {
    /// More than half of the round's seats.
    Majority,
    /// All of them.
    All,
    /// This many, or all where the round has fewer seats.
    AtLeast(u32),
}
impl Quorum {
    /// The number of speeches that a round of `seats` needs.
    pub fn needed(self, seats: u32) -> u32 {
        match self {
            Self::Majority => seats / 2 + u32::from(seats > 0),
            Self::All => seats,
            Self::AtLeast(n) => n.min(seats),
        }
    }
}

/// What is written when the debate ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Output {
    /// The whole debate as Markdown.
    FullMarkdown,
    /// Verdict and figures as Markdown.
    SummaryOnly,
    /// The event log as JSON lines.
    JsonLog,
    /// Markdown with prompts' figures, failures, placements and times.
    Verbose,
    /// A self-contained page.
    Html,
}

/// What a participant is in the debate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Role<'a> {
    /// A debater, with its index in declared order.
    Debater(usize, &'a Persona),
    /// The moderator.
    Moderator(&'a Moderator),
    /// The judge.
    Judge(&'a Judge),
}
impl Role<'_> {
    /// The role's model and sampling options.
    pub fn voice(&self) -> &Voice {
        match self {
            Self::Debater(_, persona) => &persona.voice,
            Self::Moderator(moderator) => &moderator.voice,
            Self::Judge(judge) => &judge.voice,
        }
    }
}

impl DebateSpec {
    /// The role of a participant, if there is such a one.
    pub fn role(&self, participant: &ParticipantId) -> Option<Role<'_>> {
        match participant.as_str() {
            MODERATOR => self.moderator.as_ref().map(Role::Moderator),
            JUDGE => self.judge.as_ref().map(Role::Judge),
            name => {
                let at = self.personas.iter().position(|persona| persona.name.as_str() == name)?;
                self.personas.get(at).map(|persona| Role::Debater(at, persona))
            }
        }
    }
    /// The persona of that name.
    pub fn persona(&self, participant: &ParticipantId) -> Option<&Persona> {
        self.personas.iter().find(|persona| persona.name == *participant)
    }
    /// The distinct stances in declared order.
    pub fn stances(&self) -> Vec<&str> {
        let mut stances: Vec<&str> = Vec::new();
        for stance in self.personas.iter().filter_map(|persona| persona.stance.as_deref()) {
            if !stances.contains(&stance) {
                stances.push(stance);
            }
        }
        stances
    }
}
