//! What seats are opened for, and what a participant is asked.
use crate::error::{DecodeError, FieldProblem, snake};
use crate::field::{self, Mirrored};
use crate::flat as pb;
use crate::mirror::{message, mirror, oneof, variant};
#[cfg(any(test, feature = "strategies"))]
use crate::{mirror::nested, strategies::Arbitrary};
use agon_core::{Ask, BallotForm, Guidance, Material, ParticipantId, Point, Seat, Task, TurnId, Work};
use pb::task::{self, Kind};
use pb::work;
#[cfg(any(test, feature = "strategies"))]
use proptest::strategy::{BoxedStrategy, Strategy, Union};

mirror! {
    Ask as Ask { turn, participant, model, task, sees, deadline as deadline_ms, correction, kept }
    Point as Point { by, text }
    Seat as Seat { participant, work }
    TurnId as TurnId { round, seat, attempt }
}

/// The messages of each kind of turn: that of its seat, with the fields of its work, and that of its task, which has those of its
/// material, too. They stand behind `given`; where there is guidance, its fields are fields of the message.
macro_rules! asked {
    ($($work:ident { $($of:ident),* } $(guided { $($word:ident),+ })?
        $(given { $($part:ident $(: $how:ident $arguments:tt)?),+ })? = $kind:ident $seat:tt $body:tt),+ $(,)?) => {
        oneof! {
            Work as Work in work {
                $($work { $($of),* } = $kind $seat),+
            }
        }
        impl Mirrored<pb::Task> for Task {
            fn out(&self) -> pb::Task {
                let Self { work, material } = self;
                let kind = match work {
                    $(Work::$work { $($of),* } => {
                        $(let Guidance { $($word),+ } = &material.guidance;)?
                        $($(
                            let absent = Default::default();
                            let $part = material.$part.as_ref().unwrap_or(&absent);
                        )+)?
                        Kind::$kind(variant!(out {
                            $($of,)* $($($word,)+)? $($($part $(: $how $arguments)?,)+)?
                        } $body))
                    })+
                };
                pb::Task { kind: Some(kind) }
            }
            fn read(wire: pb::Task, field: &str) -> Result<Self, DecodeError> {
                Self::try_from(wire).map_err(|error| error.within(field))
            }
        }
        impl TryFrom<pb::Task> for Task {
            type Error = DecodeError;
            fn try_from(wire: pb::Task) -> Result<Self, Self::Error> {
                match wire.kind.ok_or_else(|| DecodeError::field("kind", FieldProblem::UnknownKind))? {
                    $(Kind::$kind(variant!(bound wire, {$($of)* $($($word)+)? $($($part)+)?})) => {
                        let read = || {
                            let material = Material {
                                $(guidance: Guidance { $($word: part!(wire $word)),+ },)?
                                $($($part: Some(part!(wire $part $($how $arguments)?)),)+)?
                                ..Material::default()
                            };
                            Ok(Task::new(Work::$work { $($of: part!(wire $of)),* }, material))
                        };
                        read().map_err(|error: DecodeError| error.within(&snake(stringify!($kind))))
                    })+
                }
            }
        }
        #[cfg(any(test, feature = "strategies"))]
        impl Arbitrary for Task {
            fn arbitrary() -> BoxedStrategy<Self> {
                Union::new([$(
                    nested!(strategies $($of)* $($($word)+)? $($($part)+)?)
                        .prop_map(|nested!(pattern $($of)* $($($word)+)? $($($part)+)?)| {
                            let material = Material {
                                $(guidance: Guidance { $($word),+ },)?
                                $($($part: Some($part),)+)?
                                ..Material::default()
                            };
                            Task::new(Work::$work { $($of),* }, material)
                        })
                        .boxed()
                ),+])
                .boxed()
            }
        }
    };
}

/// A field of a message.
macro_rules! part {
    ($wire:ident $field:ident) => { part!($wire $field same ()) };
    ($wire:ident $field:ident $how:ident ($($argument:expr)?)) => {
        field::$how::read($wire.$field, stringify!($field) $(, $argument)?)?
    };
}

asked! {
    Ballot { stage } given { choices } = Ballot(work::Ballot)(task::Ballot),
    Opening {} = Opening(())(task::Opening),
    Argument { to, bench } guided { briefing, new_angle, summary } = Argument(work::Argument)(task::Argument),
    Statement { speech, to, about } guided { briefing, new_angle, summary } = Statement(work::Statement)(task::Statement),
    Closing {} = Closing(())(task::Closing),
    Bid { purpose, on, heard } = Bid(task::Bid)(task::Bid),
    AnswerPoints {} given { points } = AnswerPoints(())(task::AnswerPoints),
    Critique { of } = Critique(task::Critique)(task::Critique),
    Revise {} given { critics } = Revise(())(task::Revise),
    Reflect {} given { reflection, evolution } = Reflect(())(task::Reflect),
    OpenRound {} = OpenRound(())(task::OpenRound),
    CloseRound {} = CloseRound(())(task::CloseRound),
    Interject {} = Interject(())(()),
    ScoreSpeeches {} given { speeches } = ScoreSpeeches(())(task::ScoreSpeeches),
    Research {} = Research(())(()),
    Conclude { conclusion } = Conclude(task::Conclude)(task::Conclude),
    Summarise {} given { through } = Summarise(())(task::Summarise),
    Measure {} given { round } = Measure(())(task::Measure),
    EnoughSaid {} = EnoughSaid(())(()),
    Judge { order } given { candidates } = Judge(work::Reading)(task::Judge),
    Rank { order } given { candidates } = Rank(work::Reading)(task::Rank),
    // a vote for one is left out, as in records that were written before there was a field
    Vote {} given { candidates, form: unless(BallotForm::Single) } = Vote(())(task::Vote),
    ScoreDebaters {} given { debaters } = ScoreDebaters(())(task::ScoreDebaters),
    Synthesise {} = Synthesise(())(()),
}
message!(Task as Task);

impl Mirrored<task::Labelled> for (ParticipantId, String) {
    fn out(&self) -> task::Labelled {
        let (participant, label) = self;
        task::Labelled { participant: participant.out(), label: label.clone() }
    }
    fn read(wire: task::Labelled, _: &str) -> Result<Self, DecodeError> {
        Ok((ParticipantId::new(wire.participant), wire.label))
    }
}
