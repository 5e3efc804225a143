//! `terminate_when`: a CEL expression over the debate's figures that ends the rounds.
mod cost;
mod keys;

use crate::spec::Budget;
use cel::{Context, Program, Value};
use std::collections::BTreeMap;

/// The most characters of an expression.
pub const MAX_EXPRESSION_CHARS: usize = 500;
/// The most opening brackets and `?` of an expression. The parser recurses at each of them, some 150 KiB of stack a level in
/// an unoptimised build: ten levels still fit a thread of 2 MiB. They are counted and not matched, because texts inside the
/// expression may hold some too.
pub const MAX_EXPRESSION_LEVELS: usize = 8;
/// The most steps that an expression may take where nothing else is said, counted before it is evaluated: at most some tens of milliseconds.
pub const MAX_EXPRESSION_STEPS: u64 = 200_000;
/// The most steps that any expression may be allowed: up to a quarter of a second in an unoptimised build. Evaluation holds to
/// this alone, so that a debate goes on wherever it was admitted. It is the deadline of an evaluation: steps and not seconds, so that
/// every machine decides the same.
pub const MOST_EXPRESSION_STEPS: u64 = 1_000_000;
/// How much of what the evaluation says is kept, in characters: it may quote whole values.
const MAX_SAID: usize = 200;

/// The figures that an expression may read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// Rounds held so far.
    pub round: u32,
    /// Speeches recorded so far.
    pub turns: u32,
    /// Reported tokens of all calls so far.
    pub tokens: u64,
    /// Seconds since the first turn was asked.
    pub elapsed_s: f64,
    /// How far the speakers agreed in the last round, 0 to 1, where that could be measured.
    pub agreement: Option<f64>,
    /// How far the speakers stood where they had stood, 0 to 1, where that could be measured.
    pub stability: Option<f64>,
    /// Turns that failed for good so far.
    pub failures: u32,
    /// Tokens left of the budget, where there is one.
    pub tokens_left: Option<u64>,
    /// Seconds left of the budget, where there is one.
    pub seconds_left: Option<f64>,
    /// The author's labels.
    pub labels: BTreeMap<String, String>,
}

/// The names that an expression may read. `budget` has the keys `tokens_left` and `seconds_left`, each only where
/// the debate has that budget. `agreement` and `stability` are -1 where they could not be measured.
pub const VARIABLES: [&str; 9] =
    ["round", "turns", "tokens", "elapsed_s", "agreement", "stability", "failures", "budget", "labels"];

/// What is wrong with an expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExpressionError {
    /// It is too long or too deep to be parsed.
    #[error(
        "it has {chars} characters, and {levels} opening brackets or `?` in all; at most {MAX_EXPRESSION_CHARS} and {MAX_EXPRESSION_LEVELS} \
         are allowed"
    )]
    TooLong {
        /// Its characters.
        chars: usize,
        /// Its opening brackets and `?`.
        levels: usize,
    },
    /// Evaluating it could take too many steps.
    #[error(
        "evaluating it could take {steps} steps; at most {most} are allowed: nest fewer loops, or use fewer labels"
    )]
    TooMuch {
        /// The most steps that it could take.
        steps: u64,
        /// The most that are allowed.
        most: u64,
    },
    /// It is not CEL.
    #[error("it is not a CEL expression: {message}")]
    Syntax {
        /// What the parser says.
        message: String,
        /// Line and column inside the expression, from 1, where the parser gives them.
        at: Option<(u32, u32)>,
    },
    /// It reads a name that does not exist.
    #[error("there is no variable {0:?}; there are {names}", names = VARIABLES.join(", "))]
    UnknownVariable(String),
    /// It reads a key that the debate does not have.
    #[error("`{mapping}` has no key {key:?}{}", there_is(mapping, known))]
    MissingKey {
        /// `labels` or `budget`.
        mapping: &'static str,
        /// The key.
        key: String,
        /// The keys that are there.
        known: Vec<String>,
    },
    /// It failed on the figures of a debate.
    #[error("it could not be evaluated: {0}")]
    Evaluation(String),
    /// Its value is not true or false.
    #[error("its value is {0}, not true or false")]
    NotBoolean(String),
}

