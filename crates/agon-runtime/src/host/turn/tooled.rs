//! Turns of participants that may use tools on the way to their answer.
//!
//! A permit is held while the model generates and never while a tool runs. Generations and tools together may take what the
//! debate gives a turn; waiting for a further permit is not counted, and the turn's deadline bounds everything.
use super::answer::ServerTurn;
use super::ask::{CallAnswer, Generation};
use super::{NoAnswer, Play};
use crate::base::clock::millis;
use crate::base::config::HostConfig;
use crate::host::gate::Permit;
use crate::host::request::{self, Costs};
use agon_core::{Admission, Answer, Call, DebateSpec, Failure, FailureCause, ToolLimits, ToolUse};
use agon_llm::{ChatAnswer, ChatRequest, ToolCall, ToolSpec};
use agon_tools::{MAX_ARGUMENT_BYTES, ToolCallLimits, ToolError, ToolOutcome};
use room::ToolRoom;
use serde_json::Value;
use std::time::Duration;
use talk::{Talk, TalkStep};
use tokio::time::Instant;

mod room;
mod talk;

/// Characters of a function's name that are written down: models invent names.
const MOST_NAME_CHARS: usize = 128;

/// What a turn may use.
pub(super) struct Granted {
    /// By the names that the debate gives them.
    names: Vec<String>,
    functions: Vec<ToolSpec>,
}

/// What is left to a turn.
struct TurnBudget {
    calls: u32,
    time: Duration,
    limits: ToolLimits,
}
impl TurnBudget {
    fn of(spec: &DebateSpec) -> Self {
        let time = Duration::from_millis(spec.timeout_per_turn_ms);
        Self { calls: spec.tools.max_calls_per_turn, time, limits: spec.tools }
    }
    fn spend(&mut self, time: Duration) {
        self.time = self.time.saturating_sub(time);
    }
    fn of_one_tool(&self, room: ToolRoom) -> ToolCallLimits {
        let timeout = Duration::from_millis(self.limits.timeout_ms).min(self.time);
        let most = usize::try_from(self.limits.max_result_chars).unwrap_or(usize::MAX);
        ToolCallLimits { timeout, max_result_chars: room.of_result(most) }
    }
}

impl Play {
    /// The tools of the turn, if it has any. They are started here, before the turn holds a permit.
    pub(super) async fn tools(&self, turn: &ServerTurn<'_>, call: &mut Call) -> Result<Option<Granted>, NoAnswer> {
        let role = turn.admission.spec.role(&self.work.ask.participant);
        if role.is_none_or(|role| role.tools().is_empty()) {
            return Ok(None);
        }
        let prompt = self.prompt()?;
        let mut room = ToolRoom::of(request::room(&prompt, 0, turn.config));
        let (names, mut functions) = (prompt.tools, Vec::new());
        for name in &names {
            let started = Instant::now();
            let problem = match Box::pin(self.shared.toolbox.specs(std::slice::from_ref(name))).await {
                Ok(found) => {
                    let all = found.len();
                    let fitting = room.take(found);
                    let left_out = all - fitting.len();
                    functions.extend(fitting);
                    (left_out > 0).then(|| {
                        format!("{left_out} of {all} functions of `{name}` are not offered: the model's context has no room for them")
                    })
                }
                Err(error @ ToolError::UnknownTool { .. }) => {
                    return Err(
                        Failure::new(FailureCause::ToolMissing, format!("{}: {error}", self.host_state.id)).into()
                    );
                }
                Err(error) => Some(error.to_string()),
            };
            call.tools.extend(problem.map(|problem| ToolUse {
                tool: name.clone(),
                arguments: "{}".to_owned(),
                result: None,
                error: Some(problem),
                truncated: false,
                duration_ms: millis(started.elapsed()),
            }));
        }
        Ok((!functions.is_empty()).then_some(Granted { names, functions }))
    }

    /// Generates and uses tools by turns, until there is an answer.
    pub(super) async fn speak_with_tools(
        &self,
        turn: &ServerTurn<'_>,
        granted: Granted,
        call: &mut Call,
    ) -> Result<Answer, NoAnswer> {
        let native = self.host_state.calls_tools(&self.work.ask.model).await;
        call.digest = self.host_state.digest(&self.work.ask.model).await;
        let mut permit = Some(self.first_permit(turn.admission, call).await?);
        let Granted { names, functions } = granted;
        let mut talk = Talk::new(self.prompt()?, functions, native);
        let (mut left, mut costs) = (TurnBudget::of(&turn.admission.spec), Costs::default());
        loop {
            let permit = match permit.take() {
                Some(permit) => permit,
                None => self.next_permit(turn.admission, call).await?,
            };
            if !ToolRoom::beside(&talk, None, turn.config).holds_a_call() {
                left.calls = 0;
            }
            let (started, loaded) = (Instant::now(), call.timing.load_ms.map_or(Duration::ZERO, Duration::from_millis));
            let said =
                self.next_step(turn, NextGeneration { talk: &talk, left: &left, permit }, &mut costs, call).await?;
            let loading = call.timing.load_ms.map_or(Duration::ZERO, Duration::from_millis).saturating_sub(loaded);
            left.spend(started.elapsed().saturating_sub(loading));
            match said {
                StepOutcome::Answer(answer) => return Ok(answer),
                StepOutcome::Calls(answer, calls) => {
                    talk.asked(&answer, &calls);
                    for wanted in calls {
                        let limits = left.of_one_tool(ToolRoom::beside(&talk, Some(&answer), turn.config));
                        let outcome = self.use_tool(&names, &wanted, &limits, call).await;
                        left.calls = left.calls.saturating_sub(1);
                        left.spend(outcome.duration);
                        talk.heard(&answer, &wanted, &outcome);
                    }
                }
            }
        }
    }

