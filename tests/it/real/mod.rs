//! Agon with a real model: SmolLM2 of 135 million parameters at llama.cpp's server. It babbles, goes in circles and misses forms, as small
//! models do. What it says does not matter; what becomes of it does. `cargo xtask test --real` fetches both and sets `AGON_REAL`.
mod long;
mod short;

use crate::live::{LiveServer, check, ended, written};
use crate::support::{World, root};
use agon_testkit::{Process, free_port, http_get};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

const MODEL: &str = "smollm2";
/// What is debated, in few tokens: a processor reads a hundred in a second.
const TOPIC: &str = "topic: Should our office buy a coffee machine?\ntimeout_per_turn: 4m\n";

/// The model's server on a loopback port, one at a time.
struct ModelHost {
    port: u16,
    slots: u32,
    context: u32,
    process: Process,
}

impl ModelHost {
    /// Each slot has a share of the context.
    fn start(world: &World, slots: u32, context: u32) -> Self {
        let port = free_port().unwrap();
        Self { port, slots, context, process: serve(world, port, slots, context) }
    }

    /// Kills it, and starts it again at the same port.
    fn restart(&mut self, world: &World) {
        self.process.kill();
        self.process = serve(world, self.port, self.slots, self.context);
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    fn live(&self) -> LiveServer {
        LiveServer { url: self.url(), openai: true, model: MODEL.to_owned(), key: None }
    }

    /// Whether it is in the middle of an answer.
    fn is_answering(&self) -> bool {
        let slots = http_get(&format!("127.0.0.1:{}", self.port), "/slots").unwrap();
        let slots: Value = serde_json::from_str(&slots).unwrap();
        let is_answering =
            |slot: &Value| slot["is_processing"] == true && slot["next_token"][0]["n_decoded"].as_u64() > Some(3);
        slots.as_array().unwrap().iter().any(is_answering)
    }

    /// What came of a debate that is held to its end: whatever the model says, it has an outcome, and its log is whole.
    fn holds(&self, world: &World, id: &str, text: &str, more: &[&str]) -> Result<Value, String> {
        let file = world.file(&format!("{id}.yaml"), text);
        let args = [&["run", &file, "--model", MODEL, "--id", id, "--seed", "7", "--no-reports"], more].concat();
        let code = ended(self.live().start(world, &args, id)).code();
        let said = || format!("{id} ended with {code:?}\n{}{}", written(world, id, "out"), written(world, id, "err"));
        assert!(matches!(code, Some(0 | 2 | 3)), "{}", said());
        check(world, id);
        if code == Some(3) { Err(said()) } else { Ok(world.json(&["get", id, "--json"])) }
    }
}

fn serve(world: &World, port: u16, slots: u32, context: u32) -> Process {
    let packages = std::env::var("AGON_REAL").unwrap_or_default();
    assert!(Path::new(&packages).is_dir(), "the real model is missing; run: cargo xtask test --real");
    let mut command = Command::new("python3");
    command.arg(root().join("tests/it/real/serve.py")).args([u32::from(port), slots, context].map(|n| n.to_string()));
    command.env("PYTHONPATH", packages);
    let mut process = Process::start("the model's server", command, world.path("model.log")).unwrap();
    process.wait_for("listening").unwrap();
    process
}

/// Debaters with these stances, whose answers have so many tokens.
fn debaters(stances: &[&str], max_tokens: u32) -> String {
    let names = ["Ada", "Ben", "Cora", "Dan"];
    let each = names
        .iter()
        .zip(stances)
        .map(|(name, stance)| format!("- {{name: {name}, {stance}, max_tokens: {max_tokens}}}\n"));
    format!("personas:\n{}", each.collect::<String>())
}

/// The shortest debate with speeches and a judge: one speech of each.
fn short_debate() -> String {
    let phases = "max_rounds: 1\nphases: {opening_statements: false, final_statements: false}\nballots: none\n";
    let judge = "judge: {max_tokens: 600, orders: 1}\n";
    format!("{TOPIC}{phases}{judge}{}", debaters(&["stance: Buy one.", "stance: Buy none."], 60))
}
