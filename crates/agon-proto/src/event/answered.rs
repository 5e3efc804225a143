//! The messages of answers: each kind has a message of its own.
use crate::error::{DecodeError, FieldProblem, snake};
use crate::field::{Mirrored, same};
use crate::flat as pb;
use crate::mirror::fields;
use agon_core::{
    Answered, EMBEDDER, Event, Given, MODERATOR, Measures, ModeratorDecision, ParticipantId, SUMMARIZER, SYNTHESIZER,
    Speech, TurnId,
};
use pb::event::Kind;
use pb::moderator_decided::Decision;

/// A row for each kind of answer: the field of its message that names who gave it, or who always gives it; what is given; the
/// message. Two are by hand: their messages stand for what nobody answered, too.
macro_rules! answers {
    ($($by:tt $variant:ident $shape:tt = $message:ident,)+) => {
        /// The message of an answer.
        pub(super) fn message(answered: &Answered) -> Kind {
            let Answered { turn, participant, given, call } = answered;
            match given {
                $(answer!(pattern $variant $shape) => {
                    Kind::$message(answer!(out $by $shape, $message, (turn, participant, call)))
                })+
                Given::Decision { decision } => Kind::ModeratorDecided(pb::ModeratorDecided {
                    turn: turn.out(),
                    decision: decision.out(),
                    fallback: false,
                    call: call.out(),
                }),
                Given::Measures { round, measures } => Kind::RoundMeasured(pb::RoundMeasured {
                    round: *round,
                    measures: measures.out(),
                    turn: turn.out(),
                    call: call.out(),
                }),
            }
        }

        /// The event of the message of an answer, or of what stands in the place of one.
        pub(super) fn read(kind: Kind) -> Result<Event, DecodeError> {
            match kind {
                $(Kind::$message(wire) => {
                    let read = || Ok(answer!(read $by $variant $shape, wire));
                    read().map_err(|error: DecodeError| error.within(&snake(stringify!($message))))
                })+
                Kind::ModeratorDecided(wire) => decided(wire).map_err(|error| error.within("moderator_decided")),
                Kind::RoundMeasured(wire) => measured(wire).map_err(|error| error.within("round_measured")),
                // those of the other table
                _ => Err(DecodeError::field("kind", FieldProblem::UnknownKind)),
            }
        }
    };
}

/// A row of [`answers!`], as what the first word asks for.
macro_rules! answer {
    (pattern $variant:ident {$($fields:tt)*}) => { fields!((pattern [Given::$variant]) [] $($fields)*) };
    (pattern $variant:ident (Speech {$($fields:tt)*})) => {
        Given::$variant(fields!((pattern [Speech]) [] $($fields)*))
    };
    (pattern $variant:ident ($value:ident)) => { Given::$variant($value) };

    (out $by:tt {$($fields:tt)*}, $($rest:tt)*) => { answer!(message $by [$($fields)*], $($rest)*) };
    (out $by:tt (Speech {$($fields:tt)*}), $($rest:tt)*) => { answer!(message $by [$($fields)*], $($rest)*) };
    (out $by:tt ($value:ident), $($rest:tt)*) => { answer!(message $by [$value], $($rest)*) };
    (message [= $office:ident] [$($fields:tt)*], $message:ident, ($turn:ident, $who:ident, $call:ident)) => {{
        let (turn, call) = ($turn, $call);
        fields!((out [pb::$message]) [] turn, call, $($fields)*)
    }};
    (message [$by:ident] [$($fields:tt)*], $message:ident, ($turn:ident, $who:ident, $call:ident)) => {{
        let (turn, $by, call) = ($turn, $who, $call);
        fields!((out [pb::$message]) [] turn, $by, call, $($fields)*)
    }};

    (read [= $office:ident] $variant:ident $shape:tt, $wire:ident) => {{
        let participant = ParticipantId::from($office);
        answer!(event participant, $variant $shape, $wire)
    }};
    (read [$by:ident] $variant:ident $shape:tt, $wire:ident) => {{
        let participant = same::read($wire.$by, stringify!($by))?;
        answer!(event participant, $variant $shape, $wire)
    }};
    (event $participant:ident, $variant:ident $shape:tt, $wire:ident) => {
        Event::Answered(Answered {
            turn: same::read($wire.turn, "turn")?,
            participant: $participant,
            given: answer!(given $variant $shape, $wire),
            call: same::read($wire.call, "call")?,
        })
    };
    (given $variant:ident {$($fields:tt)*}, $wire:ident) => { fields!((read [Given::$variant] $wire) [] $($fields)*) };
    (given $variant:ident (Speech {$($fields:tt)*}), $wire:ident) => {
        Given::$variant(fields!((read [Speech] $wire) [] $($fields)*))
    };
    (given $variant:ident ($value:ident), $wire:ident) => {
        Given::$variant(same::read($wire.$value, stringify!($value))?)
    };
}