    /// One generation. Watchers hear it once it is the answer, or while it comes where it can be nothing else.
    async fn next_step(
        &self,
        turn: &ServerTurn<'_>,
        next: NextGeneration<'_>,
        costs: &mut Costs,
        call: &mut Call,
    ) -> Result<StepOutcome, NoAnswer> {
        let NextGeneration { talk, left, permit } = next;
        let may_call = left.calls > 0;
        let first = call.prompt_hash.is_none();
        let mut request = self.request(turn.config, talk, left, turn.admission)?;
        self.host_state.check_prompt(&request, &self.work.ask.model).await?;
        self.host_state.make_room(&mut request, &self.work.ask.model, turn.admission.spec.budget.tokens.is_some());
        let bound = self.host_state.bound(&mut request, &self.work.ask.model);
        if first {
            call.prompt_hash = Some(talk.hash());
            call.options = request.options.clone();
            turn.told.sends(call, &request);
        }
        let plain = talk.is_native();
        let (mut generation, spec) =
            (Generation { turn, request, bound, permit, ear: None, plain }, &turn.admission.spec);
        if !may_call && talk.is_native() {
            generation.ear = self.ear(spec, call.options.max_tokens);
            let said = self.generate_once(generation, costs, call).await?;
            return Ok(StepOutcome::Answer(said.into_answer(self, turn, call)?));
        }
        let answer = match self.generate_unheard(generation, costs, call).await? {
            CallAnswer::Whole(answer) => answer,
            CallAnswer::Cut(answer) => return Ok(StepOutcome::Answer(answer)),
        };
        match talk.read(&answer, left.calls) {
            Ok(TalkStep::Calls(calls)) => Ok(StepOutcome::Calls(answer, calls)),
            Ok(TalkStep::Answer(text)) => {
                turn.told.answered(&answer);
                let read = self.read(turn.admission, &text, call)?;
                self.tell_whole(&text).await;
                Ok(StepOutcome::Answer(read))
            }
            Err(malformed) => Err(Failure::new(FailureCause::Malformed, malformed.to_string()).into()),
        }
    }

    fn request(
        &self,
        config: &HostConfig,
        talk: &Talk,
        left: &TurnBudget,
        admission: &Admission,
    ) -> Result<ChatRequest, Failure> {
        if left.time.is_zero() {
            let limit = admission.spec.timeout_per_turn_ms;
            let detail = format!("{}: generating and using tools took the turn's {limit} ms", self.host_state.id);
            return Err(Failure::new(FailureCause::Timeout, detail));
        }
        let (prompt, added) = talk.prompt(left.calls > 0);
        request::check_context(&prompt, added, config)?;
        let mut request = request::build(prompt, &self.work.ask, config, &admission.spec);
        request.timeouts.turn = Some(left.time);
        talk.complete(&mut request, left.calls > 0);
        Ok(request)
    }

    /// A further permit. The turn has left the line, and what it waits now adds to what it waited before.
    async fn next_permit(&self, admission: &Admission, call: &mut Call) -> Result<Permit, NoAnswer> {
        self.permit(admission, Instant::now(), call).await
    }

    /// One use of a tool, written down whatever comes of it.
    async fn use_tool(
        &self,
        names: &[String],
        wanted: &ToolCall,
        limits: &ToolCallLimits,
        call: &mut Call,
    ) -> ToolOutcome {
        let outcome = self.shared.toolbox.call(names, &wanted.name, wanted.arguments.clone(), limits).await;
        let failed = outcome.is_error();
        call.tools.push(ToolUse {
            tool: wanted.name.chars().take(MOST_NAME_CHARS).collect(),
            arguments: written(&wanted.arguments),
            result: (!failed).then(|| outcome.text.clone()),
            error: failed.then(|| outcome.text.clone()),
            truncated: outcome.truncated,
            duration_ms: millis(outcome.duration),
        });
        outcome
    }
}

/// What the next generation needs.
struct NextGeneration<'a> {
    talk: &'a Talk,
    left: &'a TurnBudget,
    permit: Permit,
}

/// What a generation gave.
enum StepOutcome {
    Answer(Answer),
    /// The model wants these called, and the answer in which it says so.
    Calls(ChatAnswer, Vec<ToolCall>),
}

/// Arguments as the log holds them: no tool takes more than these.
fn written(arguments: &Value) -> String {
    let text = arguments.to_string();
    if text.len() <= MAX_ARGUMENT_BYTES {
        return text;
    }
    let head: String = text.chars().take(MOST_NAME_CHARS).collect();
    Value::String(format!("{head}... and {} bytes more", text.len() - head.len())).to_string()
}
