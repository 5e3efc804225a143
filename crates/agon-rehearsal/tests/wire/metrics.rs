use std::time::Duration;

use agon_rehearsal::{RehearsalConfig, RehearsalServer, Stats};
use serde_json::{Value, json};

use crate::{
    client::{get, post, send},
    support::{chat, prompt, start, start_with},
};

/// Speaks a debate turn by turn and returns each turn's last line.
async fn debate(server: &RehearsalServer, persona_first: bool) -> Vec<Value> {
    let (mut transcript, mut lasts) = (String::new(), Vec::new());
    for turn in 0..8 {
        let speaker = ["Ada", "Ben"][turn % 2];
        let mut messages = prompt(speaker, "argument", &transcript);
        if persona_first {
            let system = messages[0]["content"].as_str().unwrap();
            messages[0]["content"] = json!(format!("{speaker} is who you are.\n{system}"));
        }
        let reply = post(server.addr(), "/api/chat", &json!({ "model": "m", "messages": messages })).await.unwrap();
        transcript.push_str(&format!("### T{} | {speaker} | for\n<<<\n{}\n>>>\n", turn + 1, reply.text()));
        lasts.push(reply.last());
    }
    lasts
}

fn evaluated(last: &Value) -> u64 {
    last["prompt_eval_count"].as_u64().unwrap() - last["prompt_eval_cached_count"].as_u64().unwrap()
}

#[tokio::test]
async fn a_shared_head_costs_one_speech_a_turn_and_a_persona_first_prompt_everything() {
    let config = || RehearsalConfig { ram_cache_tokens: 0, ..RehearsalConfig::default() };
    let (shared, persona) = (start(config()).await, start(config()).await);
    let (cheap, dear) = (debate(&shared, false).await, debate(&persona, true).await);
    for turn in 1..8 {
        let speech = cheap[turn - 1]["eval_count"].as_u64().unwrap();
        assert!(evaluated(&cheap[turn]) < speech + 80, "turn {turn}: {}", cheap[turn]);
        assert!(dear[turn]["prompt_eval_cached_count"].as_u64().unwrap() < 10, "turn {turn}: {}", dear[turn]);
        assert!(cheap[turn]["prompt_eval_duration"].as_u64() < dear[turn]["prompt_eval_duration"].as_u64());
    }
    let sums = |stats: &Stats| (stats.naive_prompt_tokens, stats.evaluated_prompt_tokens, stats.cached_prompt_tokens);
    let (naive, evaluated_sum, cached) = sums(&shared.stats());
    assert_eq!(naive, evaluated_sum + cached);
    assert_eq!(evaluated_sum, cheap.iter().map(evaluated).sum::<u64>());
}

#[tokio::test]
async fn a_call_that_its_client_leaves_while_it_streams_is_cancelled() {
    let server =
        start(RehearsalConfig { token_interval: Duration::from_secs(3600), ..RehearsalConfig::default() }).await;
    let stream = send(server.addr(), "POST", "/api/chat", &chat(true).to_string()).await.unwrap();
    stream.readable().await.unwrap();
    drop(stream);
    while server.stats().in_flight > 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!((server.stats().cancelled_calls, server.stats().finished_calls), (1, 0));
}

#[tokio::test]
async fn calls_beyond_the_limit_wait_and_their_wait_is_in_no_figure_but_the_total() {
    let faults = "[[rules]]\nfault = \"slow\"\ndelay = \"60m\"\nwhen = { call = 1 }\n".parse().unwrap();
    let server = start(RehearsalConfig { parallel: Some(1), faults, ..RehearsalConfig::default() }).await;
    let addr = server.addr();
    let first = send(addr, "POST", "/api/chat", &chat(true).to_string()).await.unwrap();
    in_flight(&server, 1).await;
    let one_prompt = server.stats().naive_prompt_tokens;
    let ask = || tokio::spawn(async move { post(addr, "/api/chat", &chat(true)).await.unwrap().last() });
    let others = [ask(), ask()];
    in_flight(&server, 3).await;
    assert_eq!(server.stats().naive_prompt_tokens, one_prompt, "nobody else has been let in");
    drop(first);
    for call in others {
        let last = call.await.unwrap();
        let field = |name: &str| last[name].as_u64().unwrap();
        assert!(field("total_duration") > field("prompt_eval_duration") + field("eval_duration"), "{last}");
    }
    assert_eq!((server.stats().max_in_flight, server.stats().cancelled_calls), (3, 1));
}

