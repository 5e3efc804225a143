//! The tree of a debate.
use crate::picture::draw;
use crate::test_bench::{LIMIT, admission, config, hold, hold_with, lively, stumble, tell, tell_the_play};
use agon_core::FailureCause;
use agon_telemetry::{Observer, SpanPlace, Telemetry, TelemetryConfig, TraceContext};
use agon_testkit::{OtlpSink, SinkSpan};
use std::collections::BTreeSet;

const UUID: &str = "0198c0de-0000-7000-8000-000000000001";

fn ids(spans: &[SinkSpan]) -> BTreeSet<&str> {
    spans.iter().map(|span| span.span_id.as_str()).collect()
}

#[tokio::test]
async fn a_debate_with_a_failure_and_its_retry_is_one_tree() {
    let sink = OtlpSink::start().unwrap();
    let telemetry = Telemetry::start(config(&sink)).unwrap();

    tell(&telemetry, &hold(admission(UUID), stumble));
    let flushed = telemetry.shutdown().await;

    let spans = sink.spans();
    assert!(flushed.complete, "{flushed:?}");
    assert_eq!(ids(&spans).len(), spans.len());
    assert!(spans.iter().all(|span| span.trace_id == UUID.replace('-', "")));
    insta::assert_snapshot!(draw(&spans));
}

