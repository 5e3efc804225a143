//! What a call is answered with, before it meets the wire.

use serde_json::{Value, json};

use crate::{
    cast::{self, Scene},
    fault::Fault,
    mind::MindedTurn,
    plan::{PlannedFailure, ReplyPlan},
    prompt::Brief,
    request::OllamaChatRequest,
    schema, token, tools,
};

/// A composed answer.
#[derive(Debug, Clone, PartialEq)]
pub struct CastAnswer {
    /// Text of the message.
    pub content: String,
    /// Thinking before it.
    pub thinking: String,
    /// Tool calls instead of it.
    pub tool_calls: Option<Value>,
    /// `stop` or `length`.
    pub reason: &'static str,
    /// Tokens of thinking and content.
    pub tokens: u64,
}

/// Composes the answer to a chat.
pub fn compose(
    asked: &OllamaChatRequest<'_>,
    brief: &Brief,
    (plan, mind): (&ReplyPlan, Option<MindedTurn>),
    seed: u64,
) -> CastAnswer {
    let mut scene = Scene::new(brief, seed, plan.behaviour);
    scene.mind = mind;
    let limit = asked.options.as_ref().and_then(|options| options.num_predict);
    let thinking = if wants_thinking(asked) { thoughts(&scene) } else { String::new() };
    // what is thought counts as well
    let budget = limit.and_then(|limit| u64::try_from(limit).ok());
    scene.budget = budget.map(|budget| budget.saturating_sub(token::count(&thinking)));
    let mut answer =
        CastAnswer { content: String::new(), thinking: String::new(), tool_calls: None, reason: "stop", tokens: 0 };
    if let Some(call) = tools::native_call(asked, &scene) {
        answer.tool_calls = Some(call);
    } else {
        answer.content = match &asked.format {
            Some(Value::Null) | None => cast::speak(&scene),
            Some(format) => structured(&scene, format),
        };
    }
    answer.thinking = thinking;
    answer.count();
    answer.suffer(plan.failure);
    answer.limit(limit);
    answer
}

/// An answer to `format`: a schema, or `"json"` for any object.
fn structured(scene: &Scene<'_>, format: &Value) -> String {
    let any = json!({ "type": "object" });
    let schema = if format.is_object() { format } else { &any };
    let wish = if tools::is_loop(schema) { tools::loop_turn(scene, schema) } else { cast::wish_for(scene, schema) };
    let (dice, texts) = cast::small_talk(scene, "structured");
    let value = if format.is_object() { schema::fit(schema, &wish, dice, texts) } else { wish };
    let fits = |value: &Value| scene.budget.is_none_or(|budget| token::count(&value.to_string()) <= budget);
    let value = if fits(&value) { value } else { schema::shorten(schema, value, fits) };
    value.to_string()
}

fn wants_thinking(asked: &OllamaChatRequest<'_>) -> bool {
    match &asked.think {
        Some(Value::Bool(think)) => *think,
        Some(Value::String(level)) => !level.is_empty(),
        _ => false,
    }
}

fn thoughts(scene: &Scene<'_>) -> String {
    let task = scene.brief.task.map_or("answer", |(_, title)| title);
    format!("I am asked for: {task}. I shall think about {} for as long as a script can.", scene.matter)
}

impl CastAnswer {
    /// A given text, as it comes out of a failure.
    pub fn plain(content: String, failure: Option<PlannedFailure>) -> Self {
        let mut answer = Self { content, thinking: String::new(), tool_calls: None, reason: "stop", tokens: 0 };
        answer.count();
        answer.suffer(failure);
        answer
    }

    /// The answer's words as they were generated.
    pub fn pieces(&self) -> (Vec<&str>, Vec<&str>) {
        (token::pieces(&self.thinking), token::pieces(&self.content))
    }

    fn count(&mut self) {
        let calls = self.tool_calls.as_ref().map_or(0, |calls| token::count(&calls.to_string()));
        self.tokens = token::count(&self.thinking) + token::count(&self.content) + calls;
    }

    /// The faults that are a matter of what is said.
    fn suffer(&mut self, failure: Option<PlannedFailure>) {
        let Some(failure) = failure else { return };
        match failure.kind {
            Fault::Malformed => {
                let kept: String = self.content.chars().take(self.content.chars().count() * 2 / 3).collect();
                self.content = format!("Sure! Here is the JSON: {kept}");
            }
            Fault::Empty => self.clear(),
            Fault::ThinkingOnly => {
                let thinking = "Let me think about this once more, from the beginning. ".repeat(6);
                self.clear();
                (self.thinking, self.reason) = (thinking, "length");
            }
            Fault::Truncated => {
                self.shorten(failure.after);
                self.reason = "length";
            }
            Fault::ErrorLine | Fault::Cut | Fault::Drop | Fault::Crash => self.shorten(failure.after),
            Fault::Slow | Fault::Busy | Fault::NotFound | Fault::RunnerDied | Fault::Hang | Fault::Uncounted => {}
            Fault::Sycophant | Fault::Stubborn | Fault::Persuader | Fault::OrderBiased | Fault::Hostile => {}
        }
        self.count();
    }

    fn clear(&mut self) {
        self.content.clear();
        self.thinking.clear();
        self.tool_calls = None;
    }

    /// Keeps the first `tokens` of thinking and content.
    fn shorten(&mut self, tokens: usize) {
        let (thinking, content) = self.pieces();
        let left = tokens.saturating_sub(thinking.len());
        let thinking = thinking.iter().take(tokens).copied().collect();
        let content = content.iter().take(left).copied().collect();
        (self.thinking, self.content) = (thinking, content);
    }

    /// `num_predict`: negative is no limit of interest.
    fn limit(&mut self, num_predict: Option<i64>) {
        let Some(limit) = num_predict.and_then(|limit| u64::try_from(limit).ok()) else { return };
        if self.tool_calls.is_none() && self.tokens > limit {
            self.shorten(usize::try_from(limit).unwrap_or(usize::MAX));
            self.reason = "length";
            self.count();
        }
    }
}
