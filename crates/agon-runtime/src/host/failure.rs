//! What a failed call means for the turn, for the log and for the breaker.
use crate::base::clock::millis;
use crate::host::contexts::Bound;
use crate::host::gate::{Absence, CallReport, FailingCalls, PermitRefusal, ServerAway, ServerSight, Why};
use agon_core::breaker::CallEnd;
use agon_core::{Failure, FailureCause, HostId, ModelName, Timestamp};
use agon_llm::{ChatAnswer, ChatError, ChatErrorKind, EndpointKind};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// The failure that the log shall hold for a call that gave no answer.
pub(crate) fn of_call(error: &ChatError, host: &HostId) -> Failure {
    let detail = format!("{host}: {error}");
    let retry_after_ms = error.retry_after.map(millis);
    Failure { cause: cause(&error.kind), detail, retry_after_ms }
}

/// The same of a call whose answer was bounded by the room that the context had: that an answer is cut there is no fault of the model.
pub(crate) fn of_bounded_call(error: &ChatError, bound: Option<Bound>, host: &HostId) -> Failure {
    let cut = matches!(error.kind, ChatErrorKind::Truncated { .. } | ChatErrorKind::BudgetEaten { .. });
    let Some(Bound { prompt, room, context }) = bound.filter(|_| cut) else { return of_call(error, host) };
    let why = format!("{host}: {error}: a prompt of about {prompt} tokens leaves {room} of a context of {context}");
    Failure::new(FailureCause::ContextOverflow, why)
}

/// How many models a failure names.
const NAMED: usize = 10;

/// Adds which models a server has instead of one that it has not, as far as that is known. What Ollama lacks can be pulled.
pub(crate) fn name_others(failure: &mut Failure, asked: &ModelName, kind: EndpointKind, known: &[ModelName]) {
    let others: Vec<&str> = known.iter().filter(|name| *name != asked).map(ModelName::as_str).collect();
    if failure.cause != FailureCause::NotFound || kind == EndpointKind::Ollama || others.is_empty() {
        return;
    }
    let more = if others.len() > NAMED { ", …" } else { "" };
    let named = others.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
    failure.detail.push_str(&format!("; it offers {named}{more}"));
}

/// The failure of a call for embeddings.
pub(crate) fn of_embedding(error: &ChatError, host: &HostId) -> Failure {
    match embeds(error) {
        true => of_call(error, host),
        false => Failure::new(FailureCause::BadRequest, format!("{host}: the model gives no embeddings: {error}")),
    }
}

/// What the gate is told of it.
pub(crate) fn end_of_embedding(error: &ChatError) -> CallReport {
    if embeds(error) { end_of(error) } else { CallReport::NEUTRAL }
}

/// Servers refuse embeddings of a model that has none as something that they have not implemented.
fn embeds(error: &ChatError) -> bool {
    error.status != Some(501)
}

fn cause(kind: &ChatErrorKind) -> FailureCause {
    use ChatErrorKind as Kind;
    match kind {
        Kind::Busy | Kind::Loading => FailureCause::Busy,
        Kind::NotFound => FailureCause::NotFound,
        // an address that is not a model server's answers so to every request
        Kind::PathNotFound | Kind::BadRequest => FailureCause::BadRequest,
        Kind::ContextOverflow { .. } | Kind::SilentTruncation { .. } => FailureCause::ContextOverflow,
        Kind::Quota => FailureCause::Quota,
        Kind::Truncated { .. } | Kind::BudgetEaten { .. } => FailureCause::Truncated,
        Kind::Empty { .. } | Kind::Malformed | Kind::Refused => FailureCause::Malformed,
        Kind::Unauthorized => FailureCause::Unauthorized,
        Kind::Transport(_) => FailureCause::Transport,
        Kind::Timeout(_) => FailureCause::Timeout,
        Kind::Slow(_) => FailureCause::TooSlow,
        Kind::Server5xx | Kind::RunnerDied => FailureCause::ServerError,
        Kind::Cancelled => FailureCause::Cancelled,
    }
}

/// In which words a server failed the last call for each of its models.
#[derive(Debug, Default)]
pub(crate) struct RepeatedFailures(Mutex<BTreeMap<ModelName, String>>);

