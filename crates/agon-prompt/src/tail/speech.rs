//! The rules and tasks of speeches.
use super::SHORT;
use crate::template::{self, fill, line};
use crate::view::View;
use agon_core::fence::{Part, Written};
use agon_core::{Bench, DebateFormat, Guidance, Mode, ParticipantId, SpeechKind, Task};

/// Whether a debater answers a task by a speech.
pub(super) fn is_speech(task: &Task) -> bool {
    matches!(task, Task::Opening | Task::Argument { .. } | Task::Statement { .. } | Task::Closing)
}

/// Whether nobody was heard before.
pub(super) fn is_first(task: &Task) -> bool {
    matches!(task, Task::Opening | Task::Statement { speech: SpeechKind::Proposal, .. })
}

/// The rules of the mode; none for tasks that are no speech, and for words that ask or clear something up and do not argue.
pub(super) fn rules(mode: Mode, task: &Task) -> Option<&'static str> {
    let argues = match task {
        Task::Statement { speech, .. } => !matches!(
            speech,
            SpeechKind::Question | SpeechKind::FollowUp | SpeechKind::Clarification | SpeechKind::Interjection
        ),
        task => is_speech(task) || matches!(task, Task::Revise { .. }),
    };
    if !argues {
        return None;
    }
    Some(match (mode, is_first(task)) {
        (Mode::Adversarial, true) => template::RULES_ADVERSARIAL_OPENING,
        (Mode::Adversarial, false) => template::RULES_ADVERSARIAL,
        (Mode::Deliberative, true) => template::RULES_DELIBERATIVE_OPENING,
        (Mode::Deliberative, false) => template::RULES_DELIBERATIVE,
    })
}

/// What a speech is to do, and how long it may be.
pub(super) fn text(view: &View, task: &Task, words: u32) -> Written {
    let filled = |template| fill(template, &[("words", words.into()), ("short", words.min(SHORT).into())]);
    if let Task::Argument { guidance, to, bench } = task {
        return argument(view, (to.as_ref(), *bench), (words, is_guided(guidance)));
    }
    if let Task::Statement { speech, guidance, .. } = task {
        let mut text = statement((view.spec.mode, *speech), filled);
        push_guided(&mut text, *speech == SpeechKind::Question && is_guided(guidance));
        return text;
    }
    filled(match (task, view.spec.mode) {
        (Task::Opening, _) => template::OPENING,
        (_, mode) => closing(mode),
    })
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