answers! {
    [participant] Speech(Speech {
        stance, kind, text, neutralised, to, bench, answer, accepted, declined, cut_by, confidence, cut_at_limit
    }) = SpeechRecorded,
    [participant] Ballot { stage, choice, reasons, confidence } = BallotCast,
    [participant] Vote { choice, choices, reasons, confidence } = VoteCast,
    [participant] Bid { purpose, bid } = BidPlaced,
    [participant] Points { points, reply } = PointsAnswered,
    [participant] Critique { of, critique, neutralised } = CritiqueRecorded,
    [participant] Note(note) = NoteTaken,
    [participant] DebaterScores { scores } = DebatersScored,
    [= MODERATOR] Interjection(interjection) = ModeratorInterjected,
    [= MODERATOR] SpeechScores { scores } = SpeechesScored,
    [= MODERATOR] Research { text } = ResearchBriefed,
    [= MODERATOR] Conclusion { conclusion, text, reasoning } = ModeratorConcluded,
    [= SUMMARIZER] Summary { through, text } = SummaryRecorded,
    [judge] Enough { enough, reasoning } = EnoughAsked,
    [judge] Judgement { order, verdict, winner, reasoning, citations, open_objections } = JudgementRecorded,
    [judge] Ranking { order, ranking } = RankingRecorded,
    [= SYNTHESIZER] Synthesis(synthesis) = SynthesisRecorded,
}

/// The message of a decision that stands in a moderator's place.
pub(super) fn fallback(turn: TurnId, decision: &ModeratorDecision) -> Kind {
    let (turn, decision) = (turn.out(), decision.out());
    Kind::ModeratorDecided(pb::ModeratorDecided { turn, decision, fallback: true, call: None })
}

/// The message of measures that nobody was asked for.
pub(super) fn compared(round: u32, measures: &Measures) -> Kind {
    Kind::RoundMeasured(pb::RoundMeasured { round, measures: measures.out(), turn: None, call: None })
}

fn decided(wire: pb::ModeratorDecided) -> Result<Event, DecodeError> {
    let (turn, decision) = (same::read(wire.turn, "turn")?, same::read(wire.decision, "decision")?);
    if wire.fallback {
        return Ok(Event::FallbackDecided { turn, decision });
    }
    Ok(Event::answer(turn, MODERATOR, Given::Decision { decision }, same::read(wire.call, "call")?))
}

fn measured(wire: pb::RoundMeasured) -> Result<Event, DecodeError> {
    let (round, measures) = (wire.round, same::read(wire.measures, "measures")?);
    let Some(turn) = same::read(wire.turn, "turn")? else { return Ok(Event::RoundCompared { round, measures }) };
    Ok(Event::answer(turn, EMBEDDER, Given::Measures { round, measures }, same::read(wire.call, "call")?))
}

impl Mirrored<Option<Decision>> for ModeratorDecision {
    fn out(&self) -> Option<Decision> {
        Some(match self {
            Self::Opens(plan) => Decision::Opens(plan.out()),
            Self::Closes(summary) => Decision::Closes(summary.out()),
        })
    }
    fn read(wire: Option<Decision>, field: &str) -> Result<Self, DecodeError> {
        match wire.ok_or_else(|| DecodeError::field(field, FieldProblem::UnknownKind))? {
            Decision::Opens(plan) => same::read(plan, "opens").map(Self::Opens),
            Decision::Closes(summary) => same::read(summary, "closes").map(Self::Closes),
        }
    }
}
