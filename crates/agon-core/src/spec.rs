//! The debate as its author wants it: validated, with every default filled in.
//!
//! `agon-spec` makes these from files; past that door nothing is checked again.
use crate::event::PhaseName;
use crate::ids::{EMBEDDER, MODERATOR, ModelName, ParticipantId, SUMMARIZER, SYNTHESIZER, judge_id, judge_index};
use crate::tally::same_answer;
use crate::work::Work;
use serde::Serialize;
use std::collections::BTreeMap;

mod answer_form;
mod answers;
mod balloted;
mod combinations;
mod deciding;
mod format;
mod gated;
mod memory;
mod outgrown;
mod overlong;
mod roles;
mod stopping;

pub use answer_form::*;
pub use answers::*;
pub use combinations::{SpecProblem, combination_problems};
pub use deciding::*;
pub use format::*;
pub use gated::*;
pub use memory::*;
pub use outgrown::*;
pub use overlong::*;
pub use roles::*;
pub use stopping::*;

/// A whole debate file, normalised.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DebateSpec {
    /// What is debated.
    pub topic: String,
    /// Background that everybody reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Quotable evidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub materials: Option<String>,
    /// What an answer to the topic is; absent: any text, and a judge may name no winner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<AnswerForm>,
    /// Assigned stances or own answers.
    pub mode: Mode,
    /// What happens in a round.
    pub debate_format: DebateFormat,
    /// What only some formats know.
    #[serde(flatten)]
    pub format: FormatOptions,
    /// Whether rounds are held whatever the first ballots say.
    #[serde(skip_serializing_if = "is_always")]
    pub debate: DebateWhen,
    /// How the gate decides where they are not.
    #[serde(skip_serializing_if = "GateOptions::is_default")]
    pub gate: GateOptions,
    /// Hard cap on rounds, 1 to 100.
    pub max_rounds: u32,
    /// The debaters, 2 to 16, in declared order; 1 is enough for a poll.
    pub personas: Vec<Persona>,
    /// Who speaks when.
    pub turn_mode: TurnMode,
    /// Whether later speakers of a round see earlier ones.
    pub visibility: Visibility,
    /// What a speaker sees.
    pub context_scope: ContextScope,
    /// What is kept of the past.
    pub memory: Memory,
    /// How much windows keep, and when summaries are made.
    #[serde(flatten)]
    pub windows: Windows,
    /// Who sums up; present exactly when memory or context scope want summaries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summarizer: Option<Summarizer>,
    /// How many earlier debates on similar questions everybody is told of, at most.
    #[serde(skip_serializing_if = "is_none_told")]
    pub history_limit: u32,
    /// How many arguments that failed in each of these everybody is told of, at most.
    #[serde(skip_serializing_if = "is_none_told")]
    pub failed_arguments: u32,
    /// The operator's feeds whose items everybody reads, by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub feeds: Vec<String>,
    /// Which optional phases run.
    pub phases: Phases,
    /// The moderator, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moderator: Option<Moderator>,
    /// How the debate is decided.
    pub consensus_strategy: ConsensusStrategy,
    /// The judge; present exactly when the strategy, the voters or `ends_rounds` want one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge: Option<Judge>,
    /// The vote; present exactly when the strategy is [`ConsensusStrategy::Vote`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub voting: Option<Voting>,
    /// Whether the debaters score each other beside the decision.
    #[serde(skip_serializing_if = "scores_nobody")]
    pub scoring: Scoring,
    /// Which private ballots are cast.
    pub ballots: Ballots,
    /// The stop rules that are on besides the moderator, budgets and `terminate_when`.
    pub end_condition: Vec<EndCondition>,
    /// CEL expression over the debate's figures; true ends the rounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terminate_when: Option<String>,
    /// What counts as saying the same.
    #[serde(flatten)]
    pub similarity: Similarity,
    /// Milliseconds that one answer may take, from the call to its last token; waiting for a server and loading the model aside.
    pub timeout_per_turn_ms: u64,
    /// Caps on the whole debate.
    #[serde(skip_serializing_if = "Budget::is_unlimited")]
    pub budget: Budget,
    /// What happens when a turn has failed for good.
    pub on_turn_failure: OnTurnFailure,
    /// What becomes of a speech that reaches its limit of tokens.
    #[serde(skip_serializing_if = "keeps_cut_speeches")]
    pub on_cut: OnCut,
    /// How many speakers of a round must succeed.
    pub quorum: Quorum,
    /// Fixed seed, else one is drawn at admission and recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// How far the prompts push towards agreement, 0 to 10.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agreement_intensity: Option<u8>,
    /// Language of the debate, as the author names it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Text added to every built-in prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// A last call over the result, if one is wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub synthesizer: Option<Synthesizer>,
    /// How much a turn may use its tools.
    #[serde(skip_serializing_if = "ToolLimits::is_default")]
    pub tools: ToolLimits,
    /// The verifiers that check the claims which debaters mark, by the names that the host's settings give them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub verifiers: Vec<String>,
    /// How long answers are, how structured ones are read, and what they carry besides.
    #[serde(flatten)]
    pub answers: AnswerOptions,
    /// Whose words are shown where.
    #[serde(skip_serializing_if = "Visible::is_default")]
    pub visible: Visible,
    /// What is written when the debate ends.
    pub outputs: Vec<Output>,
    /// The author's own labels; `terminate_when` reads them as `labels`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
}

