//! What a model's text means.
mod aside;
mod choice;
mod coerce;
pub(crate) mod json;
mod moderator;
mod scores;
mod slips;
mod speech;
mod synthesis;

use crate::mask::Masks;
use crate::text::{cut, one_line};
use agon_core::fence::neutralise;
use agon_core::tally::same_answer;
use agon_core::thinking::without_thinking;
use agon_core::{Answer, Ask, BallotForm, BidPurpose, Coercion, Conclusion, DebateSpec, ParticipantId, Task, Work};
use json::{Object, found, objects};

/// What is wrong with an answer, in words that the model can act on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Malformed(pub String);

/// Reads a model's text as the answer that the task asks for.
///
/// Structured answers are found in prose and code fences, quotations aside; the last that has the form of its schema counts. A choice counts
/// when it is one of the allowed ones, letter case, white space and a final full stop aside; it is never guessed. Only a
/// synthesis is taken as it is on a further try, with what its schema finds wrong. Where the file says `coerce_answers`, values
/// that clearly mean an allowed one are read as that one first.
pub fn read_answer(spec: &DebateSpec, ask: &Ask, text: &str) -> Result<Reading, Malformed> {
    let Some(masks) = Masks::of(spec).filter(|_| spec.persona(&ask.participant).is_some()) else {
        return read(spec, ask, text);
    };
    let Reading { answer, coerced } = read(&masks.spec(spec), &masks.ask(ask, spec), text)?;
    Ok(Reading { answer: masks.unmasked(&ask.task, answer, spec), coerced })
}

fn read(spec: &DebateSpec, ask: &Ask, text: &str) -> Result<Reading, Malformed> {
    let text = without_thinking(text);
    let mut reader = AnswerReader::new(spec, &ask.task);
    let answer = reader.answer(spec, ask, &text)?;
    Ok(Reading { answer, coerced: reader.coerced })
}

/// What a model's text means.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// The answer.
    pub answer: Answer,
    /// What of it was not among the allowed values and was read as one of them.
    pub coerced: Vec<Coercion>,
}

/// Reads the objects of one answer.
struct AnswerReader {
    /// The schema that values are coerced to, where the file wants that.
    schema: Option<serde_json::Value>,
    coerced: Vec<Coercion>,
}

impl AnswerReader {
    fn new(spec: &DebateSpec, task: &Task) -> Self {
        let schema = spec.answers.coerce_answers.then(|| crate::schema::of(spec, task, None)).flatten();
        Self { schema, coerced: Vec::new() }
    }

    fn answer(&mut self, spec: &DebateSpec, ask: &Ask, text: &str) -> Result<Answer, Malformed> {
        let Task { work, material } = &ask.task;
        match work {
            Work::Opening | Work::Argument { .. } | Work::Statement { .. } | Work::Closing => {
                let (speech, ended) = speech::read(text, &ask.participant, spec)?;
                self.coerced.extend(ended);
                Ok(speech)
            }
            Work::Research
            | Work::Conclude { conclusion: Conclusion::Reconciliation | Conclusion::Summary }
            | Work::Summarise => speech::plain(text, &ask.participant),
            Work::Conclude { conclusion: Conclusion::Decision } => self.last_good(text, moderator::conclusion),
            Work::Ballot { .. } => self.choice(spec, text, material.choices()),
            Work::Vote => {
                let candidates = material.candidates();
                match material.form() {
                    BallotForm::Single | BallotForm::Scores => self.choice(spec, text, candidates),
                    BallotForm::Ranking => self.last_good(text, |object| choice::ranked(spec, object, candidates)),
                    BallotForm::Approval => self.last_good(text, |object| choice::approved(spec, object, candidates)),
                }
            }
            Work::ScoreDebaters => self.last_good(text, |object| scores::debaters(object, material.debaters())),
            Work::ScoreSpeeches => self.last_good(text, |object| scores::speeches(object, material.speeches())),
            Work::Bid { purpose: BidPurpose::Point, .. } => self.last_good(text, aside::point),
            Work::Bid { .. } => self.last_good(text, |object| aside::bid(spec, object)),
            Work::AnswerPoints => self.last_good(text, |object| aside::answer_points(object, material.points())),
            Work::Critique { .. } => self.last_good(text, aside::critique),
            Work::Revise => self.last_good(text, |object| aside::revision(object, material.critics())),
            Work::Reflect => {
                let (reflection, evolution) = material.notes();
                self.last_good(text, |object| aside::note(object, reflection, evolution))
            }
            Work::OpenRound => self.last_good(text, |object| moderator::plan(spec, object)),
            Work::CloseRound => moderator::close(text),
            Work::Interject => self.last_good(text, |object| moderator::interjection(spec, object)),
            Work::EnoughSaid => self.last_good(text, choice::enough),
            Work::Judge { .. } => self.last_good(text, |object| choice::judgement(spec, object, material.candidates())),
            Work::Rank { .. } => self.last_good(text, |object| choice::ranking(object, material.candidates())),
            Work::Synthesise => synthesis::read(spec, ask, text),
            Work::Measure => Err(Malformed("similarity is measured, not answered".to_owned())),
        }
    }

