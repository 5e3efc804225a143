//! Tries that did not go as far as others.
use crate::test_bench::{SECRET, admission, config, hold, lively, tool_use, with_try};
use agon_core::{Call, Failure, FailureCause};
use agon_telemetry::{Observer, Telemetry, TurnEnd, TurnPlayed};
use agon_testkit::{OtlpSink, SinkSpan};

async fn spans_of(tell: impl FnOnce(&Telemetry, TurnPlayed<'_>)) -> Vec<SinkSpan> {
    let sink = OtlpSink::start().unwrap();
    let telemetry = Telemetry::start(config(&sink)).unwrap();
    let held = hold(admission("oven-2026"), |_| None);
    with_try(&admission("oven-2026"), &held.played[0], |told| tell(&telemetry, told));
    assert!(telemetry.shutdown().await.complete);
    sink.spans()
}

fn names(spans: &[SinkSpan]) -> Vec<&str> {
    spans.iter().map(|span| span.name.as_str()).collect()
}

#[tokio::test]
async fn a_try_that_got_no_permit_called_nobody() {
    let (failure, call) = (Failure::new(FailureCause::Busy, "no permit came free"), Call::default());

    let spans = spans_of(|telemetry, told| {
        let end = TurnEnd::Failed(&failure);
        telemetry.turn_played(&TurnPlayed { end, sent: None, call: &call, admission: None, ..told });
    })
    .await;

    assert_eq!(names(&spans), ["process agon.gen"]);
    assert_eq!(spans[0].attributes["error.type"], "busy");
    assert_eq!(spans[0].error.as_deref(), Some("no permit came free"));
}

#[tokio::test]
async fn a_try_that_was_decided_elsewhere_is_in_vain_and_no_error() {
    let spans = spans_of(|telemetry, told| {
        telemetry.turn_played(&TurnPlayed { end: TurnEnd::Overtaken, won: None, ..told });
    })
    .await;

    assert_eq!(names(&spans), ["process agon.gen", "invoke_agent Ada", "chat gemma3:4b"]);
    assert_eq!(spans[0].attributes["agon.register.overtaken"], "true");
    assert!(spans.iter().all(|span| span.error.is_none()));
}

#[tokio::test]
async fn a_malformed_answer_is_the_agents_failure_and_not_the_calls() {
    let failure = Failure::new(FailureCause::Malformed, "no choice in the answer");

    let spans = spans_of(|telemetry, told| {
        telemetry.turn_played(&TurnPlayed { end: TurnEnd::Failed(&failure), ..told });
    })
    .await;

    let failed: Vec<&str> = spans.iter().filter(|span| span.error.is_some()).map(|span| span.name.as_str()).collect();
    assert_eq!(failed, ["process agon.gen", "invoke_agent Ada"]);
}

#[tokio::test]
async fn the_same_try_at_two_hosts_has_two_spans_under_one_parent() {
    let sink = OtlpSink::start().unwrap();
    let telemetry = Telemetry::start(config(&sink)).unwrap();
    let held = hold(admission("oven-2026"), |_| None);
    let cellar = agon_core::HostId::new("cellar");

    with_try(&admission("oven-2026"), &held.played[0], |told| {
        telemetry.turn_played(&told);
        telemetry.turn_played(&TurnPlayed { host: &cellar, ..told });
    });
    telemetry.shutdown().await;

    let spans = sink.spans();
    let tries: Vec<&SinkSpan> = spans.iter().filter(|span| span.name == "process agon.gen").collect();
    assert_eq!(tries[0].parent, tries[1].parent);
    assert_ne!(tries[0].span_id, tries[1].span_id);
}

#[tokio::test]
async fn every_use_of_a_tool_is_a_span_without_arguments_or_results() {
    let admission = lively("oven-2026");
    let tools =
        vec![tool_use("fs__read_file", None), tool_use("fs__invented", Some(SECRET)), tool_use(SECRET, Some(SECRET))];
    let call = Call { tools, ..Call::default() };

    let spans = spans_of(|telemetry, told| {
        telemetry.turn_played(&TurnPlayed { call: &call, admission: Some(&admission), content: None, ..told });
    })
    .await;

    let agent = spans.iter().find(|span| span.name == "invoke_agent Ada").unwrap();
    let tools: Vec<&SinkSpan> =
        spans.iter().filter(|span| span.parent == agent.span_id && span.kind == "internal").collect();
    let told: Vec<(&str, bool)> = tools.iter().map(|span| (span.name.as_str(), span.error.is_some())).collect();
    assert_eq!(told, [("execute_tool fs__read_file", false), ("execute_tool fs", true), ("execute_tool other", true)]);
    assert!(tools.iter().all(|span| span.end - span.start == 250_000_000));
    assert_eq!(tools[1].attributes["error.type"], "tool_error");
    assert!(!format!("{tools:?}").contains(SECRET));
}
