use serde_json::{Value, json};

use agon_rehearsal::{RehearsalConfig, RehearsalServer};

pub async fn start(config: RehearsalConfig) -> RehearsalServer {
    RehearsalServer::start(config).await.unwrap()
}

pub async fn start_with(script: &str) -> RehearsalServer {
    start(RehearsalConfig { faults: script.parse().unwrap(), ..RehearsalConfig::default() }).await
}

/// A debate prompt of the layout that Agon sends.
pub fn prompt(speaker: &str, task: &str, transcript: &str) -> Value {
    let system = "Rules of the house.\n\n# Question\nShould we split the monolith?\n\n# Context\nWe are 5 people.\n";
    let user = format!(
        "# Debaters\n- Ada: for\n- Ben: against\n\n# Transcript\n{transcript}=== YOUR TURN ===\nYou are {speaker}.\n{}\nThis is round 1 of 3.\n",
        match task {
            "argument" => "Give your next speech now.",
            "closing statement" => "Give your closing statement now.",
            "private ballot (initial)" => "Cast a private ballot before the debate.",
            "interruption" => "Somebody is speaking, and what you have heard is quoted above.",
            "reflection" => "Make notes for yourself now.",
            other => panic!("no words for {other}"),
        }
    );
    json!([{ "role": "system", "content": system }, { "role": "user", "content": user }])
}

pub fn chat(stream: bool) -> Value {
    json!({ "model": "m", "stream": stream, "messages": prompt("Ada", "argument", "") })
}
