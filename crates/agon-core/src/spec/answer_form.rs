//! What an answer to the topic is, where the author says it.
use super::DebateSpec;
use crate::number::{NumberAnswer, Tolerance};
use crate::tally::same_answer;
use serde::Serialize;

named! {
    /// What an answer to the topic is.
    #[derive(Default, PartialOrd, Ord)]
    pub enum AnswerKind {
        Choice = "choice": "one of `options`",
        Number = "number": "a number; numbers that are equal are one answer, however they are written",
        #[default]
        Text = "text": "any text; a judge must name a winner",
    }
}

/// Most options that an answer may be chosen from: they have letters.
pub const MOST_OPTIONS: usize = 26;

/// What an answer to the topic is. Ballots, stated answers, votes and winners then take nothing else.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct AnswerForm {
    /// Of which kind.
    pub kind: AnswerKind,
    /// What may be chosen, 2 to [`MOST_OPTIONS`] different ones; empty for other kinds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// How far apart two numbers may be and still be one answer; exact for other kinds.
    #[serde(skip_serializing_if = "Tolerance::is_exact")]
    pub tolerance: Tolerance,
}

impl AnswerForm {
    /// The answer that a text is, in its one spelling: the option, the shortest decimal; else what is wrong with it. Nothing is
    /// guessed from prose.
    pub fn read(&self, text: &str) -> Result<String, String> {
        let text = text.trim();
        match self.kind {
            AnswerKind::Choice => self.option(text).cloned().ok_or_else(|| {
                let options: Vec<String> = self.options.iter().map(|option| format!("{option:?}")).collect();
                format!("the answer is {:?}; allowed are {}", beginning(text), options.join(", "))
            }),
            AnswerKind::Number => NumberAnswer::read(text).map(|number| number.to_string()).ok_or_else(|| {
                format!(
                    "the answer is {:?}; allowed is one number in digits, such as 1200, 0.75 or 3/4",
                    beginning(text)
                )
            }),
            AnswerKind::Text if text.is_empty() => Err("the answer is empty".to_owned()),
            AnswerKind::Text => Ok(text.to_owned()),
        }
    }

    /// Whether two answers are the same.
    pub fn same(&self, one: &str, other: &str) -> bool {
        let numbers = || Some((NumberAnswer::read(one)?, NumberAnswer::read(other)?));
        match numbers().filter(|_| self.kind == AnswerKind::Number) {
            Some((one, other)) => one.is(&other, self.tolerance),
            None => same_answer(one, other),
        }
    }

    /// The option that a text names: by its words, by its letter (`B`, `(b)`, `Option B`), or by both (`B) Rome`). No letter counts where
    /// an option is itself a single character. Marks around it do not count: quotation marks, backquotes, angle brackets, emphasis.
    fn option(&self, text: &str) -> Option<&String> {
        if let Some(option) = named(&self.options, text) {
            return Some(option);
        }
        if self.options.iter().any(|option| option.trim().chars().nth(1).is_none()) {
            return None;
        }
        layers(text).find_map(|text| self.by_letter(text))
    }

    fn by_letter(&self, text: &str) -> Option<&String> {
        let (letter, words) = lettered(text)?;
        let option = self.options.get(usize::from(letter.to_ascii_uppercase() as u8 - b'A'))?;
        (words.is_empty() || same_answer(option, words)).then_some(option)
    }
}

/// The option that a text names by its words, whatever marks are around it.
fn named<'o>(options: &'o [String], text: &str) -> Option<&'o String> {
    layers(text).find_map(|text| options.iter().find(|option| same_answer(option, text)))
}

/// The text, and what is left of it where mark after mark around it is removed.
fn layers(text: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(text.trim()), |text| unwrapped(text))
}

/// The text without the outermost marks around it, else without the stop at its end. Marks go in pairs: what only begins with one is not
/// wrapped in it.
fn unwrapped(text: &str) -> Option<&str> {
    const AROUND: [(&str, &str); 12] = [
        ("`", "`"),
        ("*", "*"),
        ("_", "_"),
        ("<", ">"),
        ("\"", "\""),
        ("'", "'"),
        ("“", "”"),
        ("„", "“"),
        ("„", "”"),
        ("‘", "’"),
        ("«", "»"),
        ("\\boxed{", "}"),
    ];
    let inner = AROUND.iter().find_map(|(open, close)| text.strip_prefix(open)?.strip_suffix(close));
    inner.or_else(|| text.strip_suffix('.')).map(str::trim).filter(|inner| !inner.is_empty())
}

/// The letter that a text begins with, as one among several, and what follows it.
fn lettered(text: &str) -> Option<(char, &str)> {
    let around = |c: char| c.is_whitespace() || matches!(c, '*' | '_' | '"' | '\'' | '`' | '.');
    let text = text.trim_matches(around);
    let named = text.get(..7).filter(|head| head.eq_ignore_ascii_case("option "));
    let text = named.and_then(|head| text.get(head.len()..)).unwrap_or(text).trim_start();
    let open = text.strip_prefix(['(', '[']);
    let mut rest = open.unwrap_or(text).chars();
    let letter = rest.next().filter(char::is_ascii_alphabetic)?;
    let rest = rest.as_str();
    let words = match (open, rest.chars().next()) {
        (None, None) => rest,
        (_, Some(')' | ']')) | (None, Some('.' | ':')) => rest.get(1..)?,
        _ => return None,
    };
    Some((letter, words.trim_matches(around).trim_start_matches([':', '-']).trim_start()))
}

