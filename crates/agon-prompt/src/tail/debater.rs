//! The tail of a debater's prompt.
use super::{ReplyForm, Tail, TailHead, TurnTask, Values, choosing, instructions, round_of, words};
use crate::tasks::{self, argues, is_speech};
use crate::template::{self, fill, line};
use crate::text::{cut, one_line};
use crate::view::View;
use agon_core::fence::{Author, Foreign, Written};
use agon_core::{
    Ask, BallotStage, Bench, DebateFormat, Guidance, Note, ParticipantId, Persona, SpeechKind, Style, Task, Work,
    speaker_labels,
};

/// Who the persona is, what is said to it alone, its own rules, what the turn adds to the task, and its instructions.
pub(crate) fn debater(view: &View, ask: &Ask, (persona, tools): (&Persona, &[Author<'_>])) -> Written {
    let spec = &view.spec;
    let own_language = Author::of(persona, |persona| persona.language.as_deref());
    let language = own_language.or(Author::of(spec.as_ref(), |spec| spec.language.as_deref()));
    let stance = Author::of(persona, |persona| persona.stance.as_deref());
    let mut tail = Tail::new(view, ask, &TailHead { stance, role: "debater" });
    tail.maybe("Who you are", Author::of(persona, |persona| persona.role.as_deref()));
    push_occasion(&mut tail, view, ask);
    tail.maybe("Language", language);
    let work = &ask.task.work;
    let speaks = is_speech(work) || *work == Work::Revise;
    if speaks {
        tail.maybe("Style", persona.style.map(style));
        tail.maybe("Tone", Author::of(persona, |persona| persona.tone.as_deref()));
    }
    push_memory(&mut tail, view, (ask, &persona.name), speaks);
    tail.candidates(view, ask.task.material.candidates());
    let values = Values { stance, language, ..Values::new(view, ask) };
    let rules = Author::of(persona, |persona| persona.system_prompt.as_deref());
    if let Some(rules) = rules {
        let heading = if argues(work) { template::OWN_RULES } else { "" };
        tail.paragraph(Written::joined([fill(heading, &[]), values.fill(rules)], "\n"));
    }
    tail.task(view, ask, (&view.heads.debate, adds(view, ask, persona)));
    tail.tools(view, tools);
    let own = Author::of(persona, |persona| persona.instructions.as_deref());
    tail.close([instructions(spec), own], &values, ask)
}

/// The lines that say in which round, on whose word and to whom.
fn push_occasion(tail: &mut Tail, view: &View, ask: &Ask) {
    let round = round_of(view, ask);
    let Task { work, material } = &ask.task;
    match work {
        Work::Argument { to, bench } => {
            tail.maybe("Round", round);
            tail.maybe("Bench", bench.map(place));
            tail.maybe("To", to.as_ref().map(|to| view.called(to)));
        }
        Work::Statement { speech, to, about } => {
            tail.maybe("Round", round.filter(|_| !work.is_first_speech() && *speech != SpeechKind::Rebuttal));
            tail.maybe("To", to.as_ref().map(|to| view.called(to)));
            tail.quoted(asked_by(*speech), about.as_deref().map(Foreign::new));
        }
        Work::Bid { on, heard, .. } => {
            tail.maybe("Round", round);
            tail.maybe("On", on.as_ref().map(|on| view.called(on)));
            tail.quoted("Heard so far", heard.as_deref().map(Foreign::new));
        }
        Work::AnswerPoints => {
            tail.maybe("Round", round);
            for point in material.points() {
                tail.quoted_of("Point of", &Foreign::new(point.by.as_str()), &Foreign::new(point.text.as_str()));
            }
        }
        Work::Critique { of } => {
            tail.maybe("Round", round);
            tail.maybe("Target", Some(view.called(of)));
        }
        Work::Revise | Work::Reflect => tail.maybe("Round", round),
        Work::ScoreDebaters => {
            let labels = speaker_labels(&view.spec, view.seed, true);
            let own = labels.into_iter().find(|(name, _)| *name == ask.participant);
            tail.maybe("You are shown as", own.map(|(_, label)| view.called(&label.as_str().into())));
        }
        // the others are told by their task alone
        _ => {}
    }
}

fn asked_by(speech: SpeechKind) -> &'static str {
    match speech {
        SpeechKind::Clarification | SpeechKind::Revision => "Asked by the moderator",
        SpeechKind::Opening
        | SpeechKind::Argument
        | SpeechKind::Closing
        | SpeechKind::Question
        | SpeechKind::Answer
        | SpeechKind::FollowUp
        | SpeechKind::Proposal
        | SpeechKind::Rebuttal
        | SpeechKind::Interjection
        | SpeechKind::Critique
        | SpeechKind::Point
        | SpeechKind::PointReply
        | SpeechKind::Moderation => "Question",
    }
}

/// `Prime Minister, Opening Government`.
fn place(bench: Bench) -> Written {
    let team = Bench::TEAMS.get(bench.team()).copied().unwrap_or_default();
    Written::joined([bench.title(), team], ", ")
}

/// How much of one field of a note is shown.
const NOTE_LENGTH: usize = 400;

/// What only this persona knows: its last notes, its plan, and what it was warned of.
fn push_memory(tail: &mut Tail, view: &View, (ask, who): (&Ask, &ParticipantId), speaks: bool) {
    let work = &ask.task.work;
    if work.is_first_speech() || *work == (Work::Ballot { stage: BallotStage::Initial }) {
        return;
    }
    if let Some(note) = view.facts.note(ask.sees, who) {
        tail.quoted("Your notes", notes(note).map(Foreign::new));
        tail.quoted("Your plan", plan(note).map(Foreign::new));
    }
    for warning in view.facts.warnings(ask.sees, who).filter(|_| speaks) {
        tail.quoted("The moderator warned you", Some(warning));
    }
}

fn notes(note: &Note) -> Option<String> {
    let contradictions = note.contradictions.join("; ");
    let parts = [
        ("you hold", note.position.as_deref()),
        ("what changed it", note.changed_by.as_deref()),
        ("where you contradict yourself", Some(contradictions.as_str())),
    ];
    joined(&parts)
}

fn plan(note: &Note) -> Option<String> {
    let parts = [
        ("what worked", note.worked.as_deref()),
        ("what did not", note.did_not_work.as_deref()),
        ("what you try next", note.next.as_deref()),
    ];
    joined(&parts)
}

fn joined(parts: &[(&str, Option<&str>)]) -> Option<String> {
    let told: Vec<String> = parts
        .iter()
        .filter_map(|(what, text)| Some((what, text.filter(|text| !text.trim().is_empty())?)))
        .map(|(what, text)| format!("{what}: {}", cut(&one_line(text), NOTE_LENGTH)))
        .collect();
    (!told.is_empty()).then(|| told.join("; "))
}

/// What this turn adds to the description of its task.
fn adds(view: &View, ask: &Ask, persona: &Persona) -> TurnTask {
    let words = words(&persona.voice);
    let Task { work, material } = &ask.task;
    let mut lines = choosing(view, ask);
    if let Work::Argument { to: Some(to), bench: None } = work
        && !matches!(view.spec.debate_format, DebateFormat::ChainOfThought | DebateFormat::OpenFight)
    {
        lines.push(fill(template::ARGUMENT_TO, &[("to", view.called(to).into())]));
    }
    if *work == Work::Revise {
        let critics = Written::joined(material.critics().iter().map(|name| view.called(name)), ", ");
        lines.push(fill(template::REVISED_BY, &[("critics", critics.into()), ("words", words.into())]));
    }
    if *work == Work::Reflect {
        lines.push(tasks::form(&tasks::note_form(material.notes())));
    }
    if is_guided(view, ask) {
        lines.push(fill(template::GUIDED, &[]));
    }
    if view.spec.states_answers() && work.names_answer() {
        let sure = view.spec.asks_confidence_of(work);
        let end = usize::from(*work == Work::Revise) + 2 * usize::from(sure);
        lines.push(fill(line(template::END_WITH, end), &[]));
    }
    let answer = match length(work, words) {
        Some(words) => ReplyForm::Speech(words),
        None if *work == Work::Reflect => ReplyForm::AsDescribed,
        None => ReplyForm::Json,
    };
    TurnTask { lines, answer }
}

/// How many words are left of a speech that is to be short.
const SHORT: u32 = 120;
/// And of a question.
const QUESTION: u32 = 80;
/// And of a word that is put in.
const INTERJECTION: u32 = 40;

/// How long a speech may be; none for what is no speech.
fn length(work: &Work, words: u32) -> Option<u32> {
    match work {
        Work::Statement { speech: SpeechKind::Question | SpeechKind::FollowUp, .. } => Some(QUESTION),
        Work::Statement { speech: SpeechKind::Interjection, .. } => Some(INTERJECTION),
        Work::Statement { speech: SpeechKind::Clarification | SpeechKind::Rebuttal, .. } => Some(words.min(SHORT)),
        work => is_speech(work).then_some(words),
    }
}

/// Whether the moderator says what is to be talked about, to those who argue or ask.
fn is_guided(view: &View, ask: &Ask) -> bool {
    let guides = |guidance: &Guidance| guidance.briefing.is_some() || guidance.new_angle.is_some();
    match &ask.task.work {
        Work::Argument { .. } | Work::Statement { speech: SpeechKind::Question, .. } => {
            guides(&ask.task.material.guidance)
        }
        Work::Critique { .. } | Work::Revise => view.facts.guidance(ask.sees, ask.turn.round).is_some_and(guides),
        // the others have a task of their own
        _ => false,
    }
}

fn style(style: Style) -> &'static str {
    let index = match style {
        Style::Formal => 0,
        Style::Casual => 1,
        Style::BulletPoint => 2,
        Style::Paragraph => 3,
    };
    line(template::STYLE, index)
}
