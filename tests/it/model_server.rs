//! A model server that is killed again and again while debates run, and started anew at the same port.
use crate::support::{SHORT, World, agon, example};
use agon_testkit::{Rehearsal, free_port, until};
use serde_json::Value;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Debates at once.
const LANES: usize = 3;

/// So many debates and kills; `AGON_MODEL_SERVER_KILLS=100` makes a hundred of each.
fn counts() -> (usize, usize) {
    let asked = std::env::var("AGON_MODEL_SERVER_KILLS").ok().and_then(|text| text.parse().ok());
    asked.map_or((12, 10), |count| (count, count))
}

/// A number below `limit`, another one for each `n`.
fn drawn(n: usize, limit: u64) -> u64 {
    (n as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29) % limit
}

#[test]
fn debates_outlive_a_model_server_that_is_killed_and_started_again() {
    let ((debates, kills), world) = (counts(), World::new());
    let (next, over) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let (address, options) =
        (format!("127.0.0.1:{}", free_port().unwrap()), ["--token-interval", "2ms", "--latency", "30ms"]);
    let mut server = Rehearsal::start_at(&address, &agon(), &world.path(""), &options).unwrap();
    let url = server.url().to_owned();
    let killed = std::thread::scope(|scope| {
        for _ in 0..LANES {
            scope.spawn(|| {
                while let Some(n) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|n| *n < debates) {
                    hold(&world, n, &url);
                    over.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        kill_again_and_again(&mut server, kills, || over.load(Ordering::Relaxed) >= debates)
    });
    assert!(killed >= kills.min(5), "{killed} kills");
    let mut lost = 0;
    for n in 0..debates {
        let result = world.json(&["get", &format!("debate-{n}"), "--json"]);
        assert_eq!(result["state"], "succeeded", "{n}: {result}");
        let list = |name: &str| result[name].as_array().cloned().unwrap_or_default();
        // a turn whose answer breaks off in each of its tries is lost, and many in a row open the breaker
        let for_the_kills = |failure: &Value| failure["cause"] == "transport" || failure["cause"] == "breaker_open";
        assert!(list("failures").iter().chain(&list("missing_seats")).all(for_the_kills), "{n}: {result}");
        lost += list("missing_seats").len();
    }
    println!("{killed} kills during {debates} debates: all succeeded, {lost} seats lost");
    assert!(lost * 4 <= killed, "{lost} seats lost by {killed} kills");
}

fn hold(world: &World, n: usize, url: &str) {
    let (id, seed) = (format!("debate-{n}"), n.to_string());
    let args =
        ["run", &example(SHORT), "--ollama", url, "--seed", &seed, "--id", &id, "--json", "--quiet", "--no-reports"];
    // a run looks for its server before it begins, and may find it dead
    until("the debate has begun", Duration::from_secs(120), || {
        let said = world.agon(&args);
        match said.code {
            Some(0 | 2) => Ok(Some(())),
            Some(69) if !said.stderr.contains("paused") => Ok(None),
            _ => panic!("{n}: {said:?}"),
        }
    })
    .unwrap();
}

/// Kills the server after a number of calls, and starts it anew, until all debates are over; how often.
fn kill_again_and_again(server: &mut Rehearsal, kills: usize, over: impl Fn() -> bool) -> usize {
    for life in 0..kills {
        let calls = 3 + drawn(life, 12);
        let reached = || Ok((over() || server.count("chat_calls").unwrap_or(0) >= calls).then_some(()));
        until("enough calls", Duration::from_secs(120), reached).unwrap();
        if over() {
            return life;
        }
        server.process.kill();
        server.restart().unwrap();
    }
    until("all debates are over", Duration::from_secs(600), || Ok(over().then_some(()))).unwrap();
    kills
}
