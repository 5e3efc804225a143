//! The tail of a debater's prompt.
use super::speech::{self, rules};
use super::votes;
use super::{
    Tail, TailHead, Values, agreement, choice_of, instructions, is_number, languages, options, round_of, with_form,
    words,
};
use crate::template::{self, fill, line};
use crate::text::{cut, one_line};
use crate::view::View;
use agon_core::fence::{Author, Foreign, Written};
use agon_core::{
    Ask, BallotStage, Bench, BidPurpose, Guidance, Mode, Note, ParticipantId, Persona, SpeechKind, Style, Task, Work,
    speaker_labels,
};

/// Who the persona is, what was said to it, the rules, the task, the author's instructions.
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
    let speaks = speech::is_speech(work) || *work == Work::Revise;
    if speaks {
        tail.maybe("Style", persona.style.map(style));
        tail.maybe("Tone", Author::of(persona, |persona| persona.tone.as_deref()));
    }
    push_memory(&mut tail, view, (ask, &persona.name), speaks);
    tail.candidates(view, ask.task.material.candidates());
    let values = Values { stance, language, ..Values::new(view, ask) };
    match Author::of(persona, |persona| persona.system_prompt.as_deref()) {
        Some(own) => tail.paragraph(values.fill(own)),
        None => rules(spec.mode, work).into_iter().for_each(|rules| tail.paragraph(rules)),
    }
    if matches!(work, Work::Critique { .. } | Work::Revise) && of_round(view, ask).is_some_and(speech::is_guided) {
        tail.paragraph(fill(template::GUIDED, &[]));
    }
    tail.paragraph(task_text(view, ask, persona));
    if speaks && let (Some(_), Some(language)) = (languages(spec), language) {
        tail.paragraph(fill(template::LANGUAGE, &[("language", language.into())]));
    }
    if speaks && spec.states_answers() && names_answer(work) {
        tail.paragraph(answer_line(view, usize::from(*work == Work::Revise)));
        if work.is_first_speech() && spec.asks_speakers_confidence() {
            tail.paragraph(line(template::MY_CONFIDENCE, 0));
        }
    }
    if let Some(intensity) = spec.agreement_intensity.filter(|_| speaks && !speech::is_first(work)) {
        let wording = match spec.mode {
            Mode::Adversarial => template::AGREEMENT_ASSIGNED,
            Mode::Deliberative => template::AGREEMENT,
        };
        tail.paragraph(agreement(intensity, wording));
    }
    let verifiers = Author::all(spec.as_ref(), |spec| &spec.verifiers);
    if let Some(first) = verifiers.first().filter(|_| speaks && !persona.voice.model.is_external()) {
        let all = Written::joined(verifiers.iter().copied(), ", ");
        tail.paragraph(fill(template::MARK_CLAIMS, &[("verifier", (*first).into()), ("verifiers", all.into())]));
    }
    tail.tools(view, tools);
    let own = Author::of(persona, |persona| persona.instructions.as_deref());
    tail.close([instructions(spec), own], &values, ask)
}

/// The lines that say in which round, on whose word and to whom.
fn push_occasion(tail: &mut Tail, view: &View, ask: &Ask) {
    let round = round_of(view, ask);
    let guide = |tail: &mut Tail, guidance: &Guidance| {
        tail.quoted("Briefing", guidance.briefing.as_deref().map(Foreign::new));
        tail.quoted("New angle", guidance.new_angle.as_deref().map(Foreign::new));
        tail.quoted("Moderator's summary of the last round", guidance.summary.as_deref().map(Foreign::new));
    };
    let Task { work, material } = &ask.task;
    match work {
        Work::Argument { to, bench } => {
            tail.maybe("Round", round);
            guide(tail, &material.guidance);
            tail.maybe("Bench", bench.map(place));
            tail.maybe("To", to.as_ref().map(|to| view.called(to)));
        }
        Work::Statement { speech, to, about } => {
            let in_round = round.filter(|_| !speech::is_first(work) && *speech != SpeechKind::Rebuttal);
            let guided = in_round.is_some();
            tail.maybe("Round", in_round);
            if guided {
                guide(tail, &material.guidance);
            }
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
            of_round(view, ask).into_iter().for_each(|guidance| guide(tail, guidance));
            tail.maybe("Target", Some(view.called(of)));
        }
        Work::Revise => {
            tail.maybe("Round", round);
            of_round(view, ask).into_iter().for_each(|guidance| guide(tail, guidance));
        }
        Work::Reflect => tail.maybe("Round", round),
        Work::ScoreDebaters => {
            let labels = speaker_labels(&view.spec, view.seed, true);
            let own = labels.into_iter().find(|(name, _)| *name == ask.participant);
            tail.maybe("You are shown as", own.map(|(_, label)| view.called(&label.as_str().into())));
        }
        // the others are told by their task alone
        _ => {}
    }
}

