//! From what a row says to a question with its gold answer.
use super::answers::{self, AnswerReading};
use super::guesses::DigitAnswers;
use super::members::plain_text;
use super::raw::{LabelledOption, Placed, QuestionRowText};
use super::{DataShape, QuestionKind, rubric, shapes};
use crate::{Gold, Question};
use agon_core::{MOST_OPTIONS, NumberAnswer, Tolerance, tally::same_answer};
use agon_spec::Code;
use agon_spec::reading::{Problems, Span, SpecFinding, Value, quote};

/// Characters of an option and of an answer, at the most.
const MOST_OPTION: usize = 2_000;
const MOST_ANSWER: usize = 20_000;

/// The question of a row; mistakes are reported.
pub(super) fn question(
    raw: QuestionRowText,
    (shape, usual): (DataShape, Option<QuestionKind>),
    digits: &mut DigitAnswers,
    problems: &mut Problems<'_>,
) -> Option<Question> {
    let before = problems.count_errors();
    let bad = raw.bad;
    let options = options(&raw, problems);
    let gold = if bad || problems.count_errors() > before {
        None
    } else {
        let mut check = GoldReader { raw: &raw, shape, digits, problems };
        check.gold(usual)
    };
    let QuestionRowText { id, text, context, category, group, .. } = raw;
    Some(Question { id: id?, text: text?, options, context, gold: gold?, category, group })
}

fn options(raw: &QuestionRowText, problems: &mut Problems<'_>) -> Vec<String> {
    let mut error = |code, span, message: String| {
        problems.error(SpecFinding::new(code, span, message).field("options"));
    };
    let count = raw.options.len();
    if count == 1 || count > MOST_OPTIONS {
        let noun = if count == 1 { "option" } else { "options" };
        error(
            Code::OutOfRange,
            raw.options_span,
            format!("the question has {count} {noun}; from 2 to {MOST_OPTIONS} are allowed"),
        );
    }
    for (at, option) in raw.options.iter().enumerate() {
        let twin = raw.options.iter().take(at).find(|other| same_answer(&other.text, &option.text));
        let length = option.text.chars().count();
        match twin {
            _ if option.text.is_empty() => error(Code::Empty, option.span, "an option is empty".to_owned()),
            Some(twin) => {
                let (one, other) = (quote(&twin.text), quote(&option.text));
                let message = format!("the options {one} and {other} are the same answer");
                error(Code::DuplicateItem, option.span, message);
            }
            None if length > MOST_OPTION => {
                let message = format!("an option has {length} characters; at most {MOST_OPTION} are allowed");
                error(Code::OutOfRange, option.span, message);
            }
            None => {}
        }
    }
    raw.options.iter().map(|option| one_line(&option.text)).collect()
}

/// An option is one line: it stands in lists of what may be answered.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

struct GoldReader<'r, 'p, 'q> {
    raw: &'r QuestionRowText,
    shape: DataShape,
    digits: &'r mut DigitAnswers,
    problems: &'p mut Problems<'q>,
}

