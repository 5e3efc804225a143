//! The rules and tasks of speeches.
use super::SHORT;
use crate::template::{self, fill, line};
use crate::view::View;
use agon_core::fence::{Part, Written};
use agon_core::{Bench, DebateFormat, Guidance, Mode, ParticipantId, SpeechKind, Task, Work};

/// Whether a debater answers a task by a speech.
pub(super) fn is_speech(work: &Work) -> bool {
    matches!(work, Work::Opening | Work::Argument { .. } | Work::Statement { .. } | Work::Closing)
}

/// Whether nobody was heard before.
pub(super) fn is_first(work: &Work) -> bool {
    work.is_first_speech()
}

/// The rules of the mode; none for tasks that are no speech, and for words that ask or clear something up and do not argue.
pub(super) fn rules(mode: Mode, work: &Work) -> Option<&'static str> {
    let argues = match work {
        Work::Statement { speech, .. } => !matches!(
            speech,
            SpeechKind::Question | SpeechKind::FollowUp | SpeechKind::Clarification | SpeechKind::Interjection
        ),
        work => is_speech(work) || *work == Work::Revise,
    };
    if !argues {
        return None;
    }
    Some(match (mode, is_first(work)) {
        (Mode::Adversarial, true) => template::RULES_ADVERSARIAL_OPENING,
        (Mode::Adversarial, false) => template::RULES_ADVERSARIAL,
        (Mode::Deliberative, true) => template::RULES_DELIBERATIVE_OPENING,
        (Mode::Deliberative, false) => template::RULES_DELIBERATIVE,
    })
}

/// What a speech is to do, and how long it may be.
pub(super) fn text(view: &View, Task { work, material }: &Task, words: u32) -> Written {
    let filled = |template| fill(template, &[("words", words.into()), ("short", words.min(SHORT).into())]);
    let guided = is_guided(&material.guidance);
    match work {
        Work::Argument { to, bench } => argument(view, (to.as_ref(), *bench), (words, guided)),
        Work::Statement { speech, .. } => {
            let mut text = statement((view.spec.mode, *speech), filled);
            push_guided(&mut text, *speech == SpeechKind::Question && guided);
            text
        }
        Work::Opening => filled(template::OPENING),
        // the only other speech
        _ => filled(closing(view.spec.mode)),
    }
}

/// Whether the moderator says what is to be talked about.
pub(super) fn is_guided(guidance: &Guidance) -> bool {
    guidance.briefing.is_some() || guidance.new_angle.is_some()
}

fn push_guided(text: &mut Written, guided: bool) {
    if guided {
        text.push(" ");
        text.push(fill(template::GUIDED, &[]));
    }
}

/// Whoever was assigned a stance closes for it.
fn closing(mode: Mode) -> &'static str {
    match mode {
        Mode::Adversarial => template::CLOSING_ASSIGNED,
        Mode::Deliberative => template::CLOSING,
    }
}

fn statement((mode, speech): (Mode, SpeechKind), filled: impl Fn(&'static str) -> Written) -> Written {
    filled(match speech {
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
    })
}

/// A speech of a round, as the format wants it.
fn argument(
    view: &View,
    (to, bench): (Option<&ParticipantId>, Option<Bench>),
    (words, guided): (u32, bool),
) -> Written {
    let other = to.map_or_else(|| Part::from("NAME"), |to| view.called(to).into());
    let values = |duty: &'static str| {
        [
            ("words", words.into()),
            ("short", words.min(SHORT).into()),
            ("other", other.clone()),
            ("to", other.clone()),
            ("duty", duty.into()),
        ]
    };
    let mut text = match (view.spec.debate_format, bench) {
        (_, Some(bench)) => {
            let place = Bench::ALL.iter().position(|known| *known == bench).unwrap_or_default();
            fill(template::BENCH_SPEECH, &values(line(template::BENCH, place)))
        }
        (DebateFormat::ChainOfThought, None) => fill(template::STEPS, &values("")),
        (DebateFormat::OpenFight, None) => fill(template::OPEN_FIGHT, &values("")),
        (DebateFormat::Fishbowl, None) if to.is_none() => fill(template::FISHBOWL, &values("")),
        (_, None) => match to {
            Some(_) => fill(template::ARGUMENT_TO, &values("")),
            None if guided => return fill(template::ARGUMENT_GUIDED, &values("")),
            None => fill(template::ARGUMENT, &values("")),
        },
    };
    push_guided(&mut text, guided);
    text
}
