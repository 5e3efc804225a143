//! Debates of a bakery, written as a coordinator would.
pub use agon_core::testing::{LogBuilder as Log, ReachedVerdict, START, argument};
use agon_core::testing::{admission, full_spec, judge, moderator};
use agon_core::*;

pub fn admitted(spec: DebateSpec) -> Log {
    admitted_as(spec, false)
}

pub fn admitted_as(spec: DebateSpec, rehearsal: bool) -> Log {
    let (seed, agon_version) = (424_242, "0.1.0".to_owned());
    let id = "0198c0de-0000-7000-8000-000000000001";
    let mut log = Log::new(Admission { seed, agon_version, rehearsal, ..admission(id, spec) });
    log.model = "gemma3:4b";
    log
}

pub fn voice(who: &str) -> Voice {
    let model = match who {
        MODERATOR | JUDGE => "qwen3:8b",
        "Bruno" => "llama3.2:3b",
        _ => "gemma3:4b",
    };
    Voice { temperature: Some(0.7), ..agon_core::testing::voice(model, 1024) }
}

pub fn persona(name: &str, stance: Option<&str>, role: &str) -> Persona {
    Persona { role: Some(role.to_owned()), voice: voice(name), ..agon_core::testing::persona(name, stance) }
}

/// A judged debate with a moderator.
pub fn spec(topic: &str, personas: Vec<Persona>) -> DebateSpec {
    DebateSpec {
        topic: topic.to_owned(),
        max_rounds: 2,
        personas,
        moderator: Some(Moderator { voice: voice(MODERATOR), ..moderator() }),
        judge: Some(Judge { orders: 2, voice: voice(JUDGE), ..judge() }),
        timeout_per_turn_ms: 90_000,
        outputs: vec![Output::FullMarkdown],
        ..full_spec()
    }
}
