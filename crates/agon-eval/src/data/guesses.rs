//! Kinds that follow from what questions have, and what the whole file says against them.
use crate::{Gold, Question};
use agon_spec::Code;
use agon_spec::reading::{Problems, Span, SpecFinding};

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

fn is_letter(answer: &str) -> bool {
    let mut letters = answer.trim().chars();
    letters.next().is_some_and(|letter| LETTERS.contains(&letter.to_ascii_uppercase())) && letters.next().is_none()
}
