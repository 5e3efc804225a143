//! `terminate_when`: a CEL expression over the debate's figures that ends the rounds.
mod cost;

use cel::{Context, Program, Value};
use std::collections::BTreeMap;

/// The most characters of an expression.
pub const MAX_EXPRESSION_CHARS: usize = 500;
/// The most opening brackets and `?` of an expression. The parser recurses at each of them, some 150 KiB of stack a level in
/// an unoptimised build: ten levels still fit a thread of 2 MiB. They are counted and not matched, because texts inside the
/// expression may hold some too.
pub const MAX_EXPRESSION_LEVELS: usize = 8;
/// The most steps that an expression may take, counted before it is evaluated: at most some tens of milliseconds.
pub const MAX_EXPRESSION_STEPS: u64 = 200_000;
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
        "it may have {MAX_EXPRESSION_CHARS} characters, and {MAX_EXPRESSION_LEVELS} opening brackets or `?` in all"
    )]
    TooLong,
    /// Evaluating it could take too many steps.
    #[error(
        "evaluating it could take {steps} steps; at most {MAX_EXPRESSION_STEPS} are allowed: nest fewer loops, or use fewer \
         labels"
    )]
    TooMuch {
        /// The most steps that it could take.
        steps: u64,
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
    /// It failed on the figures of a debate.
    #[error("it could not be evaluated: {0}")]
    Evaluation(String),
    /// Its value is not true or false.
    #[error("its value is {0}, not true or false")]
    NotBoolean(String),
}

/// Checks an expression: its length, its syntax, its names, what it may cost with these labels, and that it gives true or
/// false on plausible figures.
pub fn check_terminate_when(expression: &str, labels: &BTreeMap<String, String>) -> Result<(), ExpressionError> {
    let program = compile(expression)?;
    if let Some(name) = cost::count(program.expression(), labels).unknown.first() {
        return Err(ExpressionError::UnknownVariable((*name).to_owned()));
    }
    let labels = labels.clone();
    let sample =
        Figures { tokens_left: Some(1), seconds_left: Some(1.0), round: 1, turns: 1, labels, ..Figures::default() };
    match evaluate(&program, &sample) {
        // A label or key that the sample lacks may exist in the debate.
        Err(ExpressionError::Evaluation(detail)) if detail.contains("No such key") => Ok(()),
        other => other.map(|_| ()),
    }
}

/// Whether the expression is true of the figures. One that could take more than [`MAX_EXPRESSION_STEPS`] is not evaluated.
pub fn terminates(expression: &str, figures: &Figures) -> Result<bool, ExpressionError> {
    evaluate(&compile(expression)?, figures)
}

fn compile(expression: &str) -> Result<Program, ExpressionError> {
    let levels = expression.chars().filter(|c| matches!(c, '(' | '[' | '{' | '?')).count();
    if expression.chars().count() > MAX_EXPRESSION_CHARS || levels > MAX_EXPRESSION_LEVELS {
        return Err(ExpressionError::TooLong);
    }
    Program::compile(expression).map_err(|errors| {
        let first = errors.errors.first();
        let message = first.map_or_else(|| errors.to_string(), |error| error.msg.clone());
        let place = |(line, column): (isize, isize)| Some((u32::try_from(line).ok()?, u32::try_from(column).ok()?));
        ExpressionError::Syntax { message, at: first.and_then(|error| place(error.pos)) }
    })
}

fn evaluate(program: &Program, figures: &Figures) -> Result<bool, ExpressionError> {
    let steps = cost::count(program.expression(), &figures.labels).steps;
    if steps > MAX_EXPRESSION_STEPS {
        return Err(ExpressionError::TooMuch { steps });
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
        Ok(other) => Err(ExpressionError::NotBoolean(cut(&format!("{other:?}")))),
        Err(error) => Err(ExpressionError::Evaluation(cut(&error.to_string()))),
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
        check_terminate_when(expression, &BTreeMap::new())
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

        assert!(matches!(terminates(&bomb(), &figures), Err(ExpressionError::TooMuch { steps }) if steps > 1 << 40));
        assert!(matches!(check_terminate_when(&bomb(), &labels(32)), Err(ExpressionError::TooMuch { .. })));
        assert_eq!(check_terminate_when("labels.all(a, labels.exists(b, a == labels[b]))", &labels(32)), Ok(()));
    }

    #[test]
    fn what_is_too_long_or_too_deep_is_refused_before_it_is_parsed() {
        for expression in ["(".repeat(60_000), "!".repeat(501), "-".repeat(60_000)] {
            assert_eq!(terminates(&expression, &Figures::default()), Err(ExpressionError::TooLong));
        }
    }

    #[test]
    fn an_error_quotes_no_whole_value() {
        let error = check_terminate_when("labels.map(k, k + k + k)", &labels(300)).unwrap_err().to_string();

        assert!(error.len() < 300, "{error}");
    }

    #[test]
    fn what_is_wrong_is_told_by_kind() {
        assert!(matches!(check("round >"), Err(ExpressionError::Syntax { .. })));
        assert_eq!(check("labels.all(k, other == k)"), Err(ExpressionError::UnknownVariable("other".into())));
        assert_eq!(check("rounds > 1"), Err(ExpressionError::UnknownVariable("rounds".into())));
        assert!(matches!(check("round + 1"), Err(ExpressionError::NotBoolean(_))));
        assert_eq!(check("labels.team == 'x'"), Ok(()));
        assert!(matches!(terminates("labels.team == 'x'", &Figures::default()), Err(ExpressionError::Evaluation(_))));
    }
}