/// What there is in place of a missing key.
fn there_is(mapping: &str, known: &[String]) -> String {
    match (mapping, known) {
        ("budget", _) => {
            "; `tokens_left` is there where `budget.tokens` is set, `seconds_left` where `budget.seconds` is".to_owned()
        }
        (_, []) => "; the debate has no labels".to_owned(),
        (_, known) => format!("; there are {}", cut(&known.join(", "))),
    }
}

/// Checks an expression: its length, its syntax, its names and keys, that it takes at most `most` steps with these labels,
/// and that it gives true or false on plausible figures of a debate with these labels and this budget.
pub fn check_terminate_when(
    expression: &str,
    labels: &BTreeMap<String, String>,
    budget: Budget,
    most: u64,
) -> Result<(), ExpressionError> {
    let program = compile(expression)?;
    if let Some(name) = cost::count(program.expression(), labels).unknown.first() {
        return Err(ExpressionError::UnknownVariable((*name).to_owned()));
    }
    let sample = Figures {
        tokens_left: budget.tokens.map(|_| 1),
        seconds_left: budget.seconds.map(|_| 1.0),
        round: 1,
        turns: 1,
        labels: labels.clone(),
        ..Figures::default()
    };
    let answer = evaluate(&program, &sample, most).map(drop);
    let missing = keys::unguarded(program.expression()).into_iter().find(|key| !sample.has(*key));
    match (answer, missing) {
        (too_much @ Err(ExpressionError::TooMuch { .. }), _) => too_much,
        (_, Some((mapping, key))) => {
            let known = sample.keys(mapping).into_iter().map(str::to_owned).collect();
            Err(ExpressionError::MissingKey { mapping, key: cut(key), known })
        }
        (answer, None) => answer,
    }
}

impl Figures {
    fn keys(&self, mapping: &str) -> Vec<&str> {
        let tokens = self.tokens_left.map(|_| "tokens_left");
        match mapping {
            "budget" => tokens.into_iter().chain(self.seconds_left.map(|_| "seconds_left")).collect(),
            _ => self.labels.keys().map(String::as_str).collect(),
        }
    }
    fn has(&self, (mapping, key): keys::FigureKey<'_>) -> bool {
        self.keys(mapping).contains(&key)
    }
}

/// Whether the expression is true of the figures. One that could take more than [`MOST_EXPRESSION_STEPS`] is not evaluated.
pub fn terminates(expression: &str, figures: &Figures) -> Result<bool, ExpressionError> {
    evaluate(&compile(expression)?, figures, MOST_EXPRESSION_STEPS)
}

fn compile(expression: &str) -> Result<Program, ExpressionError> {
    let levels = expression.chars().filter(|c| matches!(c, '(' | '[' | '{' | '?')).count();
    let chars = expression.chars().count();
    if chars > MAX_EXPRESSION_CHARS || levels > MAX_EXPRESSION_LEVELS {
        return Err(ExpressionError::TooLong { chars, levels });
    }
    Program::compile(expression).map_err(|errors| {
        let first = errors.errors.first();
        let message = first.map_or_else(|| errors.to_string(), |error| error.msg.clone());
        let place = |(line, column): (isize, isize)| Some((u32::try_from(line).ok()?, u32::try_from(column).ok()?));
        ExpressionError::Syntax { message, at: first.and_then(|error| place(error.pos)) }
    })
}

fn evaluate(program: &Program, figures: &Figures, most: u64) -> Result<bool, ExpressionError> {
    let steps = cost::count(program.expression(), &figures.labels).steps;
    if steps > most {
        return Err(ExpressionError::TooMuch { steps, most });
    }
    let mut budget: BTreeMap<&str, f64> = BTreeMap::new();
    if let Some(tokens) = figures.tokens_left {
        budget.insert("tokens_left", tokens as f64);
    }
    if let Some(seconds) = figures.seconds_left {
        budget.insert("seconds_left", seconds);
    }
    let serialised = |error: cel::SerializationError| ExpressionError::Evaluation(error.to_string());
    let budget = cel::to_value(budget).map_err(serialised)?;
    let labels = cel::to_value(&figures.labels).map_err(serialised)?;
    let mut context = Context::default();
    context.add_variable_from_value("round", int(figures.round.into()));
    context.add_variable_from_value("turns", int(figures.turns.into()));
    context.add_variable_from_value("tokens", int(figures.tokens));
    context.add_variable_from_value("elapsed_s", Value::Float(figures.elapsed_s));
    context.add_variable_from_value("agreement", Value::Float(figures.agreement.unwrap_or(-1.0)));
    context.add_variable_from_value("stability", Value::Float(figures.stability.unwrap_or(-1.0)));
    context.add_variable_from_value("failures", int(figures.failures.into()));
    context.add_variable_from_value("budget", budget);
    context.add_variable_from_value("labels", labels);
    match program.execute(&context) {
        Ok(Value::Bool(answer)) => Ok(answer),
        Ok(other) => Err(ExpressionError::NotBoolean(described(&other))),
        Err(error) => Err(ExpressionError::Evaluation(cut(&error.to_string()))),
    }
}

