//! What the observer is told of a try at a host, gathered while the try runs.
use crate::base::clock::millis;
use crate::base::config::HostConfig;
use crate::host::host_state::Answerer;
use crate::host::turn::Play;
use agon_core::{Admission, Call, Timestamp, TurnResult};
use agon_llm::{ChatAnswer, ChatMessage, ChatRequest, EndpointKind, MessageRole};
use agon_telemetry::{Content, ConversationMessage, ModelServer, TurnEnd, TurnPlayed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A try in the telling.
pub(crate) struct TurnReport<'a> {
    play: &'a Play,
    known: Mutex<TurnSoFar>,
}

/// What is known of it so far. Outlives a call that is aborted.
#[derive(Default)]
struct TurnSoFar {
    admission: Option<Arc<Admission>>,
    call: Call,
    sent: Option<Timestamp>,
    response_model: Option<String>,
    input: Vec<(&'static str, String)>,
    output: Option<String>,
}

impl<'a> TurnReport<'a> {
    pub(crate) fn new(play: &'a Play) -> Self {
        Self { play, known: Mutex::default() }
    }
    fn known(&self) -> MutexGuard<'_, TurnSoFar> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The log was read.
    pub(crate) fn admission(&self, admission: &Arc<Admission>) {
        self.known().admission = Some(admission.clone());
    }
    /// The call goes out.
    pub(crate) fn sends(&self, call: &Call, request: &ChatRequest) {
        let mut known = self.known();
        known.call = call.clone();
        known.sent = Some(self.play.shared.clock.now());
        if self.play.shared.observer.captures_content() {
            known.input = request.messages.iter().map(|said| (role(said), said.content.to_string())).collect();
        }
    }
    /// The model has answered.
    pub(crate) fn answered(&self, answer: &ChatAnswer) {
        let mut known = self.known();
        known.response_model.clone_from(&answer.model);
        if self.play.shared.observer.captures_content() {
            known.output = Some(answer.text.clone());
        }
    }

    /// The try has a result, which counts if it `won` the register.
    pub(crate) fn over(&self, result: &TurnResult, won: Option<bool>) {
        match result {
            TurnResult::Answered { call, .. } => self.tell(TurnEnd::Answered, call, won),
            TurnResult::Failed { failure, call } => self.tell(TurnEnd::Failed(failure), call, won),
            TurnResult::Withdrawn => {}
        }
    }
    /// The turn was decided elsewhere.
    pub(crate) fn overtaken(&self) {
        let call = self.known().call.clone();
        self.tell(TurnEnd::Overtaken, &call, None);
    }

    fn tell(&self, end: TurnEnd<'_>, call: &Call, won: Option<bool>) {
        let (work, shared) = (&self.play.work, &self.play.shared);
        let known = self.known();
        let ended = shared.clock.now();
        let server = match &self.play.host_state.player {
            Answerer::Server(config) => Some(server(config)),
            Answerer::Seats => None,
        };
        let content = content(&known);
        shared.observer.turn_played(&TurnPlayed {
            debate: &work.debate,
            admission: known.admission.as_deref(),
            ask: &work.ask,
            host: &self.play.host_state.id,
            server: server.as_ref(),
            taken: Timestamp(ended.0.saturating_sub(millis(work.taken.elapsed()))),
            sent: known.sent,
            ended,
            call,
            response_model: known.response_model.as_deref(),
            end,
            won,
            content: content.as_ref(),
        });
    }
}

fn server(config: &HostConfig) -> ModelServer {
    let endpoint = config.client.endpoint();
    let provider = match endpoint.kind() {
        EndpointKind::Ollama => "ollama",
        EndpointKind::OpenAi => "openai-compatible",
    };
    ModelServer { provider, address: endpoint.host().to_owned(), port: endpoint.port() }
}

fn content(known: &TurnSoFar) -> Option<Content<'_>> {
    let input: Vec<_> = known.input.iter().map(|(role, text)| ConversationMessage { role, text }).collect();
    (!input.is_empty()).then_some(Content { input, output: known.output.as_deref() })
}

fn role(message: &ChatMessage) -> &'static str {
    match message.role {
        MessageRole::System => "system",
        MessageRole::User => "user",
        MessageRole::Assistant => "assistant",
        MessageRole::Tool => "tool",
    }
}
