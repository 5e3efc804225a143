//! What is fed.
use crate::dice::SplitMix;
use crate::{expressions, files, mcp, replies, schemas, wire};

/// A reader of what comes from outside.
pub struct Target {
    /// Its name on the command line.
    pub name: &'static str,
    /// Makes an input.
    pub make: fn(&mut SplitMix) -> Vec<u8>,
    /// Reads an input; it may refuse it in any way but a panic.
    pub run: fn(&[u8]),
}

/// A fault that is there to be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Plant {
    /// A panic.
    Panic,
    /// A loop without an end.
    Hang,
    /// Memory without an end.
    Memory,
    /// Calls without an end.
    Stack,
}

/// All targets, and the planted one.
pub fn targets(plant: Option<Plant>) -> Vec<Target> {
    let target = |name, make, run| Target { name, make, run };
    let mut all = vec![
        target("file", files::make, files::run),
        target("alias", files::make_aliases, files::run),
        target("expression", expressions::make, expressions::run),
        target("schema", schemas::make, schemas::run),
        target("bus", wire::make_message, wire::run_message),
        target("record", wire::make_record, wire::run_record),
        target("rest", wire::make_json, wire::run_json),
        target("ollama", replies::make_ollama, replies::run_ollama),
        target("openai", replies::make_openai, replies::run_openai),
        target("answer", replies::make_answer, replies::run_answer),
        target("mcp", mcp::make, mcp::run),
    ];
    all.extend(plant.map(|plant| {
        let run: fn(&[u8]) = match plant {
            Plant::Panic => |input| assert!(input.first() != Some(&7), "planted"),
            Plant::Hang => |input| while input.first() == Some(&7) {},
            Plant::Memory => |input| {
                let mut held = Vec::new();
                while input.first() == Some(&7) {
                    held.push(vec![1_u8; 1 << 20]);
                }
            },
            Plant::Stack => |input| {
                if input.first() == Some(&7) {
                    println!("{}", deep(1));
                }
            },
        };
        target("planted", |dice| vec![u8::try_from(dice.below(20)).unwrap_or_default()], run)
    }));
    all
}

fn deep(level: u64) -> u64 {
    let below = if level == 0 { 0 } else { deep(std::hint::black_box(level + 1)) };
    below + level
}