/// A value in plain words.
fn described(value: &Value) -> String {
    match value {
        Value::Int(number) => format!("a number, {number}"),
        Value::UInt(number) => format!("a number, {number}"),
        Value::Float(number) => format!("a number, {number}"),
        Value::String(text) => format!("a text, {:?}", cut(text)),
        Value::List(_) => "a list".to_owned(),
        Value::Map(_) => "a mapping".to_owned(),
        Value::Null => "null".to_owned(),
        other => format!("of the type {}", other.type_of()),
    }
}

fn cut(said: &str) -> String {
    said.chars().take(MAX_SAID).collect()
}

fn int(number: u64) -> Value {
    Value::Int(i64::try_from(number).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_reads_the_figures() {
        let figures = Figures { round: 2, turns: 9, tokens: 500, tokens_left: Some(40), ..Figures::default() };
        for (expression, expected) in [
            ("round >= 2 && turns > 8", true),
            ("tokens > 1000", false),
            ("budget.tokens_left < 50", true),
            ("has(budget.seconds_left) && budget.seconds_left < 1.0", false),
            ("'kind' in labels && labels.kind == 'quick'", false),
            ("agreement < 0.0 && stability < 0.0", true),
            ("agreement == -1 && elapsed_s < 60", true),
            ("budget.tokens_left <= 40 && tokens >= 499.5", true),
            ("tokens / turns > 55", false),
            ("failures == 0 && size(labels) == 0", true),
        ] {
            assert_eq!(terminates(expression, &figures), Ok(expected), "{expression}");
        }
    }

    fn check(expression: &str) -> Result<(), ExpressionError> {
        check_terminate_when(expression, &BTreeMap::new(), Budget::default(), MAX_EXPRESSION_STEPS)
    }

    #[test]
    fn keys_that_a_debate_can_never_have_are_named_with_those_that_it_has() {
        let labels = BTreeMap::from([("team".to_owned(), "x".to_owned())]);
        let tokens = Budget { tokens: Some(9), seconds: None };
        for (expression, mapping, key) in [
            ("labels.foo == 'x'", "labels", "foo"),
            ("labels.team == 'x' || labels.foo == 'x'", "labels", "foo"),
            ("round > 5 && labels['foo'] == 'x'", "labels", "foo"),
            ("budget.tokens > 5", "budget", "tokens"),
            ("round > 5 && budget.seconds_left < 9", "budget", "seconds_left"),
        ] {
            let error = check_terminate_when(expression, &labels, tokens, MAX_EXPRESSION_STEPS).unwrap_err();
            let ExpressionError::MissingKey { mapping: at, key: missing, known } = &error else { panic!("{error:?}") };
            assert_eq!((*at, missing.as_str()), (mapping, key), "{expression}");
            assert_eq!(*known, [if mapping == "labels" { "team" } else { "tokens_left" }], "{expression}");
            let said = error.to_string();
            assert!(
                said.contains(if mapping == "labels" { "there are team" } else { "`budget.tokens` is set" }),
                "{said}"
            );
        }
        for expression in [
            "labels.team == 'x' && budget.tokens_left < 5",
            "'foo' in labels && labels.foo == 'x'",
            "has(budget.seconds_left) && budget.seconds_left < 1.0",
            "labels.exists(k, labels[k] == 'x')",
        ] {
            assert_eq!(check_terminate_when(expression, &labels, tokens, MAX_EXPRESSION_STEPS), Ok(()), "{expression}");
        }
        let own = "[{'foo': 1}].exists(labels, labels.foo == 1)";
        assert_eq!(check_terminate_when(own, &labels, tokens, MAX_EXPRESSION_STEPS), Ok(()), "a name of the loop");
        let careless =
            check_terminate_when("has(labels.foo) || labels.foo == 'x'", &labels, tokens, MAX_EXPRESSION_STEPS);
        assert!(matches!(careless, Err(ExpressionError::Evaluation(_))), "{careless:?}");
        assert!(check("labels.foo == 'x'").unwrap_err().to_string().contains("the debate has no labels"));
    }

    #[test]
    fn a_value_that_is_not_true_or_false_is_told_in_words() {
        for (expression, said) in [("round", "a number, 1"), ("'x' + 'y'", "a text, \"xy\""), ("[round]", "a list")] {
            let error = check(expression).unwrap_err().to_string();
            assert_eq!(error, format!("its value is {said}, not true or false"));
        }
    }

    fn labels(count: usize) -> BTreeMap<String, String> {
        (0..count).map(|n| (format!("label{n}"), "value".to_owned())).collect()
    }

    /// Eight loops over the labels, one inside the other.
    fn bomb() -> String {
        let opened: String = ('a'..='h').map(|name| format!("labels.all({name}, ")).collect();
        format!("{opened}a != ''{}", ")".repeat(8))
    }

    #[test]
    fn nested_loops_are_refused_before_they_run_whatever_evaluates_them() {
        let figures = Figures { labels: labels(32), ..Figures::default() };

        let refused = terminates(&bomb(), &figures);
        assert!(matches!(refused, Err(ExpressionError::TooMuch { steps, .. }) if steps > 1 << 40), "{refused:?}");
        let check = |expression: &str, most| check_terminate_when(expression, &labels(32), Budget::default(), most);
        assert!(matches!(check(&bomb(), MOST_EXPRESSION_STEPS), Err(ExpressionError::TooMuch { .. })));
        let modest = "labels.all(a, labels.exists(b, a == labels[b]))";
        assert_eq!(check(modest, MAX_EXPRESSION_STEPS), Ok(()));
        assert!(matches!(check(modest, 1_000), Err(ExpressionError::TooMuch { most: 1_000, .. })));
    }

    #[test]
    fn what_was_admitted_by_a_generous_process_is_evaluated_everywhere() {
        let (all, cubed) = (labels(40), "labels.all(a, labels.all(b, labels.all(c, a != '')))");
        let check = |most| check_terminate_when(cubed, &all, Budget::default(), most);
        assert!(matches!(check(MAX_EXPRESSION_STEPS), Err(ExpressionError::TooMuch { .. })));
        assert_eq!(check(MOST_EXPRESSION_STEPS), Ok(()));
        assert_eq!(terminates(cubed, &Figures { labels: all.clone(), ..Figures::default() }), Ok(true));
    }

    #[test]
    fn what_is_too_long_or_too_deep_is_refused_before_it_is_parsed() {
        for expression in ["(".repeat(60_000), "!".repeat(501), "-".repeat(60_000)] {
            let found = terminates(&expression, &Figures::default());
            let counted = |chars| chars == expression.len();
            assert!(matches!(found, Err(ExpressionError::TooLong { chars, .. }) if counted(chars)), "{found:?}");
        }
    }

    #[test]
    fn an_error_quotes_no_whole_value() {
        let error =
            check_terminate_when("labels.map(k, k + k + k)[0]", &labels(300), Budget::default(), MAX_EXPRESSION_STEPS)
                .unwrap_err()
                .to_string();

        assert!(error.len() < 300, "{error}");
    }

    #[test]
    fn what_is_wrong_is_told_by_kind() {
        assert!(matches!(check("round >"), Err(ExpressionError::Syntax { .. })));
        assert_eq!(check("labels.all(k, other == k)"), Err(ExpressionError::UnknownVariable("other".into())));
        assert_eq!(check("rounds > 1"), Err(ExpressionError::UnknownVariable("rounds".into())));
        assert!(matches!(check("round + 1"), Err(ExpressionError::NotBoolean(_))));
        assert!(matches!(check("labels.team == 'x'"), Err(ExpressionError::MissingKey { .. })));
        assert!(matches!(terminates("labels.team == 'x'", &Figures::default()), Err(ExpressionError::Evaluation(_))));
    }
}
