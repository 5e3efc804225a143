//! What somebody did in a turn.
use agon_core::{
    BallotStage, Bid, BidPurpose, Call, Citation, Conclusion, Critique, DebaterScore, EMBEDDER, Event, Failure,
    FailureCause, Interjection, MODERATOR, ModeratorDecision, Note, ParticipantId, Point, PointReply, Ranked,
    SUMMARIZER, SYNTHESIZER, SkipReason, Speech, SpeechScore, Synthesis, Timestamp, TurnId,
};

/// One thing that somebody did in its turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<'a> {
    pub(crate) turn: TurnId,
    pub(crate) at: Timestamp,
    pub(crate) participant: &'a str,
    pub(crate) deed: Deed<'a>,
    pub(crate) call: Option<&'a Call>,
}

impl Entry<'_> {
    /// What the try failed of, if it did.
    pub(crate) fn failed(&self) -> Option<FailureCause> {
        match self.deed {
            Deed::Failed { failure, .. } => Some(failure.cause),
            _ => None,
        }
    }
}

/// What was done.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Deed<'a> {
    Spoke(&'a Speech),
    Balloted(BallotStage, Choice<'a>),
    Voted(Choice<'a>),
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
    NotShown(&'static str),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice<'a> {
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

#[derive(Clone, Copy, Debug)]
pub(crate) struct Concluded<'a> {
    pub(crate) conclusion: Conclusion,
    pub(crate) text: &'a str,
    pub(crate) reasoning: Option<&'a str>,
}

/// What somebody did in its turn, where the event is about a turn.
pub(crate) fn entry(at: Timestamp, event: &Event) -> Option<Entry<'_>> {
    let parts = match event {
        Event::SpeechRecorded(_)
        | Event::BidPlaced { .. }
        | Event::PointsAnswered { .. }
        | Event::CritiqueRecorded { .. }
        | Event::NoteTaken { .. } => debated(event),
        Event::ModeratorDecided { .. }
        | Event::ModeratorInterjected { .. }
        | Event::SpeechesScored { .. }
        | Event::ResearchBriefed { .. }
        | Event::ModeratorConcluded { .. } => moderated(event),
        Event::BallotCast { .. }
        | Event::VoteCast { .. }
        | Event::DebatersScored { .. }
        | Event::EnoughAsked { .. }
        | Event::JudgementRecorded { .. }
        | Event::RankingRecorded { .. } => decided(event),
        Event::SummaryRecorded { .. }
        | Event::RoundMeasured { .. }
        | Event::SynthesisRecorded { .. }
        | Event::TurnFailed { .. }
        | Event::SeatSkipped { .. } => served(event),
        Event::DebateAdmitted(_)
        | Event::Claimed { .. }
        | Event::PhaseEntered { .. }
        | Event::ParticipantPlaced { .. }
        | Event::RoundOpened { .. }
        | Event::StageOpened { .. }
        | Event::TurnAsked(_)
        | Event::ToolCalled { .. }
        | Event::SpeechHeard { .. }
        | Event::LoopEnded { .. }
        | Event::VoteTallied { .. }
        | Event::VerdictReached { .. }
        | Event::DebateInterrupted { .. }
        | Event::DebateResumed { .. }
        | Event::CancelRequested { .. }
        | Event::DebateEnded { .. } => None,
    };
    let (turn, participant, deed, call) = parts?;
    Some(Entry { turn, at, participant, deed, call })
}

type Parts<'a> = Option<(TurnId, &'a str, Deed<'a>, Option<&'a Call>)>;

fn debated(event: &Event) -> Parts<'_> {
    let (turn, participant, deed, call) = match event {
        Event::SpeechRecorded(speech) => (&speech.turn, &speech.participant, Deed::Spoke(speech), &speech.call),
        Event::BidPlaced { turn, participant, purpose, bid, call } => {
            (turn, participant, Deed::Bid(*purpose, bid), call)
        }
        Event::PointsAnswered { turn, participant, points, reply, call } => {
            (turn, participant, Deed::Points(points, reply), call)
        }
        Event::CritiqueRecorded { turn, participant, of, critique, neutralised, call } => {
            (turn, participant, Deed::Criticised { of, critique, neutralised: *neutralised }, call)
        }
        Event::NoteTaken { turn, participant, note, call } => (turn, participant, Deed::Noted(note), call),
        _ => return None,
    };
    Some((*turn, participant.as_str(), deed, Some(call)))
}

fn moderated(event: &Event) -> Parts<'_> {
    let (turn, deed, call) = match event {
        Event::ModeratorDecided { turn, decision, fallback, call } => {
            let deed = Deed::Moderated { decision, fallback: *fallback };
            return Some((*turn, MODERATOR, deed, call.as_deref()));
        }
        Event::ModeratorInterjected { turn, interjection, call } => (turn, Deed::Interjected(interjection), call),
        Event::SpeechesScored { turn, scores, call } => (turn, Deed::ScoredSpeeches(scores), call),
        Event::ResearchBriefed { turn, text, call } => (turn, Deed::Researched(text), call),
        Event::ModeratorConcluded { turn, conclusion, text, reasoning, call } => {
            let concluded = Concluded { conclusion: *conclusion, text, reasoning: reasoning.as_deref() };
            (turn, Deed::Concluded(concluded), call)
        }
        _ => return None,
    };
    Some((*turn, MODERATOR, deed, Some(call)))
}

