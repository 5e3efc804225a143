//! What a participant is asked.
use crate::error::DecodeError;
use crate::field::Mirrored;
use crate::flat as pb;
use crate::mirror::{mirror, oneof};
use agon_core::{Ask, BallotForm, Guidance, ParticipantId, Point, Task, TurnId};
use pb::task;

mirror! {
    Ask as Ask { turn, participant, model, task, sees, deadline as deadline_ms, correction, kept }
    Point as Point { by, text }
    TurnId as TurnId { round, seat, attempt }
}

oneof! {
    Task as Task in task {
        Ballot { stage, choices } = Ballot(task::Ballot),
        Opening {} = Opening(task::Opening),
        Argument { guidance, to, bench } = Argument(by argument),
        Statement { speech, guidance, to, about } = Statement(by statement),
        Closing {} = Closing(task::Closing),
        Bid { purpose, on, heard } = Bid(task::Bid),
        AnswerPoints { points } = AnswerPoints(task::AnswerPoints),
        Critique { of } = Critique(task::Critique),
        Revise { critics } = Revise(task::Revise),
        Reflect { reflection, evolution } = Reflect(task::Reflect),
        OpenRound {} = OpenRound(task::OpenRound),
        CloseRound {} = CloseRound(task::CloseRound),
        Interject {} = Interject(()),
        ScoreSpeeches { speeches } = ScoreSpeeches(task::ScoreSpeeches),
        Research {} = Research(()),
        Conclude { conclusion } = Conclude(task::Conclude),
        Summarise { through } = Summarise(task::Summarise),
        Measure { round } = Measure(task::Measure),
        EnoughSaid {} = EnoughSaid(()),
        Judge { order, candidates } = Judge(task::Judge),
        Rank { order, candidates } = Rank(task::Rank),
        // a vote for one is left out, as in records that were written before there was a field
        Vote { candidates, form: unless(BallotForm::Single) } = Vote(task::Vote),
        ScoreDebaters { debaters } = ScoreDebaters(task::ScoreDebaters),
        Synthesise {} = Synthesise(()),
    }
}

/// An argument, whose guidance is fields of its message.
mod argument {
    use super::{DecodeError, Guidance, Mirrored, ParticipantId, task};
    use agon_core::Bench;

    pub(super) fn out(guidance: &Guidance, to: &Option<ParticipantId>, bench: &Option<Bench>) -> task::Argument {
        let Guidance { briefing, new_angle, summary } = guidance;
        let (briefing, new_angle, summary) = (briefing.out(), new_angle.out(), summary.out());
        task::Argument { briefing, new_angle, summary, to: to.out(), bench: bench.out() }
    }
    pub(super) fn read(wire: task::Argument) -> Result<(Guidance, Option<ParticipantId>, Option<Bench>), DecodeError> {
        let guidance = super::guidance(wire.briefing, wire.new_angle, wire.summary);
        Ok((guidance, Mirrored::read(wire.to, "to")?, Mirrored::read(wire.bench, "bench")?))
    }
}

/// A statement, the same.
mod statement {
    use super::{DecodeError, Guidance, Mirrored, ParticipantId, task};
    use agon_core::SpeechKind;
    use std::sync::Arc;

    type Fields = (SpeechKind, Guidance, Option<ParticipantId>, Option<Arc<str>>);

    pub(super) fn out(
        speech: &SpeechKind,
        guidance: &Guidance,
        to: &Option<ParticipantId>,
        about: &Option<Arc<str>>,
    ) -> task::Statement {
        let Guidance { briefing, new_angle, summary } = guidance;
        let (briefing, new_angle, summary) = (briefing.out(), new_angle.out(), summary.out());
        task::Statement { speech: speech.out(), briefing, new_angle, summary, to: to.out(), about: about.out() }
    }
    pub(super) fn read(wire: task::Statement) -> Result<Fields, DecodeError> {
        let guidance = super::guidance(wire.briefing, wire.new_angle, wire.summary);
        let (to, about) = (Mirrored::read(wire.to, "to")?, Mirrored::read(wire.about, "about")?);
        Ok((Mirrored::read(wire.speech, "speech")?, guidance, to, about))
    }
}

fn guidance(briefing: Option<String>, new_angle: Option<String>, summary: Option<String>) -> Guidance {
    Guidance {
        briefing: briefing.map(Into::into),
        new_angle: new_angle.map(Into::into),
        summary: summary.map(Into::into),
    }
}

impl Mirrored<task::Labelled> for (ParticipantId, String) {
    fn out(&self) -> task::Labelled {
        let (participant, label) = self;
        task::Labelled { participant: participant.out(), label: label.clone() }
    }
    fn read(wire: task::Labelled, _: &str) -> Result<Self, DecodeError> {
        Ok((ParticipantId::new(wire.participant), wire.label))
    }
}