named! {
    /// Assigned stances that are held to the end, or own answers that may be revised.
    pub enum Mode {
        Adversarial = "adversarial": "every persona argues its assigned stance to the end",
        Deliberative = "deliberative": "every persona has its own answer and revises it only by naming the flaw in it",
    }
}

/// Which optional phases run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Phases {
    /// Opening statements before round 1.
    pub opening_statements: bool,
    /// Final statements after the last round.
    pub final_statements: bool,
    /// Short rebuttals after the final statements.
    pub rebuttals: bool,
    /// Reports say what the debate's course shows: who moved whom, what was left unanswered.
    pub analysis: bool,
    /// What comes out counts for ratings and is told to later debates that ask for history.
    pub feedback: bool,
}

/// The most bytes of a text of the author whose variables are filled in.
pub const MAX_FILLED: usize = 1024 * 1024;

/// Most earlier debates that a debate can be told of.
pub const MOST_HISTORY: u32 = 20;

/// Most arguments that failed in an earlier debate that a debate can be told of.
pub const MOST_FAILED: u32 = 10;

/// Most feeds that a debate can read.
pub const MOST_FEEDS: usize = 8;

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn keeps_cut_speeches(on_cut: &OnCut) -> bool {
    *on_cut == OnCut::Keep
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn scores_nobody(scoring: &Scoring) -> bool {
    *scoring == Scoring::None
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_none_told(limit: &u32) -> bool {
    *limit == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_always(when: &DebateWhen) -> bool {
    *when == DebateWhen::Always
}

named! {
    /// What happens when a turn has failed for good.
    pub enum OnTurnFailure {
        Skip = "skip": "the seat stays empty if the quorum is met" => "leave the seat empty",
        Abort = "abort": "the debate ends as failed" => "end the debate",
    }
}

named! {
    /// What becomes of a speech that reaches its limit of tokens.
    #[derive(Default)]
    pub enum OnCut {
        #[default]
        Keep = "keep": "it stands up to its last whole sentence, marked as cut" => "kept up to the last whole sentence",
        Retry = "retry": "the model is asked once more, and the turn fails if that is cut too" => "asked for once more",
        Fail = "fail": "the turn fails" => "a failed turn",
    }
}

/// How many speakers of a round must succeed; below it the round is void.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
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

named! {
    /// What is written when the debate ends.
    pub enum Output {
        FullMarkdown = "full_markdown": "the whole debate",
        SummaryOnly = "summary_only": "verdict and figures",
        JsonLog = "json_log": "the event log as JSON lines",
        Verbose = "verbose": "the whole debate with failures, places, tokens and times",
        Html = "html": "a self-contained page",
        VisualTree = "visual_tree": "who attacks or supports what, as Mermaid and SVG",
    }
}

/// What a participant is in the debate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Role<'a> {
    /// A debater, with its index in declared order.
    Debater(usize, &'a Persona),
    /// The moderator.
    Moderator(&'a Moderator),
    /// A judge, with its index in the panel.
    Judge(u32, &'a Judge),
    /// The one who sums up the past.
    Summarizer(&'a Summarizer),
    /// The one who turns the result into data.
    Synthesizer(&'a Synthesizer),
    /// The one who measures how similar speeches are, by the embeddings of this model.
    Embedder(&'a ModelName),
}
impl<'a> Role<'a> {
    /// The role's sampling options; an embedder has none.
    pub fn voice(&self) -> Option<&'a Voice> {
        match self {
            Self::Debater(_, persona) => Some(&persona.voice),
            Self::Moderator(moderator) => Some(&moderator.voice),
            Self::Judge(_, judge) => Some(&judge.voice),
            Self::Summarizer(summarizer) => Some(&summarizer.voice),
            Self::Synthesizer(synthesizer) => Some(&synthesizer.voice),
            Self::Embedder(_) => None,
        }
    }
    /// The role's models: its own, then its fallbacks.
    pub fn models(&self) -> Vec<&'a ModelName> {
        let (own, voice) = match self {
            Self::Debater(_, persona) => (&persona.voice.model, &persona.voice),
            Self::Judge(index, judge) => (judge.model(*index), &judge.voice),
            Self::Moderator(moderator) => (&moderator.voice.model, &moderator.voice),
            Self::Summarizer(summarizer) => (&summarizer.voice.model, &summarizer.voice),
            Self::Synthesizer(synthesizer) => (&synthesizer.voice.model, &synthesizer.voice),
            Self::Embedder(model) => return vec![model],
        };
        // judges of a panel have models of their own, which may be among the fallbacks of all
        std::iter::once(own).chain(voice.fallback_models.iter().filter(|model| *model != own)).collect()
    }
    /// The tools that the role may use.
    pub fn tools(&self) -> &'a [String] {
        match self {
            Self::Debater(_, persona) => &persona.tools,
            Self::Moderator(moderator) => &moderator.tools,
            Self::Judge(..) | Self::Summarizer(_) | Self::Synthesizer(_) | Self::Embedder(_) => &[],
        }
    }
}

impl DebateSpec {
    /// The role of a participant, if there is such a one.
    pub fn role(&self, participant: &ParticipantId) -> Option<Role<'_>> {
        match participant.as_str() {
            MODERATOR => self.moderator.as_ref().map(Role::Moderator),
            SUMMARIZER => self.summarizer.as_ref().map(Role::Summarizer),
            SYNTHESIZER => self.synthesizer.as_ref().map(Role::Synthesizer),
            EMBEDDER => self.similarity.embedding_model.as_ref().map(Role::Embedder),
            name => {
                if let Some(index) = judge_index(participant) {
                    return self
                        .judge
                        .as_ref()
                        .filter(|judge| index < judge.panel)
                        .map(|judge| Role::Judge(index, judge));
                }
                let at = self.personas.iter().position(|persona| persona.name.as_str() == name)?;
                self.personas.get(at).map(|persona| Role::Debater(at, persona))
            }
        }
    }
    /// How everybody who is asked by a model of its own is sampled: debaters, moderator, judges, summarizer, synthesizer.
    pub fn voices(&self) -> impl Iterator<Item = &Voice> {
        let personas = self.personas.iter().map(|persona| &persona.voice);
        let moderator = self.moderator.iter().map(|moderator| &moderator.voice);
        let judge = self.judge.iter().map(|judge| &judge.voice);
        let summarizer = self.summarizer.iter().map(|summarizer| &summarizer.voice);
        let synthesizer = self.synthesizer.iter().map(|synthesizer| &synthesizer.voice);
        personas.chain(moderator).chain(judge).chain(summarizer).chain(synthesizer)
    }
    /// The judges' names, in panel order.
    pub fn judges(&self) -> impl Iterator<Item = ParticipantId> + use<> {
        (0..self.judge.as_ref().map_or(0, |judge| judge.panel)).map(judge_id)
    }
    /// Whether each speech is compared with all before it.
    pub fn seeks_new_arguments(&self) -> bool {
        self.end_condition.contains(&EndCondition::NoNewArguments)
    }
    /// Whether debaters end what they argue with a line that states their answer: always where it is their own, and with assigned
    /// stances where a stop rule compares what is said and no embedding model is there to compare it.
    pub fn states_answers(&self) -> bool {
        match self.mode {
            Mode::Deliberative => true,
            Mode::Adversarial => {
                let compares = self.end_condition.iter().any(|rule| rule.compares());
                compares && self.similarity.embedding_model.is_none()
            }
        }
    }
    /// Whether a speech for this work says how sure its speaker is of its answer: before anybody was heard, and wherever an answer is
    /// stated where a stop rule asks for it.
    pub fn asks_confidence_of(&self, work: &Work) -> bool {
        let first = work.is_first_speech() && self.mode == Mode::Deliberative;
        self.answers.confidence && (first || self.answers.confidence_at_least.is_some() && work.names_answer())
    }
    /// Whether such work is an extra: a failure is no missing seat, and the budget keeps no room for it.
    pub fn is_extra(&self, work: &Work) -> bool {
        *work == Work::ScoreDebaters && self.scoring == Scoring::Anonymous
    }
    /// The persona of that name.
    pub fn persona(&self, participant: &ParticipantId) -> Option<&Persona> {
        self.personas.iter().find(|persona| persona.name == *participant)
    }
    /// The phases before the rounds, in order. Proposals are what critiques and ballots are about, so that they are made whatever
    /// the phases say, and before the first ballots; else ballots come before anybody was heard.
    pub fn before_rounds(&self) -> Vec<PhaseName> {
        if self.is_poll() {
            return vec![PhaseName::OpeningStatements];
        }
        let ballots = (self.ballots == Ballots::Both).then_some(PhaseName::InitialBallots);
        let openings =
            (self.phases.opening_statements || self.ballots_on_proposals()).then_some(PhaseName::OpeningStatements);
        let order = if self.ballots_on_proposals() { [openings, ballots] } else { [ballots, openings] };
        order.into_iter().flatten().collect()
    }
    /// Whether nobody hears anybody: each sample of the poll is an answer of its own.
    pub fn is_poll(&self) -> bool {
        self.debate_format == DebateFormat::Poll
    }
    /// Who gives the samples of a poll, in the order of their seats: the personas in turn.
    pub fn samplers(&self) -> impl Iterator<Item = &Persona> {
        let samples = if self.is_poll() { self.format.samples as usize } else { 0 };
        self.personas.iter().cycle().take(samples)
    }
    /// Whether private ballots choose among proposals, which go by the names of their authors.
    pub fn ballots_on_proposals(&self) -> bool {
        self.debate_format == DebateFormat::CritiqueRevision
    }
    /// Whether debaters stand for election, and not stances or answers.
    pub fn elects_debaters(&self) -> bool {
        let ranks = self.consensus_strategy == ConsensusStrategy::RankedReasons;
        let scores = self.voting.is_some_and(|voting| voting.rule.is_scored());
        self.debate_format.traits().elects_debaters.unwrap_or(ranks || scores)
    }
    /// The distinct stances in declared order.
    pub fn stances(&self) -> Vec<&str> {
        let mut stances: Vec<&str> = Vec::new();
        for stance in self.personas.iter().filter_map(|persona| persona.stance.as_deref()) {
            if !stances.iter().any(|known| same_answer(known, stance)) {
                stances.push(stance);
            }
        }
        stances
    }
}
