//! `/metrics`.
use crate::test_bench::{admission, hold, lively, stumble, tell, tool_use, with_try};
use agon_core::{Call, HostId, Mode, ModelName};
use agon_telemetry::{
    CircuitState, EvalCellEnd, HostedModel, Observer, Permits, REVISION, Telemetry, TelemetryConfig, TurnPlayed,
};

fn telemetry() -> Telemetry {
    Telemetry::start(TelemetryConfig { log: None, ..TelemetryConfig::new("agon", "node-1") }).unwrap()
}

/// The value of the one series with this name and these labels.
fn value(text: &str, name: &str, labels: &[&str]) -> Option<f64> {
    let is_it = |line: &&str| {
        let (series, _) = line.rsplit_once(' ').unwrap();
        series.split('{').next() == Some(name) && labels.iter().all(|label| series.contains(label))
    };
    let mut lines = text.lines().filter(|line| !line.starts_with('#')).filter(is_it);
    let line = lines.next()?;
    assert!(lines.next().is_none(), "several {name} {labels:?} in\n{text}");
    line.rsplit_once(' ')?.1.parse().ok()
}

#[test]
fn a_debate_is_counted_and_measured() {
    let telemetry = telemetry();
    let held = hold(admission("oven-2026"), stumble);

    tell(&telemetry, &held);

    let text = telemetry.prometheus();
    let submitted = value(&text, "agon_debates_submitted_total", &[r#"format="round_robin""#, r#"priority="normal""#]);
    assert_eq!(submitted, Some(1.0), "{text}");
    let completed = [r#"state="succeeded""#, r#"outcome="decided""#];
    assert_eq!(value(&text, "agon_debates_completed_total", &completed), Some(1.0));
    assert_eq!(value(&text, "agon_rounds_total", &[]), Some(1.0));
    assert_eq!(value(&text, "agon_turn_failures_total", &[r#"cause="transport""#, r#"retried="true""#]), Some(1.0));
    assert_eq!(value(&text, "gen_ai_workflow_duration_seconds_count", &[r#"state="succeeded""#]), Some(1.0));
    assert_eq!(value(&text, "agon_debates_wait_seconds_count", &[]), Some(1.0));
}

#[test]
fn calls_are_measured_and_unknown_tokens_are_not_taken_for_zero() {
    let telemetry = telemetry();
    let held = hold(admission("oven-2026"), stumble);

    tell(&telemetry, &held);

    let text = telemetry.prometheus();
    let bruno = r#"gen_ai_request_model="llama3.2:3b""#;
    let tries = held.played.iter().filter(|played| played.ask.model.as_str() == "llama3.2:3b").count() as f64;
    let output = [bruno, r#"gen_ai_token_type="output""#];
    assert_eq!(value(&text, "gen_ai_client_token_usage_count", &output), Some(tries - 1.0), "{text}");
    assert_eq!(value(&text, "gen_ai_client_token_usage_sum", &output), Some((tries - 1.0) * 210.0));
    let failed = [bruno, r#"error_type="transport""#];
    assert_eq!(value(&text, "gen_ai_client_operation_duration_seconds_count", &failed), Some(1.0));
    let first = "gen_ai_client_operation_time_to_first_chunk_seconds_count";
    assert_eq!(value(&text, first, &[bruno]), Some(tries - 1.0));
    let waited = [r#"host="attic""#, r#"model="llama3.2:3b""#];
    assert_eq!(value(&text, "agon_queue_wait_seconds_count", &waited), Some(tries));
}

#[test]
fn bids_agreement_and_tools_are_measured_by_names_of_the_configuration() {
    let telemetry = telemetry();
    let (mut lively, call) = (lively("oven-2026"), tool_call());
    // Where stances are assigned, words say nothing of agreement.
    lively.spec.mode = Mode::Deliberative;

    tell(&telemetry, &hold(lively.clone(), |_| None));
    let held = hold(admission("oven-2026"), |_| None);
    with_try(&lively, &held.played[0], |told| telemetry.turn_played(&TurnPlayed { call: &call, ..told }));

    let text = telemetry.prometheus();
    assert!(value(&text, "agon_bids_total", &[r#"purpose="floor""#]).is_some_and(|bids| bids >= 2.0), "{text}");
    assert_eq!(value(&text, "agon_round_agreement_count", &[r#"method="words""#]), Some(1.0));
    let tool = "gen_ai_execute_tool_duration_seconds_count";
    assert_eq!(value(&text, tool, &[r#"gen_ai_tool_name="fs""#, r#"error_type="tool_error""#]), Some(1.0));
    assert_eq!(value(&text, tool, &[r#"gen_ai_tool_name="other""#]), Some(1.0));
}

fn tool_call() -> Call {
    Call { tools: vec![tool_use("fs__x", Some("no")), tool_use("invented", Some("no"))], ..Call::default() }
}

#[test]
fn gates_tell_their_state() {
    let telemetry = telemetry();
    let (host, model) = (HostId::new("attic"), ModelName::new("qwen3:8b"));
    let gate = HostedModel { host: &host, model: &model };

    telemetry.breaker_changed(gate, CircuitState::Open);
    telemetry.permits_changed(gate, Permits { in_use: 2, limit: 4, waiting: 3 });
    telemetry.debates_active(5);

    let text = telemetry.prometheus();
    let labels = [r#"host="attic""#, r#"model="qwen3:8b""#];
    let read = ["agon_circuit_state", "agon_permits_in_use", "agon_permits_limit", "agon_permits_waiting"];
    assert_eq!(read.map(|name| value(&text, name, &labels)), [Some(2.0), Some(2.0), Some(4.0), Some(3.0)], "{text}");
    assert_eq!(value(&text, "agon_debates_active", &[]), Some(5.0));
}

#[test]
fn evals_and_their_cells_are_counted() {
    let telemetry = telemetry();
    let end = EvalCellEnd { grades: false, state: "answered", reused: false };

    telemetry.evals_active(2);
    telemetry.eval_cell_closed(end);
    telemetry.eval_cell_closed(end);
    telemetry.eval_cell_closed(EvalCellEnd { grades: true, state: "failed", ..end });
    telemetry.eval_ended("complete");

    let text = telemetry.prometheus();
    assert_eq!(value(&text, "agon_evals_active", &[]), Some(2.0), "{text}");
    let answers = [r#"kind="answer""#, r#"state="answered""#, r#"reused="false""#];
    assert_eq!(value(&text, "agon_eval_cells_total", &answers), Some(2.0));
    assert_eq!(value(&text, "agon_eval_cells_total", &[r#"kind="grading""#, r#"state="failed""#]), Some(1.0));
    assert_eq!(value(&text, "agon_evals_completed_total", &[r#"state="complete""#]), Some(1.0));
}

#[test]
fn the_process_tells_its_start_and_its_version() {
    let text = telemetry().prometheus();

    assert!(value(&text, "process_start_time_seconds", &[]).is_some_and(|at| at > 1.7e9), "{text}");
    let revision = format!(r#"revision="{REVISION}""#);
    assert_eq!(value(&text, "agon_build_info", &[env!("CARGO_PKG_VERSION"), &revision]), Some(1.0), "{text}");
    assert!(text.contains(r#"service_name="agon""#) && !text.contains("otel_scope"));
}

#[test]
fn no_series_names_a_debate_or_a_topic() {
    let telemetry = telemetry();

    tell(&telemetry, &hold(admission("oven-2026"), stumble));

    let text = telemetry.prometheus();
    assert!(!text.contains("oven"), "{text}");
}

/// The guide lists every metric by the name that a scraper sees.
#[test]
fn the_guide_names_every_metric() {
    let guide = include_str!("../../../../docs/guide/tracing.md");
    let telemetry = telemetry();
    tell(&telemetry, &hold(admission("oven-2026"), stumble));
    let (mut lively, call) = (lively("oven-2026"), tool_call());
    // Where stances are assigned, words say nothing of agreement.
    lively.spec.mode = Mode::Deliberative;
    let held = hold(lively.clone(), |_| None);
    tell(&telemetry, &held);
    with_try(&lively, &held.played[0], |told| telemetry.turn_played(&TurnPlayed { call: &call, ..told }));
    let (host, model) = (HostId::new("attic"), ModelName::new("qwen3:8b"));
    telemetry.breaker_changed(HostedModel { host: &host, model: &model }, CircuitState::Closed);
    telemetry.permits_changed(HostedModel { host: &host, model: &model }, Permits { in_use: 0, limit: 1, waiting: 0 });
    telemetry.debates_active(0);
    telemetry.evals_active(0);
    telemetry.eval_cell_closed(EvalCellEnd { grades: false, state: "answered", reused: true });
    telemetry.eval_ended("complete");
    telemetry.rpc().begin("agon.v1.DebateService/GetDebate", None).end("OK");

    for line in telemetry.prometheus().lines() {
        let Some(rest) = line.strip_prefix("# TYPE ") else { continue };
        let name = rest.split(' ').next().unwrap();
        assert!(name == "target_info" || guide.contains(&format!("`{name}`")), "{name} is not in the guide");
    }
}

#[test]
fn thousands_of_names_that_debates_made_up_are_a_bounded_number_of_series() {
    let telemetry = telemetry();
    let admission = lively("oven-2026");
    let held = hold(crate::test_bench::admission("oven-2026"), |_| None);
    for number in 0..3_000 {
        let mut played = held.played[0].clone();
        played.ask.model = ModelName::from(format!("made-up:{number}").as_str());
        played.ask.participant = format!("Persona {number}").as_str().into();
        let mut call = tool_call();
        for used in &mut call.tools {
            used.tool = format!("tool{number}");
        }
        let response = format!("answered-as:{number}");
        with_try(&admission, &played, |told| {
            telemetry.turn_played(&TurnPlayed { call: &call, response_model: Some(&response), ..told });
        });
        let host = HostId::from("rehearsal");
        let gate = HostedModel { host: &host, model: &played.ask.model };
        telemetry.breaker_changed(gate, CircuitState::Open);
        telemetry.permits_changed(gate, Permits { in_use: 1, limit: 1, waiting: 0 });
    }
    let queued = (0..3_000).map(|number| (format!("made-up:{number}"), 1)).collect();
    telemetry.cluster().turns(Some(queued));

    let text = telemetry.prometheus();

    let mut series: std::collections::BTreeMap<&str, usize> = std::collections::BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.contains("_bucket{")) {
        *series.entry(line.split(['{', ' ']).next().unwrap_or_default()).or_default() += 1;
    }
    assert!(series.len() > 10, "{series:?}");
    assert!(series.values().all(|count| *count <= 404), "{series:?}");
    assert!(text.contains(r#"model="other""#));
}
