//! The tasks of debaters.
use super::TaskWords;
use crate::template::{self, fill, line};
use agon_core::fence::Written;
use agon_core::{DebateFormat, DebateSpec, Mode, SpeechKind, Work};

/// A speech.
pub(super) fn speech(spec: &DebateSpec, work: &Work) -> TaskWords {
    let plain = |words| TaskWords::of(words, &[]);
    match work {
        Work::Opening => plain(template::OPENING),
        Work::Statement { speech, .. } => plain(statement(spec.mode, *speech)),
        // each place of British Parliamentary has a duty of its own
        Work::Argument { bench: Some(bench), .. } => {
            let place = agon_core::Bench::ALL.iter().position(|known| known == bench).unwrap_or_default();
            plain(line(template::BENCH, place))
        }
        Work::Argument { .. } => plain(argument(spec.debate_format)),
        // the only other speech
        _ => plain(closing(spec.mode)),
    }
}

fn argument(format: DebateFormat) -> &'static str {
    match format {
        DebateFormat::ChainOfThought => template::STEPS,
        DebateFormat::OpenFight => template::OPEN_FIGHT,
        DebateFormat::Fishbowl => template::FISHBOWL,
        DebateFormat::RoundRobin
        | DebateFormat::Socratic
        | DebateFormat::BpStyle
        | DebateFormat::CritiqueRevision
        | DebateFormat::Poll => template::ARGUMENT,
    }
}

/// Whoever was assigned a stance closes for it.
fn closing(mode: Mode) -> &'static str {
    match mode {
        Mode::Adversarial => template::CLOSING_ASSIGNED,
        Mode::Deliberative => template::CLOSING,
    }
}

fn statement(mode: Mode, speech: SpeechKind) -> &'static str {
    match speech {
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
    }
}

pub(super) fn revision(mode: Mode) -> TaskWords {
    let stays = match mode {
        Mode::Adversarial => line(template::REVISE_WITHIN, 0),
        Mode::Deliberative => line(template::REVISE_WITHIN, 1),
    };
    TaskWords::of(template::REVISE, &[("stays", stays.into())])
}

/// The members of a note, each as an example has it, in the order of the template.
const NOTE_EXAMPLES: [&str; 6] = [
    "\"position\": \"what you hold\"",
    "\"changed_by\": null",
    "\"contradictions\": []",
    "\"worked\": null",
    "\"did_not_work\": null",
    "\"next\": \"what you will try\"",
];

/// A note on one's position, on one's tactics, or on both.
pub(super) fn reflection(spec: &DebateSpec, (reflection, evolution): (bool, bool)) -> TaskWords {
    let wanted = || (0..NOTE_EXAMPLES.len()).filter(move |at| if *at < 3 { reflection } else { evolution });
    // Whoever was assigned a stance notes how its case stands, and not what it holds.
    let member = |at: usize| match spec.mode {
        Mode::Adversarial if at < 2 => line(template::REFLECT_ASSIGNED, at),
        Mode::Adversarial | Mode::Deliberative => line(template::REFLECT_MEMBERS, at),
    };
    let members: Vec<Written> = wanted().map(|at| fill(member(at), &[])).collect();
    let examples: Vec<&str> = wanted().filter_map(|at| NOTE_EXAMPLES.get(at).copied()).collect();
    TaskWords::of_members(fill(template::REFLECT, &[]), &members, &examples)
}