#[tokio::test]
async fn hosts_and_coordinators_of_different_processes_make_one_tree() {
    let sink = OtlpSink::start().unwrap();
    let of = |service: &str| Telemetry::start(TelemetryConfig { service_name: service.to_owned(), ..config(&sink) });
    let (host, coordinator) = (of("agon-host").unwrap(), of("agon-coordinator").unwrap());
    let held = hold(admission("oven-2026"), stumble);

    tell_the_play(&host, &held);
    coordinator.debate_ended(&held.log);
    host.shutdown().await;
    coordinator.shutdown().await;

    let spans = sink.spans();
    let known = ids(&spans);
    assert_eq!(spans.iter().map(|span| &span.trace_id).collect::<BTreeSet<_>>().len(), 1);
    for span in &spans {
        let is_root = span.name == "invoke_workflow round_robin";
        assert_eq!(known.contains(span.parent.as_str()), !is_root, "{}", span.name);
    }
    let services: BTreeSet<&str> = spans.iter().map(|span| span.service.as_str()).collect();
    assert_eq!(services, BTreeSet::from(["agon-coordinator", "agon-host"]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_running_debate_shows_its_acceptance_and_its_turns() {
    let sink = OtlpSink::start().unwrap();
    let telemetry = Telemetry::start(config(&sink)).unwrap();

    tell_the_play(&telemetry, &hold(admission(UUID), |_| None));

    let live = sink.wait_for(|spans| spans.iter().any(|span| span.name == "debate.accepted"), LIMIT);
    telemetry.shutdown().await;
    assert!(live.iter().any(|span| span.name == "debate.accepted"));
    assert!(sink.spans().iter().any(|span| span.name == "chat gemma3:4b"));
    assert!(!sink.spans().iter().any(|span| span.name.starts_with("invoke_workflow")));
}

#[tokio::test]
async fn a_failed_debate_says_so_at_its_root() {
    let sink = OtlpSink::start().unwrap();
    let telemetry = Telemetry::start(config(&sink)).unwrap();
    let held = hold(admission(UUID), |ask| (ask.participant.as_str() != "moderator").then_some(FailureCause::NotFound));

    tell(&telemetry, &held);
    telemetry.shutdown().await;

    let spans = sink.spans();
    let root = spans.iter().find(|span| span.name.starts_with("invoke_workflow")).unwrap();
    assert_eq!(root.attributes["debate.state"], "failed");
    assert_eq!(root.attributes["error.type"], "quorum");
    assert!(root.error.is_some());
    assert!(!root.attributes.contains_key("gen_ai.usage.input_tokens") || root.attributes["debate.usage.calls"] != "0");
}

#[tokio::test]
async fn the_share_of_traced_debates_is_the_same_choice_everywhere() {
    let sink = OtlpSink::start().unwrap();
    let half = || Telemetry::start(TelemetryConfig { debate_ratio: 0.5, ..config(&sink) }).unwrap();
    let (one, other) = (half(), half());
    let debates = (0..64).map(|n| admission(&format!("0198c0de-0000-7000-8000-0000000000{n:02x}")));

    for admission in debates {
        let at = agon_core::Timestamp(0);
        one.debate_admitted(&admission, at);
        other.debate_admitted(&admission, at);
    }
    one.shutdown().await;
    other.shutdown().await;

    let spans = sink.spans();
    let traces: BTreeSet<&str> = spans.iter().map(|span| span.trace_id.as_str()).collect();
    assert_eq!(spans.len(), 2 * traces.len());
    assert!((16..=48).contains(&traces.len()), "{} of 64", traces.len());
}

#[tokio::test]
async fn the_header_that_travels_with_a_turn_names_its_span() {
    let sink = OtlpSink::start().unwrap();
    let telemetry = Telemetry::start(config(&sink)).unwrap();
    let held = hold(admission(UUID), |_| None);
    let (debate, turn) = (admission(UUID).id, held.played[0].ask.turn);

    let header = telemetry.traceparent(&debate, turn).unwrap();
    tell(&telemetry, &held);
    telemetry.shutdown().await;

    let context = TraceContext::parse(&header).unwrap();
    assert_eq!(context, TraceContext::of(&debate, SpanPlace::Turn(turn), true));
    let span_id: String = context.span_id().iter().map(|byte| format!("{byte:02x}")).collect();
    assert!(sink.spans().iter().any(|span| span.span_id == span_id && span.name == "send agon.gen"));
}

#[tokio::test]
async fn stages_are_events_of_their_round_and_last_words_are_phases() {
    let sink = OtlpSink::start().unwrap();
    let telemetry = Telemetry::start(config(&sink)).unwrap();

    tell(&telemetry, &hold(lively(UUID), |_| None));
    telemetry.shutdown().await;

    let spans = sink.spans();
    let root = spans.iter().find(|span| span.name == "invoke_workflow open_fight").unwrap();
    let mut phases: Vec<&SinkSpan> = spans.iter().filter(|span| span.parent == root.span_id).collect();
    phases.sort_by_key(|span| (span.start, span.end));
    let names: Vec<&str> = phases.iter().map(|span| span.name.as_str()).collect();
    let expected = ["debate.accepted", "debate.round", "debate.interjection", "debate.replies", "debate.conclusion"];
    assert_eq!(names[..5], expected);
    assert_eq!(names[5..], ["debate.decide", "debate.synthesis"]);
    let bids = "debate.stage debate.parallel=true debate.seats=2 debate.step=speaking";
    assert!(phases[1].events.iter().any(|event| event == bids), "{:?}", phases[1].events);
    assert_eq!(phases[1].attributes["debate.measure.method"], "words");
    let bid = spans.iter().find(|span| span.attributes.get("debate.task").is_some_and(|task| task == "bid")).unwrap();
    assert_eq!(bid.attributes["debate.task.kind"], "floor");
    assert_eq!(ids(&spans).len(), spans.len());
}

#[tokio::test]
async fn spans_say_why_a_debate_stood_still() {
    let sink = OtlpSink::start().unwrap();
    let telemetry = Telemetry::start(config(&sink)).unwrap();
    // another node goes on before the ballots, by other hosts, and the judge's server is busy at first
    let busy = |ask: &agon_core::Ask| matches!(ask.task.work, agon_core::Work::Judge { .. }) && ask.turn.attempt == 1;
    let busy = |ask: &agon_core::Ask| busy(ask).then_some(FailureCause::BreakerOpen);
    let held = hold_with(admission(UUID), busy, 5);

    tell(&telemetry, &held);
    telemetry.shutdown().await;

    let spans = sink.spans();
    let root = spans.iter().find(|span| span.name.starts_with("invoke_workflow")).unwrap();
    let [taken_over, waiting] = &root.events[..] else { panic!("{:?}", root.events) };
    assert_eq!(taken_over, "debate.taken_over debate.owner=node-2 debate.owner.previous=node-1",);
    assert!(waiting.starts_with("debate.waiting debate.turn="), "{waiting}");
    assert!(waiting.contains(" debate.wait=30 ") && waiting.ends_with(" error.type=breaker_open"), "{waiting}");
    let moved: Vec<(&str, &str)> = spans
        .iter()
        .flat_map(|span| {
            span.events.iter().map(|event| (span.attributes["gen_ai.conversation.id"].as_str(), event.as_str()))
        })
        .filter(|(_, event)| event.starts_with("debate.turn.moved"))
        .collect();
    // Ada, Bruno and nobody who was placed for the first time
    assert_eq!(moved, [(UUID, "debate.turn.moved agon.host=cellar agon.host.previous=attic"); 2]);
}
