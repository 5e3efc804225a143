//! The minds file: a world in TOML.

use std::{collections::BTreeMap, fmt};

use serde::Deserialize;
use toml::Spanned;

use super::{ByModel, Difficulty, GraderMind, MindQuestion, MindTopic, MindWorld, Minds, StatedConfidence};

/// What a minds file says: the chances of a world and the questions it names, if any.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MindsFile {
    /// The chances.
    pub world: MindWorld,
    /// The questions.
    pub questions: Vec<MindQuestion>,
}

/// What is wrong with a minds file: every mistake, with its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MindsFileProblem(Vec<String>);

impl fmt::Display for MindsFileProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("\n"))
    }
}

impl std::error::Error for MindsFileProblem {}

/// Most questions of a file.
const MOST_QUESTIONS: usize = 10_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawMinds {
    seed: Option<u64>,
    truth: Option<Spanned<f64>>,
    sway: Option<Spanned<f64>>,
    shared: Option<Spanned<f64>>,
    judge: Option<Spanned<f64>>,
    order_bias: Option<Spanned<f64>>,
    skill: Option<Spanned<RawFigure>>,
    length: Option<Spanned<RawFigure>>,
    confidence: Option<Spanned<RawConfidence>>,
    difficulty: Option<RawDifficulty>,
    grader: Option<RawGrader>,
    #[serde(default)]
    questions: Vec<Spanned<RawQuestion>>,
}

/// A figure, or a table of them by model.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a number, or a table of numbers by model name with `default`")]
enum RawFigure {
    All(f64),
    ByModel(BTreeMap<String, f64>),
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected \"calibrated\" or { shifted = POINTS }")]
enum RawConfidence {
    Named(String),
    Shifted(RawShift),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawShift {
    shifted: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawDifficulty {
    mean: Option<Spanned<f64>>,
    spread: Option<Spanned<f64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawGrader {
    accuracy: Option<Spanned<f64>>,
    order_bias: Option<Spanned<f64>>,
    leniency: Option<Spanned<f64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawQuestion {
    topic: Option<String>,
    context: Option<String>,
    hash: Option<Spanned<String>>,
    answer: Spanned<RawAnswer>,
    #[serde(default)]
    options: Vec<RawText>,
    distractor: Option<RawText>,
    difficulty: Option<Spanned<f64>>,
}

/// An answer or several, all of them right.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a text, a number, or a list of them")]
enum RawAnswer {
    One(RawText),
    Several(Vec<RawText>),
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a text or a number")]
enum RawText {
    Text(String),
    Whole(i64),
    Number(f64),
}

impl RawText {
    fn read(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Whole(number) => number.to_string(),
            Self::Number(number) => number.to_string(),
        }
    }
}

/// A text with the mistakes found in it.
struct Checked<'t> {
    text: &'t str,
    problems: Vec<(usize, String)>,
}

impl Checked<'_> {
    fn problem(&mut self, at: usize, what: String) {
        self.problems.push((at, what));
    }

    fn chance(&mut self, name: &str, given: Option<Spanned<f64>>, usual: f64) -> f64 {
        let Some(given) = given else { return usual };
        if !(0.0..=1.0).contains(given.get_ref()) {
            self.problem(given.span().start, format!("`{name}` is {}; write a chance from 0 to 1", given.get_ref()));
        }
        given.into_inner()
    }

    fn finite(&mut self, name: &str, given: Spanned<f64>) -> f64 {
        if !given.get_ref().is_finite() {
            self.problem(given.span().start, format!("`{name}` is {}; write a number", given.get_ref()));
        }
        given.into_inner()
    }

    fn figure(&mut self, name: &str, given: Spanned<RawFigure>, usual: f64, least: f64) -> ByModel {
        let at = given.span().start;
        let figure = match given.into_inner() {
            RawFigure::All(default) => ByModel::all(default),
            RawFigure::ByModel(mut models) => {
                let default = models.remove("default").unwrap_or(usual);
                ByModel { default, models }
            }
        };
        let figures = figure.models.values().chain([&figure.default]);
        let wrong: Vec<f64> = figures.copied().filter(|value| !(value.is_finite() && *value >= least)).collect();
        for value in wrong {
            let wanted = if least.is_finite() { format!("a number of {least} or more") } else { "a number".to_owned() };
            self.problem(at, format!("`{name}` is {value}; write {wanted}"));
        }
        figure
    }

    fn question(&mut self, number: usize, given: Spanned<RawQuestion>) -> MindQuestion {
        let at = given.span().start;
        let RawQuestion { topic, context, hash, answer, options, distractor, difficulty } = given.into_inner();
        let answer_at = answer.span().start;
        let answers: Vec<String> = match answer.into_inner() {
            RawAnswer::One(answer) => vec![answer.read()],
            RawAnswer::Several(answers) => answers.into_iter().map(RawText::read).collect(),
        };
        let options: Vec<String> = options.into_iter().map(RawText::read).collect();
        if answers.iter().all(|answer| answer.trim().is_empty()) {
            self.problem(answer_at, "`answer` is empty".to_owned());
        }
        let listed = |answer: &String| {
            options.iter().any(|option| super::question::fold(option) == super::question::fold(answer))
        };
        if let Some(unlisted) = answers.iter().find(|answer| !options.is_empty() && !listed(answer)) {
            self.problem(answer_at, format!("`answer` {unlisted:?} is none of the options"));
        }
        if options.len() == 1 {
            self.problem(at, "`options` has one option; write two or more".to_owned());
        }
        let topic = match (topic, context, hash) {
            (Some(topic), None, None) => Some(MindTopic::Text(topic)),
            (Some(topic), Some(context), None) => Some(MindTopic::InContext { topic, context }),
            (None, None, Some(hash)) => self.hash(&hash),
            (..) => {
                self.problem(at, "write `topic` (with `context` where topics repeat), or `hash`".to_owned());
                None
            }
        };
        MindQuestion {
            id: topic.as_ref().map_or_else(|| number.to_string(), |topic| hex(&topic.hash())),
            topics: topic.into_iter().collect(),
            answers,
            options,
            distractor: distractor.map(RawText::read),
            difficulty: difficulty.map(|given| self.finite("difficulty", given)),
        }
    }

    fn hash(&mut self, given: &Spanned<String>) -> Option<MindTopic> {
        let hash = blake3::Hash::from_hex(given.get_ref().trim());
        if hash.is_err() {
            let what = "`hash` is no BLAKE3 hash: write 64 hexadecimal digits".to_owned();
            self.problem(given.span().start, what);
        }
        hash.ok().map(|hash| MindTopic::Hash(*hash.as_bytes()))
    }

    fn finish(mut self) -> Result<(), MindsFileProblem> {
        if self.problems.is_empty() {
            return Ok(());
        }
        self.problems.sort();
        let line = |at: &usize| 1 + self.text.bytes().take(*at).filter(|byte| *byte == b'\n').count();
        Err(MindsFileProblem(self.problems.iter().map(|(at, what)| format!("line {}: {what}", line(at))).collect()))
    }
}

fn hex(hash: &[u8; 32]) -> String {
    blake3::Hash::from_bytes(*hash).to_hex().to_string()
}

impl std::str::FromStr for MindsFile {
    type Err = MindsFileProblem;

    fn from_str(text: &str) -> Result<Self, MindsFileProblem> {
        let raw: RawMinds = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            let line = 1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count();
            MindsFileProblem(vec![format!("line {line}: {}", error.message())])
        })?;
        let usual = MindWorld::default();
        let mut checked = Checked { text, problems: Vec::new() };
        let c = &mut checked;
        let world = MindWorld {
            seed: raw.seed.unwrap_or(usual.seed),
            truth: c.chance("truth", raw.truth, usual.truth),
            sway: c.chance("sway", raw.sway, usual.sway),
            shared: c.chance("shared", raw.shared, usual.shared),
            judge: c.chance("judge", raw.judge, usual.judge),
            order_bias: c.chance("order_bias", raw.order_bias, usual.order_bias),
            skill: match raw.skill {
                Some(skill) => c.figure("skill", skill, usual.skill.default, f64::NEG_INFINITY),
                None => usual.skill,
            },
            length: raw.length.map(|length| c.figure("length", length, USUAL_WORDS, 1.0)),
            confidence: raw.confidence.map(|given| confidence(c, given)),
            difficulty: difficulty(c, raw.difficulty, usual.difficulty),
            grader: grader(c, raw.grader, usual.grader),
        };
        if raw.questions.len() > MOST_QUESTIONS {
            let most = format!("{} questions; {MOST_QUESTIONS} are the most", raw.questions.len());
            c.problem(0, most);
        }
        let questions = (1..).zip(raw.questions).map(|(number, question)| c.question(number, question)).collect();
        checked.finish()?;
        Ok(Self { world, questions })
    }
}

