use std::{io::ErrorKind, time::Duration};

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::{
    client::{HttpReply, post, send},
    support::{chat, prompt, start_with},
};

async fn once(fault: &str, stream: bool) -> HttpReply {
    let server = start_with(&format!("[[rules]]\nfault = \"{fault}\"\nwhen = {{ call = 1 }}\n")).await;
    let reply = post(server.addr(), "/api/chat", &chat(stream)).await.unwrap();
    assert_eq!(server.stats().cancelled_calls, 0, "a scripted failure is not a cancellation");
    let second = post(server.addr(), "/api/chat", &chat(stream)).await.unwrap();
    assert!(
        second.complete && second.status == 200 && second.last()["done"] == true,
        "the next call is well: {second:?}"
    );
    reply
}

#[tokio::test]
async fn busy_is_503_in_ollamas_words() {
    let reply = once("busy", true).await;
    assert_eq!(reply.status, 503);
    assert!(reply.json()["error"].as_str().unwrap().contains("maximum pending requests exceeded"));
}

#[tokio::test]
async fn not_found_is_404_and_a_dead_runner_500() {
    let reply = once("not_found", true).await;
    assert_eq!((reply.status, &reply.json()["error"]), (404, &json!("model 'm' not found")));
    let reply = once("runner_died", true).await;
    assert_eq!(reply.status, 500);
    assert!(reply.json()["error"].as_str().unwrap().contains("unexpectedly stopped"));
}

#[tokio::test]
async fn an_error_line_comes_after_some_tokens_of_a_good_stream() {
    let reply = once("error_line", true).await;
    assert_eq!((reply.status, reply.complete, reply.lines().len()), (200, true, 9));
    assert!(reply.last()["error"].is_string());
    assert_eq!(once("error_line", false).await.status, 500);
}

#[tokio::test]
async fn a_cut_stream_ends_well_formed_without_done() {
    let reply = once("cut", true).await;
    assert!(reply.complete && reply.lines().iter().all(|line| line["done"] == false));
    assert_eq!(once("cut", false).await.json()["done"], false);
}

#[tokio::test]
async fn a_dropped_stream_ends_in_the_middle_of_a_line() {
    let reply = once("drop", true).await;
    assert!(!reply.complete && reply.status == 200 && reply.error.is_none());
    assert_eq!(reply.lines().len(), 9);
    assert_eq!(reply.last(), Value::Null, "half a line is no JSON");
    assert!(!once("drop", false).await.complete);
}

#[tokio::test]
async fn a_truncated_answer_says_length() {
    let last = once("truncated", true).await.last();
    assert_eq!((&last["done_reason"], &last["eval_count"]), (&json!("length"), &json!(8)));
}

#[tokio::test]
async fn an_empty_answer_is_done_and_has_no_text() {
    let reply = once("empty", true).await;
    assert_eq!(
        (reply.text().as_str(), &reply.last()["done"], &reply.last()["eval_count"]),
        ("", &json!(true), &Value::Null)
    );
}

#[tokio::test]
async fn thinking_only_spends_the_budget_on_thinking() {
    let reply = once("thinking_only", true).await;
    assert!(reply.text().is_empty() && reply.lines()[0]["message"]["thinking"].is_string());
    assert_eq!(reply.last()["done_reason"], "length");
}

#[tokio::test]
async fn an_uncounted_answer_is_good_and_says_nothing_of_tokens() {
    for stream in [true, false] {
        let reply = once("uncounted", stream).await;
        let last = reply.last();
        assert!(!reply.text().is_empty() && last["done_reason"] == "stop" && last["total_duration"].is_number());
        for count in ["prompt_eval_count", "prompt_eval_cached_count", "eval_count"] {
            assert_eq!(last[count], Value::Null, "{last}");
        }
    }
}

