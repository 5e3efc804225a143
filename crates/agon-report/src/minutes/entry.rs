//! What somebody did in a turn.
use agon_core::{
    Answered, BallotStage, Bid, BidPurpose, Call, Check, Citation, Conclusion, Critique, DebaterScore, Event, Failure,
    FailureCause, Given, Interjection, MODERATOR, ModeratorDecision, Note, ParticipantId, Point, PointReply, Ranked,
    SkipReason, Speech, SpeechScore, Synthesis, Timestamp, TurnId,
};

/// One thing that somebody did in its turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MinutesEntry<'a> {
    pub(crate) turn: TurnId,
    pub(crate) at: Timestamp,
    pub(crate) participant: &'a str,
    pub(crate) deed: Deed<'a>,
    /// What was done, whoever did it and however often.
    pub(crate) label: &'static str,
    pub(crate) call: Option<&'a Call>,
}

impl<'a> MinutesEntry<'a> {
    /// What the try failed of, if it did.
    pub(crate) fn failed(&self) -> Option<FailureCause> {
        match self.deed {
            Deed::Failed { failure, .. } => Some(failure.cause),
            _ => None,
        }
    }
    /// What verifiers said of the claims that it marks.
    pub(crate) fn checks(&self) -> impl Iterator<Item = &'a Check> {
        self.call.into_iter().flat_map(|call| &call.checks)
    }
}