/// Words of a speech of a model that a table of lengths does not name.
const USUAL_WORDS: f64 = 140.0;

fn confidence(checked: &mut Checked<'_>, given: Spanned<RawConfidence>) -> StatedConfidence {
    let at = given.span().start;
    match given.into_inner() {
        RawConfidence::Named(name) if name == "calibrated" => StatedConfidence { shift: 0.0 },
        RawConfidence::Named(name) => {
            checked.problem(at, format!("`confidence` is {name:?}; write \"calibrated\" or {{ shifted = POINTS }}"));
            StatedConfidence { shift: 0.0 }
        }
        RawConfidence::Shifted(RawShift { shifted }) => {
            if !(-100.0..=100.0).contains(&shifted) {
                checked.problem(at, format!("`shifted` is {shifted}; write points from -100 to 100"));
            }
            StatedConfidence { shift: shifted }
        }
    }
}

fn difficulty(checked: &mut Checked<'_>, given: Option<RawDifficulty>, usual: Difficulty) -> Difficulty {
    let Some(RawDifficulty { mean, spread }) = given else { return usual };
    let mean = mean.map_or(usual.mean, |mean| checked.finite("mean", mean));
    let Some(spread) = spread else { return Difficulty { mean, ..usual } };
    let at = spread.span().start;
    let spread = checked.finite("spread", spread);
    if spread < 0.0 {
        checked.problem(at, format!("`spread` is {spread}; write 0 or more"));
    }
    Difficulty { mean, spread }
}

fn grader(checked: &mut Checked<'_>, given: Option<RawGrader>, usual: GraderMind) -> GraderMind {
    let Some(RawGrader { accuracy, order_bias, leniency }) = given else { return usual };
    GraderMind {
        accuracy: checked.chance("accuracy", accuracy, usual.accuracy),
        order_bias: checked.chance("order_bias", order_bias, usual.order_bias),
        leniency: checked.chance("leniency", leniency, usual.leniency),
    }
}

impl From<MindsFile> for Minds {
    fn from(file: MindsFile) -> Self {
        Self::new(file.world, file.questions)
    }
}
