//! Programs of the user's own: what they are given on standard input, and what their output means.
//!
//! A program gets one line of JSON and prints one JSON object. Nothing of what is right reaches a program that answers.
use crate::{
    ArmName, Cell, CellCost, CellEnding, CellWork, CommandArm, Count, EvalAdmission, Facts, GradeTask, Question,
    UserProgram, draw, usual_program_call,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// When a run of a program that scores is ended.
pub const SCORER_TIMEOUT: Duration = Duration::from_secs(30);
/// Bytes that a program may print.
pub const MOST_PROGRAM_OUTPUT: usize = 1024 * 1024;
/// Bytes of a program's answer.
pub const MOST_PROGRAM_ANSWER: usize = 64 * 1024;
/// Tokens of a kind that a run may say that it used: more is a mistake of the program, and would hide all other costs.
pub const MOST_REPORTED_TOKENS: u64 = 1_000_000_000_000;
/// The reason of a run that came to its end without an answer.
const NONE_GIVEN: &str = "none_given";

/// A cell as one run of a program.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramOrder {
    /// Which.
    pub cell: Cell,
    /// What runs.
    pub program: UserProgram,
    /// When it is ended.
    pub timeout: Duration,
    /// What it is given: one line of JSON, with its line end.
    pub input: String,
    question: Question,
    rehearsal: bool,
}

/// What a program printed that ended well.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrintedOutput {
    /// Standard output.
    pub output: String,
    /// The last line of standard error, cut; empty where there is none.
    pub complaint: String,
}

/// Why a run came to nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail}{}", said(complaint))]
pub struct ProgramFailure {
    /// The kind of failure.
    pub fault: ProgramFault,
    /// What happened.
    pub detail: String,
    /// The last line of standard error, cut; empty where there is none.
    pub complaint: String,
}

/// Kinds of failures of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramFault {
    /// It could not be started.
    NotStarted,
    /// It did not end in time.
    Timeout,
    /// It ended with another code than 0, or by a signal.
    Ended,
    /// It printed too much.
    TooLong,
    /// What it printed is not what it should print.
    Output,
}

impl ProgramFault {
    /// The name in results.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotStarted => "program_not_started",
            Self::Timeout => "program_timeout",
            Self::Ended => "program_failed",
            Self::TooLong => "program_output_too_long",
            Self::Output => "program_output",
        }
    }
}

fn said(complaint: &str) -> String {
    if complaint.is_empty() { String::new() } else { format!("; it says: {complaint}") }
}

/// What a program prints that answers.
#[derive(Deserialize)]
struct PrintedAnswer {
    answer: Value,
    usage: Option<PrintedUsage>,
}

/// What a program says that it used; what it does not say is unknown.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct PrintedUsage {
    prompt_tokens: Option<u64>,
    generated_tokens: Option<u64>,
    cached_tokens: Option<u64>,
    calls: Option<u32>,
    seconds: Option<f64>,
}

/// What a program prints that scores.
#[derive(Deserialize)]
struct PrintedScore {
    score: Value,
}

impl ProgramOrder {
    /// The run of a cell that failed `attempt` times before; none where a debate stands for the cell.
    pub fn of(admission: &EvalAdmission, cell: &Cell, attempt: u32) -> Option<Result<Self, String>> {
        if !cell.is_program() {
            return None;
        }
        let spec = &admission.spec;
        let question = usize::try_from(cell.question).ok().and_then(|at| spec.questions.get(at));
        let Some(question) = question else { return Some(Err(format!("there is no question {}", cell.question))) };
        let ordered = |program: &UserProgram, timeout, input: Value| Self {
            cell: cell.clone(),
            program: program.clone(),
            timeout,
            input: format!("{input}\n"),
            question: question.clone(),
            rehearsal: admission.rehearsal,
        };
        Some(match &cell.work {
            CellWork::Command { arm, budget } => match spec.commands.iter().find(|command| command.name == *arm) {
                Some(CommandArm { program, timeout_ms, .. }) => {
                    let seed = draw::whole(spec.seed, "program", &[arm, &cell.question, &cell.repetition, &attempt]);
                    let input =
                        answer_input(question, cell.repetition, seed, budget.map(|tokens| (tokens, spec.count)));
                    Ok(ordered(program, Duration::from_millis(*timeout_ms), input))
                }
                None => Err(format!("there is no command {arm}")),
            },
            CellWork::Grading { task: GradeTask::Score { answer }, .. } => match &spec.scorer {
                Some(program) => Ok(ordered(program, SCORER_TIMEOUT, score_input(question, answer))),
                None => Err("there is no program that scores".to_owned()),
            },
            CellWork::Grading { .. }
            | CellWork::Debate { .. }
            | CellWork::Isolated { .. }
            | CellWork::Samples { .. }
            | CellWork::BestOf { .. } => return None,
        })
    }