/// Enough of a text to see what is wrong with it.
fn beginning(text: &str) -> String {
    const MOST: usize = 80;
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

impl DebateSpec {
    /// Whether two answers to the topic are the same.
    pub fn same_answer(&self, one: &str, other: &str) -> bool {
        match &self.answer {
            Some(form) => form.same(one, other),
            None => same_answer(one, other),
        }
    }

    /// The answer to the topic that a text is, in its one spelling; else what is wrong with it.
    pub fn read_answer(&self, text: &str) -> Result<String, String> {
        match &self.answer {
            Some(form) => form.read(text),
            None => Ok(text.to_owned()),
        }
    }

    /// The options that are answers to the topic, where there are such.
    pub fn options(&self) -> Option<&[String]> {
        self.answer.as_ref().filter(|form| form.kind == AnswerKind::Choice).map(|form| form.options.as_slice())
    }

    /// Whether a judge has to name a winner: where the file says what an answer is, and one can be named.
    pub fn wants_winner(&self, candidates: &[String]) -> bool {
        self.answer.is_some() && !(candidates.is_empty() && self.elects_debaters())
    }

    /// Which of these is meant: by its own words, else as the answer that the text is. Where the file says what an answer is, marks
    /// around it do not count.
    pub fn pick<'a>(&self, among: &'a [String], text: &str) -> Option<&'a String> {
        let by_words = among.iter().find(|one| same_answer(one, text));
        by_words.or_else(|| {
            let form = self.answer.as_ref()?;
            let answer = form.read(text).ok();
            let same = answer.and_then(|answer| among.iter().find(|one| self.same_answer(one, &answer)));
            same.or_else(|| named(among, text))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(options: &[&str]) -> AnswerForm {
        let options = options.iter().map(|option| (*option).to_owned()).collect();
        AnswerForm { kind: AnswerKind::Choice, options, ..AnswerForm::default() }
    }

    fn number(tolerance: Tolerance) -> AnswerForm {
        AnswerForm { kind: AnswerKind::Number, tolerance, ..AnswerForm::default() }
    }

    #[test]
    fn an_option_is_named_by_its_words_its_letter_or_both() {
        let form = choice(&["Paris", "Rome", "A town that has no name"]);
        for (text, wanted) in [
            ("rome.", "Rome"),
            ("“Rome”", "Rome"),
            ("B", "Rome"),
            ("b.", "Rome"),
            ("(B)", "Rome"),
            ("[b]", "Rome"),
            ("**B**", "Rome"),
            ("Option B", "Rome"),
            ("B) Rome", "Rome"),
            ("(B) Rome", "Rome"),
            ("b: rome", "Rome"),
            ("A town that has no name", "A town that has no name"),
            ("`Rome`", "Rome"),
            ("<rome>", "Rome"),
            ("\"**Rome**\".", "Rome"),
            ("__`Rome.`__", "Rome"),
            ("<B>", "Rome"),
            ("`(b)`.", "Rome"),
            ("\\boxed{Rome}", "Rome"),
        ] {
            assert_eq!(form.read(text).as_deref(), Ok(wanted), "{text}");
        }
    }

    #[test]
    fn what_is_no_option_or_contradicts_itself_is_refused_with_what_is_allowed() {
        let form = choice(&["Paris", "Rome"]);
        for text in [
            "",
            "Berlin",
            "B) Paris",
            "A or B",
            "A town",
            "C",
            "Rome, I think",
            "1",
            "(B",
            "B Rome",
            "`Rome` or `Paris`",
            "<Rome",
            "*Rome",
            "not `Rome`",
            "<>",
            "``",
        ] {
            assert!(form.read(text).is_err(), "{text}");
        }
        assert_eq!(form.read("Berlin").unwrap_err(), r#"the answer is "Berlin"; allowed are "Paris", "Rome""#);
    }

    #[test]
    fn letters_do_not_count_where_options_are_letters() {
        let form = choice(&["B", "A", "7"]);
        assert_eq!(form.read("a").as_deref(), Ok("A"));
        assert_eq!(form.read("B").as_deref(), Ok("B"));
        assert!(form.read("C").is_err());
    }

    #[test]
    fn a_number_has_one_spelling_and_prose_is_none() {
        let form = number(Tolerance::Exact);
        assert_eq!(form.read(" 1,200.0 ").as_deref(), Ok("1200"));
        assert_eq!(form.read("3/4").as_deref(), Ok("0.75"));
        assert!(form.read("about 12").unwrap_err().contains("digits"));
        assert!(form.same("0.75", "3/4") && !form.same("12", "13") && form.same("none", "None."));
        assert!(number(Tolerance::Absolute(1.0)).same("12", "13"));
        assert!(!AnswerForm::default().same("0.75", "3/4"));
    }

    #[test]
    fn one_among_several_is_picked_by_its_words_or_as_the_answer_that_it_is() {
        let names = ["Ada".to_owned(), "Bob".to_owned()];
        let spec = DebateSpec { answer: Some(number(Tolerance::Exact)), ..crate::testing::spec() };
        assert_eq!(spec.pick(&["12".to_owned(), "0.5".to_owned()], "1/2").map(String::as_str), Some("0.5"));
        assert_eq!(spec.pick(&names, "bob").map(String::as_str), Some("Bob"));
        assert_eq!(spec.pick(&names, "12"), None);
    }
}