/// What was done.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Deed<'a> {
    Spoke(&'a Speech),
    Balloted(BallotStage, BallotChoice<'a>),
    Voted(BallotChoice<'a>),
    ScoredDebaters(&'a [DebaterScore]),
    Moderated {
        decision: &'a ModeratorDecision,
        fallback: bool,
    },
    Interjected(&'a Interjection),
    ScoredSpeeches(&'a [SpeechScore]),
    Researched(&'a str),
    Concluded(Concluded<'a>),
    Bid(BidPurpose, &'a Bid),
    Points(&'a [Point], &'a PointReply),
    Criticised {
        of: &'a ParticipantId,
        critique: &'a Critique,
        neutralised: u32,
    },
    Noted(&'a Note),
    Summarised {
        through: u32,
        text: &'a str,
    },
    Measured {
        round: u32,
    },
    Enough {
        enough: bool,
        reasoning: &'a str,
    },
    Judged(Judged<'a>),
    Ranked {
        order: u32,
        ranking: &'a [Ranked],
    },
    Synthesised(&'a Synthesis),
    Failed {
        failure: &'a Failure,
        retry_at: Option<Timestamp>,
    },
    Skipped(SkipReason),
    /// Words that the debate file keeps out of reports; what they were is all that is said.
    NotShown,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct BallotChoice<'a> {
    pub(crate) choice: &'a str,
    /// The whole ranking, or all that are approved; empty in a vote for one.
    pub(crate) choices: &'a [String],
    pub(crate) reasons: &'a [String],
    /// How sure the voter says it is, in per cent.
    pub(crate) confidence: Option<u8>,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Judged<'a> {
    pub(crate) order: u32,
    pub(crate) verdict: &'a str,
    pub(crate) winner: Option<&'a str>,
    pub(crate) reasoning: &'a str,
    pub(crate) citations: &'a [Citation],
    pub(crate) open_objections: &'a [String],
}

impl<'a> Judged<'a> {
    /// Who won, in words.
    pub(crate) fn found(&self) -> &'a str {
        self.winner.unwrap_or("a synthesis")
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Concluded<'a> {
    pub(crate) conclusion: Conclusion,
    pub(crate) text: &'a str,
    pub(crate) reasoning: Option<&'a str>,
}

/// What somebody did in its turn, where the event is about a turn. Where speeches were compared without a turn, the figures stand in
/// the minutes alone.
pub(crate) fn entry(at: Timestamp, event: &Event) -> Option<MinutesEntry<'_>> {
    Some(match event {
        Event::Answered(Answered { turn, participant, given, call }) => {
            let (participant, label) = (participant.as_str(), given.kind().label);
            MinutesEntry { turn: *turn, at, participant, deed: deed(given), label, call: Some(call) }
        }
        Event::FallbackDecided { turn, decision } => {
            let deed = Deed::Moderated { decision, fallback: true };
            MinutesEntry { turn: *turn, at, participant: MODERATOR, deed, label: decision.label(), call: None }
        }
        Event::TurnFailed { turn, participant, failure, retry_at, call } => {
            let deed = Deed::Failed { failure, retry_at: *retry_at };
            let (participant, label) = (participant.as_str(), "failed try");
            MinutesEntry { turn: *turn, at, participant, deed, label, call: Some(call) }
        }
        Event::SeatSkipped { round, seat, participant, reason } => {
            let turn = TurnId { round: *round, seat: *seat, attempt: 0 };
            let (participant, deed) = (participant.as_str(), Deed::Skipped(*reason));
            MinutesEntry { turn, at, participant, deed, label: "seat skipped", call: None }
        }
        Event::DebateAdmitted(_)
        | Event::Claimed { .. }
        | Event::PhaseEntered { .. }
        | Event::ParticipantPlaced { .. }
        | Event::RoundOpened { .. }
        | Event::StageOpened { .. }
        | Event::TurnAsked(_)
        | Event::ToolCalled { .. }
        | Event::SpeechHeard { .. }
        | Event::RoundCompared { .. }
        | Event::GateDecided { .. }
        | Event::LoopEnded { .. }
        | Event::VoteTallied { .. }
        | Event::VerdictReached { .. }
        | Event::DebateInterrupted { .. }
        | Event::DebateResumed { .. }
        | Event::CancelRequested { .. }
        | Event::DebateEnded { .. } => return None,
    })
}

fn deed(given: &Given) -> Deed<'_> {
    match given {
        Given::Speech(speech) => Deed::Spoke(speech),
        Given::Bid { purpose, bid } => Deed::Bid(*purpose, bid),
        Given::Points { points, reply } => Deed::Points(points, reply),
        Given::Critique { of, critique, neutralised } => Deed::Criticised { of, critique, neutralised: *neutralised },
        Given::Note(note) => Deed::Noted(note),
        Given::Ballot { stage, choice, reasons, confidence } => {
            Deed::Balloted(*stage, BallotChoice { choice, choices: &[], reasons, confidence: *confidence })
        }
        Given::Vote { choice, choices, reasons, confidence } => {
            Deed::Voted(BallotChoice { choice, choices, reasons, confidence: *confidence })
        }
        Given::DebaterScores { scores } => Deed::ScoredDebaters(scores),
        Given::Decision { decision } => Deed::Moderated { decision, fallback: false },
        Given::Interjection(interjection) => Deed::Interjected(interjection),
        Given::SpeechScores { scores } => Deed::ScoredSpeeches(scores),
        Given::Research { text } => Deed::Researched(text),
        Given::Conclusion { conclusion, text, reasoning } => {
            Deed::Concluded(Concluded { conclusion: *conclusion, text, reasoning: reasoning.as_deref() })
        }
        Given::Summary { through, text } => Deed::Summarised { through: *through, text },
        Given::Measures { round, .. } => Deed::Measured { round: *round },
        Given::Enough { enough, reasoning } => Deed::Enough { enough: *enough, reasoning },
        Given::Judgement { order, verdict, winner, reasoning, citations, open_objections } => {
            let (order, winner) = (*order, winner.as_deref());
            Deed::Judged(Judged { order, verdict, winner, reasoning, citations, open_objections })
        }
        Given::Ranking { order, ranking } => Deed::Ranked { order: *order, ranking },
        Given::Synthesis(synthesis) => Deed::Synthesised(synthesis),
    }
}
