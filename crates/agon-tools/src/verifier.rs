//! Verifiers: programs, or functions of MCP servers, that say whether a claim holds.

mod answer;
mod config;
mod program;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use agon_core::{CLAIM_CHARS, Check, CheckFailure, CheckResult};
use serde_json::json;
use tokio::time::{Instant, timeout};

use crate::config::name_problem;
use crate::text::clip;
use crate::{ConfigProblems, MAX_TOOLS, McpConfig, ToolCallLimits, ToolError, Toolbox};
pub use config::VerifierConfig;

/// How much of what a verifier answers is read.
const MAX_ANSWER: usize = 64 * 1024;

/// The verifiers of a host; cheap to clone.
#[derive(Clone, Default)]
pub struct Verifiers(Arc<VerifierParts>);

#[derive(Default)]
struct VerifierParts {
    verifiers: BTreeMap<String, Verifier>,
    toolbox: Toolbox,
}

struct Verifier {
    means: Means,
    timeout: Duration,
    max_output_chars: usize,
    most: (usize, usize),
}

/// What checks a claim.
enum Means {
    /// A program that is started for each claim.
    Program(McpConfig),
    /// A function of an MCP server: the tool, and the name by which models would call it.
    Function { tool: String, function: String },
}

/// Why a check has no result, and in words.
struct CheckError {
    cause: CheckFailure,
    words: String,
}

impl Verifiers {
    /// Takes the verifiers of a host; nothing is started yet. Those that are functions are called by way of `toolbox`.
    ///
    /// # Errors
    /// All that is wrong with the configuration, at once.
    pub fn new(configs: BTreeMap<String, VerifierConfig>, toolbox: Toolbox) -> Result<Self, ConfigProblems> {
        let (mut problems, mut verifiers) = (Vec::new(), BTreeMap::new());
        if configs.len() > MAX_TOOLS {
            problems.push(format!("verifiers: {} of them; at most {MAX_TOOLS}", configs.len()));
        }
        for (name, config) in configs {
            problems.extend(name_problem("verifier", &name).map(|problem| format!("verifiers: {problem}")));
            problems.extend(config.problems().into_iter().map(|problem| format!("verifiers.{name}: {problem}")));
            match Verifier::new(config, &toolbox) {
                Ok(verifier) => drop(verifiers.insert(name, verifier)),
                Err(problem) => problems.push(format!("verifiers.{name}: {problem}")),
            }
        }
        if !problems.is_empty() {
            return Err(ConfigProblems(problems));
        }
        Ok(Self(Arc::new(VerifierParts { verifiers, toolbox })))
    }

    /// The names that debates may use here.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.verifiers.keys().map(String::as_str)
    }

    /// How many claims a verifier checks in one speech, and in one debate.
    #[must_use]
    pub fn most(&self, name: &str) -> (usize, usize) {
        self.0.verifiers.get(name).map_or((0, 0), |verifier| verifier.most)
    }

    /// Has a claim checked, within `time` at the most. Only the verifier's own word is a result; whatever else happens is a failure.
    pub async fn check(&self, name: &str, claim: &str, time: Duration) -> Check {
        let started = Instant::now();
        let outcome = self.run(name, claim, time).await;
        let most = self.0.verifiers.get(name).map_or(0, |verifier| verifier.max_output_chars);
        let (result, words) = match outcome {
            Ok((result, output)) => (result, output),
            Err(CheckError { cause, words }) => (CheckResult::Failed { cause }, words),
        };
        // a failure is told in words of our own, which are short
        let (output, truncated) = if result.cause().is_none() { clip(&words, most) } else { clip(&words, MAX_WORDS) };
        let duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let claim = claim.chars().take(CLAIM_CHARS).collect();
        Check { verifier: name.to_owned(), claim, result, output, truncated, duration_ms }
    }

    async fn run(&self, name: &str, claim: &str, time: Duration) -> Result<(CheckResult, String), CheckError> {
        let Some(verifier) = self.0.verifiers.get(name) else {
            return Err(CheckError::new(CheckFailure::UnknownVerifier, format!("there is no verifier `{name}` here")));
        };
        if claim.chars().count() > CLAIM_CHARS {
            let words = format!("the claim has more than {CLAIM_CHARS} characters, of which these are the first");
            return Err(CheckError::new(CheckFailure::TooLarge, words));
        }
        let time = verifier.timeout.min(time);
        let said = match &verifier.means {
            Means::Program(program) => {
                let late = || {
                    let words = format!("the verifier `{name}` gave no result within {} s", time.as_secs_f32());
                    CheckError::new(CheckFailure::TimedOut, words)
                };
                timeout(time, program::run(name, program, claim)).await.unwrap_or_else(|_| Err(late()))?
            }
            Means::Function { tool, function } => {
                let limits = ToolCallLimits { timeout: time, max_result_chars: MAX_ANSWER };
                let granted = std::slice::from_ref(tool);
                let outcome = self.0.toolbox.call(granted, function, json!({ "claim": claim }), &limits).await;
                match outcome.failure {
                    Some(error) => return Err(error.into()),
                    None => outcome.text,
                }
            }
        };
        answer::read(&said).map_err(|problem| {
            let words = format!("the verifier `{name}` answered what is no result: {problem}");
            CheckError::new(CheckFailure::Malformed, words)
        })
    }
}

/// Characters of the words of a failure, in which an MCP server may have its say.
const MAX_WORDS: usize = 1_000;

impl Verifier {
    /// What is wrong with the rest of the settings is told by them.
    fn new(config: VerifierConfig, toolbox: &Toolbox) -> Result<Self, String> {
        let (timeout, max_output_chars) = (Duration::from_secs(config.timeout_seconds), config.max_output_chars);
        let most = (config.max_per_speech, config.max_per_debate);
        let means = match (&config.mcp, &config.function) {
            (Some(tool), Some(function)) => {
                let found = toolbox.mcp_function(tool, function);
                let function = found.ok_or_else(|| format!("mcp: there is no [tools.{tool}] with kind = \"mcp\""))?;
                Means::Function { tool: tool.clone(), function }
            }
            (_, _) => Means::Program(config.program()),
        };
        Ok(Self { means, timeout, max_output_chars, most })
    }
}

impl CheckError {
    fn new(cause: CheckFailure, words: String) -> Self {
        Self { cause, words }
    }
}
impl From<ToolError> for CheckError {
    fn from(error: ToolError) -> Self {
        let cause = match error {
            ToolError::UnknownTool { .. }
            | ToolError::UnknownFunction { .. }
            | ToolError::BadArguments { .. }
            | ToolError::Unavailable { .. } => CheckFailure::Unavailable,
            ToolError::TimedOut { .. } => CheckFailure::TimedOut,
            ToolError::Died { .. } => CheckFailure::Died,
            ToolError::TooLarge { .. } => CheckFailure::TooLarge,
            ToolError::Malformed { .. } => CheckFailure::Malformed,
            ToolError::Refused { .. } => CheckFailure::Refused,
        };
        Self { cause, words: error.to_string() }
    }
}

impl fmt::Debug for Verifiers {
    /// Names alone: commands and keys are nobody's business in a log.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Verifiers").field(&self.names().collect::<Vec<_>>()).finish()
    }
}
