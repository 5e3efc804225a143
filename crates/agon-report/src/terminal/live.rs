//! The state of a running debate as far as a watcher sees it.
use super::lines;
use super::pace::LivePace;
use super::styled::{StyledLine, TextStyle, rehearsal_mark};
use crate::call_figures;
use crate::minutes;
use crate::prices::{Expenses, Prices};
use crate::text::{PlainText, excerpt};
use crate::words::{self, count, duration, number};
use agon_core::tally::same_answer;
use agon_core::{
    Admission, Answered, Ask, BallotStage, Call, Event, Given, ModelName, ModeratorDecision, ParticipantId, PhaseName,
    Position, Timestamp, TurnId, UsageTotals,
};
use std::collections::BTreeMap;

/// What a turn waits for is said every second: it is over where nothing was said for so long, in milliseconds.
const STALE_MS: u64 = 4_000;

/// Everything that a terminal shows of a running debate. It is told of events and token deltas, and of the time.
///
/// Events that come twice, or out of order after a newer one, change nothing.
#[derive(Clone, Debug, Default)]
pub struct LiveView {
    pub(super) admission: Option<Admission>,
    started: Option<Timestamp>,
    position: Position,
    pub(super) phase: Option<PhaseName>,
    pub(super) round: u32,
    pub(super) stopped: bool,
    pub(super) usage: UsageTotals,
    pub(super) failures: u32,
    ended: Option<Timestamp>,
    last_at: Timestamp,
    /// Milliseconds that are part of no duration.
    left_out_ms: u64,
    cancelling: bool,
    /// Nobody plays it before it is resumed.
    halted: bool,
    speaking: BTreeMap<TurnId, Speaking>,
    waiting: BTreeMap<(u32, u32), Waiting>,
    rehearsal: bool,
    /// Whose the turns of the open round were.
    holders: BTreeMap<(u32, u32), ParticipantId>,
    /// The last round whose heading was printed.
    headed: u32,
    pace: LivePace,
    prices: Prices,
    costs: Expenses,
    /// What the first ballots are for, most first.
    first_ballots: Vec<(String, u32)>,
}

/// A turn that was asked and has no result yet.
#[derive(Clone, Debug)]
pub struct Speaking {
    /// Who.
    pub participant: ParticipantId,
    /// By which model.
    pub model: ModelName,
    /// What for, in words.
    pub task: String,
    /// Since when.
    pub since: Timestamp,
    /// What came so far, without control characters.
    pub text: String,
    /// About how many tokens the prompt has, where earlier calls tell.
    pub reading: Option<u64>,
    /// When the first piece came, and how long it was: whoever comes late hears the whole answer so far.
    first: Option<(Timestamp, usize)>,
    /// The server is loading the model.
    pub loading: bool,
    /// What the turn waits for, and when that was last said.
    waits: Option<(Timestamp, String)>,
    last_delta: Option<u64>,
    stripper: PlainText,
}

/// A turn whose last try failed and whose next one has not begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Who.
    pub participant: ParticipantId,
    /// When the next try starts.
    pub retry_at: Timestamp,
    /// What it waits for: why the last try failed.
    pub reason: String,
}

impl LiveView {
    /// Nothing is known yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// What calls cost.
    #[must_use]
    pub fn with_prices(mut self, prices: Prices) -> Self {
        self.prices = prices;
        self
    }

    /// Takes the next event in, and says what is to be printed for good.
    pub fn lines(&mut self, position: Position, at: Timestamp, event: &Event) -> Vec<StyledLine> {
        if position <= self.position {
            return Vec::new();
        }
        self.position = position;
        let entry = minutes::entry(at, event);
        let call = entry.and_then(|entry| entry.call);
        let mut out = self.rehearsal_found(event, call);
        self.pace.take(at, event);
        if let (Some(call), Some(entry)) = (call, entry) {
            if call.was_made(entry.failed()) {
                self.usage.add(&call.usage);
                self.costs.add(&self.prices, call);
            }
            self.pace.read(entry.participant, &call.usage);
        }
        if let Some(turn) = entry.map(|entry| entry.turn) {
            self.speaking.retain(|open, _| !open.same_slot(turn));
            self.waiting.remove(&(turn.round, turn.seat));
        }
        self.take(at, event);
        out.extend(self.round_heading(event));
        out.extend(lines::of(self, at, event));
        out
    }

