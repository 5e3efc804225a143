//! Hosts of one cluster that have different tools.
use crate::cast::Cast;
use crate::test_bench::*;
use agon_core::*;
use agon_runtime::{Node, NodeConfig};
use agon_tools::{ModelConfig, ToolConfig};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

const HALF: Duration = Duration::from_millis(500);

/// A node that only plays turns, with a tool or without.
async fn player(stage: &TestBench, id: &str, cast: &Cast, host: &str, tool: Option<&str>) -> Node {
    let shorten = ToolConfig::Summarizer(ModelConfig { model: "helper".into() });
    let tools: BTreeMap<_, _> = tool.into_iter().map(|name| (name.to_owned(), shorten.clone())).collect();
    let config = NodeConfig { max_debates: 0, tools, ..NodeConfig::clustered(id.into()) };
    stage.node_with(config, vec![cast.host(host, 1)]).await
}

/// Who played the speeches of a debater.
fn hosts_of(log: &[Arc<Record>], who: &str) -> Vec<String> {
    let speeches = events(log).filter_map(Event::speech).filter(|(said, _)| said.participant.as_str() == who);
    speeches.filter_map(|(said, _)| said.call.host.clone()).collect()
}

#[tokio::test(start_paused = true)]
async fn turns_that_need_a_tool_are_played_where_it_is_also_when_that_host_is_busy() {
    let stage = TestBench::new();
    let cast = Cast::new(HALF);
    cast.can("tools");
    let node = stage.peer("n1", vec![]).await;
    let _bare = player(&stage, "bare", &cast, "gpu-bare", None).await;
    let _other = player(&stage, "other", &cast, "gpu-other", None).await;
    let _equipped = player(&stage, "equipped", &cast, "gpu-equipped", Some("shorten")).await;
    tokio::time::sleep(Duration::from_secs(5)).await;
    let ids: Vec<String> = (0..12).map(|n| format!("debate-{n}")).collect();
    for id in &ids {
        let mut spec = spec();
        spec.personas[0].tools = vec!["shorten".into()];
        node.submit(admission(id, spec)).await.unwrap();
    }
    for id in &ids {
        let ended = tokio::time::timeout(Duration::from_secs(600), node.finished(&debate(id))).await;
        assert!(matches!(ended, Ok(Ok((DebateState::Succeeded, _)))), "{id}: {ended:?}");
        let log = stage.log(id).await;
        assert_eq!((causes(&log), hosts_of(&log, "Ada")), (vec![], vec!["gpu-equipped".to_owned()]), "{id}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_node_that_has_just_started_can_wait_until_it_has_heard_all_hosts() {
    let stage = TestBench::new();
    let cast = Cast::new(HALF);
    let _host = player(&stage, "equipped", &cast, "gpu-equipped", Some("shorten")).await;
    tokio::time::sleep(Duration::from_millis(700)).await;

    let node = stage.peer("n1", vec![]).await;
    assert!(node.hear_all_hosts().await, "it takes a while");
    let heard: Vec<String> = node.hosts().iter().map(|known| known.alive.host.to_string()).collect();
    assert_eq!(heard, ["gpu-equipped"]);
    assert!(!node.hear_all_hosts().await, "once");
}
