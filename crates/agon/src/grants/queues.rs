//! What is read and taken from streams.
use agon_bus::subject::{Token, pattern, urgency};
use agon_core::{ModelName, Priority};
use agon_runtime::queue_token;

/// Reading logs: the last messages one by one, many through a consumer that is named and has a filter.
pub(super) fn log_reading(stream: &str) -> Vec<String> {
    vec![
        format!("$JS.API.STREAM.INFO.{stream}"),
        format!("$JS.API.STREAM.MSG.GET.{stream}"),
        format!("$JS.API.CONSUMER.CREATE.{stream}.*.agon.v1.log.>"),
        format!("$JS.API.CONSUMER.MSG.NEXT.{stream}.*"),
        format!("$JS.API.CONSUMER.DELETE.{stream}.*"),
    ]
}

/// Taking turns from the consumers of one name.
fn queue(consumer: &str, filter: &str) -> Vec<String> {
    vec![
        format!("$JS.API.CONSUMER.INFO.AGON_GEN.{consumer}"),
        format!("$JS.API.CONSUMER.CREATE.AGON_GEN.{consumer}.{filter}"),
        format!("$JS.API.CONSUMER.MSG.NEXT.AGON_GEN.{consumer}"),
        // as many tokens as the server sends: with more or fewer, another one would be read as the stream
        format!("$JS.ACK.AGON_GEN.{consumer}.*.*.*.*.*"),
        format!("$JS.ACK.*.*.AGON_GEN.{consumer}.*.*.*.*.*"),
    ]
}

/// Taking the turns of every model.
pub fn any_queue() -> Vec<String> {
    queue("*", "agon.v1.gen.>")
}

/// Taking the turns of one model, or of external participants.
pub fn queue_of(model: &Token) -> Vec<String> {
    let of = |priority: Priority| {
        queue(&format!("gen-{model}-{}", urgency(priority)), &pattern::generations(model, priority))
    };
    Priority::ALL.into_iter().flat_map(of).collect()
}

pub(super) fn seat_queue() -> Vec<String> {
    queue_of(&queue_token(&ModelName::from(ModelName::EXTERNAL), false))
}