    /// Takes a piece of a running answer in. `n` counts the pieces of a turn; one that came before is passed over. A piece
    /// without text says that the server is loading the model.
    pub fn delta(&mut self, at: Timestamp, turn: TurnId, n: u64, text: &str) {
        let Some(speaking) = self.speaking.get_mut(&turn) else { return };
        speaking.loading = text.is_empty();
        speaking.waits = None;
        if text.is_empty() {
            return;
        }
        if speaking.last_delta.is_some_and(|last| n <= last) {
            return;
        }
        speaking.last_delta = Some(n);
        speaking.stripper.push(text, &mut speaking.text);
        let heard = speaking.text.chars().count();
        speaking.first.get_or_insert((at, heard));
    }

    /// Takes in what a turn waits for. It is shown for as long as it is said again and again.
    pub fn waits(&mut self, at: Timestamp, turn: TurnId, what: &str) {
        if let Some(speaking) = self.speaking.get_mut(&turn) {
            speaking.waits = Some((at, crate::plain(what)));
        }
    }

    /// Turns under way, by round and seat.
    pub fn speaking(&self) -> impl Iterator<Item = (TurnId, &Speaking)> {
        self.speaking.iter().map(|(turn, speaking)| (*turn, speaking))
    }
    /// Turns between two tries, by round and seat.
    pub fn waiting(&self) -> impl Iterator<Item = &Waiting> {
        self.waiting.values()
    }
    /// The open round, 0 before the first.
    pub fn round(&self) -> u32 {
        self.round
    }
    /// The phase, once one was entered.
    pub fn phase(&self) -> Option<PhaseName> {
        self.phase
    }
    /// Tokens so far.
    pub fn usage(&self) -> UsageTotals {
        self.usage
    }
    /// Failed tries so far.
    pub fn failures(&self) -> u32 {
        self.failures
    }
    /// Whether the debate is over.
    pub fn is_over(&self) -> bool {
        self.ended.is_some()
    }
    /// Milliseconds from the first claim (before it, from the admission) to `now`, or to the end, without those that are left out.
    pub fn elapsed_ms(&self, now: Timestamp) -> u64 {
        self.started.map_or(0, |started| self.ended.unwrap_or(now).since(started)).saturating_sub(self.left_out_ms)
    }
    /// The last event that was taken in.
    pub fn position(&self) -> Position {
        self.position
    }

    /// Where the debate is at this moment: how far, what it took so far, and how the first ballots stand.
    pub fn summary(&self, now: Timestamp) -> Vec<StyledLine> {
        let mut out = vec![self.place(now), self.figures(now)];
        if !self.first_ballots.is_empty() {
            let told: Vec<String> =
                self.first_ballots.iter().map(|(choice, n)| format!("{n} for {}", excerpt(choice, 24))).collect();
            out.push(StyledLine::of(TextStyle::Dim, format!("First ballots: {}", told.join(" · "))));
        }
        out
    }

    /// One line for each turn under way, and then for each that waits.
    pub fn turns(&self, now: Timestamp) -> Vec<StyledLine> {
        let mut out = Vec::new();
        for (_, speaking) in self.speaking() {
            let waits = speaking.waits.as_ref().filter(|(said, _)| now.since(*said) <= STALE_MS);
            let doing = match speaking.text.chars().count() {
                _ if waits.is_some() => {
                    let what = waits.map_or("", |(_, what)| what.as_str());
                    format!(" {}: waiting for {what}, ", speaking.task)
                }
                0 if speaking.loading => format!(" {}: loading {}, ", speaking.task, speaking.model),
                0 => match speaking.reading {
                    Some(tokens) => format!(" {}: reading about {}, ", speaking.task, count(tokens, "token")),
                    None => format!(" {}: waiting for the first word, ", speaking.task),
                },
                n => {
                    let (ms, before) = speaking.first.map_or((0, n), |(first, n)| (now.since(first), n));
                    let rate = self.pace.rate(n - before, ms).map(|rate| format!("{rate}, ")).unwrap_or_default();
                    format!(" {}: {} so far, {rate}", speaking.task, count(n as u64, "character"))
                }
            };
            let name = StyledLine::of(self.style(&speaking.participant), words::who(speaking.participant.as_str()));
            out.push(name.and(TextStyle::Plain, doing).and(TextStyle::Dim, duration(now.since(speaking.since))));
        }
        for waiting in self.waiting.values() {
            let left = duration(waiting.retry_at.since(now));
            let name = StyledLine::of(self.style(&waiting.participant), words::who(waiting.participant.as_str()));
            out.push(
                name.and(TextStyle::Warn, format!(" is asked again in {left}: ")).and(TextStyle::Dim, &waiting.reason),
            );
        }
        out
    }