/// What the moderator says to the round of a critique or a revision, whose tasks do not tell it.
fn of_round<'a>(view: &'a View, ask: &Ask) -> Option<&'a Guidance> {
    view.facts.guidance(ask.sees, ask.turn.round)
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
    if speech::is_first(work) || *work == (Work::Ballot { stage: BallotStage::Initial }) {
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

/// What the line is that states an answer, in the wording for a speech or for a revision.
fn answer_line(view: &View, wording: usize) -> Written {
    let number = is_number(&view.spec);
    match (view.spec.mode, options(view)) {
        (Mode::Deliberative, Some(choices)) => fill(line(template::MY_OPTION, wording), &[("choices", choices.into())]),
        (Mode::Deliberative, None) if number => fill(line(template::MY_NUMBER, wording), &[]),
        (Mode::Deliberative, None) => fill(line(template::MY_ANSWER, wording), &[]),
        (Mode::Adversarial, Some(choices)) => fill(line(template::MY_SIDE, wording), &[("choice", choices.into())]),
        (Mode::Adversarial, None) if number => {
            fill(line(template::MY_SIDE, wording), &[("choice", line(template::CHOICE, 2).into())])
        }
        (Mode::Adversarial, None) => fill(line(template::MY_POSITION, wording), &[]),
    }
}

/// Speeches that end with the line that states their speaker's answer.
fn names_answer(work: &Work) -> bool {
    match work {
        Work::Statement { speech, .. } => {
            matches!(speech, SpeechKind::Proposal | SpeechKind::Revision | SpeechKind::Answer)
        }
        work => matches!(work, Work::Opening | Work::Argument { .. } | Work::Revise),
    }
}

fn task_text(view: &View, ask: &Ask, persona: &Persona) -> Written {
    let words = words(&persona.voice);
    let names = |names: &[ParticipantId]| Written::joined(names.iter().map(|name| view.called(name)), ", ");
    let Task { work, material } = &ask.task;
    match work {
        Work::Bid { purpose, .. } => bid_text(*purpose, view.spec.format.interruption_threshold),
        Work::AnswerPoints => fill(template::ANSWER_POINTS, &[]),
        Work::Critique { of } => fill(template::CRITIQUE, &[("of", view.called(of).into())]),
        Work::Revise => {
            let stays = match view.spec.mode {
                Mode::Adversarial => line(template::REVISE_WITHIN, 0),
                Mode::Deliberative => line(template::REVISE_WITHIN, 1),
            };
            let critics = names(material.critics()).into();
            fill(template::REVISE, &[("critics", critics), ("words", words.into()), ("stays", stays.into())])
        }
        Work::Reflect => reflect_text(view.spec.mode, material.notes()),
        Work::Ballot { stage } => ballot_text(view, *stage, material.choices()),
        Work::Vote => votes::vote(view, material.candidates(), material.form()),
        Work::ScoreDebaters => votes::scores(view, material.debaters()),
        _ => speech::text(view, &ask.task, words),
    }
}

fn bid_text(purpose: BidPurpose, threshold: u8) -> Written {
    let form =
        |why| Written::joined([fill(why, &[("threshold", threshold.into())]), fill(template::BID_FORM, &[])], "\n");
    match purpose {
        BidPurpose::Floor => form(template::BID_FLOOR),
        BidPurpose::Reaction => form(template::BID_REACTION),
        BidPurpose::Circle => form(template::BID_CIRCLE),
        BidPurpose::Interruption => form(template::BID_INTERRUPTION),
        BidPurpose::Point => fill(template::POINT, &[]),
    }
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

fn reflect_text(mode: Mode, (reflection, evolution): (bool, bool)) -> Written {
    let wanted = |at: usize| if at < 3 { reflection } else { evolution };
    // Whoever was assigned a stance notes how its case stands, and not what it holds.
    let member = |at: usize| match mode {
        Mode::Adversarial if at < 2 => line(template::REFLECT_ASSIGNED, at),
        Mode::Adversarial | Mode::Deliberative => line(template::REFLECT_MEMBERS, at),
    };
    let members: Vec<Written> =
        (0..NOTE_FORMS.len()).filter(|at| wanted(*at)).map(|at| fill(member(at), &[])).collect();
    let forms: Vec<&'static str> = (0..).zip(NOTE_FORMS).filter(|(at, _)| wanted(*at)).map(|(_, form)| form).collect();
    with_form(fill(template::REFLECT, &[]), &members, &forms)
}

fn ballot_text(view: &View, stage: BallotStage, choices: &[String]) -> Written {
    let template = match (stage, view.spec.ballots_on_proposals()) {
        (BallotStage::Initial, false) => template::BALLOT_INITIAL,
        (BallotStage::Final, false) => template::BALLOT_FINAL,
        (BallotStage::Initial, true) => template::BALLOT_PROPOSALS,
        (BallotStage::Final, true) => template::BALLOT_REVISIONS,
    };
    votes::cast(view, template, ("choice", choice_of(view, template::CHOICE, choices)))
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