async fn in_flight(server: &RehearsalServer, calls: u64) {
    while server.stats().in_flight != calls {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn hundreds_of_calls_at_once_are_all_answered() {
    let config = RehearsalConfig {
        answer_tokens: Some(200),
        model_cache: false,
        latency: Duration::from_millis(20),
        ..RehearsalConfig::default()
    };
    let server = start(config).await;
    let addr = server.addr();
    let calls: Vec<_> =
        (0..300).map(|_| tokio::spawn(async move { post(addr, "/api/chat", &chat(true)).await })).collect();
    for call in calls {
        assert_eq!(call.await.unwrap().unwrap().last()["eval_count"], 200);
    }
    assert_eq!((server.stats().finished_calls, server.stats().answer_tokens), (300, 60_000));
}

#[tokio::test]
async fn statistics_count_calls_bodies_and_tasks_until_they_are_reset() {
    let server = start(RehearsalConfig { fingerprints: true, ..RehearsalConfig::default() }).await;
    for stream in [true, true, false] {
        post(server.addr(), "/api/chat", &chat(stream)).await.unwrap();
    }
    let stats = server.stats();
    assert_eq!((stats.chat_calls, stats.streamed_calls, stats.finished_calls, stats.in_flight), (3, 2, 3, 0));
    assert_eq!((stats.calls_by_model["m"], stats.calls_by_task["argument"]), (3, 3));
    let mut repeats: Vec<u64> = stats.fingerprints.values().copied().collect();
    repeats.sort_unstable();
    assert_eq!(repeats, [1, 2]);
    let served: Stats = serde_json::from_value(get(server.addr(), "/rehearsal/stats").await.json()).unwrap();
    assert_eq!(served, stats);
    post(server.addr(), "/rehearsal/reset", &json!({})).await.unwrap();
    assert_eq!(server.stats(), Stats::default());
    let fresh = post(server.addr(), "/api/chat", &chat(true)).await.unwrap().last();
    assert_eq!(fresh["prompt_eval_cached_count"], 0, "a reset forgets the prompts too");
}

#[tokio::test]
async fn a_reset_starts_the_fault_script_over() {
    let server = start_with("[[rules]]\nfault = \"busy\"\nwhen = { call = 1 }\n").await;
    let status = async || post(server.addr(), "/api/chat", &chat(true)).await.unwrap().status;
    assert_eq!((status().await, status().await), (503, 200));
    post(server.addr(), "/rehearsal/reset", &json!({})).await.unwrap();
    assert_eq!(status().await, 503);
}

#[tokio::test]
async fn every_call_that_ends_is_written_down_with_the_hash_of_what_was_asked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("calls");
    let server = start(RehearsalConfig { calls: Some(path.clone()), ..RehearsalConfig::default() }).await;
    for body in [chat(true), chat(true), chat(false)] {
        post(server.addr(), "/api/chat", &body).await.unwrap();
    }
    let text = std::fs::read_to_string(path).unwrap();
    let calls: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(
        calls.iter().all(|call| call["how"] == "finished" && call["began_ms"].as_u64() <= call["ended_ms"].as_u64())
    );
    let bodies: Vec<&Value> = calls.iter().map(|call| &call["body"]).collect();
    assert!(bodies.len() == 3 && bodies[0] == bodies[1] && bodies[1] != bodies[2], "{bodies:?}");
}

#[tokio::test]
async fn every_body_is_recorded_as_it_came_and_only_in_a_folder_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let record = Some(folder.path().join("bodies"));
    let server = start(RehearsalConfig { record: record.clone(), ..RehearsalConfig::default() }).await;
    for body in [chat(true), chat(false)] {
        post(server.addr(), "/api/chat", &body).await.unwrap();
    }
    let recorded = |name: &str| std::fs::read_to_string(folder.path().join("bodies").join(name)).unwrap();
    assert_eq!(recorded("000001.json"), chat(true).to_string());
    assert_eq!(recorded("000002.json"), chat(false).to_string());
    let again = RehearsalServer::start(RehearsalConfig { record, ..RehearsalConfig::default() }).await;
    assert!(again.unwrap_err().to_string().ends_with("it is not empty"));
}
