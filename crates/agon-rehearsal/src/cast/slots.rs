//! What the slots of a line are filled with.

use crate::{
    cast::{
        prose::LENSES,
        scene::{QuotedPoint, Scene},
    },
    prompt::{Brief, is_marker},
    words,
};

/// Words of a question or of a tool's result that are repeated.
const ECHO_WORDS: usize = 24;

/// The slots of one speaker's lines.
pub struct Slots<'a> {
    pub a: String,
    pub b: String,
    pub point: Option<QuotedPoint<'a>>,
    pub fact: &'a str,
    pub thesis: String,
    pub angle: String,
    to: Option<String>,
    asked: Option<String>,
    found: Option<String>,
    bench: &'a str,
    office: String,
    lens: &'static str,
    matter: String,
}

impl<'a> Slots<'a> {
    /// The slots of a speech that answers the point most worth answering, or the one of whom it is addressed to.
    pub fn new(scene: &Scene<'a>) -> Self {
        let to = scene.target();
        let addressed = to.as_deref().and_then(|to| scene.point_of(to));
        let point = if to.is_some() { addressed } else { scene.rival_point() };
        let to_stance = to.as_deref().and_then(|to| scene.brief.stance_of(to));
        let (a, b) = scene.sides(point.map(|point| point.entry.stance.as_str()).or(to_stance));
        let angle = scene.brief.angle.as_deref().or(scene.brief.briefing.as_deref()).unwrap_or_default();
        let deck = scene.deck("lens", LENSES.len());
        let lens = deck.first().and_then(|card| LENSES.get(*card)).map_or("the evidence", |lens| lens.name);
        Self {
            a,
            b,
            point,
            fact: scene.fact().unwrap_or_default(),
            thesis: scene.thesis(),
            angle: words::lower_first(angle.trim().trim_end_matches(['.', '?', '!'])),
            to,
            asked: asked(scene.brief, scene.you),
            found: found(scene.brief),
            bench: scene.brief.bench.as_deref().unwrap_or("my bench"),
            office: office(scene.brief),
            lens,
            matter: scene.matter.clone(),
        }
    }

    /// Speaks to somebody else.
    pub fn towards(mut self, name: Option<&str>) -> Self {
        if let Some(name) = name {
            self.to = Some(name.to_owned());
        }
        self
    }

    /// Whether there is a question that can be repeated word for word.
    pub fn has_question(&self) -> bool {
        self.asked.is_some()
    }

    /// Whether a tool has found something that can be repeated.
    pub fn has_finding(&self) -> bool {
        self.found.is_some()
    }

    /// Whether every slot of a line has something to stand in it.
    pub fn can_fill(&self, line: &str) -> bool {
        (self.point.is_some() || !line.contains("{quote}"))
            && (self.asked.is_some() || !line.contains("{asked}"))
            && (self.found.is_some() || !line.contains("{found}"))
    }

    /// The line with its slots filled.
    pub fn fill(&self, line: &str) -> String {
        let spoken = self.point.map(|point| (point.entry.speaker.as_str(), point.quote));
        let opp = self.to.as_deref().or(spoken.map(|(opp, _)| opp)).unwrap_or("the other side");
        let mut filled = String::with_capacity(line.len() + 64);
        for (index, part) in line.split(['{', '}']).enumerate() {
            filled.push_str(match part {
                _ if index % 2 == 0 => part,
                "a" => &self.a,
                "b" => &self.b,
                "t" => &self.matter,
                "opp" => opp,
                "quote" => spoken.map_or("", |(_, quote)| quote),
                "fact" => self.fact,
                "thesis" => &self.thesis,
                "angle" => &self.angle,
                "asked" => self.asked.as_deref().unwrap_or_default(),
                "found" => self.found.as_deref().unwrap_or_default(),
                "bench" => self.bench,
                "office" => &self.office,
                "lens" => self.lens,
                _ => part,
            });
        }
        filled
    }
}

/// The question that is to be answered: the prompt's, else the last one that somebody else asked.
fn asked(brief: &Brief, you: &str) -> Option<String> {
    let last = || {
        let entry = brief.entries.iter().rev().find(|entry| entry.speaker != you)?;
        words::sentences(&entry.text).into_iter().rev().find(|sentence| sentence.ends_with('?'))
    };
    let question = brief.question.as_deref().or_else(last)?;
    let sentence = words::sentences(question).into_iter().rev().find(|sentence| sentence.ends_with('?'));
    echo(sentence.unwrap_or(question))
}

/// Words of a sentence that can stand between quotation marks.
fn echo(sentence: &str) -> Option<String> {
    let short = words::word_count(sentence) <= ECHO_WORDS && !sentence.contains(['"', '“', '”', '|', '#', '`']);
    let whole = Some(sentence.trim()).filter(|text| short && !text.is_empty());
    let part = || words::fragment(sentence, ECHO_WORDS).or_else(|| words::first_words(sentence, ECHO_WORDS));
    whole.or_else(part).map(str::to_owned)
}

/// A phrase of the last thing that a tool has answered.
fn found(brief: &Brief) -> Option<String> {
    let result = brief.found.last()?;
    let mut texts = Vec::new();
    match serde_json::from_str(result) {
        Ok(value) => strings(&value, &mut texts, 0),
        Err(_) => texts.push(result.clone()),
    }
    let lines: Vec<&str> = texts
        .iter()
        .flat_map(|text| text.lines())
        .filter(|line| !is_marker(line) && !line.starts_with("Tool: "))
        .collect();
    let sentences = || lines.iter().flat_map(|line| words::sentences(line));
    let good = sentences().find_map(|sentence| words::fragment(sentence, ECHO_WORDS));
    let any = || sentences().find_map(echo);
    good.map(str::to_owned).or_else(any)
}

/// The texts in a JSON value, in order.
fn strings(value: &serde_json::Value, texts: &mut Vec<String>, depth: u8) {
    const DEEPEST: u8 = 16;
    match value {
        _ if depth > DEEPEST => {}
        serde_json::Value::String(text) => texts.push(text.clone()),
        serde_json::Value::Array(items) => items.iter().for_each(|item| strings(item, texts, depth + 1)),
        serde_json::Value::Object(members) => members.values().for_each(|member| strings(member, texts, depth + 1)),
        serde_json::Value::Number(number) => texts.push(number.to_string()),
        serde_json::Value::Null | serde_json::Value::Bool(_) => {}
    }
}

/// The office that a bench's speech is given in.
fn office(brief: &Brief) -> String {
    brief.office.as_deref().unwrap_or("speaker").to_owned()
}