    /// One choice, by an object or in lines.
    fn choice(&mut self, spec: &DebateSpec, text: &str, allowed: &[String]) -> Result<Answer, Malformed> {
        let found = self.last_good(text, |object| choice::choice(spec, object, allowed));
        found.or_else(|problem| choice::in_lines(spec, text, allowed).ok_or(problem))
    }

    /// The last object in the text that has the right form; else what is wrong with the very last one.
    fn last_good(
        &mut self,
        text: &str,
        read: impl Fn(&Object) -> Result<Answer, Malformed>,
    ) -> Result<Answer, Malformed> {
        let mut problem = None;
        for object in objects(text) {
            let mut object = match object {
                Ok(object) => object,
                Err(malformed) => {
                    problem = problem.or(Some(malformed));
                    continue;
                }
            };
            let coerced = self.schema.as_ref().map(|schema| coerce::fit(schema, &mut object.0)).unwrap_or_default();
            match read(&object) {
                Ok(answer) => {
                    let slip = object.1.map(|slip| Coercion { field: String::new(), from: slip, to: String::new() });
                    self.coerced = slip.into_iter().chain(coerced).collect();
                    return Ok(answer);
                }
                Err(malformed) => problem = problem.or(Some(malformed)),
            }
        }
        Err(problem.unwrap_or_else(|| no_object(text)))
    }
}

/// The last object in the text that has the right form; else what is wrong with the very last one.
fn last_good(text: &str, read: impl Fn(&Object) -> Result<Answer, Malformed>) -> Result<Answer, Malformed> {
    AnswerReader { schema: None, coerced: Vec::new() }.last_good(text, read)
}

fn no_object(text: &str) -> Malformed {
    if text.trim().is_empty() {
        return Malformed("the answer is empty; one JSON object is wanted".to_owned());
    }
    Malformed(format!("found no complete JSON object in \"{}\"", cut(&one_line(text), 80)))
}

/// The allowed choice that this is, as the ballot spells it.
fn one_of(field: &str, choice: &str, allowed: &[String], also: &str) -> Result<String, Malformed> {
    let known = allowed.iter().find(|known| *known == choice);
    let known = known.or_else(|| allowed.iter().find(|known| same_answer(known, choice)));
    // a choice of others' words is shown defused
    let known = known.or_else(|| allowed.iter().find(|known| same_answer(&neutralise(&one_line(known)).0, choice)));
    known.cloned().ok_or_else(|| {
        let quoted: Vec<String> = allowed.iter().map(|choice| format!("\"{}\"", one_line(choice))).collect();
        let also = if allowed.is_empty() { also.trim_end_matches(", ") } else { also };
        Malformed(format!("{field}: found \"{}\", allowed {also}{}", cut(&one_line(choice), 80), quoted.join(", ")))
    })
}

/// The participant of this name, as the roster spells it.
fn participant(field: &str, name: &serde_json::Value, allowed: &[ParticipantId]) -> Result<ParticipantId, Malformed> {
    let names: Vec<String> = allowed.iter().map(ParticipantId::to_string).collect();
    let name = name.as_str().ok_or_else(|| wrong(field, name, "a name"))?;
    one_of(field, name.trim(), &names, "").map(ParticipantId::new)
}

fn roster(spec: &DebateSpec) -> Vec<ParticipantId> {
    spec.personas.iter().map(|persona| persona.name.clone()).collect()
}

fn wrong(field: &str, value: &serde_json::Value, allowed: &str) -> Malformed {
    Malformed(format!("{field}: found {}, allowed {allowed}", found(value)))
}

#[cfg(test)]
mod structured_tests;
#[cfg(test)]
mod tests;
