//! `terminate_when`: a CEL expression over the debate's figures that ends the rounds.
use cel::{Context, Program, Value};
use std::collections::BTreeMap;

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

/// Checks an expression: its syntax, its names, and that it gives true or false on plausible figures.
pub fn check_terminate_when(expression: &str) -> Result<(), ExpressionError> {
    let program = compile(expression)?;
    let references = program.references();
    let mut names = references.variables();
    names.sort_unstable();
    for name in names {
        if !VARIABLES.contains(&name) {
            return Err(ExpressionError::UnknownVariable(name.to_owned()));
        }
    }
    let sample = Figures { tokens_left: Some(1), seconds_left: Some(1.0), round: 1, turns: 1, ..Figures::default() };
    match evaluate(&program, &sample) {
        // A label or key that the sample lacks may exist in the debate.
        Err(ExpressionError::Evaluation(detail)) if detail.contains("No such key") => Ok(()),
        other => other.map(|_| ()),
    }
}

/// Whether the expression is true of the figures.
pub fn terminates(expression: &str, figures: &Figures) -> Result<bool, ExpressionError> {
    evaluate(&compile(expression)?, figures)
}

fn compile(expression: &str) -> Result<Program, ExpressionError> {
    Program::compile(expression).map_err(|errors| {
        let first = errors.errors.first();
        let message = first.map_or_else(|| errors.to_string(), |error| error.msg.clone());
        let place = |(line, column): (isize, isize)| Some((u32::try_from(line).ok()?, u32::try_from(column).ok()?));
        ExpressionError::Syntax { message, at: first.and_then(|error| place(error.pos)) }
    })
}

fn evaluate(program: &Program, figures: &Figures) -> Result<bool, ExpressionError> {
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
        Ok(other) => Err(ExpressionError::NotBoolean(format!("{other:?}"))),
        Err(error) => Err(ExpressionError::Evaluation(error.to_string())),
    }
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

    #[test]
    fn what_is_wrong_is_told_by_kind() {
        assert!(matches!(check_terminate_when("round >"), Err(ExpressionError::Syntax { .. })));
        assert_eq!(check_terminate_when("rounds > 1"), Err(ExpressionError::UnknownVariable("rounds".into())));
        assert!(matches!(check_terminate_when("round + 1"), Err(ExpressionError::NotBoolean(_))));
        assert_eq!(check_terminate_when("labels.team == 'x'"), Ok(()));
        assert!(matches!(terminates("labels.team == 'x'", &Figures::default()), Err(ExpressionError::Evaluation(_))));
    }
}
