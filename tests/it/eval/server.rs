//! Evals that are handed to a server, against those that this machine holds.
use super::planted::PlantedQuestions;
use crate::support::{PATIENCE, RunningProgram, TestCluster, address};
use agon_eval::EvalResult;
use agon_testkit::{Process, Rehearsal, free_port, http_get, until};
use serde_json::Value;

const QUESTIONS: usize = 12;

/// Speakers in a process of their own, who say the same to whoever asks.
fn speakers(planted: &PlantedQuestions) -> Rehearsal {
    // what is cached depends on what came before
    planted.world.rehearsal(&["--minds", &planted.minds, "--no-model-cache", "--models", "m", "--latency", "3ms"])
}

/// A server without NATS, whose host asks these speakers.
fn served(cluster: &mut TestCluster, speakers: &Rehearsal, grpc: &str) -> Process {
    let mut alone = cluster.launch("alone", &["--ollama", speakers.url(), "--grpc", grpc]);
    alone.wait_for(" is up: ").unwrap();
    alone
}

#[test]
fn an_eval_of_a_server_that_is_killed_comes_to_the_same_as_one_of_this_machine() {
    let planted = PlantedQuestions::new(47, QUESTIONS, "");
    let speakers = speakers(&planted);
    let mut cluster = TestCluster::start();
    let grpc = format!("127.0.0.1:{}", free_port().unwrap());
    let mut alone = served(&mut cluster, &speakers, &grpc);
    let listed = || {
        Ok(Some(cluster.world.agon(&["hosts", "--json", "--server", &grpc]).stdout).filter(|said| said.contains("\"m")))
    };
    until("the host has listed its models", PATIENCE, listed).unwrap();
    let submit = [
        "eval",
        "submit",
        &planted.questions,
        "--debate",
        &planted.panel,
        "--id",
        "held",
        "--rehearsal",
        "--server",
        &grpc,
    ];
    let plan = cluster.world.json(&[&submit[..], &["--validate-only", "--json"]].concat());
    assert_eq!((&plan["questions"], &plan["scored"]["choice"]), (&12.into(), &12.into()));
    assert_eq!(plan["parts"][1]["models"], serde_json::json!(["m"]));
    assert_eq!(speakers.count("chat_calls").unwrap(), 0);

    let waiting = RunningProgram::start(cluster.world.command(&[&submit[..], &["--wait", "--json", "-q"]].concat()));
    until("the server's host asks", PATIENCE, || Ok((speakers.count("chat_calls")? >= 40).then_some(()))).unwrap();
    alone.kill();
    let mut alone = served(&mut cluster, &speakers, &grpc);
    let http = address(&mut alone, "HTTP");
    let shown = std::iter::from_fn(|| waiting.line()).collect::<Vec<_>>().join("\n");
    let (status, told) = waiting.wait();
    assert!(matches!(status.code(), Some(0 | 2)), "{status:?}: {told}");

    let there = |args: &[&str]| cluster.world.agon(&[args, &["--server", &grpc]].concat()).ok().stdout;
    // folded here, they are the figures that the server computes
    let rest = |path: &str| http_get(&http, &format!("/v1/evals/held/{path}")).unwrap();
    assert_eq!(there(&["eval", "report", "last", "--format", "json"]).trim(), rest("report.json").trim());
    assert_eq!(there(&["eval", "report", "last", "--format", "markdown"]), rest("report.md"));
    assert_eq!(there(&["eval", "export", "cells", "held"]), rest("report.csv"));
    let shown: EvalResult = serde_json::from_str(&shown).unwrap();
    assert_eq!(there(&["eval", "export", "result", "held"]).trim(), agon_eval::result_json(&shown).unwrap().trim());
    assert!(shown.rehearsal && shown.arms.iter().all(|arm| (arm.n, arm.failed) == (12, 0)), "{:?}", shown.arms);
    let row: Value = serde_json::from_str(&there(&["eval", "list", "--json"])).unwrap();
    assert_eq!(
        (&row[0]["id"], &row[0]["state"], &row[0]["questions_over"]),
        (&"held".into(), &"complete".into(), &12.into())
    );
    let seen: Value = serde_json::from_str(&there(&["eval", "get", "hel", "--json"])).unwrap();
    assert_eq!(seen["progress"]["cells_over"], row[0]["cells_over"]);
    let gate: Value = serde_json::from_str(&there(&["eval", "gate", "held"])).unwrap();
    assert_eq!(gate["rule"]["kind"], "always", "{gate}");
    // debates of evals are not everybody's list
    assert_eq!(there(&["list"]), "");
    assert_eq!(
        there(&["list", "--label", "eval=held", "--json"]).matches("\"id\"").count() as u64,
        row[0]["cells_over"]
    );

    let watched = cluster.world.agon(&["eval", "watch", "held", "--jsonl", "--server", &grpc]).code(2).stdout;
    let kinds: Vec<Value> = watched.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&kinds[0]["type"], &kinds[kinds.len() - 1]["type"]), (&"eval_admitted".into(), &"gate_learned".into()));
    let refused = |args: &[&str], why: &str| {
        let said = cluster.world.agon(&[args, &["--server", &grpc]].concat()).code(64);
        assert!(said.stderr.contains(why), "{said:?}");
    };
    refused(&["eval", "retry", "held"], "no failed cell");
    refused(&["eval", "cancel", "held"], "already ended");
    refused(&["eval", "delete", "held", "--debates"], "this machine");
    there(&["eval", "delete", "held"]);
    refused(&["eval", "get", "held"], "there is no eval");
}