    /// What the run came to.
    pub fn facts(&self, ran: Result<PrintedOutput, ProgramFailure>) -> Facts {
        let facts = match (ran, self.cell.is_grading()) {
            (Ok(printed), true) => scored(&printed),
            (Ok(printed), false) => answered(&self.question, &printed),
            (Err(failure), _) => Err(failure),
        };
        let facts = facts.unwrap_or_else(|failure| self.failed(&failure));
        Facts { rehearsal: self.rehearsal, ..facts }
    }

    fn failed(&self, failure: &ProgramFailure) -> Facts {
        // nobody knows what a method used that failed; a program that scores uses nothing that is counted
        let asked = !self.cell.is_grading() && failure.fault != ProgramFault::NotStarted;
        let cost = if asked { unknown(&self.question, 1, None) } else { CellCost::default() };
        let ending = CellEnding::Failed { reason: failure.fault.as_str().to_owned() };
        Facts { ending, detail: Some(failure.to_string()), cost, ..Facts::default() }
    }
}

fn answer_input(question: &Question, repetition: u32, seed: u64, budget: Option<(u64, Count)>) -> Value {
    let mut input = Map::new();
    let mut put = |key: &str, value: Value| input.insert(key.to_owned(), value);
    put("question", json!(question.text));
    put("options", json!(question.options));
    put("context", json!(question.context));
    put("repetition", json!(repetition));
    put("seed", json!(seed));
    if let Some((tokens, count)) = budget {
        put("budget", json!(tokens));
        put("count", json!(count));
    }
    Value::Object(input)
}

fn score_input(question: &Question, answer: &str) -> Value {
    let Question { id, text, options, context, .. } = question;
    json!({
        "question": {"id": id, "text": text, "options": options, "context": context},
        "answer": answer,
        "gold": question.gold_texts(),
    })
}

fn output_failure(printed: &PrintedOutput, detail: String) -> ProgramFailure {
    ProgramFailure { fault: ProgramFault::Output, detail, complaint: printed.complaint.clone() }
}

/// One JSON object.
fn read<'p, T: Deserialize<'p>>(printed: &'p PrintedOutput, wanted: &str) -> Result<T, ProgramFailure> {
    let output = printed.output.trim();
    let wrong = |why: &str| output_failure(printed, format!("it printed {why}, not {wanted}"));
    if output.is_empty() {
        return Err(wrong("nothing"));
    }
    if !output.starts_with('{') {
        return Err(wrong("something else than one JSON object"));
    }
    serde_json::from_str(output).map_err(|error| wrong(&format!("bad JSON ({error})")))
}

fn scored(printed: &PrintedOutput) -> Result<Facts, ProgramFailure> {
    let PrintedScore { score } = read(printed, "{\"score\": NUMBER}")?;
    let in_range = score.as_f64().filter(|score| (0.0..=1.0).contains(score));
    let in_range =
        in_range.ok_or_else(|| output_failure(printed, format!("its score is {score}, not a number from 0 to 1")))?;
    Ok(Facts { ending: CellEnding::Answered, score: Some(in_range), ..Facts::default() })
}