    fn place(&self, now: Timestamp) -> StyledLine {
        let place = match (self.phase, self.cancelling) {
            (_, true) => "Being cancelled".to_owned(),
            (Some(PhaseName::Rounds), _) => {
                let most = self.admission.as_ref().map_or(self.round, |admission| admission.spec.max_rounds);
                // it has not been opened yet
                format!("Round {} of at most {most}", self.round.max(1))
            }
            (Some(phase), _) => self.phase_name(phase).to_owned(),
            (None, _) => "Starting".to_owned(),
        };
        let line = StyledLine::of(TextStyle::Strong, place);
        match self.pace.told(Some(now).filter(|_| !self.halted)).filter(|_| !self.is_over()) {
            Some(told) => line.and(TextStyle::Plain, format!(" · {told}")),
            None => line,
        }
    }

    fn figures(&self, now: Timestamp) -> StyledLine {
        let unknown = if self.usage.unknown_calls > 0 { " known" } else { "" };
        let mut figures = format!(
            "{}{unknown} tokens in {} · {}",
            number(self.usage.tokens()),
            count(self.usage.calls.into(), "call"),
            duration(self.elapsed_ms(now))
        );
        if self.failures > 0 {
            figures.push_str(&format!(" · {}", count(self.failures.into(), "failed try").replace("trys", "tries")));
        }
        if let Some(cost) = self.costs.told() {
            figures.push_str(&format!(" · {cost}"));
        }
        let line = StyledLine::of(TextStyle::Dim, figures);
        if self.rehearsal { line.and(TextStyle::Warn, " · rehearsal") } else { line }
    }

    /// Whose a turn of the open round was.
    pub(super) fn holder(&self, turn: TurnId) -> String {
        let holder = self.holders.get(&(turn.round, turn.seat));
        holder.map_or_else(|| "nobody".to_owned(), |name| words::who(name.as_str()).to_owned())
    }

    /// What is told of an event besides its [`LiveView::lines`] to those who want everything: notes, arguments and results
    /// of tools, seats, parts of running speeches.
    pub fn details(&self, at: Timestamp, event: &Event) -> Vec<StyledLine> {
        lines::details(self, at, event)
    }

