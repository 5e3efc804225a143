//! The changing end of a prompt: who you are, what you are to do, how.
mod debater;
mod found;
mod judge;
mod moderator;
mod names;
mod service;
mod speech;
mod votes;

pub(crate) use debater::debater;
pub(crate) use found::found;
pub(crate) use judge::judge;
pub(crate) use moderator::moderator;
pub(crate) use service::{summarizer, synthesizer};

use crate::template::{self, fill, line};
use crate::text::{alternatives, one_line, quoted_line};
use crate::view::View;
use agon_core::fence::YOUR_TURN;
use agon_core::{Ask, DebateSpec, Think, Voice};

/// The `Key: value` lines and the instructions after the delimiter.
struct Tail(String);

/// Whom a tail is for.
struct Head<'a> {
    name: &'a str,
    stance: Option<&'a str>,
    role: &'a str,
}

impl Tail {
    fn new(view: &View, ask: &Ask, head: &Head<'_>) -> Self {
        let mut tail = Self(format!("{YOUR_TURN}\n"));
        tail.key("You are", &one_line(head.name));
        tail.maybe("Your stance", head.stance);
        tail.key("Role", head.role);
        tail.key("Task", names::task_name(&view.spec, &ask.task));
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
    /// What tools there are, if there are some.
    fn tools(&mut self, view: &View, tools: &[String]) {
        if !tools.is_empty() {
            let named: Vec<String> = tools.iter().map(|tool| one_line(tool)).collect();
            let calls = view.spec.tools.max_calls_per_turn.to_string();
            self.paragraph(&fill(template::TOOLS, &[("calls", &calls), ("tools", &named.join(", "))]));
        }
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

/// Which round it is, as long as there are rounds.
fn round_of(view: &View, ask: &Ask) -> Option<String> {
    let on = ask.turn.round > 0 && view.facts.in_rounds(ask.sees);
    on.then(|| format!("{} of {}", ask.turn.round, view.spec.max_rounds))
}

/// The languages that debaters speak, where there is more than one; who names none speaks the debate's.
fn languages(spec: &DebateSpec) -> Option<String> {
    let mut spoken: Vec<&str> = Vec::new();
    for persona in &spec.personas {
        let language = persona.language.as_deref().or(spec.language.as_deref()).unwrap_or("that of the topic");
        if !spoken.iter().any(|known| known.eq_ignore_ascii_case(language)) {
            spoken.push(language);
        }
    }
    (spoken.len() > 1).then(|| spoken.join(", "))
}

/// The key lines on languages for those who do not debate.
fn staff_languages(tail: &mut Tail, spec: &DebateSpec) {
    tail.maybe("Language", spec.language.as_deref());
    tail.maybe("Languages spoken", languages(spec).as_deref());
}

/// What may be chosen: the first line of the template where there are choices, else the second.
fn choice_of(template: &'static str, choices: &[String]) -> String {
    fill(line(template, usize::from(choices.is_empty())), &[("choices", &alternatives(choices))])
}

/// How many words are left of a speech that is to be short.
const SHORT: u32 = 120;

/// A length that ends well before the token limit does: half a word per token, a quarter where thinking shares the limit.
fn words(voice: &Voice) -> u32 {
    let share = match voice.think {
        Some(Think::On | Think::Low | Think::Medium | Think::High) => 4,
        Some(Think::Off) | None => 2,
    };
    let words = voice.max_tokens / share;
    if words < 20 { words.max(1) } else { words - words % 10 }
}

/// The context that is counted with where the file names none, in tokens.
const USUAL_CONTEXT: u32 = 16_384;

/// How many bytes of a prompt the moderator's decisions may take in full: a quarter of the context, at 3.5 a token.
fn told_share(voice: &Voice) -> usize {
    voice.num_ctx.unwrap_or(USUAL_CONTEXT) as usize * 7 / 8
}

/// 0 and 10 have a wording of their own, the rest comes in three grades.
fn agreement(intensity: u8, template: &'static str) -> String {
    let grade = match intensity {
        0 => 0,
        1..=3 => 1,
        4..=6 => 2,
        7..=9 => 3,
        10.. => 4,
    };
    fill(line(template, grade), &[("intensity", &intensity.to_string())])
}
