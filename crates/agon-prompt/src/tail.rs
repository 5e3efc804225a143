//! The changing end of a prompt: who you are, what you are to do, how.
use crate::template::{self, fill, line};
use crate::text::{alternatives, one_line, quoted_line};
use crate::view::View;
use agon_core::fence::YOUR_TURN;
use agon_core::{
    Ask, BallotStage, Guidance, JUDGE, Judge, MODERATOR, Mode, Moderator, Persona, Style, Task, Think, TurnMode, Voice,
};

/// The `Key: value` lines and the instructions after the delimiter.
struct Tail(String);

impl Tail {
    fn new(name: &str, stance: Option<&str>, role: &str, task: &str) -> Self {
        let mut tail = Self(format!("{YOUR_TURN}\n"));
        tail.key("You are", &one_line(name));
        tail.maybe("Your stance", stance);
        tail.key("Role", role);
        tail.key("Task", task);
        tail
    }
    fn key(&mut self, key: &str, value: &str) {
        for part in [key, ": ", value, "\n"] {
            self.0.push_str(part);
        }
    }
    fn maybe(&mut self, key: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.key(key, &one_line(value));
        }
    }
    /// A value that a model wrote.
    fn quoted(&mut self, key: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.key(key, &quoted_line(value));
        }
    }
    fn paragraph(&mut self, text: &str) {
        self.0.push('\n');
        self.0.push_str(text.trim());
        self.0.push('\n');
    }
    /// The author's instructions and, on a further try, what was wrong with the last one.
    fn close(mut self, instructions: &[Option<&String>], values: &[(&str, &str)], ask: &Ask) -> String {
        for text in instructions.iter().copied().flatten() {
            self.paragraph(&fill(text, values));
        }
        if let Some(correction) = &ask.correction {
            self.paragraph(&fill(template::CORRECTION, &[("correction", &quoted_line(correction))]));
        }
        self.0
    }
}

/// The values that the author's own texts may use.
struct Values {
    round: String,
    max_rounds: String,
    name: String,
}
impl Values {
    fn new(view: &View, ask: &Ask, name: &str) -> Self {
        let round = ask.turn.round.min(view.spec.max_rounds);
        Self { round: round.to_string(), max_rounds: view.spec.max_rounds.to_string(), name: name.to_owned() }
    }
    fn list<'a>(
        &'a self,
        view: &'a View,
        stance: Option<&'a str>,
        language: Option<&'a str>,
    ) -> [(&'a str, &'a str); 6] {
        [
            ("topic", &view.spec.topic),
            ("round", &self.round),
            ("max_rounds", &self.max_rounds),
            ("name", &self.name),
            ("stance", stance.unwrap_or_default()),
            ("language", language.unwrap_or_default()),
        ]
    }
}

/// The tail of a debater's prompt.
pub(crate) fn debater(view: &View, ask: &Ask, persona: &Persona) -> String {
    let spec = &view.spec;
    let language = persona.language.as_ref().or(spec.language.as_ref());
    let mut tail = Tail::new(persona.name.as_str(), persona.stance.as_deref(), "debater", task_name(&ask.task));
    tail.maybe("Who you are", persona.role.as_deref());
    if let Task::Argument { guidance: Guidance { briefing, new_angle, summary }, .. } = &ask.task {
        tail.key("Round", &round_of(view, ask));
        tail.quoted("Briefing", briefing.as_deref());
        tail.quoted("New angle", new_angle.as_deref());
        tail.quoted("Moderator's summary of the last round", summary.as_deref());
    }
    tail.maybe("Language", language.map(String::as_str));
    let speaks = is_speech(&ask.task);
    if speaks {
        tail.maybe("Style", persona.style.map(style));
        tail.maybe("Tone", persona.tone.as_deref());
    }
    let values = Values::new(view, ask, persona.name.as_str());
    let values = values.list(view, persona.stance.as_deref(), language.map(String::as_str));
    match &persona.system_prompt {
        Some(own) => tail.paragraph(&fill(own, &values)),
        None if speaks => tail.paragraph(rules(spec.mode, &ask.task)),
        None => {}
    }
    tail.paragraph(&debater_task(&ask.task, &persona.voice));
    if let Some(intensity) = spec.agreement_intensity.filter(|_| speaks && ask.task != Task::Opening) {
        tail.paragraph(&agreement(intensity));
    }
    tail.close(&[spec.instructions.as_ref(), persona.instructions.as_ref()], &values, ask)
}