    /// How a phase is called: the openings of a poll are its samples.
    pub(super) fn phase_name(&self, phase: PhaseName) -> &'static str {
        let poll = self.admission.as_ref().is_some_and(|admission| admission.spec.is_poll());
        if poll && phase == PhaseName::OpeningStatements { call_figures::SAMPLES } else { phase.label() }
    }

    /// The style of a participant's name.
    pub fn style(&self, participant: &ParticipantId) -> TextStyle {
        let personas = self.admission.as_ref().map(|admission| admission.spec.personas.as_slice()).unwrap_or_default();
        let at = personas.iter().position(|persona| persona.name == *participant);
        at.map_or(TextStyle::Office, TextStyle::Speaker)
    }

    /// The banner, the first time that anything is known to be scripted.
    fn rehearsal_found(&mut self, event: &Event, call: Option<&Call>) -> Vec<StyledLine> {
        let admitted = matches!(event, Event::DebateAdmitted(admission) if admission.rehearsal);
        let scripted = admitted || call.is_some_and(|call| call.rehearsal);
        if self.rehearsal || !scripted {
            return Vec::new();
        }
        self.rehearsal = true;
        vec![rehearsal_mark()]
    }

    /// The heading of a round: before the moderator's decision that opens it, or else when it opens.
    fn round_heading(&mut self, event: &Event) -> Vec<StyledLine> {
        let round = match event {
            Event::RoundOpened { round, .. } => *round,
            Event::Answered(Answered {
                turn,
                given: Given::Decision { decision: ModeratorDecision::Opens(plan) },
                ..
            })
            | Event::FallbackDecided { turn, decision: ModeratorDecision::Opens(plan) }
                if !plan.next_speakers.is_empty() =>
            {
                turn.round
            }
            _ => return Vec::new(),
        };
        if round <= self.headed {
            return Vec::new();
        }
        self.headed = round;
        lines::title(&format!("Round {round}"))
    }

    fn take(&mut self, at: Timestamp, event: &Event) {
        let before = std::mem::replace(&mut self.last_at, at);
        self.left_out_ms = self.left_out_ms.saturating_add(event.left_out_ms(before, at));
        match event {
            Event::DebateAdmitted(admission) => {
                self.admission = Some(Admission::clone(admission));
                self.started = Some(at);
            }
            // the admission has the time of whoever admitted it
            Event::Claimed { epoch: 1, .. } => self.started = Some(at),
            Event::PhaseEntered { phase } => self.phase = Some(*phase),
            Event::RoundOpened { round, .. } => self.round = *round,
            Event::TurnAsked(ask) => self.asked(at, ask),
            Event::TurnFailed { turn, participant, retry_at, failure, .. } => {
                self.failures = self.failures.saturating_add(1);
                if let Some(retry_at) = *retry_at {
                    let (participant, reason) = (participant.clone(), failure.detail.clone());
                    self.waiting.insert((turn.round, turn.seat), Waiting { participant, retry_at, reason });
                }
            }
            Event::Answered(Answered { given: Given::Ballot { stage: BallotStage::Initial, choice, .. }, .. }) => {
                self.balloted(choice)
            }
            Event::LoopEnded { .. } => self.stopped = true,
            Event::CancelRequested { .. } => self.cancelling = true,
            Event::DebateInterrupted { .. } => self.halted = true,
            Event::DebateResumed { .. } => {
                self.halted = false;
            }
            Event::DebateEnded { usage, .. } => {
                self.usage = *usage;
                self.ended = Some(at);
                self.speaking.clear();
                self.waiting.clear();
            }
            // The asks that a coordinator left open stay open for the next one.
            Event::Claimed { .. }
            | Event::GateDecided { .. }
            | Event::ParticipantPlaced { .. }
            | Event::StageOpened { .. }
            | Event::ToolCalled { .. }
            | Event::SpeechHeard { .. }
            | Event::Answered(_)
            | Event::FallbackDecided { .. }
            | Event::RoundCompared { .. }
            | Event::SeatSkipped { .. }
            | Event::VoteTallied { .. }
            | Event::VerdictReached { .. } => {}
        }
    }

    fn balloted(&mut self, choice: &str) {
        match self.first_ballots.iter_mut().find(|(known, _)| same_answer(known, choice)) {
            Some((_, n)) => *n += 1,
            None => self.first_ballots.push((choice.to_owned(), 1)),
        }
        self.first_ballots.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
    }

    fn asked(&mut self, at: Timestamp, ask: &Ask) {
        self.waiting.remove(&(ask.turn.round, ask.turn.seat));
        self.speaking.retain(|open, _| !open.same_slot(ask.turn));
        let speaking = Speaking {
            participant: ask.participant.clone(),
            model: ask.model.clone(),
            task: call_figures::task(&ask.task.work),
            since: at,
            text: String::new(),
            reading: self.pace.prompt(&ask.participant),
            first: None,
            loading: false,
            waits: None,
            last_delta: None,
            stripper: PlainText::default(),
        };
        self.speaking.insert(ask.turn, speaking);
        // Only turns of this round are named by others.
        self.holders.retain(|(round, _), _| *round >= ask.turn.round);
        self.holders.insert((ask.turn.round, ask.turn.seat), ask.participant.clone());
    }
}