impl RepeatedFailures {
    /// What a call came to. A server that fails a model twice in the same words is there, and will fail it again: it refuses the call.
    pub(crate) fn judge(
        &self,
        model: &ModelName,
        outcome: Result<ChatAnswer, ChatError>,
    ) -> Result<ChatAnswer, ChatError> {
        let mut failed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match outcome {
            Err(error) if error.kind == ChatErrorKind::Server5xx && error.status == Some(500) => {
                let last = failed.insert(model.clone(), error.detail.clone());
                if last.is_none_or(|last| last != error.detail) {
                    return Err(error);
                }
                let detail =
                    format!("it fails this model with the same answer each time (status 500): {}", error.detail);
                Err(ChatError { kind: ChatErrorKind::BadRequest, detail, ..error })
            }
            Ok(answer) => {
                failed.remove(model);
                Ok(answer)
            }
            Err(error) => Err(error),
        }
    }
}

/// What the gate is told of it.
pub(crate) fn end_of(error: &ChatError) -> CallReport {
    let call = if error.counts_for_breaker() { CallEnd::Failure } else { CallEnd::Neutral };
    CallReport { call, busy: matches!(error.kind, ChatErrorKind::Busy), sight: sight(error) }
}

/// What a failed call saw of its server.
fn sight(error: &ChatError) -> ServerSight {
    if error.is_away() {
        let why = match error.kind {
            ChatErrorKind::Loading => Why::Loading,
            ChatErrorKind::Busy => Why::Unavailable,
            _ => Why::Refused,
        };
        let pause = error.retry_after.map_or(0, millis);
        return ServerSight::Away(Absence { why, pause });
    }
    match error.kind {
        ChatErrorKind::Transport(_) => ServerSight::Broke,
        ChatErrorKind::Cancelled | ChatErrorKind::Timeout(_) => ServerSight::Nothing,
        _ => ServerSight::There,
    }
}

/// What a turn waits for, for a person.
pub(crate) fn waiting_for(host: &HostId, away: &ServerAway, now: Timestamp) -> String {
    format!("{host}: {} since {} s", away.why, now.since(away.since) / 1_000)
}

/// What is known of a model whose breaker may be open.
pub(crate) struct OpenBreaker<'a> {
    pub(crate) model: &'a ModelName,
    /// Where it is open.
    pub(crate) hosts: Vec<HostId>,
    /// Why calls fail at the host that tells it.
    pub(crate) failing: Option<FailingCalls>,
    pub(crate) now: Timestamp,
}

/// The failure of a turn that was not let in.
pub(crate) fn of_refusal(refusal: PermitRefusal, host: &HostId, open: &OpenBreaker<'_>) -> Failure {
    let model = open.model;
    match refusal {
        PermitRefusal::Full => Failure::new(FailureCause::Busy, format!("{host}: too many calls wait for {model}")),
        PermitRefusal::NoPermit => {
            Failure::new(FailureCause::Busy, format!("{host}: no call for {model} could start within the wait limit"))
        }
        PermitRefusal::Away(away) => Failure::new(FailureCause::ServerAway, waiting_for(host, &away, open.now)),
        PermitRefusal::Elsewhere => breaker_open(open),
        PermitRefusal::BreakerOpen(until) => {
            Failure { retry_after_ms: Some(until.since(open.now)), ..breaker_open(open) }
        }
    }
}

