//! A log folded into what the reports need: who said and did what, in the order of the rounds.
use agon_core::{
    Admission, Ask, BallotStage, Call, Citation, Consensus, DebateState, Event, Failure, JUDGE, MODERATOR,
    MajorityShift, MissingSeat, ModeratorDecision, Outcome, ParticipantId, PhaseName, Position, Reason, Record,
    SkipReason, Speech, StopRule, Timestamp, Transcript, TurnId, UsageTotals, VoteRule,
};
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
    pub(crate) admitted_at: Timestamp,
    pub(crate) last_at: Timestamp,
    pub(crate) last: Position,
    pub(crate) phase: Option<PhaseName>,
    pub(crate) rounds: Vec<u32>,
    pub(crate) claims: Vec<Claim<'a>>,
    pub(crate) placements: Vec<Placement<'a>>,
    pub(crate) asks: BTreeMap<TurnId, (Timestamp, &'a Ask)>,
    /// By round, seat and try; what shares these in the order of the log.
    pub(crate) entries: Vec<Entry<'a>>,
    /// The speeches, as a judge is shown them.
    pub(crate) transcript: Transcript,
    pub(crate) stopped: Option<(StopRule, u32)>,
    pub(crate) tally: Option<Tally<'a>>,
    pub(crate) verdict: Option<Verdict<'a>>,
    pub(crate) cancel: Option<&'a str>,
    pub(crate) end: Option<End<'a>>,
    pub(crate) log_head: Option<String>,
}

/// A coordinator took over.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Claim<'a> {
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

/// One thing that somebody did in its turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<'a> {
    pub(crate) turn: TurnId,
    pub(crate) at: Timestamp,
    pub(crate) participant: &'a str,
    pub(crate) deed: Deed<'a>,
    pub(crate) call: Option<&'a Call>,
}

