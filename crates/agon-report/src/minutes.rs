//! A log folded into what the reports need: who said and did what, in the order of the rounds.
mod entry;
mod fold;

use crate::prices::{Expenses, Prices};
use crate::result::DebateGate;
use crate::{visible, words};
use agon_core::{
    Admission, Ask, BallotStage, Call, Consensus, Critique, DebateState, DebaterScore, Event, Failure, Halt,
    Interjection, MajorityShift, Measures, MissingSeat, ModeratorDecision, Outcome, ParticipantId, PhaseName, Position,
    Ranked, Reason, Record, RoundSummary, Seat, Speech, SpeechScore, Step, StopRule, Synthesis, Timestamp, ToolUse,
    Transcript, TurnId, UsageTotals, Visible, VoteRule, VoterWeight,
};
pub(crate) use entry::{BallotChoice, Concluded, Deed, Judged, MinutesEntry, entry};
pub(crate) use fold::names;
use std::collections::BTreeMap;

/// Why a log cannot be reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotADebate {
    /// There is no event.
    #[error("the log is empty")]
    Empty,
    /// The first event is not the admission.
    #[error("the log does not start with debate_admitted")]
    NotAdmitted,
}

/// What a log says, ordered by round and seat. Borrows from the records.
#[derive(Clone, Debug)]
pub struct Minutes<'a> {
    pub(crate) admission: &'a Admission,
    /// Whose words may stand in a report now.
    pub(crate) visible: Visible,
    /// It has not ended.
    watched: bool,
    pub(crate) admitted_at: Timestamp,
    pub(crate) last_at: Timestamp,
    pub(crate) last: Position,
    pub(crate) phase: Option<PhaseName>,
    pub(crate) rounds: Vec<u32>,
    pub(crate) claims: Vec<WriterClaim<'a>>,
    pub(crate) placements: Vec<Placement<'a>>,
    pub(crate) asks: BTreeMap<TurnId, (Timestamp, &'a Ask)>,
    /// By round, seat and try; what shares these in the order of the log.
    pub(crate) entries: Vec<MinutesEntry<'a>>,
    /// The speeches, as a judge is shown them.
    pub(crate) transcript: Transcript,
    pub(crate) stopped: Option<(StopRule, u32)>,
    pub(crate) gate: Option<DebateGate>,
    /// What was wrong with `terminate_when` when the rounds had ended without it.
    pub(crate) predicate_problem: Option<&'a str>,
    pub(crate) tally: Option<VoteTally<'a>>,
    /// By round.
    pub(crate) measures: Vec<(u32, &'a Measures)>,
    pub(crate) tools: Vec<MinutesToolCall<'a>>,
    pub(crate) stages: Vec<OpenedSeats<'a>>,
    /// Running speeches that the others heard a part of: the turn, and how many characters.
    pub(crate) heard: Vec<(Timestamp, TurnId, usize)>,
    /// How the moderator last closed a round, where it gave a decision then.
    pub(crate) closing: Option<&'a RoundSummary>,
    pub(crate) verdict: Option<Verdict<'a>>,
    pub(crate) cancel: Option<&'a str>,
    pub(crate) end: Option<DebateEnd<'a>>,
    pub(crate) log_head: Option<String>,
    pub(crate) prices: Prices,
    pub(crate) halt: Option<Halt>,
    /// Why the servers gave it up, where nobody has resumed it since.
    pub(crate) interrupted: Option<&'a Reason>,
    /// Milliseconds in which nobody played it, up to its last resumption.
    pub(crate) paused_ms: u64,
    /// Milliseconds that are part of no duration: its pauses, and the time before each takeover.
    pub(crate) left_out_ms: u64,
}

/// A coordinator took over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WriterClaim<'a> {
    pub(crate) at: Timestamp,
    pub(crate) writer: &'a str,
    pub(crate) epoch: u64,
}

/// A participant was given a host.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placement<'a> {
    pub(crate) at: Timestamp,
    pub(crate) participant: &'a ParticipantId,
    pub(crate) host: &'a str,
    pub(crate) model: &'a str,
    pub(crate) digest: Option<&'a str>,
}

