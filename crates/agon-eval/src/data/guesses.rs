//! What was inferred from single questions, and what the whole file says against it: kinds, and answers in digits.
use super::answers::{AnswerDigits, MeantOption};
use super::raw::LabelledOption;
use crate::{Gold, Question};
use agon_spec::Code;
use agon_spec::reading::{Problems, Span, SpecFinding, quote};

/// Letters that options go by.
const LETTERS: std::ops::RangeInclusive<char> = 'A'..='J';

/// The questions of a file whose kind nobody wrote down.
#[derive(Default)]
pub(super) struct KindGuesses {
    /// Questions without options whose every answer is the letter of an option.
    letters: Vec<Span>,
    /// Whether another question without options has another answer.
    words: bool,
    /// Whether a question has an answer, or a rubric.
    scored: bool,
    unanswered: Vec<Span>,
}

impl KindGuesses {
    /// A question whose kind was inferred: where it stands, and where its answer.
    pub fn note(&mut self, question: &Question, row: Span, answer: Span) {
        match &question.gold {
            Gold::Pairwise { .. } => {
                self.unanswered.push(row);
                return;
            }
            Gold::Exact { answers } if answers.iter().all(|answer| is_letter(answer)) => self.letters.push(answer),
            Gold::Exact { .. } | Gold::Number { .. } => self.words = true,
            Gold::Choice { .. } | Gold::Rubric { .. } | Gold::Command { .. } => {}
        }
        self.scored = true;
    }

    /// Reports letters that no option stands for, and questions without an answer among others that have one.
    pub fn check(&self, problems: &mut Problems<'_>) {
        for span in self.unanswered.iter().filter(|_| self.scored) {
            let finding =
                SpecFinding::new(Code::MissingKey, *span, "the question has no answer, though others have one");
            problems.error(
                finding.field("answer").help("give `answer`; or `kind: pairwise`, for graders to compare answers"),
            );
        }
        if let Some(first) = self.letters.first().filter(|_| !self.words) {
            let message = "every answer without options is a letter, as of an option, and no options were found";
            let finding = SpecFinding::new(Code::Combination, *first, message).field("answer");
            let help = "put options into `options`, or into columns `A`, `B`, ... or `option_a`, `option_b`, ...; where the letter \
                        is meant, give `kind: exact`";
            problems.error(finding.help(help));
        }
    }
}

/// Answers in digits of a file, each of which is an index, or the text or label of an option.
#[derive(Default)]
pub(super) struct DigitAnswers {
    /// Whether an answer can only be an index.
    has_index: bool,
    /// Answers that could be either.
    unclear: Vec<UnclearDigits>,
}

struct UnclearDigits {
    span: Span,
    as_text: String,
    as_index: String,
    /// How they were read.
    is_index: bool,
}

impl DigitAnswers {
    /// An answer to a question with these options.
    pub fn note(&mut self, span: Span, options: &[LabelledOption], meant: MeantOption) {
        let text = |at: usize| options.get(at).map(|option| quote(&option.text)).unwrap_or_default();
        let (as_text, as_index, is_index) = match meant.digits {
            AnswerDigits::Clear => return,
            AnswerDigits::Index => {
                self.has_index = true;
                return;
            }
            AnswerDigits::NotIndex(index) => (text(meant.at), text(index), false),
            AnswerDigits::NotText(named) => (text(named), text(meant.at), true),
        };
        self.unclear.push(UnclearDigits { span, as_text, as_index, is_index });
    }

    /// Warns of answers that could be read otherwise. Where the file has indices, none of them is read as a text.
    pub fn check(&self, problems: &mut Problems<'_>) {
        for UnclearDigits { span, as_text, as_index, is_index } in &self.unclear {
            let finding = |message: String| {
                let finding = SpecFinding::new(Code::Combination, *span, message).field("answer");
                finding.help("write the letter of the option")
            };
            match (is_index, self.has_index) {
                (true, true) => {}
                (true, false) => problems.warning(finding(format!(
                    "the answer is read as the index of the option {as_index}, and not as the option {as_text}"
                ))),
                (false, true) => problems.error(finding(format!(
                    "the answer means the option {as_text}, or the index of {as_index}, as other answers of the file are indices"
                ))),
                (false, false) => problems.warning(finding(format!(
                    "the answer is read as the option {as_text}, and not as the index of {as_index}"
                ))),
            }
        }
    }
}

fn is_letter(answer: &str) -> bool {
    let mut letters = answer.trim().chars();
    letters.next().is_some_and(|letter| LETTERS.contains(&letter.to_ascii_uppercase())) && letters.next().is_none()
}
