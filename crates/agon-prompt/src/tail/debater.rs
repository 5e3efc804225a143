//! The tail of a debater's prompt.
use super::{Tail, Values, at_most, choosing, instructions, like, stated_answer, words};
use crate::head::sees_nobody;
use crate::tasks::{argues, described, is_speech};
use crate::template::{self, fill, line};
use crate::text::{cut, one_line};
use crate::view::{View, VisibleEntries};
use agon_core::fence::{Author, Foreign, Part, Written};
use agon_core::{
    Ask, BallotStage, Bench, DebateFormat, DebateSpec, Guidance, Mode, Note, ParticipantId, Persona, SpeechKind, Style,
    Task, Work, speaker_labels,
};

/// Who the persona is and what it holds, what is said to it alone, the task, its own rules, its instructions, and the form of the answer.
pub(crate) fn debater(view: &View, ask: &Ask, (persona, tools): (&Persona, &[Author<'_>])) -> Written {
    let spec = &view.spec;
    let work = &ask.task.work;
    let own_language = Author::of(persona, |persona| persona.language.as_deref());
    let language = own_language.or(Author::of(spec.as_ref(), |spec| spec.language.as_deref()));
    let stance = Author::of(persona, |persona| persona.stance.as_deref());
    let mut tail = Tail::new(view, ask, &who(view, ask, persona));
    let holds = match spec.mode {
        Mode::Adversarial => "You argue for this position: \"{{stance}}\".",
        Mode::Deliberative => "You lean towards this position: \"{{stance}}\".",
    };
    tail.maybe(holds, stance);
    tail.question(spec);
    push_occasion(&mut tail, view, ask);
    push_memory(&mut tail, view, (ask, &persona.name), speaks(work));
    tail.candidates(view, ask.task.material.candidates());
    let values = Values { stance, language, ..Values::new(view, ask) };
    let own_rules = Author::of(persona, |persona| persona.system_prompt.as_deref()).map(|rules| values.fill(rules));
    let task = described(spec, &ask.task);
    let mut lines = vec![task.words];
    lines.extend(answers(view, ask));
    lines.extend(own_rules.or_else(|| argues(work).then(|| fill(rules(spec, work), &[]))));
    lines.extend(adds(view, ask, persona));
    lines.retain(|line| !Part::from(line).is_empty());
    tail.lines(&lines);
    tail.tools(view, tools);
    let own = Author::of(persona, |persona| persona.instructions.as_deref());
    let form = form(view, ask, (persona, language), task.example);
    tail.close([instructions(spec), own], &values, (ask, &form))
}

/// `Ada`, or `Ada (town planner)`.
fn who(view: &View, ask: &Ask, persona: &Persona) -> Written {
    let name = view.called(&ask.participant);
    match Author::of(persona, |persona| persona.role.as_deref()) {
        Some(role) => Written::joined([name.into(), " (".into(), Part::from(role.on_one_line()), ")".into()], ""),
        None => name,
    }
}

/// How those argue who have no rules of their own.
fn rules(spec: &DebateSpec, work: &Work) -> &'static str {
    match (spec.mode, sees_nobody(spec, work)) {
        (Mode::Adversarial, false) => template::RULES_ADVERSARIAL,
        (Mode::Adversarial, true) => template::RULES_ADVERSARIAL_OPENING,
        (Mode::Deliberative, false) => template::RULES_DELIBERATIVE,
        (Mode::Deliberative, true) => template::RULES_DELIBERATIVE_OPENING,
    }
}

/// Whether a debater says something that others read.
fn speaks(work: &Work) -> bool {
    is_speech(work) || *work == Work::Revise
}

/// The sentences that say in which round, on whose word and to whom.
fn push_occasion(tail: &mut Tail, view: &View, ask: &Ask) {
    const TO: &str = "You speak to {{to}}.";
    let Task { work, material } = &ask.task;
    match work {
        Work::Argument { to, bench } => {
            tail.round(view, ask);
            tail.maybe("You speak as {{bench}}.", bench.map(place));
            match to {
                Some(to) => tail.say(TO, view.called(to)),
                None => tail.maybe("{{last}} spoke last.", last_speaker(view, ask)),
            }
        }
        Work::Statement { speech, to, about } => {
            if !work.is_first_speech() && *speech != SpeechKind::Rebuttal {
                tail.round(view, ask);
            }
            tail.maybe(TO, to.as_ref().map(|to| view.called(to)));
            tail.quoted(asked_by(*speech), about.as_deref().map(Foreign::new));
        }
        Work::Bid { on, heard, .. } => {
            tail.round(view, ask);
            tail.maybe("You have heard {{on}}.", on.as_ref().map(|on| view.called(on)));
            tail.quoted("Heard so far", heard.as_deref().map(Foreign::new));
        }
        Work::AnswerPoints => {
            tail.round(view, ask);
            for point in material.points() {
                tail.quoted_of("Point of", &Foreign::new(point.by.as_str()), &Foreign::new(point.text.as_str()));
            }
        }
        Work::Critique { of } => {
            tail.round(view, ask);
            tail.say("You criticise the proposal of {{of}}.", view.called(of));
        }
        Work::Revise | Work::Reflect => tail.round(view, ask),
        Work::ScoreDebaters => {
            let labels = speaker_labels(&view.spec, view.seed, true);
            let own = labels.into_iter().find(|(name, _)| *name == ask.participant);
            tail.maybe("You are shown as {{label}}.", own.map(|(_, label)| view.called(&label.as_str().into())));
        }
        // the others are told by their task alone
        _ => {}
    }
}

/// Which other debater spoke last, of those whom this one is shown, and in which entry.
fn last_speaker(view: &View, ask: &Ask) -> Option<Written> {
    let last = *VisibleEntries::of(view, ask).shown.last()?;
    let entry = view.entries(ask.sees).get(last).filter(|entry| entry.participant != ask.participant)?;
    view.spec.persona(&entry.participant)?;
    let number = Part::from(u64::try_from(last + 1).ok()?);
    Some(Written::joined([view.called(&entry.participant).into(), " (T".into(), number, ")".into()], ""))
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

/// `Prime Minister for the Opening Government`.
fn place(bench: Bench) -> Written {
    let team = Bench::TEAMS.get(bench.team()).copied().unwrap_or_default();
    Written::joined([bench.title(), team], " for the ")
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

/// Whom the turn answers, and what the moderator asked for.
fn answers(view: &View, ask: &Ask) -> Vec<Written> {
    let mut lines = Vec::new();
    if let Work::Argument { to: Some(to), bench: None } = &ask.task.work
        && !matches!(view.spec.debate_format, DebateFormat::ChainOfThought | DebateFormat::OpenFight)
    {
        lines.push(fill(template::ARGUMENT_TO, &[("to", view.called(to).into())]));
    }
    if is_guided(view, ask) {
        lines.push(fill(template::GUIDED, &[]));
    }
    lines
}

/// What this turn adds to its task and rules.
fn adds(view: &View, ask: &Ask, persona: &Persona) -> Vec<Written> {
    let Task { work, material } = &ask.task;
    let mut lines = choosing(view, ask);
    if *work == Work::Revise {
        let critics = Written::joined(material.critics().iter().map(|name| view.called(name)), ", ");
        let words = words(&persona.voice).into();
        lines.push(fill(template::REVISED_BY, &[("critics", critics.into()), ("words", words)]));
    }
    if speaks(work) && !sees_nobody(&view.spec, work) {
        let wording = match view.spec.mode {
            Mode::Adversarial => template::AGREEMENT_ASSIGNED,
            Mode::Deliberative => template::AGREEMENT,
        };
        lines.extend(super::agreement(&view.spec, wording));
    }
    lines
}

/// In which language and manner, how long, and how the answer ends.
fn form(
    view: &View,
    ask: &Ask,
    (persona, language): (&Persona, Option<Author<'_>>),
    example: Option<Written>,
) -> Vec<Written> {
    let work = &ask.task.work;
    let in_this = |sentence: &'static str, value: Part<'_>| fill(sentence, &[("value", value.on_one_line())]);
    let mut lines = Vec::new();
    lines.extend(language.map(|language| in_this("Write in {{value}}.", language.into())));
    if speaks(work) {
        let tone = Author::of(persona, |persona| persona.tone.as_deref());
        lines.extend(persona.style.map(|own| in_this("Write in this style: {{value}}.", style(own).into())));
        lines.extend(tone.map(|tone| in_this("Write in this tone: {{value}}.", tone.into())));
    }
    lines.extend(length(work, words(&persona.voice)).map(|words| at_most(words, argues(work))));
    if view.spec.states_answers() && work.names_answer() {
        lines.push(stated_answer(view, ask));
    }
    lines.extend(like(example));
    lines
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