/// The tail of the moderator's prompt.
pub(crate) fn moderator(view: &View, ask: &Ask, moderator: &Moderator) -> String {
    let spec = &view.spec;
    let mut tail = Tail::new(MODERATOR, None, "moderator", task_name(&ask.task));
    tail.key("Round", &round_of(view, ask));
    for decision in view.decisions(ask.sees) {
        tail.key("You decided", decision);
    }
    tail.maybe("Language", spec.language.as_deref());
    let task = match (&ask.task, spec.turn_mode) {
        (Task::OpenRound, TurnMode::Moderator) => {
            let names: Vec<String> = spec.personas.iter().map(|persona| one_line(persona.name.as_str())).collect();
            fill(template::OPEN_ROUND, &[("names", &names.join(", "))])
        }
        (Task::OpenRound, _) => fill(template::OPEN_ROUND_FIXED, &[]),
        // the only other duty that a moderator is asked for
        (_, _) => fill(template::CLOSE_ROUND, &[]),
    };
    tail.paragraph(&task);
    if let Some(intensity) = spec.agreement_intensity {
        tail.paragraph(&agreement(intensity));
    }
    let values = Values::new(view, ask, MODERATOR);
    let values = values.list(view, None, spec.language.as_deref());
    tail.close(&[spec.instructions.as_ref(), moderator.instructions.as_ref()], &values, ask)
}

/// The tail of the judge's prompt.
pub(crate) fn judge(view: &View, ask: &Ask, judge: &Judge, candidates: &[String]) -> String {
    let spec = &view.spec;
    let mut tail = Tail::new(JUDGE, None, "judge", task_name(&ask.task));
    tail.maybe("Language", spec.language.as_deref());
    let winner = choice_of(template::WINNER, candidates);
    tail.paragraph(&fill(template::JUDGE, &[("winner", &winner)]));
    let values = Values::new(view, ask, JUDGE);
    let values = values.list(view, None, spec.language.as_deref());
    tail.close(&[spec.instructions.as_ref(), judge.instructions.as_ref()], &values, ask)
}

fn task_name(task: &Task) -> &'static str {
    match task {
        Task::Ballot { stage: BallotStage::Initial, .. } => "private ballot (initial)",
        Task::Ballot { stage: BallotStage::Final, .. } => "private ballot (final)",
        Task::Opening => "opening statement",
        Task::Argument { .. } => "argument",
        Task::Closing => "closing statement",
        Task::OpenRound => "open the round",
        Task::CloseRound => "close the round",
        Task::Judge { .. } => "judge",
        _ => "vote",
    }
}

fn is_speech(task: &Task) -> bool {
    match task {
        Task::Opening | Task::Argument { .. } | Task::Closing => true,
        _ => false,
    }
}

fn round_of(view: &View, ask: &Ask) -> String {
    format!("{} of {}", ask.turn.round, view.spec.max_rounds)
}

fn rules(mode: Mode, task: &Task) -> &'static str {
    match (mode, task) {
        (Mode::Adversarial, Task::Opening) => template::RULES_ADVERSARIAL_OPENING,
        (Mode::Adversarial, _) => template::RULES_ADVERSARIAL,
        (Mode::Deliberative, Task::Opening) => template::RULES_DELIBERATIVE_OPENING,
        (Mode::Deliberative, _) => template::RULES_DELIBERATIVE,
    }
}

fn debater_task(task: &Task, voice: &Voice) -> String {
    let words = words(voice).to_string();
    let speech = |template| fill(template, &[("words", &words)]);
    let ballot = |template, choices: &[String]| fill(template, &[("choice", &choice_of(template::CHOICE, choices))]);
    match task {
        Task::Opening => speech(template::OPENING),
        Task::Argument { guidance: Guidance { briefing: None, new_angle: None, .. }, .. } => speech(template::ARGUMENT),
        Task::Argument { .. } => speech(template::ARGUMENT_GUIDED),
        Task::Closing => speech(template::CLOSING),
        Task::Ballot { stage: BallotStage::Initial, choices } => ballot(template::BALLOT_INITIAL, choices),
        Task::Ballot { stage: BallotStage::Final, choices } => ballot(template::BALLOT_FINAL, choices),
        Task::Vote { candidates, .. } => ballot(template::VOTE, candidates),
        _ => String::new(),
    }
}

/// What may be chosen: the first line of the template where there are choices, else the second.
fn choice_of(template: &'static str, choices: &[String]) -> String {
    fill(line(template, usize::from(choices.is_empty())), &[("choices", &alternatives(choices))])
}

/// A length that ends well before the token limit does: half a word per token, a quarter where thinking shares the limit.
fn words(voice: &Voice) -> u32 {
    let share = match voice.think {
        Some(Think::On | Think::Low | Think::Medium | Think::High) => 4,
        Some(Think::Off) | None => 2,
    };
    let words = voice.max_tokens / share;
    if words < 20 { words.max(1) } else { words - words % 10 }
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

/// 0 and 10 have a wording of their own, the rest comes in three grades.
fn agreement(intensity: u8) -> String {
    let grade = match intensity {
        0 => 0,
        1..=3 => 1,
        4..=6 => 2,
        7..=9 => 3,
        10.. => 4,
    };
    fill(line(template::AGREEMENT, grade), &[("intensity", &intensity.to_string())])
}