/// A tool was used on the way to an answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MinutesToolCall<'a> {
    pub(crate) at: Timestamp,
    pub(crate) turn: TurnId,
    pub(crate) participant: &'a str,
    pub(crate) tool: &'a ToolUse,
    /// Whether arguments and result may stand in a report.
    pub(crate) shown: bool,
}

/// Seats that were opened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenedSeats<'a> {
    pub(crate) at: Timestamp,
    pub(crate) round: u32,
    pub(crate) step: Step,
    pub(crate) seats: &'a [Seat],
    pub(crate) parallel: bool,
    pub(crate) joins: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct VoteTally<'a> {
    /// Absent where rankings of judges were counted.
    pub(crate) rule: Option<VoteRule>,
    pub(crate) counts: &'a [(String, u32)],
    pub(crate) weights: &'a [VoterWeight],
    pub(crate) eligible: u32,
    pub(crate) received: u32,
    pub(crate) winner: Option<&'a str>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Verdict<'a> {
    pub(crate) outcome: Outcome,
    pub(crate) verdict: Option<&'a str>,
    pub(crate) winner: Option<&'a str>,
    pub(crate) reasoning: Option<&'a str>,
    pub(crate) reason: Option<&'a Reason>,
    pub(crate) consensus: Option<&'a Consensus>,
    pub(crate) majority: MajorityShift,
    pub(crate) moved: &'a [ParticipantId],
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct DebateEnd<'a> {
    pub(crate) at: Timestamp,
    pub(crate) state: DebateState,
    pub(crate) outcome: Option<Outcome>,
    pub(crate) reason: Option<&'a Reason>,
    pub(crate) usage: UsageTotals,
    pub(crate) missing: &'a [MissingSeat],
}

impl<'a> Minutes<'a> {
    /// Folds the records of one debate, in order. Until it has ended its readers are watchers, who see what they are shown of its
    /// events and no more. A slice of shared records is passed as
    /// `records.iter().map(AsRef::as_ref)`.
    pub fn from_records(records: impl IntoIterator<Item = &'a Record>) -> Result<Self, NotADebate> {
        let records: Vec<&Record> = records.into_iter().collect();
        let mut log = records.iter().flat_map(|record| record.entries().map(|entry| (record.at, entry)));
        let (at, (position, first)) = log.next().ok_or(NotADebate::Empty)?;
        let Event::DebateAdmitted(admission) = first else { return Err(NotADebate::NotAdmitted) };
        let mut minutes = Self::opened(admission, at, position);
        minutes.watched =
            !records.iter().flat_map(|record| &record.events).any(|event| matches!(event, Event::DebateEnded { .. }));
        if minutes.watched {
            minutes.visible = visible::while_it_runs(minutes.visible);
        }
        for (at, (position, event)) in log {
            minutes.take(at, position, event);
        }
        minutes.entries.sort_by_key(|entry| entry.turn);
        Ok(minutes)
    }

    /// Names the hash of the log's last record, which the store knows; the reports show it.
    #[must_use]
    pub fn with_log_head(mut self, hash: impl Into<String>) -> Self {
        self.log_head = Some(hash.into());
        self
    }
    /// Nobody plays the debate, which the log cannot know.
    pub fn halted(mut self, halt: Option<Halt>) -> Self {
        self.halt = halt;
        self
    }

    /// Names what calls cost, which the log does not know; the reports show it.
    #[must_use]
    pub fn with_prices(mut self, prices: &Prices) -> Self {
        self.prices = prices.clone();
        self
    }

    /// What the calls cost, as far as that is known.
    pub(crate) fn costs(&self) -> Expenses {
        let mut costs = Expenses::default();
        self.made_calls().for_each(|call| costs.add(&self.prices, call));
        costs
    }

