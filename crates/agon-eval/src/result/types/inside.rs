//! What the debates' own logs say: free arms, flips, drift, conformity, order, diversity.
use super::Estimate;
use crate::ArmName;
use serde::{Deserialize, Serialize};

/// What another way of deciding would have made of the same debates, at the tokens that the log had cost by then.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FreeArm {
    /// Of this debate.
    pub debate: ArmName,
    /// How it decides.
    pub kind: FreeArmKind,
    /// After this round, for `stop_after`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    /// Share of right answers.
    pub right: Estimate,
    /// The debate's rate minus this one.
    pub gain: Estimate,
    /// The p-value of the gain, by sign flips; not adjusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// What the log had cost for each question by then, by the eval's count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per_question: Option<f64>,
    /// Not a method, but the most that any choice among the answers could reach.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub upper_bound: bool,
    /// Debates whose log says nothing about it; they score 0 here, as a failure does.
    pub silent: u32,
}

/// Ways of deciding that a debate's log has for nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FreeArmKind {
    /// The plurality of the first ballots.
    VoteFirst,
    /// The plurality of the openings' answers, where the openings are given all at once.
    VoteOpenings,
    /// The plurality of the last ballots.
    VoteLast,
    /// The mean of the first ballots.
    RandomFirst,
    /// Right if anybody's answer was.
    Oracle,
    /// What the judges found in the first order of presentation.
    #[serde(rename = "judge_order_0")]
    JudgeOrder0,
    /// What the judges found in the other order.
    #[serde(rename = "judge_order_1")]
    JudgeOrder1,
    /// The plurality of the answers that speeches named up to a round.
    StopAfter,
}

/// What happened inside the debates of an arm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InsideDebates {
    /// Of this debate.
    pub debate: ArmName,
    /// Debates whose logs say something of it.
    pub debates: u32,
    /// Ballots that stayed or changed from first to last; absent without first and last ballots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ballots: Option<FlipCounts>,
    /// The same by persona, model, format, and round where speeches name answers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ballots_by: Vec<FlipRow>,
    /// From the vote of the first ballots to the verdict; absent without first ballots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub results: Option<ResultFlips>,
    /// Share of right ballots first and last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drift: Option<DriftResult>,
    /// Moves to the first majority.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conformity: Option<ConformityResult>,
    /// Right answers that were there and did not win.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost_truth: Option<LostTruthResult>,
    /// Whether places in the order mattered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub order: Option<OrderResult>,
    /// Whether the models err alike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diversity: Option<DiversityResult>,
}

/// Ballots by what became of them, from first to last.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlipCounts {
    /// Right and stayed right.
    pub kept_right: u32,
    /// Wrong and stayed with the same answer.
    pub kept_wrong: u32,
    /// Wrong at first, right at last.
    pub wrong_to_right: u32,
    /// Right at first, wrong at last.
    pub right_to_wrong: u32,
    /// From one wrong answer to another.
    pub wrong_to_other: u32,
    /// Share of wrong first ballots that became right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mended: Option<Estimate>,
    /// Share of right first ballots that became wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broken: Option<Estimate>,
}

/// Flips of some of the ballots.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlipRow {
    /// By what the ballots are divided.
    pub by: FlipDivision,
    /// Whose: a persona's name, a model, a format or a round.
    pub value: String,
    /// How many, of which kind.
    pub flips: FlipCounts,
}

/// By what ballots are divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FlipDivision {
    /// By who cast them.
    Persona,
    /// By the model that cast them.
    Model,
    /// By the debate's format.
    Format,
    /// By the round in which a speech names another answer than the one before.
    Round,
}

/// Results by what the debate made of the vote of the first ballots.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ResultFlips {
    /// Both right.
    pub kept_right: u32,
    /// Both wrong.
    pub kept_wrong: u32,
    /// The vote was wrong, the verdict right.
    pub wrong_to_right: u32,
    /// The vote was right, the verdict wrong.
    pub right_to_wrong: u32,
    /// Share of wrong votes that the debate mended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mended: Option<Estimate>,
    /// Share of right votes that the debate broke.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broken: Option<Estimate>,
    /// The p-value of McNemar's exact test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
}

/// Share of right ballots first and last.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct DriftResult {
    /// Of the first ballots, those without a last one included.
    pub first: Estimate,
    /// Of the last ballots.
    pub last: Estimate,
    /// The last minus the first.
    pub change: Estimate,
}

/// Moves to the first majority by those who stood outside it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConformityResult {
    /// Share of those outside any majority who moved to it.
    pub all: Estimate,
    /// Where the majority was right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_right: Option<Estimate>,
    /// Where the majority was wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_wrong: Option<Estimate>,
    /// Of the moves, the share after which no attack and no answer had reached the one who moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unchallenged: Option<Estimate>,
}

/// Right answers that were there and did not win.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LostTruthResult {
    /// Of the debates in which somebody was right at first, the share with a wrong verdict.
    pub lost: Estimate,
    /// Of the debates that were contested at first, the share that was unanimous and wrong at last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collapsed: Option<Estimate>,
}

/// Whether places in the order mattered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OrderResult {
    /// Share of right verdicts, by place.
    pub rows: Vec<OrderRow>,
    /// Of the verdicts by judges who saw both orders, the share in which the winner changed with the order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judges_changed: Option<Estimate>,
}

/// Share of right verdicts at a place in the order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OrderRow {
    /// What is placed.
    pub by: OrderPlace,
    /// Which place: a seat's or an order's number from 1, or the last speaker's first ballot as `right` or `wrong`.
    pub value: String,
    /// Share of right verdicts.
    pub right: Estimate,
}

/// What is placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OrderPlace {
    /// The only one who was right at first, by seat.
    RightSeat,
    /// The last speaker, by whether its first ballot was right.
    LastSpeaker,
    /// The judge's order of presentation.
    JudgeOrder,
}

/// Whether the models err alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DiversityResult {
    /// Each model alone, by its first ballots, openings or samples.
    pub models: Vec<ModelAlone>,
    /// Each pair of models.
    pub pairs: Vec<ModelPair>,
}

/// How often a model is right by itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelAlone {
    /// Which.
    pub model: String,
    /// Share of right first answers.
    pub right: Estimate,
}

/// Whether two models err alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelPair {
    /// One.
    pub first: String,
    /// The other.
    pub second: String,
    /// Agreement of their answers beyond what their rates make likely by chance (CAPA): 1 always the same, 0 by chance alone.
    pub agreement: Estimate,
}