#[test]
fn a_server_cancels_an_eval_and_refuses_what_it_cannot_read() {
    let mut cluster = TestCluster::start();
    let mut alone = cluster.launch("alone", &["--rehearsal", "--latency", "300ms"]);
    let grpc = address(&mut alone, "gRPC");
    let world = &cluster.world;
    let panel = world.file("panel.yaml", super::PANEL);
    let at = |args: &[&str]| world.agon(&[args, &["--server", &grpc]].concat());
    let fresh = ["eval", "submit", "--builtin", "logic", "--questions", "30", "--debate", &panel, "--rehearsal"];
    let id = at(&fresh).ok().stdout.trim().to_owned();
    // the same key is the same eval
    let keyed = |n: &str| {
        let mine = ["eval", "submit", "--builtin", "dates", "--questions", n, "--debate", &panel, "--rehearsal"];
        at(&[&mine[..], &["--request-id", "mine"]].concat())
    };
    let first = keyed("4").ok().stdout;
    assert_eq!(keyed("4").ok().stdout, first);
    assert!(keyed("5").code(64).stderr.contains("mine"));
    let pilot = ["eval", "submit", "--pilot", "3", "--validate-only", "--json", "--debate", &panel, "--rehearsal"];
    let tree = world.file("q.csv", "question,answer\n1 + 1?,2\n2 + 2?,4\n3 + 3?,6\n4 + 4?,8\n5 + 5?,10\n");
    let plan: Value = serde_json::from_str(&at(&[&pilot[..], &[&tree]].concat()).ok().stdout).unwrap();
    assert_eq!((&plan["questions"], &plan["scored"]["number"]), (&3.into(), &3.into()));

    at(&["eval", "cancel", &id]).ok();
    let seen: Value = serde_json::from_str(&at(&["eval", "get", &id, "--json"]).ok().stdout).unwrap();
    assert_eq!(seen["state"], "cancelled");
    at(&["eval", "watch", &id]).code(4);

    let long = "x".repeat(40_000);
    let rows: String = (0..120).map(|n| format!("q{n} {long},oak\n")).collect();
    let big = world.file("big.csv", &format!("question,answer\n{rows}"));
    let refused = at(&["eval", "submit", &big, "--debate", &panel, "--rehearsal"]);
    assert!(refused.code.is_some_and(|code| code != 0) && refused.stderr.contains("TOO_LARGE"), "{refused:?}");
    let wrong = world.file("wrong.csv", "question,answer\n1 + 1?,2\n,4\n");
    let refused = at(&["eval", "submit", &wrong, "--debate", &panel, "--rehearsal"]).code(64);
    assert!(refused.stderr.contains("wrong.csv:3:1"), "{refused:?}");
    world.agon(&["eval", "submit", &tree, "--debate", &panel]).code(64);
    let nobody = format!("127.0.0.1:{}", free_port().unwrap());
    world.agon(&["eval", "list", "--server", &nobody]).code(69);
}
