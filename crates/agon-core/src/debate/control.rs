//! The part of a debate that rules look at: small, and cheap to copy for trying a step.
use super::waiting::count;
use crate::answer::{Bid, DebaterScore, Measures, Ranked, RoundPlan, RoundSummary};
use crate::event::Step;
use crate::failure::FailureCause;
use crate::gate::FirstBallots;
use crate::ids::{ModelName, ParticipantId, Position, Timestamp, TurnId};
use crate::outcome::{DebateState, Halt, MajorityShift, MissingSeat, Outcome, Reason, StopRule, UsageTotals};
use crate::task::{Ask, BallotStage, BidPurpose};
use crate::work::{Seat, Work};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Where a debate stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Control {
    pub position: Position,
    pub epoch: u64,
    pub phase: Phase,
    /// Why nobody plays the debate before it is resumed.
    pub halt: Option<Halt>,
    /// When the last event happened.
    pub last_at: Timestamp,
    /// Milliseconds that are part of no duration: see [`crate::Event::left_out_ms`].
    pub left_out_ms: u64,
    /// When somebody claimed it first.
    pub claimed: Option<Timestamp>,
    /// The round that seats are numbered in: 0 before the first, one more than the last after it.
    pub round: u32,
    /// Rounds that were opened.
    pub rounds_held: u32,
    pub next_seat: u32,
    pub stage: Stage,
    /// Who is to speak in this round, in order.
    pub speakers: Vec<ParticipantId>,
    /// What became of the seats of this round, in the order in which that was known.
    pub turned: Vec<Turned>,
    /// The inner circle, who has sat in it longest first.
    pub circle: Vec<ParticipantId>,
    /// Whose proposals were heard.
    pub proposed: Vec<ParticipantId>,
    /// The moderator's plan for a round.
    pub plan: Option<(u32, RoundPlan)>,
    pub ballots: Vec<Ballot>,
    /// The answers of openings and proposals.
    pub stated: Vec<StatedAnswer>,
    pub votes: Vec<CastVote>,
    pub scores: Vec<(ParticipantId, Vec<DebaterScore>)>,
    pub judgements: Vec<JudgedOrder>,
    pub rankings: Vec<RankedOrder>,
    pub critical: Vec<CriticalObjection>,
    /// How sure each debater last said that it is.
    pub sure: BTreeMap<ParticipantId, u8>,
    /// The moderator's synthesis, where it decides: verdict and reasoning.
    pub synthesis: Option<(Arc<str>, Option<String>)>,
    /// The figures of the last rounds, oldest first: no more than a stop rule looks at, because every step copies them.
    pub measures: Vec<Measures>,
    /// The last round that was measured.
    pub measured: u32,
    /// The last round that the last summary covers.
    pub summarised: u32,
    /// The judge has heard enough.
    pub enough: bool,
    /// The verdict that was reached.
    pub verdict: Option<Box<Reached>>,
    pub missing: Vec<MissingSeat>,
    pub usage: UsageTotals,
    /// Tokens of all calls, estimated where they were not reported; only the budget looks at it.
    pub spent_tokens: u64,
    pub started: Option<Timestamp>,
    pub speeches: u32,
    pub transcript_chars: u64,
    pub briefing: Option<Arc<str>>,
    pub new_angle: Option<Arc<str>>,
    pub summary: Option<Arc<str>>,
    /// How the moderator last closed a round, where it gave a decision then.
    pub decision: Option<Arc<RoundSummary>>,
    /// The moderator's wish to end the rounds.
    pub moderator_stop: Option<StopRule>,
    /// The moderator called the vote: nobody speaks before it.
    pub vote_called: bool,
    pub loop_ended: bool,
    /// Whether the gate skips the rounds, once it has decided.
    pub gated: Option<bool>,
    /// The first ballots as a gate sees them.
    pub first: FirstBallots,
    pub placed: Vec<(ParticipantId, String, ModelName)>,
}

/// What became of a seat of a round.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Turned {
    pub seat: u32,
    pub participant: ParticipantId,
    pub work: Work,
    pub heard: Heard,
}

/// What was heard of a seat, as far as formats look at it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Heard {
    /// Nothing: the turn failed.
    Nothing,
    /// Nothing: nobody was asked.
    Skipped,
    /// Something that formats do not look into.
    Something,
    /// A speech, and who cut it.
    Speech(Arc<str>, Option<ParticipantId>),
    /// A bid.
    Bid(Bid),
    /// A critique of this severity.
    Critique(u8),
    /// What a moderator wants of debaters.
    Requests(Vec<Seat>),
}

