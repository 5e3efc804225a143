//! What the tests of tools share.

use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agon_llm::{
    CallTimeouts, ChatAnswer, ChatError, ChatErrorKind, ChatModel, ChatRequest, DeltaSink, Endpoint, LoadedModel,
    ModelDetails, ModelInfo, SecretString, ServerVersion,
};
use agon_tools::{FindModel, ToolCallLimits, ToolConfig, ToolOutcome, Toolbox, no_models};
use serde_json::Value;

/// A toolbox of the settings `config`.
pub fn toolbox(config: Value) -> Toolbox {
    toolbox_with(config, no_models())
}

/// A toolbox whose tools ask the models that `find` gives.
pub fn toolbox_with(config: Value, find: FindModel) -> Toolbox {
    let tools = serde_json::from_value::<std::collections::BTreeMap<String, ToolConfig<String>>>(config).unwrap();
    let keyed = |tool: ToolConfig<String>| tool.with_keys(|key| Ok::<_, ()>(SecretString::from(key))).unwrap();
    Toolbox::new(tools.into_iter().map(|(name, tool)| (name, keyed(tool))).collect(), find).unwrap()
}

/// Calls `function` with every tool granted and plenty of time.
pub async fn call(toolbox: &Toolbox, function: &str, arguments: Value) -> ToolOutcome {
    call_within(toolbox, function, arguments, Duration::from_secs(60)).await
}

/// Calls `function` with every tool granted.
pub async fn call_within(toolbox: &Toolbox, function: &str, arguments: Value, timeout: Duration) -> ToolOutcome {
    let granted = toolbox.names().map(str::to_owned).collect::<Vec<_>>();
    toolbox.call(&granted, function, arguments, &ToolCallLimits { timeout, ..ToolCallLimits::default() }).await
}

/// The code of the failure of `outcome`.
pub fn code(outcome: &ToolOutcome) -> &'static str {
    outcome.failure.as_ref().map_or("none", |failure| failure.code())
}

/// Waits for what has to happen, and fails the test when it does not.
pub async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(30), future).await.expect("it did not happen")
}

type AnswerFn = Arc<dyn Fn(&ChatRequest) -> Result<String, ChatErrorKind> + Send + Sync>;
type Embed = Arc<dyn Fn(&str) -> Option<Vec<f32>> + Send + Sync>;

/// A model that says what a test wants it to say.
pub struct ScriptedModel {
    pub answer: AnswerFn,
    /// A vector, or `None` to never answer.
    pub embed: Result<Embed, ChatErrorKind>,
    pub asked: Mutex<Vec<ChatRequest>>,
    endpoint: Endpoint,
}

impl ScriptedModel {
    pub fn answering(
        answer: impl Fn(&ChatRequest) -> Result<String, ChatErrorKind> + Send + Sync + 'static,
    ) -> Arc<Self> {
        Self::new(Arc::new(answer), Err(ChatErrorKind::NotFound))
    }

    pub fn embedding(embed: impl Fn(&str) -> Option<Vec<f32>> + Send + Sync + 'static) -> Arc<Self> {
        Self::new(Arc::new(|_| Err(ChatErrorKind::NotFound)), Ok(Arc::new(embed)))
    }

    fn new(answer: AnswerFn, embed: Result<Embed, ChatErrorKind>) -> Arc<Self> {
        Arc::new(Self { answer, embed, asked: Mutex::default(), endpoint: Endpoint::ollama("test").unwrap() })
    }

    /// Gives this model to whoever asks for `name`.
    pub fn named(self: &Arc<Self>, name: &'static str) -> FindModel {
        let model: Arc<dyn ChatModel> = Arc::clone(self) as _;
        Arc::new(move |wanted| (wanted == name).then(|| Arc::clone(&model)))
    }
}

#[async_trait::async_trait]
impl ChatModel for ScriptedModel {
    async fn chat(&self, request: &ChatRequest, _: &mut dyn DeltaSink) -> Result<ChatAnswer, ChatError> {
        self.asked.lock().unwrap().push(request.clone());
        let text = (self.answer)(request).map_err(failed)?;
        Ok(ChatAnswer { text, ..ChatAnswer::default() })
    }

    async fn embed(&self, _: &str, input: &[String]) -> Result<Vec<Vec<f32>>, ChatError> {
        let embed = self.embed.clone().map_err(failed)?;
        let vectors = input.iter().map(|text| embed(text)).collect::<Option<Vec<_>>>();
        match vectors {
            Some(vectors) => Ok(vectors),
            None => std::future::pending().await,
        }
    }

    async fn models(&self) -> Result<Vec<ModelInfo>, ChatError> {
        Ok(Vec::new())
    }

    async fn version(&self) -> Result<ServerVersion, ChatError> {
        Err(failed(ChatErrorKind::PathNotFound))
    }

    async fn show(&self, _: &str) -> Result<ModelDetails, ChatError> {
        Ok(ModelDetails::default())
    }

    async fn loaded(&self) -> Result<Vec<LoadedModel>, ChatError> {
        Ok(Vec::new())
    }

    async fn preload(&self, _: &str, _: Option<Duration>, _: CallTimeouts) -> Result<(), ChatError> {
        Ok(())
    }

    fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }
}

fn failed(kind: ChatErrorKind) -> ChatError {
    ChatError { kind, detail: String::new(), retry_after: None, usage: agon_core::Usage::default(), status: None }
}