fn breaker_open(open: &OpenBreaker<'_>) -> Failure {
    let hosts: Vec<&str> = open.hosts.iter().map(HostId::as_str).collect();
    let mut detail = format!("the breaker for {} is open at {}", open.model, hosts.join(", "));
    if let Some(FailingCalls { since, last }) = &open.failing {
        let seconds = open.now.since(*since) / 1_000;
        detail.push_str(&format!("; calls fail since {seconds} s, the last one: {last}"));
    }
    Failure::new(FailureCause::BreakerOpen, detail)
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_llm::{TimeoutPhase, TransportFault};
    use std::time::Duration;

    #[test]
    fn every_kind_of_call_error_has_its_cause() {
        use ChatErrorKind as Kind;
        let cases = [
            (Kind::Busy, FailureCause::Busy),
            (Kind::Loading, FailureCause::Busy),
            (Kind::NotFound, FailureCause::NotFound),
            (Kind::PathNotFound, FailureCause::BadRequest),
            (Kind::BadRequest, FailureCause::BadRequest),
            (Kind::ContextOverflow { prompt_tokens: None, context: None }, FailureCause::ContextOverflow),
            (Kind::SilentTruncation { prompt_tokens: 1, expected: 2 }, FailureCause::ContextOverflow),
            (Kind::Quota, FailureCause::Quota),
            (Kind::Truncated { partial_chars: 1 }, FailureCause::Truncated),
            (Kind::BudgetEaten { thinking_chars: 1 }, FailureCause::Truncated),
            (Kind::Empty { thinking_chars: 0 }, FailureCause::Malformed),
            (Kind::Malformed, FailureCause::Malformed),
            (Kind::Unauthorized, FailureCause::Unauthorized),
            (Kind::Transport(TransportFault::Cut), FailureCause::Transport),
            (Kind::Timeout(TimeoutPhase::Idle), FailureCause::Timeout),
            (Kind::Server5xx, FailureCause::ServerError),
            (Kind::RunnerDied, FailureCause::ServerError),
            (Kind::Cancelled, FailureCause::Cancelled),
        ];

        for (kind, cause) in cases {
            let error = ChatError::new(kind, "words of the server");
            assert_eq!(of_call(&error, &HostId::from("gpu1")).cause, cause, "{error}");
        }
    }

    #[test]
    fn a_server_that_has_not_got_a_model_is_told_with_those_that_it_offers() {
        let missing = ChatError::new(ChatErrorKind::NotFound, "The model `x` does not exist.");
        let told = |kind, known: &[&str]| {
            let mut failure = of_call(&missing, &HostId::from("gpu1"));
            let known: Vec<ModelName> = known.iter().map(|name| (*name).into()).collect();
            name_others(&mut failure, &"x".into(), kind, &known);
            failure.detail
        };
        let plain = "gpu1: the server does not have the model: The model `x` does not exist.";
        assert_eq!(told(EndpointKind::OpenAi, &["a", "b", "x"]), format!("{plain}; it offers a, b"));
        for (kind, known) in [(EndpointKind::OpenAi, &["x"][..]), (EndpointKind::Ollama, &["a"])] {
            assert_eq!(told(kind, known), plain);
        }
        let many: Vec<String> = (0..=NAMED).map(|n| format!("m{n}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(told(EndpointKind::OpenAi, &many).ends_with(", m9, …"));
    }

    #[test]
    fn a_model_without_embeddings_is_no_fault_of_its_server() {
        let error = ChatError { status: Some(501), ..ChatError::new(ChatErrorKind::Server5xx, "no embeddings") };

        assert_eq!(of_embedding(&error, &HostId::from("gpu1")).cause, FailureCause::BadRequest);
        assert_eq!(end_of_embedding(&error), CallReport::NEUTRAL);
        let broken = ChatError { status: Some(500), ..error };
        assert_eq!(of_embedding(&broken, &HostId::from("gpu1")).cause, FailureCause::ServerError);
        assert_eq!(end_of_embedding(&broken).call, CallEnd::Failure);
    }

    #[test]
    fn the_servers_wish_and_words_are_kept() {
        let error =
            ChatError { retry_after: Some(Duration::from_secs(2)), ..ChatError::new(ChatErrorKind::Busy, "full") };

        let failure = of_call(&error, &HostId::from("gpu1"));

        assert_eq!(failure.retry_after_ms, Some(2_000));
        assert_eq!(failure.detail, "gpu1: the server is busy: full");
    }

    #[test]
    fn a_server_that_fails_a_model_twice_in_the_same_words_refuses_it() {
        let failed = |status: u16, detail: &str| {
            Err(ChatError { status: Some(status), ..ChatError::new(ChatErrorKind::Server5xx, detail) })
        };
        let (one, other) = (ModelName::from("one:1b"), ModelName::from("other:1b"));
        let repeated = RepeatedFailures::default();
        let refuses = |model: &ModelName, outcome: Result<ChatAnswer, ChatError>| {
            let error = repeated.judge(model, outcome).unwrap_err();
            let refuses = error.kind == ChatErrorKind::BadRequest;
            assert_eq!(end_of(&error).call == CallEnd::Neutral, refuses, "{error:?}");
            refuses
        };
        assert!(!refuses(&one, failed(500, "tokenizer: index out of range")));
        assert!(!refuses(&other, failed(500, "tokenizer: index out of range")), "another model");
        assert!(!refuses(&one, failed(500, "out of workers")), "other words");
        assert!(refuses(&one, failed(500, "out of workers")));
        assert!(refuses(&one, failed(500, "out of workers")), "until it answers");
        assert!(!refuses(&other, failed(502, "bad gateway")));
        assert!(!refuses(&other, failed(502, "bad gateway")), "a proxy whose server is away");
        assert!(repeated.judge(&one, Ok(ChatAnswer::default())).is_ok());
        assert!(!refuses(&one, failed(500, "out of workers")), "it has answered since");
    }
}
