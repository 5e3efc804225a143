//! From a performed job to the bytes of its answer.

use std::time::Duration;

use axum::{
    body::{Body, Bytes},
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::json;
use tokio::time::sleep;

use super::{AnswerText, ChatJob, DECODE_TOKEN, PREFILL_TOKEN, RUNNER_DIED, times};
use crate::{
    answer::CastAnswer,
    cache::Lease,
    fault::Fault,
    model::filler_pieces,
    playback::{Playback, Reel, ReelWriter, StreamEnd},
    wire::{FinalLine, Metrics, WireLines, json_response},
};

impl ChatJob {
    /// The figures of the last line: modelled times, and the waiting that really happened.
    pub fn measure(&self, queued: Duration, lease: Lease) -> Metrics {
        let config = &self.stage.config;
        let tokens = match &self.text {
            AnswerText::Filler(tokens) => u64::from(*tokens),
            AnswerText::Composed(answer) => answer.tokens,
            AnswerText::Loaded(_) => return Metrics::default(),
        };
        let interval = self.token_interval();
        let prefill = if config.prefill_token.is_zero() { PREFILL_TOKEN } else { config.prefill_token };
        let pace = if interval.is_zero() { DECODE_TOKEN } else { interval };
        Metrics {
            queued,
            prompt: lease.prompt,
            cached: lease.cached,
            prefill: config.latency + self.plan.delay + times(prefill, lease.prompt - lease.cached),
            answer: tokens,
            decode: times(pace, tokens),
        }
    }

    /// Time between tokens: the call's own, else the server's.
    fn token_interval(&self) -> Duration {
        self.plan.pace.unwrap_or(self.stage.config.token_interval)
    }

    pub fn play(self, metrics: Metrics) -> Response {
        let line = WireLines::new(&self.model.name, self.shape);
        let config = &self.stage.config;
        let chunk = config.chunk_tokens.max(1);
        let pace = self.token_interval().saturating_mul(u32::try_from(chunk).unwrap_or(u32::MAX));
        let (reel, reason, said) = match self.text {
            AnswerText::Filler(tokens) => (self.model.filler(tokens, chunk).clone(), "stop", String::new()),
            AnswerText::Composed(answer) => (record(&line, &answer, chunk), answer.reason, answer.content),
            AnswerText::Loaded(reason) => (Reel::record(&line, &[], 1), reason, String::new()),
        };
        let mut last = String::new();
        let end = self.plan.failure.map_or(StreamEnd::Clean, |failure| match failure.kind {
            Fault::ErrorLine => {
                last = json!({ "error": RUNNER_DIED }).to_string() + "\n";
                StreamEnd::Scripted
            }
            Fault::Cut => StreamEnd::Scripted,
            Fault::Drop => {
                line.content(" never", &mut last);
                last.truncate(last.len() / 2);
                StreamEnd::Abort
            }
            Fault::Crash => StreamEnd::Crash(failure.gone),
            _ => StreamEnd::Clean,
        });
        if end == StreamEnd::Clean {
            let whole = FinalLine { content: "", thinking: "", tool_calls: None, reason };
            line.last(&whole, Some(&self.plan.reported(metrics)), &mut last);
        }
        let last = Some(Bytes::from(last)).filter(|last| !last.is_empty());
        let mut call = self.call;
        call.will_say(said);
        let body = Body::from_stream(Playback::new(reel, last, pace, end, call));
        ([(header::CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson"))], body).into_response()
    }

    pub async fn answer_whole(mut self, metrics: Metrics) -> Response {
        let decode = self.token_interval().saturating_mul(u32::try_from(metrics.answer).unwrap_or(u32::MAX));
        if !decode.is_zero() {
            sleep(decode).await;
        }
        let answer = match &self.text {
            AnswerText::Filler(tokens) => CastAnswer::plain(filler_pieces(*tokens).concat(), None),
            AnswerText::Composed(answer) => answer.clone(),
            AnswerText::Loaded(reason) => CastAnswer { reason, ..CastAnswer::plain(String::new(), None) },
        };
        let line = WireLines::new(&self.model.name, self.shape);
        let (content, thinking) = (answer.content.as_str(), answer.thinking.as_str());
        let whole = FinalLine { content, thinking, tool_calls: answer.tool_calls.as_ref(), reason: answer.reason };
        let mut body = String::new();
        match self.plan.failure.map(|failure| (failure.kind, failure.gone)) {
            Some((Fault::ErrorLine, _)) => return self.fail(StatusCode::INTERNAL_SERVER_ERROR, RUNNER_DIED),
            Some((Fault::Crash, gone)) => return self.crash(gone).await,
            Some((Fault::Cut, _)) => {
                line.last(&whole, None, &mut body);
                self.call.failed();
            }
            Some((Fault::Drop, _)) => {
                line.last(&whole, None, &mut body);
                body.truncate(char_boundary(&body, body.len() / 2));
                let half = Some(Bytes::from(body));
                let stream =
                    Playback::new(Reel::record(&line, &[], 1), half, Duration::ZERO, StreamEnd::Abort, self.call);
                return Body::from_stream(stream).into_response();
            }
            _ => {
                line.last(&whole, Some(&self.plan.reported(metrics)), &mut body);
                self.call.will_say(answer.content);
                self.call.finished(metrics.answer);
            }
        }
        json_response(StatusCode::OK, body.trim_end().to_owned())
    }
}

fn char_boundary(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

fn record(line: &WireLines, answer: &CastAnswer, chunk: usize) -> Reel {
    let (thinking, content) = answer.pieces();
    let mut recorder = ReelWriter::default();
    for part in thinking.chunks(chunk) {
        recorder.frame(part.len(), |out| line.thinking(&part.concat(), out));
    }
    if let Some(calls) = &answer.tool_calls {
        recorder.frame(usize::try_from(answer.tokens).unwrap_or(0), |out| line.tool_calls(calls, out));
    }
    recorder.pieces(line, &content, chunk);
    recorder.finish()
}