#[tokio::test]
async fn malformed_breaks_only_json_that_a_schema_asked_for() {
    let server = start_with("[[rules]]\nfault = \"malformed\"\n").await;
    let plain = post(server.addr(), "/api/chat", &chat(true)).await.unwrap();
    assert!(!plain.text().contains("Here is the JSON"));
    let mut asked = chat(true);
    asked["format"] =
        json!({ "type": "object", "properties": { "choice": { "type": "string" } }, "required": ["choice"] });
    let reply = post(server.addr(), "/api/chat", &asked).await.unwrap();
    assert!(serde_json::from_str::<Value>(&reply.text()).is_err() && reply.last()["done"] == true);
}

#[tokio::test]
async fn slow_delays_the_head_of_the_answer() {
    let server = start_with("[[rules]]\nfault = \"slow\"\ndelay = \"120ms\"\n").await;
    let since = Instant::now();
    let last = post(server.addr(), "/api/chat", &chat(true)).await.unwrap().last();
    assert!(since.elapsed() >= Duration::from_millis(120));
    assert!(last["prompt_eval_duration"].as_u64().unwrap() >= 120_000_000);
}

#[tokio::test]
async fn a_hanging_call_is_cancelled_when_its_client_goes() {
    let server = start_with("[[rules]]\nfault = \"hang\"\n").await;
    let stream = send(server.addr(), "POST", "/api/chat", &chat(true).to_string()).await.unwrap();
    while server.stats().in_flight == 0 {
        tokio::task::yield_now().await;
    }
    drop(stream);
    while server.stats().in_flight > 0 {
        tokio::task::yield_now().await;
    }
    assert_eq!((server.stats().cancelled_calls, server.stats().finished_calls), (1, 0));
}

#[tokio::test]
async fn a_crash_resets_every_connection_refuses_new_ones_and_then_is_over() {
    let script = "[[rules]]\nfault = \"hang\"\nwhen = { speaker = \"Ben\", first = 1 }\n\
        [[rules]]\nfault = \"crash\"\nfor = \"1s\"\nwhen = { speaker = \"Ada\", call = 1 }\n";
    let server = start_with(script).await;
    let addr = server.addr();
    let ben = json!({ "model": "m", "messages": prompt("Ben", "argument", "") });
    let bystander = tokio::spawn(async move { post(addr, "/api/chat", &ben).await });
    while server.stats().in_flight == 0 {
        tokio::task::yield_now().await;
    }
    let crashed = post(addr, "/api/chat", &chat(true)).await;
    assert_eq!(crashed.unwrap_err().kind(), ErrorKind::ConnectionReset);
    assert_eq!(bystander.await.unwrap().unwrap_err().kind(), ErrorKind::ConnectionReset);
    assert_eq!(post(addr, "/api/chat", &chat(true)).await.unwrap_err().kind(), ErrorKind::ConnectionRefused);
    let back = tokio::time::timeout(Duration::from_secs(10), async {
        loop {
            if let Ok(reply) = post(addr, "/api/chat", &chat(true)).await {
                return reply;
            }
        }
    });
    assert_eq!(back.await.unwrap().last()["done"], true);
    assert_eq!(server.stats().cancelled_calls, 0);
}

#[tokio::test]
async fn a_crash_may_come_in_the_middle_of_a_stream() {
    let server = start_with("[[rules]]\nfault = \"crash\"\nfor = \"50ms\"\nafter = 5\n").await;
    let reply = post(server.addr(), "/api/chat", &chat(true)).await.unwrap();
    assert!(!reply.complete && reply.lines().len() == 5, "{reply:?}");
    assert_eq!(reply.error, Some(ErrorKind::ConnectionReset));
}

#[tokio::test]
async fn rules_pick_their_speaker_and_task() {
    let server = start_with("[[rules]]\nfault = \"busy\"\nwhen = { speaker = \"Ben\", task = \"closing\" }\n").await;
    let status = async |speaker: &str, task: &str| {
        let body = json!({ "model": "m", "messages": prompt(speaker, task, "") });
        post(server.addr(), "/api/chat", &body).await.unwrap().status
    };
    assert_eq!(status("Ben", "argument").await, 200);
    assert_eq!(status("Ada", "closing statement").await, 200);
    assert_eq!(status("Ben", "closing statement").await, 503);
}