/// A vote that was cast.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CastVote {
    pub round: u32,
    pub voter: ParticipantId,
    pub choice: String,
    pub choices: Vec<String>,
    pub confidence: Option<u8>,
}

/// One order as it was ranked.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RankedOrder {
    pub judge: ParticipantId,
    pub order: u32,
    pub ranking: Vec<Ranked>,
}

/// A critique so severe that it must not stand unanswered.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct CriticalObjection {
    pub by: ParticipantId,
    pub of: ParticipantId,
    pub answered: bool,
}

/// Where the debate is in its course.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Admitted, nobody asked yet.
    Admitted,
    InitialBallots,
    Openings,
    /// Between rounds: the next thing is to open one.
    BetweenRounds,
    RoundOpening,
    Speaking,
    RoundClosing,
    /// A step beside the speeches.
    Aside(Step),
    FinalStatements,
    Rebuttals,
    FinalBallots,
    Deciding,
    Synthesis,
    Ended(DebateState, Option<Outcome>),
}

/// A set of turns that belong together.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Stage {
    pub slots: Vec<Slot>,
    /// All at once, on the log as it stood when the stage began.
    pub parallel: bool,
    /// The log when the stage began.
    pub since: Position,
    /// The try that was heard half-way, which alone can be cut.
    pub listened: Option<TurnId>,
}

/// A seat and what became of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Slot {
    pub seat: u32,
    pub participant: ParticipantId,
    pub work: Work,
    pub state: SlotState,
    /// Which of the participant's models is in use: 0 its own, then its fallbacks.
    pub model_index: usize,
    pub tries_on_model: u32,
    /// What was wrong with the last answer, for the model to mend.
    pub correction: Option<String>,
    /// What the last try failed of.
    pub last_cause: Option<FailureCause>,
    /// When the seat first met an open breaker.
    pub waits_since: Option<Timestamp>,
}

/// What became of a seat.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum SlotState {
    /// Not asked yet.
    Waiting,
    /// Asked, no answer yet.
    Asked(Box<Ask>),
    /// The next try waits for its time.
    Backoff { turn: TurnId, at: Timestamp },
    /// Answered.
    Done,
    /// Failed for good.
    Failed(FailureCause),
    /// Never asked.
    Skipped,
}

/// A private ballot that was cast.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ballot {
    pub stage: BallotStage,
    pub participant: ParticipantId,
    pub choice: String,
}

/// The answer that an opening or a proposal states.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StatedAnswer {
    pub seat: u32,
    pub participant: ParticipantId,
    pub answer: String,
}

/// A verdict that was reached, as far as something later asks for it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reached {
    pub outcome: Outcome,
    pub reason: Option<Reason>,
    /// The beginning of the answer.
    pub verdict: Option<String>,
    pub winner: Option<String>,
    pub majority: MajorityShift,
}

/// One order as it was judged.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct JudgedOrder {
    pub judge: ParticipantId,
    pub order: u32,
    pub verdict: String,
    pub winner: Option<String>,
    pub reasoning: String,
    pub open_objections: bool,
}

/// Who was wanted in a round, and who spoke.
pub struct Attendance<'a> {
    pub wanted: BTreeSet<&'a ParticipantId>,
    pub spoke: BTreeSet<&'a ParticipantId>,
}

impl Control {
    pub fn new() -> Self {
        Self {
            position: Position(0),
            epoch: 0,
            phase: Phase::Admitted,
            halt: None,
            last_at: Timestamp::default(),
            left_out_ms: 0,
            claimed: None,
            round: 0,
            rounds_held: 0,
            next_seat: 0,
            stage: Stage::default(),
            speakers: Vec::new(),
            turned: Vec::new(),
            circle: Vec::new(),
            proposed: Vec::new(),
            plan: None,
            ballots: Vec::new(),
            stated: Vec::new(),
            votes: Vec::new(),
            scores: Vec::new(),
            judgements: Vec::new(),
            rankings: Vec::new(),
            critical: Vec::new(),
            sure: BTreeMap::new(),
            synthesis: None,
            measures: Vec::new(),
            measured: 0,
            summarised: 0,
            enough: false,
            verdict: None,
            missing: Vec::new(),
            usage: UsageTotals::default(),
            spent_tokens: 0,
            started: None,
            speeches: 0,
            transcript_chars: 0,
            briefing: None,
            new_angle: None,
            summary: None,
            decision: None,
            moderator_stop: None,
            vote_called: false,
            loop_ended: false,
            gated: None,
            first: FirstBallots::default(),
            placed: Vec::new(),
        }
    }