/// What was done.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Deed<'a> {
    Spoke(&'a Speech),
    Balloted(BallotStage, Choice<'a>),
    Voted(Choice<'a>),
    Moderated { decision: &'a ModeratorDecision, fallback: bool },
    Judged(Judged<'a>),
    Failed { failure: &'a Failure, retry_at: Option<Timestamp> },
    Skipped(SkipReason),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice<'a> {
    pub(crate) choice: &'a str,
    pub(crate) reasons: &'a [String],
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Judged<'a> {
    pub(crate) order: u32,
    pub(crate) verdict: &'a str,
    pub(crate) winner: Option<&'a str>,
    pub(crate) reasoning: &'a str,
    pub(crate) citations: &'a [Citation],
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Tally<'a> {
    pub(crate) rule: VoteRule,
    pub(crate) counts: &'a [(String, u32)],
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
    pub(crate) consensus: Option<&'a Consensus>,
    pub(crate) majority: MajorityShift,
    pub(crate) moved: &'a [ParticipantId],
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct End<'a> {
    pub(crate) at: Timestamp,
    pub(crate) state: DebateState,
    pub(crate) outcome: Option<Outcome>,
    pub(crate) reason: Option<&'a Reason>,
    pub(crate) usage: UsageTotals,
    pub(crate) missing: &'a [MissingSeat],
}

impl<'a> Minutes<'a> {
    /// Folds the records of one debate, in order. The debate need not have ended. A slice of shared records is passed as
    /// `records.iter().map(AsRef::as_ref)`.
    pub fn from_records(records: impl IntoIterator<Item = &'a Record>) -> Result<Self, NotADebate> {
        let mut log = records.into_iter().flat_map(|record| record.entries().map(|entry| (record.at, entry)));
        let (at, (position, first)) = log.next().ok_or(NotADebate::Empty)?;
        let Event::DebateAdmitted(admission) = first else { return Err(NotADebate::NotAdmitted) };
        let mut minutes = Self::opened(admission, at, position);
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

    fn opened(admission: &'a Admission, at: Timestamp, position: Position) -> Self {
        Self {
            admission,
            admitted_at: at,
            last_at: at,
            last: position,
            phase: None,
            rounds: Vec::new(),
            claims: Vec::new(),
            placements: Vec::new(),
            asks: BTreeMap::new(),
            entries: Vec::new(),
            transcript: Transcript::default(),
            stopped: None,
            tally: None,
            verdict: None,
            cancel: None,
            end: None,
            log_head: None,
        }
    }

    fn take(&mut self, at: Timestamp, position: Position, event: &'a Event) {
        (self.last_at, self.last) = (at, position);
        self.transcript.apply(position, event);
        match event {
            // Only the first event admits; a log that repeats it says nothing new.
            Event::DebateAdmitted(_) => {}
            Event::Claimed { writer, epoch } => {
                self.claims.push(Claim { at, writer: writer.as_str(), epoch: *epoch });
            }
            Event::PhaseEntered { phase } => self.phase = Some(*phase),
            Event::ParticipantPlaced { participant, host, model, digest } => self.placements.push(Placement {
                at,
                participant,
                host,
                model: model.as_str(),
                digest: digest.as_deref(),
            }),
            // Briefing and angle stand in the moderator's own decision.
            Event::RoundOpened { round, speakers: _, briefing: _, new_angle: _ } => self.rounds.push(*round),
            Event::TurnAsked(ask) => {
                self.asks.insert(ask.turn, (at, ask));
            }
            Event::LoopEnded { rule, round } => self.stopped = Some((*rule, *round)),
            Event::VoteTallied { rule, counts, eligible, received, winner } => {
                let (rule, eligible, received) = (*rule, *eligible, *received);
                self.tally = Some(Tally { rule, counts, eligible, received, winner: winner.as_deref() });
            }
            Event::VerdictReached { .. } => self.verdict = verdict(event),
            Event::CancelRequested { reason } => self.cancel = Some(reason),
            Event::DebateEnded { state, outcome, reason, usage, missing_seats } => {
                let (state, outcome, usage, reason) = (*state, *outcome, *usage, reason.as_ref());
                self.end = Some(End { at, state, outcome, reason, usage, missing: missing_seats });
            }
            Event::SpeechRecorded(_)
            | Event::BallotCast { .. }
            | Event::VoteCast { .. }
            | Event::ModeratorDecided { .. }
            | Event::TurnFailed { .. }
            | Event::SeatSkipped { .. }
            | Event::JudgementRecorded { .. } => self.entries.extend(entry(at, event)),
        }
    }

    /// Whether no model said any of this.
    pub(crate) fn rehearsal(&self) -> bool {
        self.admission.rehearsal || self.calls().any(|(_, call)| call.rehearsal)
    }
    pub(crate) fn speeches(&self) -> impl Iterator<Item = (&Entry<'a>, &'a Speech)> {
        self.entries.iter().filter_map(|entry| {
            let Deed::Spoke(speech) = entry.deed else { return None };
            Some((entry, speech))
        })
    }
    pub(crate) fn ballots(&self, stage: BallotStage) -> impl Iterator<Item = (&Entry<'a>, Choice<'a>)> {
        self.entries.iter().filter_map(move |entry| {
            let Deed::Balloted(cast, choice) = entry.deed else { return None };
            (cast == stage).then_some((entry, choice))
        })
    }
    pub(crate) fn votes(&self) -> impl Iterator<Item = (&Entry<'a>, Choice<'a>)> {
        self.entries.iter().filter_map(|entry| {
            let Deed::Voted(choice) = entry.deed else { return None };
            Some((entry, choice))
        })
    }
    pub(crate) fn judgements(&self) -> impl Iterator<Item = (&Entry<'a>, Judged<'a>)> {
        self.entries.iter().filter_map(|entry| {
            let Deed::Judged(judged) = entry.deed else { return None };
            Some((entry, judged))
        })
    }
    pub(crate) fn decisions(&self) -> impl Iterator<Item = (&Entry<'a>, &'a ModeratorDecision, bool)> {
        self.entries.iter().filter_map(|entry| {
            let Deed::Moderated { decision, fallback } = entry.deed else { return None };
            Some((entry, decision, fallback))
        })
    }
    pub(crate) fn failures(&self) -> impl Iterator<Item = (&Entry<'a>, &'a Failure, Option<Timestamp>)> {
        self.entries.iter().filter_map(|entry| {
            let Deed::Failed { failure, retry_at } = entry.deed else { return None };
            Some((entry, failure, retry_at))
        })
    }
    /// Everything that called a model, or tried to.
    pub(crate) fn calls(&self) -> impl Iterator<Item = (&Entry<'a>, &'a Call)> {
        self.entries.iter().filter_map(|entry| Some((entry, entry.call?)))
    }
    pub(crate) fn asked(&self, turn: TurnId) -> Option<(Timestamp, &'a Ask)> {
        self.asks.get(&turn).copied()
    }
    /// Tokens of all calls so far.
    pub(crate) fn usage(&self) -> UsageTotals {
        let sum = || {
            // what was said in a debate that is judged again was paid for there
            let own = |entry: &Entry<'_>| self.admission.rejudges.is_none() || entry.at != self.admitted_at;
            self.calls().filter(|(entry, _)| own(entry)).fold(UsageTotals::default(), |mut sum, (_, call)| {
                sum.add(&call.usage);
                sum
            })
        };
        self.end.map_or_else(sum, |end| end.usage)
    }
    pub(crate) fn duration_ms(&self) -> u64 {
        self.end.map_or(self.last_at, |end| end.at).since(self.admitted_at)
    }
    /// The rounds that have entries: 0 before the first, then the rounds, then what comes after the last.
    pub(crate) fn sections(&self) -> Vec<u32> {
        let mut rounds: Vec<u32> =
            self.entries.iter().map(|entry| entry.turn.round).chain(self.rounds.iter().copied()).collect();
        rounds.sort_unstable();
        rounds.dedup();
        rounds
    }
}

fn verdict(event: &Event) -> Option<Verdict<'_>> {
    let Event::VerdictReached { outcome, verdict, winner, reasoning, consensus, majority, moved } = event else {
        return None;
    };
    Some(Verdict {
        outcome: *outcome,
        verdict: verdict.as_deref(),
        winner: winner.as_deref(),
        reasoning: reasoning.as_deref(),
        consensus: consensus.as_ref(),
        majority: *majority,
        moved,
    })
}

/// What somebody did in its turn, where the event is about a turn.
pub(crate) fn entry(at: Timestamp, event: &Event) -> Option<Entry<'_>> {
    let (turn, participant, deed, call) = match event {
        Event::SpeechRecorded(speech) => {
            (speech.turn, speech.participant.as_str(), Deed::Spoke(speech), Some(speech.call.as_ref()))
        }
        Event::BallotCast { turn, stage, participant, choice, reasons, call } => {
            (*turn, participant.as_str(), Deed::Balloted(*stage, Choice { choice, reasons }), Some(call.as_ref()))
        }
        Event::VoteCast { turn, participant, choice, reasons, call } => {
            (*turn, participant.as_str(), Deed::Voted(Choice { choice, reasons }), Some(call.as_ref()))
        }
        Event::ModeratorDecided { turn, decision, fallback, call } => {
            (*turn, MODERATOR, Deed::Moderated { decision, fallback: *fallback }, call.as_deref())
        }
        Event::TurnFailed { turn, participant, failure, retry_at, call } => {
            (*turn, participant.as_str(), Deed::Failed { failure, retry_at: *retry_at }, Some(call.as_ref()))
        }
        Event::SeatSkipped { round, seat, participant, reason } => {
            let turn = TurnId { round: *round, seat: *seat, attempt: 0 };
            (turn, participant.as_str(), Deed::Skipped(*reason), None)
        }
        Event::JudgementRecorded { turn, judge, order, verdict, winner, reasoning, citations, call } => {
            let judged = Judged { order: *order, verdict, winner: winner.as_deref(), reasoning, citations };
            (*turn, judge.as_str(), Deed::Judged(judged), Some(call.as_ref()))
        }
        Event::DebateAdmitted(_)
        | Event::Claimed { .. }
        | Event::PhaseEntered { .. }
        | Event::ParticipantPlaced { .. }
        | Event::RoundOpened { .. }
        | Event::TurnAsked(_)
        | Event::LoopEnded { .. }
        | Event::VoteTallied { .. }
        | Event::VerdictReached { .. }
        | Event::CancelRequested { .. }
        | Event::DebateEnded { .. } => return None,
    };
    Some(Entry { turn, at, participant, deed, call })
}

/// The class of a participant: its place among the debaters, or one of the two offices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Debater(usize),
    Moderator,
    Judge,
    Unknown,
}
impl Minutes<'_> {
    pub(crate) fn part(&self, participant: &str) -> Part {
        match participant {
            MODERATOR => Part::Moderator,
            JUDGE => Part::Judge,
            name => {
                let at = self.admission.spec.personas.iter().position(|persona| persona.name.as_str() == name);
                at.map_or(Part::Unknown, Part::Debater)
            }
        }
    }
}