impl GoldReader<'_, '_, '_> {
    fn error<T>(&mut self, code: Code, span: Span, (field, message): (&str, String), help: &str) -> Option<T> {
        let finding = SpecFinding::new(code, span, message).field(field);
        self.problems.error(if help.is_empty() { finding } else { finding.help(help) });
        None
    }

    fn gold(&mut self, usual: Option<QuestionKind>) -> Option<Gold> {
        let texts = self.texts()?;
        let kind = match self.raw.kind.or(usual) {
            Some(kind) => kind,
            None => self.kind(&texts)?,
        };
        self.unused(kind)?;
        match kind {
            QuestionKind::Choice => self.choice(),
            QuestionKind::Number => self.number(&texts),
            QuestionKind::Exact if texts.is_empty() => self.no_answer(kind),
            QuestionKind::Exact => Some(Gold::Exact { answers: texts }),
            QuestionKind::Rubric => {
                let Some(node) = &self.raw.rubric else {
                    let message = "a question of the kind `rubric` needs `rubric`".to_owned();
                    return self.error(Code::MissingKey, self.raw.span, ("rubric", message), "");
                };
                let criteria = rubric::criteria(node, self.problems)?;
                Some(Gold::Rubric { criteria, answers: texts })
            }
            QuestionKind::Pairwise => Some(Gold::Pairwise { answers: texts }),
            QuestionKind::Command => self.reference(texts).map(|answers| Gold::Command { answers }),
        }
    }

    /// What follows from what the question has.
    fn kind(&mut self, texts: &[String]) -> Option<QuestionKind> {
        let QuestionRowText { options, rubric, answers, .. } = self.raw;
        let number = |text: &String| NumberAnswer::read(text).is_some();
        Some(match () {
            () if rubric.is_some() => QuestionKind::Rubric,
            () if !options.is_empty() && answers.is_empty() => {
                let help = "give `answer`, or `kind: pairwise` for a grader to compare answers";
                let message = "the question has options, but no answer that is right".to_owned();
                return self.error(Code::MissingKey, self.raw.options_span, ("answer", message), help);
            }
            () if !options.is_empty() => QuestionKind::Choice,
            () if answers.is_empty() => QuestionKind::Pairwise,
            () if self.raw.tolerance.is_some() || texts.iter().all(number) => QuestionKind::Number,
            () => QuestionKind::Exact,
        })
    }

    /// What this kind does not read must not stand there.
    fn unused(&mut self, kind: QuestionKind) -> Option<()> {
        let name = kind.as_str();
        if let (Some(tolerance), false) = (&self.raw.tolerance, kind == QuestionKind::Number) {
            let message =
                format!("`tolerance` is for questions of the kind `number`; this one is of the kind `{name}`");
            return self.error(Code::UnusedKey, tolerance.span, ("tolerance", message), "");
        }
        if let (Some(rubric), false) = (&self.raw.rubric, kind == QuestionKind::Rubric) {
            let message = format!("`rubric` is for questions of the kind `rubric`; this one is of the kind `{name}`");
            return self.error(Code::UnusedKey, rubric.span, ("rubric", message), "");
        }
        let chosen = matches!(
            kind,
            QuestionKind::Choice | QuestionKind::Rubric | QuestionKind::Pairwise | QuestionKind::Command
        );
        if !self.raw.options.is_empty() && !chosen {
            let message = format!("a question of the kind `{name}` has no options");
            let help = "remove `kind`, or the options";
            return self.error(Code::Combination, self.raw.options_span, ("options", message), help);
        }
        Some(())
    }

    fn no_answer(&mut self, kind: QuestionKind) -> Option<Gold> {
        let message = format!("a question of the kind `{}` needs `answer`", kind.as_str());
        let help = "without an answer, only `kind: pairwise` and `kind: rubric` can be scored";
        self.error(Code::MissingKey, self.raw.span, ("answer", message), help)
    }

    /// The answers as texts: of GSM8K what follows `####`; in a table parted by `|`.
    fn texts(&mut self) -> Option<Vec<String>> {
        let mut texts = Vec::new();
        for Placed { value, span } in &self.raw.answers {
            let text = plain_text(value).unwrap_or_default();
            let text = match self.shape {
                DataShape::Gsm8k => match shapes::final_number(&text).filter(|text| NumberAnswer::read(text).is_some())
                {
                    Some(number) => number.to_owned(),
                    None => {
                        let message =
                            "`answer` does not end with `#### NUMBER`, as the shape `gsm8k` has it".to_owned();
                        return self.error(Code::BadText, *span, ("answer", message), "another shape: `plain`");
                    }
                },
                _ => text,
            };
            let length = text.chars().count();
            if length > MOST_ANSWER {
                let message = format!("an answer has {length} characters; at most {MOST_ANSWER} are allowed");
                return self.error(Code::OutOfRange, *span, ("answer", message), "");
            }
            match self.raw.cells && text.contains('|') {
                true => {
                    texts.extend(text.split('|').map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()))
                }
                false => texts.push(text),
            }
        }
        Some(texts)
    }

    fn choice(&mut self) -> Option<Gold> {
        let QuestionRowText { options, answers, .. } = self.raw;
        if options.is_empty() {
            let message = "a question of the kind `choice` needs `options`".to_owned();
            return self.error(Code::MissingKey, self.raw.span, ("options", message), "");
        }
        if answers.is_empty() {
            return self.no_answer(QuestionKind::Choice);
        }
        let reading = AnswerReading { cells: self.raw.cells, index_first: self.shape == DataShape::Mmlu };
        let (mut right, mut good) = (Vec::new(), true);
        for Placed { value, span } in answers {
            for value in parts(value, options, self.raw.cells) {
                match answers::option(&value, options, reading) {
                    Ok(meant) if right.contains(&meant.at) => {
                        let message = "an answer is here twice".to_owned();
                        good = self.error::<()>(Code::DuplicateItem, *span, ("answer", message), "").is_some();
                    }
                    Ok(meant) => {
                        self.digits.note(*span, options, meant);
                        right.push(meant.at);
                    }
                    Err(message) => {
                        let help = "an answer is the text of an option, its letter, or its index from 0";
                        good = self.error::<()>(Code::UnknownValue, *span, ("answer", message), help).is_some();
                    }
                }
            }
        }
        if good && right.len() == options.len() {
            let message = "all options are right, so that no answer could be wrong".to_owned();
            return self.error(Code::Combination, self.raw.answer_span, ("answer", message), "");
        }
        right.sort_unstable();
        good.then_some(Gold::Choice { right })
    }

    /// The answers for a program: of options their texts, whatever names them in the file.
    fn reference(&mut self, texts: Vec<String>) -> Option<Vec<String>> {
        if texts.is_empty() || self.raw.options.is_empty() {
            return Some(texts);
        }
        let Gold::Choice { right } = self.choice()? else { return Some(texts) };
        let option = |at: usize| Some(one_line(&self.raw.options.get(at)?.text));
        Some(right.into_iter().filter_map(option).collect())
    }

    fn number(&mut self, texts: &[String]) -> Option<Gold> {
        if texts.is_empty() {
            return self.no_answer(QuestionKind::Number);
        }
        let mut answers = Vec::new();
        for text in texts {
            let Some(number) = NumberAnswer::read(text) else {
                let message = format!("the answer {} is not a number", quote(text));
                let help = "a number in digits, such as 1,200, 0.75, 12 % or 3/4";
                return self.error(Code::WrongType, self.raw.answer_span, ("answer", message), help);
            };
            answers.push(number.value());
            // the sign is often left out
            answers.extend(number.is_percent().then(|| number.figure()));
        }
        Some(Gold::Number { answers, tolerance: self.tolerance()? })
    }

    fn tolerance(&mut self) -> Option<Tolerance> {
        let Some(Placed { value, span }) = &self.raw.tolerance else { return Some(Tolerance::Exact) };
        let read = plain_text(value).and_then(|text| Tolerance::read(&text));
        let bounded = read.filter(|read| !matches!(read, Tolerance::Relative(share) if *share > 1.0));
        match bounded {
            Some(Tolerance::Absolute(0.0) | Tolerance::Relative(0.0)) => Some(Tolerance::Exact),
            Some(tolerance) => Some(tolerance),
            None => {
                let message = format!(
                    "`tolerance` must be a number, 0 or more, or a share up to 100 %, found {}",
                    value.describe()
                );
                self.error(Code::OutOfRange, *span, ("tolerance", message), "such as 0.5 or 2 %")
            }
        }
    }
}

/// One answer, or those that a cell holds, parted by `|`.
fn parts(value: &Value, options: &[LabelledOption], cells: bool) -> Vec<Value> {
    match value {
        Value::Text(text) if cells && text.contains('|') && !options.iter().any(|option| option.text.contains('|')) => {
            text.split('|').map(|part| Value::Text(part.trim().to_owned())).collect()
        }
        other => vec![other.clone()],
    }
}
