//! Scores of answers that need no grader: an option, a text, a number.
use crate::{CellEnding, Facts, Gold, Question};
use agon_core::{AnswerForm, AnswerKind, NumberAnswer, names::normal_form};

/// Words that make no difference to a text.
const ARTICLES: [&str; 3] = ["a", "an", "the"];

impl Question {
    /// Whether a pattern says which answers are right; else a grader or a program has to.
    pub fn is_scored_by_pattern(&self) -> bool {
        match &self.gold {
            Gold::Choice { .. } | Gold::Exact { .. } | Gold::Number { .. } => true,
            Gold::Rubric { .. } | Gold::Pairwise { .. } | Gold::Command { .. } => false,
        }
    }

    /// Whether a model has to say how good answers are.
    pub fn is_scored_by_grader(&self) -> bool {
        matches!(self.gold, Gold::Rubric { .. } | Gold::Pairwise { .. })
    }

    /// Whether the eval's own program says how good answers are.
    pub fn is_scored_by_program(&self) -> bool {
        matches!(self.gold, Gold::Command { .. })
    }

    /// Whether an answer is right; absent where only a grader can say.
    pub fn is_right(&self, answer: &str) -> Option<bool> {
        match &self.gold {
            Gold::Choice { right } => Some(self.option(answer).is_some_and(|option| right.contains(&option))),
            Gold::Exact { answers } => {
                let given = text_form(answer);
                Some(answers.iter().any(|right| text_form(right) == given))
            }
            Gold::Number { answers, tolerance } => {
                let right = |given: NumberAnswer| {
                    let mut known = answers.iter().filter_map(|right| NumberAnswer::of(*right));
                    known.any(|right| given.is(&right, *tolerance))
                };
                Some(NumberAnswer::read(answer).is_some_and(right))
            }
            Gold::Rubric { .. } | Gold::Pairwise { .. } | Gold::Command { .. } => None,
        }
    }

    /// What a cell scores, 0 to 1; absent where only a grader can say. Without an answer that is 0, but answers that tie share.
    pub fn score(&self, facts: &Facts) -> Option<f64> {
        match &facts.ending {
            CellEnding::Answered => match &facts.answer {
                Some(answer) => self.is_right(answer).map(share_of),
                None => Some(0.0),
            },
            CellEnding::NoAnswer { .. } if !facts.tied.is_empty() => self.shared(facts.tied.iter().map(String::as_str)),
            CellEnding::NoAnswer { .. } | CellEnding::Failed { .. } => Some(0.0),
        }
    }

    /// What answers score that share the first place: each its share.
    pub fn shared<'a>(&self, answers: impl Iterator<Item = &'a str>) -> Option<f64> {
        let scores: Vec<bool> = answers.map(|answer| self.is_right(answer)).collect::<Option<_>>()?;
        let right = scores.iter().filter(|right| **right).count();
        Some(if scores.is_empty() { 0.0 } else { right as f64 / scores.len() as f64 })
    }

    /// The form in which answers to this question are the same: an option, a number, or a text.
    pub fn answer_key(&self, answer: &str) -> String {
        let kept = || text_form(answer);
        match &self.gold {
            Gold::Choice { .. } => self.option(answer).map_or_else(kept, |option| format!("option {option}")),
            Gold::Number { .. } => NumberAnswer::read(answer).map_or_else(kept, |number| number.to_string()),
            Gold::Exact { .. } | Gold::Rubric { .. } | Gold::Pairwise { .. } | Gold::Command { .. } => kept(),
        }
    }

    /// What would score on average who guesses: 1 of the options, else 0.
    pub fn chance(&self) -> f64 {
        match &self.gold {
            Gold::Choice { right } if !self.options.is_empty() => right.len() as f64 / self.options.len() as f64,
            Gold::Choice { .. }
            | Gold::Exact { .. }
            | Gold::Number { .. }
            | Gold::Rubric { .. }
            | Gold::Pairwise { .. }
            | Gold::Command { .. } => 0.0,
        }
    }

    /// The name of its scorer.
    pub fn scorer(&self) -> &'static str {
        self.gold.kind_name()
    }

    /// The right answers, as a person reads them.
    pub fn gold_texts(&self) -> Vec<String> {
        match &self.gold {
            Gold::Choice { right } => right.iter().filter_map(|option| self.options.get(*option)).cloned().collect(),
            Gold::Exact { answers }
            | Gold::Rubric { answers, .. }
            | Gold::Pairwise { answers }
            | Gold::Command { answers } => answers.clone(),
            Gold::Number { answers, .. } => answers.iter().map(ToString::to_string).collect(),
        }
    }

    /// The text of the option that an answer names; the answer as it is where the question has no options, or none of these is meant.
    pub(crate) fn as_option(&self, answer: &str) -> String {
        let option = if self.options.is_empty() { None } else { self.option(answer) };
        option.and_then(|at| self.options.get(at)).cloned().unwrap_or_else(|| answer.to_owned())
    }

    fn option(&self, answer: &str) -> Option<usize> {
        let form = AnswerForm { kind: AnswerKind::Choice, options: self.options.clone(), ..AnswerForm::default() };
        let named = form.read(answer).ok()?;
        self.options.iter().position(|option| *option == named)
    }
}

