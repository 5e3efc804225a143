//! The tasks of debaters.
use super::with_form;
use crate::template::{self, fill, line};
use agon_core::fence::Written;
use agon_core::{DebateFormat, DebateSpec, Mode, SpeechKind, Work};

/// A speech.
pub(super) fn speech(spec: &DebateSpec, work: &Work) -> Written {
    match work {
        Work::Opening => fill(template::OPENING, &[]),
        Work::Statement { speech, .. } => statement(spec.mode, *speech),
        // each place of British Parliamentary has a duty of its own
        Work::Argument { bench: Some(bench), .. } => {
            let place = agon_core::Bench::ALL.iter().position(|known| known == bench).unwrap_or_default();
            fill(line(template::BENCH, place), &[])
        }
        Work::Argument { .. } => argument(spec.debate_format),
        // the only other speech
        _ => fill(closing(spec.mode), &[]),
    }
}

fn argument(format: DebateFormat) -> Written {
    fill(
        match format {
            DebateFormat::ChainOfThought => template::STEPS,
            DebateFormat::OpenFight => template::OPEN_FIGHT,
            DebateFormat::Fishbowl => template::FISHBOWL,
            DebateFormat::RoundRobin
            | DebateFormat::Socratic
            | DebateFormat::BpStyle
            | DebateFormat::CritiqueRevision
            | DebateFormat::Poll => template::ARGUMENT,
        },
        &[],
    )
}

/// Whoever was assigned a stance closes for it.
fn closing(mode: Mode) -> &'static str {
    match mode {
        Mode::Adversarial => template::CLOSING_ASSIGNED,
        Mode::Deliberative => template::CLOSING,
    }
}

fn statement(mode: Mode, speech: SpeechKind) -> Written {
    let template = match speech {
        SpeechKind::Question => template::QUESTION,
        SpeechKind::Answer => template::ANSWER,
        SpeechKind::FollowUp => template::FOLLOW_UP,
        SpeechKind::Proposal => template::PROPOSAL,
        SpeechKind::Revision => match mode {
            Mode::Adversarial => template::REVISED_CASE,
            Mode::Deliberative => template::REVISED_POSITION,
        },
        SpeechKind::Rebuttal => template::REBUTTAL,
        SpeechKind::Clarification => template::CLARIFICATION,
        SpeechKind::Interjection => template::INTERJECTION,
        SpeechKind::Opening => template::OPENING,
        SpeechKind::Closing => closing(mode),
        // nobody is asked for these as a statement; an argument is the plainest thing to say
        SpeechKind::Argument
        | SpeechKind::Critique
        | SpeechKind::Point
        | SpeechKind::PointReply
        | SpeechKind::Moderation => template::ARGUMENT,
    };
    fill(template, &[])
}

pub(super) fn revision(mode: Mode) -> Written {
    let stays = match mode {
        Mode::Adversarial => line(template::REVISE_WITHIN, 0),
        Mode::Deliberative => line(template::REVISE_WITHIN, 1),
    };
    fill(template::REVISE, &[("stays", stays.into())])
}

/// The members of a note, each with the line that explains it, in the order of the template.
const NOTE_FORMS: [&str; 6] = [
    "\"position\": text",
    "\"changed_by\": text or null",
    "\"contradictions\": [texts]",
    "\"worked\": text or null",
    "\"did_not_work\": text or null",
    "\"next\": text",
];

/// What notes are, with the members that are asked for now or of any debater.
pub(super) fn reflection(spec: &DebateSpec, (reflection, evolution): (bool, bool)) -> Written {
    let any = |what: fn(&agon_core::Persona) -> bool| spec.personas.iter().any(what);
    let wanted = (reflection || any(|persona| persona.reflection), evolution || any(|persona| persona.evolution));
    // Whoever was assigned a stance notes how its case stands, and not what it holds.
    let member = |at: usize| match spec.mode {
        Mode::Adversarial if at < 2 => line(template::REFLECT_ASSIGNED, at),
        Mode::Adversarial | Mode::Deliberative => line(template::REFLECT_MEMBERS, at),
    };
    let members: Vec<Written> = members(wanted).map(|at| fill(member(at), &[])).collect();
    with_form(fill(template::REFLECT, &[]), &members, &note_form(wanted))
}

fn members((reflection, evolution): (bool, bool)) -> impl Iterator<Item = usize> {
    (0..NOTE_FORMS.len()).filter(move |at| if *at < 3 { reflection } else { evolution })
}

/// The members of a note on one's position, on one's tactics, or on both.
pub(crate) fn note_form(wanted: (bool, bool)) -> Vec<&'static str> {
    members(wanted).filter_map(|at| NOTE_FORMS.get(at).copied()).collect()
}