    /// Starts to number seats afresh when `round` is a later one.
    pub fn enter_round(&mut self, round: u32) {
        if round > self.round {
            self.round = round;
            self.next_seat = 0;
            self.turned.clear();
        }
    }

    /// Opens one seat per participant.
    pub fn begin_stage(&mut self, parallel: bool, seats: impl IntoIterator<Item = (ParticipantId, Work)>) {
        let slots = self.slots(seats);
        self.stage = Stage { slots, parallel, since: self.position, listened: None };
    }

    /// Opens seats beside those that are open.
    pub fn join_stage(&mut self, seats: impl IntoIterator<Item = (ParticipantId, Work)>) {
        let slots = self.slots(seats);
        self.stage.slots.extend(slots);
        self.stage.parallel = true;
        self.stage.since = self.position;
    }

    fn slots(&mut self, seats: impl IntoIterator<Item = (ParticipantId, Work)>) -> Vec<Slot> {
        let mut slots = Vec::new();
        for (participant, work) in seats {
            slots.push(Slot {
                seat: self.next_seat,
                participant,
                work,
                state: SlotState::Waiting,
                model_index: 0,
                tries_on_model: 0,
                correction: None,
                last_cause: None,
                waits_since: None,
            });
            self.next_seat = self.next_seat.saturating_add(1);
        }
        slots
    }

    /// Those whom speeches of this round were wanted from, and those of them who spoke at least once: a speaker with several seats
    /// counts once. Where nobody was given the floor, those who were asked whether they want it count instead, and who answered.
    pub fn attendance(&self) -> Attendance<'_> {
        let speech = |turned: &Turned| turned.work.traits().speech.is_some();
        let bid = |turned: &Turned| matches!(turned.work, Work::Bid { purpose: BidPurpose::Floor, .. });
        let spoken = self.turned.iter().any(speech);
        let wanted = |turned: &&Turned| if spoken { speech(turned) } else { bid(turned) };
        let seats = || self.turned.iter().filter(wanted).filter(|turned| turned.heard != Heard::Skipped);
        Attendance {
            wanted: seats().map(|turned| &turned.participant).collect(),
            spoke: seats().filter(|turned| turned.heard != Heard::Nothing).map(|turned| &turned.participant).collect(),
        }
    }

    /// How many were wanted in the round, and how many of them spoke.
    pub fn attended(&self) -> (u32, u32) {
        let attendance = self.attendance();
        (count(attendance.wanted.len()), count(attendance.spoke.len()))
    }

    /// How many samples of a poll were asked for, and how many there are: each seat counts, whoever has it.
    pub fn sampled(&self) -> (u32, u32) {
        let seats = || self.turned.iter().filter(|turned| turned.heard != Heard::Skipped);
        let heard = seats().filter(|turned| turned.heard != Heard::Nothing);
        (count(seats().count()), count(heard.count()))
    }

    /// The slot of an open turn: asked, and this very try.
    pub fn open_slot(&self, turn: TurnId) -> Option<(&Slot, &Ask)> {
        self.stage.slots.iter().find_map(|slot| match &slot.state {
            SlotState::Asked(ask) if ask.turn == turn => Some((slot, ask.as_ref())),
            SlotState::Asked(_)
            | SlotState::Waiting
            | SlotState::Backoff { .. }
            | SlotState::Done
            | SlotState::Failed(_)
            | SlotState::Skipped => None,
        })
    }

    pub fn slot_mut(&mut self, turn: TurnId) -> Option<&mut Slot> {
        let here = turn.round == self.round;
        self.stage.slots.iter_mut().find(|slot| here && slot.seat == turn.seat)
    }
}

impl Stage {
    pub fn is_complete(&self) -> bool {
        self.slots.iter().all(|slot| slot.is_settled())
    }
}

impl Slot {
    /// Whether nothing more will come of the seat.
    pub fn is_settled(&self) -> bool {
        matches!(self.state, SlotState::Done | SlotState::Failed(_) | SlotState::Skipped)
    }
}