/// A text as it is compared: [`normal_form`], without articles.
fn text_form(text: &str) -> String {
    let form = normal_form(text);
    let words: Vec<&str> = form.split_whitespace().filter(|word| !ARTICLES.contains(word)).collect();
    if words.is_empty() { form } else { words.join(" ") }
}

fn share_of(right: bool) -> f64 {
    f64::from(u8::from(right))
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::Tolerance;

    fn question(gold: Gold, options: &[&str]) -> Question {
        Question {
            id: "q".to_owned(),
            text: "Which?".to_owned(),
            options: options.iter().map(|option| (*option).to_owned()).collect(),
            context: None,
            gold,
            category: None,
            group: None,
        }
    }

    fn number(right: f64, tolerance: Tolerance) -> Question {
        question(Gold::Number { answers: vec![right], tolerance }, &[])
    }

    #[test]
    fn an_option_is_right_by_its_words_or_its_letter() {
        let question = question(Gold::Choice { right: vec![1] }, &["Rome", "Paris"]);
        for (answer, right) in [("Paris", true), ("paris.", true), ("B", true), ("(b) Paris", true), ("A", false)] {
            assert_eq!(question.is_right(answer), Some(right), "{answer}");
        }
        assert_eq!(question.is_right("It may well be Paris"), Some(false));
        assert!((question.chance() - 0.5).abs() < 1e-12);
        assert_eq!(question.answer_key("B"), question.answer_key(" PARIS "));
    }

    #[test]
    fn texts_are_compared_but_for_form_case_space_final_stop_and_articles() {
        let question = question(Gold::Exact { answers: vec!["The Eiffel Tower".to_owned(), "A".to_owned()] }, &[]);
        for answer in ["Eiffel Tower.", "the  eiffel tower", "an Eiffel Tower", "Ｅｉｆｆｅｌ Tower", "a"] {
            assert_eq!(question.is_right(answer), Some(true), "{answer}");
        }
        for answer in ["Eiffel", "Eiffel Towers", ""] {
            assert_eq!(question.is_right(answer), Some(false), "{answer}");
        }
    }

    #[test]
    fn numbers_are_read_as_people_write_them_and_may_be_off_by_the_tolerance() {
        for (answer, right) in [("1,200", 1200.0), ("12 %", 0.12), ("12 %", 12.0), ("3/4", 0.75), ("$5", 5.0)] {
            assert_eq!(number(right, Tolerance::Exact).is_right(answer), Some(true), "{answer}");
        }
        assert_eq!(number(100.0, Tolerance::Relative(0.02)).is_right("98"), Some(true));
        assert_eq!(number(100.0, Tolerance::Relative(0.02)).is_right("97.9"), Some(false));
        assert_eq!(number(100.0, Tolerance::Absolute(1.0)).is_right("101"), Some(true));
        assert_eq!(number(4.0, Tolerance::Exact).is_right("about 4"), Some(false));
        assert_eq!(number(4.0, Tolerance::Exact).answer_key("4.0"), number(4.0, Tolerance::Exact).answer_key("8/2"));
    }

    #[test]
    fn no_answer_and_failures_score_0_and_ties_share() {
        let question = number(4.0, Tolerance::Exact);
        let none = |reason: &str| CellEnding::NoAnswer { reason: reason.to_owned() };
        let facts = |ending, answer: Option<&str>, tied: &[&str]| Facts {
            ending,
            answer: answer.map(str::to_owned),
            tied: tied.iter().map(|tied| (*tied).to_owned()).collect(),
            ..Facts::default()
        };
        assert_eq!(question.score(&facts(CellEnding::Answered, Some("4"), &[])), Some(1.0));
        assert_eq!(question.score(&facts(none("order_sensitive"), None, &[])), Some(0.0));
        assert_eq!(question.score(&facts(none("tie"), None, &["4", "5"])), Some(0.5));
        assert_eq!(question.score(&facts(CellEnding::Failed { reason: "quorum".into() }, None, &["4"])), Some(0.0));
    }
}
