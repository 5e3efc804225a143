//! Every format with every turn order and every way to decide: what makes sense is held and checked, the rest is refused.
mod files;
mod invariants;
mod nats;

use crate::support::World;
use files::FormatFile;
use invariants::EventLog;
use std::sync::Mutex;

/// The formats, each with its example file.
pub const FORMATS: [&str; 7] =
    ["round_robin", "socratic", "bp_style", "fishbowl", "chain_of_thought", "open_fight", "critique_revision"];
const ORDERS: [&str; 5] = ["round_robin", "random", "priority_order", "reaction_triggered", "moderator"];
pub const STRATEGIES: [&str; 6] =
    ["judge", "vote", "ranked_reasons", "mediator_summary", "agent_closing", "no_consensus"];

/// Whether a turn order makes sense in a format: the table of docs/guide/formats/README.md.
fn order_fits(format: &str, order: &str) -> bool {
    match format {
        "round_robin" | "chain_of_thought" => true,
        "socratic" => ["round_robin", "random", "priority_order"].contains(&order),
        "fishbowl" => order != "moderator",
        _ => order == "round_robin",
    }
}

/// Whether a way to decide makes sense in a format.
fn strategy_fits(format: &str, strategy: &str) -> bool {
    format != "bp_style" || strategy != "agent_closing"
}

/// Does the work for each item on as many threads as there are cores, and fails after all if it failed for one.
pub fn each<T: Sync>(items: &[T], work: impl Fn(&T) + Sync) {
    let next = Mutex::new(items.iter());
    let failures = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let item = next.lock().unwrap().next();
                    let Some(item) = item else { return };
                    if let Err(told) = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(item))) {
                        failures.lock().unwrap().push(told);
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{} of {} failed; what was wrong stands above", failures.len(), items.len());
}

fn combinations() -> Vec<(&'static str, &'static str, &'static str)> {
    let orders = |format| ORDERS.map(|order| (format, order));
    let all = FORMATS.into_iter().flat_map(orders);
    all.flat_map(|(format, order)| STRATEGIES.map(|strategy| (format, order, strategy))).collect()
}

#[test]
fn each_format_is_held_in_each_turn_order_and_decided_in_each_way_that_makes_sense() {
    let world = World::new();
    let sensible: Vec<_> = combinations()
        .into_iter()
        .filter(|(format, order, strategy)| order_fits(format, order) && strategy_fits(format, strategy))
        .collect();
    assert!(sensible.len() > 100, "{}", sensible.len());

    // Each by a seed of its own; the rules of the formats are tested over many seeds in agon-core.
    let sensible: Vec<_> = (11_u32..).zip(sensible).collect();
    each(&sensible, |(seed, (format, order, strategy))| {
        let name = format!("{format}.{order}.{strategy}");
        let file = FormatFile::example(&world, format).ordered(order).decided(strategy);
        let home = World::new();
        let path = file.write(&home, &name);
        let said = home.agon(&["run", &path, "--rehearsal", "--seed", &seed.to_string(), "--jsonl", "--no-reports"]);
        assert!(matches!(said.code, Some(0 | 2)), "{name}: {said:?}\n{}", file.text());
        let log = EventLog::read(&name, &said.stdout);
        log.holds(format, order, strategy);
    });
}

#[test]
fn what_makes_no_sense_is_refused_with_the_reason() {
    let world = World::new();
    let senseless: Vec<_> = combinations()
        .into_iter()
        .filter(|(format, order, strategy)| !order_fits(format, order) || !strategy_fits(format, strategy))
        .collect();
    assert!(senseless.len() > 50, "{}", senseless.len());

    each(&senseless, |(format, order, strategy)| {
        let name = format!("{format}.{order}.{strategy}");
        let file = FormatFile::example(&world, format).ordered(order).decided(strategy);
        let path = file.write(&world, &name);
        let said = world.agon(&["check", &path]).code(64);
        let names_it = |key: &str| said.stdout.contains(key);
        let told = if order_fits(format, order) { names_it("consensus_strategy") } else { names_it("turn_mode") };
        assert!(told && names_it(format), "{name}: {}", said.stdout);
    });
}
