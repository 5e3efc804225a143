//! Roles beside debaters, moderator and one judge.
use crate::cast::{Cast, Cue};
use crate::test_bench::*;
use agon_core::*;
use agon_runtime::{HostConfig, Served};
use std::sync::Arc;
use std::time::Duration;

const ID: &str = "a-debate";

async fn held(spec: DebateSpec, cues: Vec<Cue>) -> (Vec<Arc<Record>>, Cast) {
    let (stage, cast) = (TestBench::new(), Cast::new(Duration::from_millis(500)));
    cast.cue(cues);
    let both = Served::List(vec!["m".into(), "other".into()]);
    let node = stage.node("n1", vec![HostConfig { models: both, ..cast.host("gpu1", 1) }]).await;
    node.submit(admission(ID, spec)).await.unwrap();
    assert_eq!(node.finished(&debate(ID)).await.unwrap().0, DebateState::Succeeded);
    let log = stage.log(ID).await;
    check(&log);
    (log, cast)
}

#[tokio::test(start_paused = true)]
async fn a_panel_of_judges_is_asked_by_the_models_that_it_names() {
    let mut wide = spec();
    if let Some(judge) = &mut wide.judge {
        (judge.panel, judge.panel_models) = (3, vec!["other".into()]);
    }

    let (log, _) = held(wide, vec![]).await;

    let judged = events(&log).filter_map(|event| match event {
        Event::Answered(Answered { participant: judge, given: Given::Judgement { .. }, call, .. }) => {
            Some((judge.to_string(), call.model.clone().unwrap().to_string()))
        }
        _ => None,
    });
    let mut judged: Vec<(String, String)> = judged.collect();
    judged.sort();
    let of = |judge: &str, model: &str| (judge.to_owned(), model.to_owned());
    assert_eq!(judged, [of("judge", "m"), of("judge-2", "other"), of("judge-3", "other")]);
}

#[tokio::test(start_paused = true)]
async fn the_summarizer_is_asked_for_what_memory_no_longer_holds() {
    let summarizer = Summarizer { instructions: None, voice: spec().personas[0].voice.clone() };
    let windows = Windows { summarize_every: 1, ..Windows::default() };
    let memory = Memory::SummarizePast;
    let spec = DebateSpec { max_rounds: 3, memory, windows, summarizer: Some(summarizer), ..spec() };

    let (log, _) = held(spec, vec![]).await;

    let through = events(&log).filter_map(|event| match event {
        Event::Answered(Answered { given: Given::Summary { through, .. }, .. }) => Some(*through),
        _ => None,
    });
    assert_eq!(through.collect::<Vec<_>>(), [1, 2]);
}

fn synthesised() -> DebateSpec {
    let schema = serde_json::json!({
        "type": "object",
        "properties": {"answer": {"type": "string"}},
        "required": ["answer"],
        "additionalProperties": false
    });
    let voice = spec().personas[0].voice.clone();
    DebateSpec { synthesizer: Some(Synthesizer { output_schema: Some(schema), instructions: None, voice }), ..spec() }
}
fn synthesis(log: &[Arc<Record>]) -> Synthesis {
    let found = events(log).find_map(|event| match event {
        Event::Answered(Answered { given: Given::Synthesis(synthesis), .. }) => Some(synthesis.clone()),
        _ => None,
    });
    found.unwrap()
}
fn outcome(log: &[Arc<Record>]) -> Option<Outcome> {
    events(log).find_map(|event| match event {
        Event::DebateEnded { outcome, .. } => *outcome,
        _ => None,
    })
}
/// Both speeches and the judgement as they come, then these.
fn in_the_end(said: [&str; 2]) -> Vec<Cue> {
    let mut cues = vec![Cue::Answer; 3];
    cues.extend(said.map(|text| Cue::Say(text.to_owned())));
    cues
}

#[tokio::test(start_paused = true)]
async fn an_output_that_breaks_its_schema_is_repaired_once() {
    let (log, cast) = held(synthesised(), in_the_end([r#"{"answer": 7}"#, r#"{"answer": "Build it."}"#])).await;

    let synthesis = synthesis(&log);
    assert!(synthesis.problems.is_empty(), "{synthesis:?}");
    assert!(synthesis.output.unwrap().contains("Build it."));
    assert_eq!(cast.calls(), 5);
}

#[tokio::test(start_paused = true)]
async fn an_output_that_breaks_its_schema_twice_is_kept_as_text_and_degrades_the_debate() {
    let (log, cast) = held(synthesised(), in_the_end([r#"{"answer": 7}"#, r#"{"answer": 8}"#])).await;

    let synthesis = synthesis(&log);
    assert!(!synthesis.problems.is_empty() && synthesis.output.is_none(), "{synthesis:?}");
    assert!(synthesis.text.contains('8'));
    assert_eq!((outcome(&log), cast.calls()), (Some(Outcome::Degraded), 5));
}