    /// Whether no model said any of this.
    pub(crate) fn rehearsal(&self) -> bool {
        self.admission.rehearsal || self.calls().any(|(_, call)| call.rehearsal)
    }
    /// What was done in turns, as far as `pick` takes it up.
    fn done<T>(&self, pick: impl Fn(Deed<'a>) -> Option<T>) -> impl Iterator<Item = (&MinutesEntry<'a>, T)> {
        self.entries.iter().filter_map(move |entry| Some((entry, pick(entry.deed)?)))
    }
    pub(crate) fn speeches(&self) -> impl Iterator<Item = (&MinutesEntry<'a>, &'a Speech)> {
        self.done(|deed| if let Deed::Spoke(speech) = deed { Some(speech) } else { None })
    }
    pub(crate) fn ballots(&self, stage: BallotStage) -> impl Iterator<Item = (&MinutesEntry<'a>, BallotChoice<'a>)> {
        self.done(move |deed| match deed {
            Deed::Balloted(cast, choice) if cast == stage => Some(choice),
            _ => None,
        })
    }
    pub(crate) fn votes(&self) -> impl Iterator<Item = (&MinutesEntry<'a>, BallotChoice<'a>)> {
        self.done(|deed| if let Deed::Voted(choice) = deed { Some(choice) } else { None })
    }
    pub(crate) fn judgements(&self) -> impl Iterator<Item = (&MinutesEntry<'a>, Judged<'a>)> {
        self.done(|deed| if let Deed::Judged(judged) = deed { Some(judged) } else { None })
    }
    pub(crate) fn rankings(&self) -> impl Iterator<Item = (&MinutesEntry<'a>, u32, &'a [Ranked])> {
        let ranked = |deed| if let Deed::Ranked { order, ranking } = deed { Some((order, ranking)) } else { None };
        self.done(ranked).map(|(entry, (order, ranking))| (entry, order, ranking))
    }
    /// What voters scored the debaters with.
    pub(crate) fn debater_scores(&self) -> impl Iterator<Item = (&MinutesEntry<'a>, &'a [DebaterScore])> {
        self.done(|deed| if let Deed::ScoredDebaters(scores) = deed { Some(scores) } else { None })
    }
    /// What the moderator scored the speeches with.
    pub(crate) fn speech_scores(&self) -> impl Iterator<Item = (&MinutesEntry<'a>, &'a [SpeechScore])> {
        self.done(|deed| if let Deed::ScoredSpeeches(scores) = deed { Some(scores) } else { None })
    }
    pub(crate) fn critiques(&self) -> impl Iterator<Item = (&MinutesEntry<'a>, &'a ParticipantId, &'a Critique)> {
        let of = |deed| if let Deed::Criticised { of, critique, .. } = deed { Some((of, critique)) } else { None };
        self.done(of).map(|(entry, (of, critique))| (entry, of, critique))
    }
    pub(crate) fn interjections(&self) -> impl Iterator<Item = (&MinutesEntry<'a>, &'a Interjection)> {
        self.done(|deed| if let Deed::Interjected(interjection) = deed { Some(interjection) } else { None })
    }
    pub(crate) fn conclusions(&self) -> impl Iterator<Item = (&MinutesEntry<'a>, Concluded<'a>)> {
        self.done(|deed| if let Deed::Concluded(concluded) = deed { Some(concluded) } else { None })
    }
    pub(crate) fn synthesis(&self) -> Option<(&MinutesEntry<'a>, &'a Synthesis)> {
        self.done(|deed| if let Deed::Synthesised(synthesis) = deed { Some(synthesis) } else { None }).last()
    }
    /// The tools that were used on the way to what came of a turn.
    pub(crate) fn tools_of(&self, turn: TurnId) -> impl Iterator<Item = &MinutesToolCall<'a>> {
        self.tools.iter().filter(move |used| used.turn == turn)
    }
    /// The name of whoever held a turn.
    pub(crate) fn speaker(&self, turn: TurnId) -> String {
        self.holder(turn).map_or_else(|| "nobody".to_owned(), |who| words::who(who).to_owned())
    }
    /// Whose turn it was, where somebody was asked or answered.
    pub(crate) fn holder(&self, turn: TurnId) -> Option<&'a str> {
        let asked = self.asked(turn).map(|(_, ask)| ask.participant.as_str());
        asked.or_else(|| self.entries.iter().find(|entry| entry.turn.same_slot(turn)).map(|entry| entry.participant))
    }
    /// Whether a participant's words may stand in a report.
    pub(crate) fn shows(&self, participant: &str) -> bool {
        visible::shown_by(&self.visible, &self.admission.spec, &participant.into()).history
    }
    pub(crate) fn decisions(&self) -> impl Iterator<Item = (&MinutesEntry<'a>, &'a ModeratorDecision, bool)> {
        let of = |deed| match deed {
            Deed::Moderated { decision, fallback } => Some((decision, fallback)),
            _ => None,
        };
        self.done(of).map(|(entry, (decision, fallback))| (entry, decision, fallback))
    }
    pub(crate) fn failures(&self) -> impl Iterator<Item = (&MinutesEntry<'a>, &'a Failure, Option<Timestamp>)> {
        let of = |deed| if let Deed::Failed { failure, retry_at } = deed { Some((failure, retry_at)) } else { None };
        self.done(of).map(|(entry, (failure, retry_at))| (entry, failure, retry_at))
    }
    /// Everything that called a model, or tried to.
    pub(crate) fn calls(&self) -> impl Iterator<Item = (&MinutesEntry<'a>, &'a Call)> {
        self.entries.iter().filter_map(|entry| Some((entry, entry.call?)))
    }
    /// The calls of this debate: what was said in one that is judged again was paid for there.
    fn own_calls(&self) -> impl Iterator<Item = (&MinutesEntry<'a>, &'a Call)> {
        let own = |entry: &MinutesEntry<'_>| self.admission.rejudges.is_none() || entry.at != self.admitted_at;
        self.calls().filter(move |(entry, _)| own(entry))
    }
    /// Of these, the ones in which a model was asked at all.
    fn made_calls(&self) -> impl Iterator<Item = &'a Call> {
        self.own_calls().filter(|(entry, call)| call.was_made(entry.failed())).map(|(_, call)| call)
    }
    pub(crate) fn asked(&self, turn: TurnId) -> Option<(Timestamp, &'a Ask)> {
        self.asks.get(&turn).copied()
    }
    /// Tokens of all calls so far.
    pub(crate) fn usage(&self) -> UsageTotals {
        let sum = || {
            self.made_calls().fold(UsageTotals::default(), |mut sum, call| {
                sum.add(&call.usage);
                sum
            })
        };
        self.end.map_or_else(sum, |end| end.usage)
    }
    /// Milliseconds from the first claim (before it, from the admission) to the end, or to the last event, without those that are left out.
    pub(crate) fn duration_ms(&self) -> u64 {
        let from = self.claims.first().map_or(self.admitted_at, |claim| claim.at);
        self.end.map_or(self.last_at, |end| end.at).since(from).saturating_sub(self.left_out_ms)
    }
    /// Of [`Self::duration_ms`], milliseconds in which somebody waited for a model server that was away; turns that waited at the
    /// same time count once. A wait is taken to begin with its try.
    pub(crate) fn away_ms(&self) -> u64 {
        let waits = self.own_calls().filter_map(|(entry, call)| {
            let (from, _) = self.asked(entry.turn)?;
            let away = call.timing.away_ms.filter(|ms| *ms > 0)?;
            Some((from, from.plus(away).min(entry.at)))
        });
        let mut waits: Vec<(Timestamp, Timestamp)> = waits.collect();
        waits.sort_unstable();
        let (sum, _) = waits.into_iter().fold((0_u64, Timestamp(0)), |(sum, end), (from, to)| {
            (sum.saturating_add(to.since(from.max(end))), to.max(end))
        });
        sum
    }
    /// The rounds that have entries: 0 before the first, then the rounds, then what comes after the last.
    pub(crate) fn sections(&self) -> Vec<u32> {
        let mut rounds: Vec<u32> =
            self.entries.iter().map(|entry| entry.turn.round).chain(self.rounds.iter().copied()).collect();
        rounds.sort_unstable();
        rounds.dedup();
        rounds
    }
    /// The place of a debater in the debate file.
    pub(crate) fn debater(&self, participant: &str) -> Option<usize> {
        self.admission.spec.personas.iter().position(|persona| persona.name.as_str() == participant)
    }
}
