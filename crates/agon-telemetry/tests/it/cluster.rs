//! The figures of the whole cluster.
use agon_core::Priority;
use agon_telemetry::{DebateFigures, StreamFigures, Telemetry, TelemetryConfig};
use std::time::Duration;

const NAMES: [&str; 9] = [
    "agon_debates_queued",
    "agon_debates_queued_oldest_seconds",
    "agon_debates_running",
    "agon_debates_stalled",
    "agon_turns_queued",
    "agon_stream_bytes",
    "agon_stream_limit_bytes",
    "agon_stream_messages",
    "agon_stream_limit_messages",
];

fn telemetry() -> Telemetry {
    Telemetry::start(TelemetryConfig { log: None, ..TelemetryConfig::new("agon", "node-1") }).unwrap()
}

fn figures() -> DebateFigures {
    DebateFigures {
        queued: [(Priority::Batch, 7)].into(),
        oldest: Duration::from_millis(2_500),
        running: 3,
        stalled: Some(1),
    }
}

/// The lines with figures of the cluster.
fn shown(telemetry: &Telemetry) -> Vec<String> {
    let text = telemetry.prometheus();
    let own = |line: &&str| NAMES.iter().any(|name| line.split(['{', ' ']).next() == Some(name));
    text.lines().filter(own).map(str::to_owned).collect()
}

#[test]
fn what_a_gateway_knows_is_told_with_every_priority_and_model() {
    let telemetry = telemetry();
    assert_eq!(shown(&telemetry), Vec::<String>::new(), "a process without the role tells nothing");

    telemetry.cluster().debates(Some(figures()));
    telemetry.cluster().turns(Some([("qwen3:8b".to_owned(), 4), ("external".to_owned(), 0)].into()));

    let expected = [
        r#"agon_debates_queued{priority="batch"} 7"#,
        r#"agon_debates_queued{priority="interactive"} 0"#,
        r#"agon_debates_queued{priority="normal"} 0"#,
        "agon_debates_queued_oldest_seconds 2.5",
        "agon_debates_running 3",
        "agon_debates_stalled 1",
        r#"agon_turns_queued{model="external"} 0"#,
        r#"agon_turns_queued{model="qwen3:8b"} 4"#,
    ];
    assert_eq!(shown(&telemetry), expected);
    let known = telemetry.cluster().figures();
    assert_eq!(known.debates, Some(figures()), "pages show what metrics tell");
    assert_eq!(known.turns.unwrap().len(), 2);
}

#[test]
fn what_is_not_known_any_more_is_not_told() {
    let telemetry = telemetry();
    telemetry.cluster().debates(Some(figures()));
    telemetry.cluster().turns(Some([("qwen3:8b".to_owned(), 4)].into()));
    telemetry.prometheus();

    telemetry.cluster().debates(Some(DebateFigures { stalled: None, ..figures() }));
    telemetry.cluster().turns(Some([("llama3.1:8b".to_owned(), 1)].into()));
    let text = shown(&telemetry).concat();
    assert!(!text.contains("stalled") && !text.contains("qwen3") && text.contains("llama3.1:8b"), "{text}");

    telemetry.cluster().debates(None);
    telemetry.cluster().turns(None);
    assert_eq!(shown(&telemetry), Vec::<String>::new());
}

#[test]
fn messages_of_a_stream_are_told_only_where_they_are_limited_and_nothing_of_one_that_is_not_known_any_more() {
    let telemetry = telemetry();
    let logs = StreamFigures { bytes: 900, byte_limit: Some(1_000), messages: 3, message_limit: None };
    let jobs = StreamFigures { byte_limit: None, message_limit: Some(5), ..logs };
    telemetry.cluster().streams([("AGON_LOG_0".to_owned(), logs), ("AGON_JOB".to_owned(), jobs)].into());

    let expected = [
        r#"agon_stream_bytes{stream="AGON_JOB"} 900"#,
        r#"agon_stream_bytes{stream="AGON_LOG_0"} 900"#,
        r#"agon_stream_limit_bytes{stream="AGON_LOG_0"} 1000"#,
        r#"agon_stream_limit_messages{stream="AGON_JOB"} 5"#,
        r#"agon_stream_messages{stream="AGON_JOB"} 3"#,
    ];
    assert_eq!(shown(&telemetry), expected);

    telemetry.cluster().streams([("AGON_JOB".to_owned(), jobs)].into());
    let text = shown(&telemetry).concat();
    assert!(!text.contains("AGON_LOG_0") && text.contains("AGON_JOB"), "{text}");

    telemetry.cluster().streams([].into());
    assert_eq!(shown(&telemetry), Vec::<String>::new());
}

#[test]
fn the_guide_names_these_figures() {
    let guide = include_str!("../../../../docs/guide/tracing.md");
    for name in NAMES {
        assert!(guide.contains(&format!("| `{name}` | gauge |")), "{name} is not in the guide");
    }
}