fn answered(question: &Question, printed: &PrintedOutput) -> Result<Facts, ProgramFailure> {
    let PrintedAnswer { answer, usage } = read(printed, "{\"answer\": TEXT}")?;
    let wrong = |detail: String| output_failure(printed, detail);
    let answer = match answer {
        Value::Null => None,
        Value::String(text) => Some(question.as_option(text.trim())).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(question.as_option(&number.to_string())),
        Value::Bool(_) | Value::Array(_) | Value::Object(_) => {
            return Err(wrong("its answer is no text, number or null".to_owned()));
        }
    };
    if let Some(long) = answer.as_ref().map(String::len).filter(|bytes| *bytes > MOST_PROGRAM_ANSWER) {
        return Err(wrong(format!("its answer has {long} bytes; at most {MOST_PROGRAM_ANSWER} are allowed")));
    }
    let cost = cost(question, answer.as_deref(), &usage.unwrap_or_default()).map_err(wrong)?;
    let ending = match &answer {
        Some(_) => CellEnding::Answered,
        None => CellEnding::NoAnswer { reason: NONE_GIVEN.to_owned() },
    };
    Ok(Facts { ending, answer, cost, ..Facts::default() })
}

/// What a run cost by its own words.
fn cost(question: &Question, answer: Option<&str>, usage: &PrintedUsage) -> Result<CellCost, String> {
    let PrintedUsage { prompt_tokens, generated_tokens, cached_tokens, calls, seconds } = *usage;
    if seconds.is_some_and(|seconds| !seconds.is_finite() || seconds < 0.0) {
        return Err("`usage.seconds` is no number of 0 or more".to_owned());
    }
    if cached_tokens.zip(prompt_tokens).is_some_and(|(cached, prompt)| cached > prompt) {
        return Err("`usage.cached_tokens` is more than `usage.prompt_tokens`".to_owned());
    }
    let kinds = [("prompt_tokens", prompt_tokens), ("generated_tokens", generated_tokens)];
    if let Some((name, Some(tokens))) = kinds.into_iter().find(|(_, tokens)| *tokens > Some(MOST_REPORTED_TOKENS)) {
        return Err(format!("`usage.{name}` is {tokens}; at most {MOST_REPORTED_TOKENS} are allowed"));
    }
    let used = prompt_tokens > Some(0) || generated_tokens > Some(0) || seconds > Some(0.0);
    if calls == Some(0) && used {
        return Err(
            "`usage.calls` is 0, and tokens or seconds are above 0; leave `calls` out where it is unknown".to_owned()
        );
    }
    let calls = calls.unwrap_or(1);
    let estimate = unknown(question, calls, answer);
    let known = prompt_tokens.is_some() && generated_tokens.is_some();
    Ok(CellCost {
        calls,
        unknown_calls: if known { 0 } else { calls },
        prompt: prompt_tokens.unwrap_or(0),
        cached: cached_tokens,
        generated: generated_tokens.unwrap_or(0),
        estimated_prompt: if prompt_tokens.is_none() { estimate.estimated_prompt } else { 0 },
        estimated_generated: if generated_tokens.is_none() { estimate.estimated_generated } else { 0 },
        seconds,
        ..CellCost::default()
    })
}

/// Calls of which nothing is known, estimated by the plan's token rule.
fn unknown(question: &Question, calls: u32, answer: Option<&str>) -> CellCost {
    let (prompt, generated) = usual_program_call(question, answer);
    CellCost {
        calls,
        unknown_calls: calls,
        estimated_prompt: prompt.saturating_mul(calls.into()),
        estimated_generated: generated.saturating_mul(calls.into()),
        ..CellCost::default()
    }
}

/// What programs are called where arms are listed; no arm has a space in its name.
pub const SCORER: &str = "the scorer";

/// The debate whose tokens are the budget of a method of the user's own.
pub fn budget_debate<'a>(command: &'a CommandArm, debates: &'a [crate::DebateArm]) -> Option<&'a ArmName> {
    command.budget_of.as_ref().or_else(|| debates.first().map(|debate| &debate.name))
}

#[cfg(test)]
mod tests;