fn decided(event: &Event) -> Parts<'_> {
    let (turn, who, deed, call) = match event {
        Event::BallotCast { turn, stage, participant, choice, reasons, confidence, call } => {
            let choice = Choice { choice, choices: &[], reasons, confidence: *confidence };
            (turn, participant, Deed::Balloted(*stage, choice), call)
        }
        Event::VoteCast { turn, participant, choice, choices, reasons, confidence, call } => {
            let choice = Choice { choice, choices, reasons, confidence: *confidence };
            (turn, participant, Deed::Voted(choice), call)
        }
        Event::DebatersScored { turn, participant, scores, call } => {
            (turn, participant, Deed::ScoredDebaters(scores), call)
        }
        Event::EnoughAsked { turn, judge, enough, reasoning, call } => {
            (turn, judge, Deed::Enough { enough: *enough, reasoning }, call)
        }
        Event::JudgementRecorded {
            turn,
            judge,
            order,
            verdict,
            winner,
            reasoning,
            citations,
            open_objections,
            call,
        } => {
            let (order, winner) = (*order, winner.as_deref());
            let judged = Judged { order, verdict, winner, reasoning, citations, open_objections };
            (turn, judge, Deed::Judged(judged), call)
        }
        Event::RankingRecorded { turn, judge, order, ranking, call } => {
            (turn, judge, Deed::Ranked { order: *order, ranking }, call)
        }
        _ => return None,
    };
    Some((*turn, who.as_str(), deed, Some(call)))
}

fn served(event: &Event) -> Parts<'_> {
    Some(match event {
        Event::SummaryRecorded { turn, through, text, call } => {
            (*turn, SUMMARIZER, Deed::Summarised { through: *through, text }, Some(call))
        }
        // Where no turn measured, the figures stand in the minutes alone.
        Event::RoundMeasured { round, turn, call, measures: _ } => {
            ((*turn)?, EMBEDDER, Deed::Measured { round: *round }, call.as_deref())
        }
        Event::SynthesisRecorded { turn, synthesis, call } => {
            (*turn, SYNTHESIZER, Deed::Synthesised(synthesis), Some(call))
        }
        Event::TurnFailed { turn, participant, failure, retry_at, call } => {
            (*turn, participant.as_str(), Deed::Failed { failure, retry_at: *retry_at }, Some(call))
        }
        Event::SeatSkipped { round, seat, participant, reason } => {
            let turn = TurnId { round: *round, seat: *seat, attempt: 0 };
            (turn, participant.as_str(), Deed::Skipped(*reason), None)
        }
        _ => return None,
    })
}
