//! Evals: submitted, followed, shown and removed. Their cells are closed by the tests.
use crate::gateway_bench::*;
use crate::http::{http, json_of, status_of};
use agon_core::{DebateId, RetryPolicy, TenantId, Timestamp};
use agon_eval::{
    CellClosed, CellCost, CellEnding, CellWork, EvalInput, Facts, SampleFact, TemplateSpecs, first_sample, order,
};
use agon_proto::pb::v1::{self as pb, eval_service_client::EvalServiceClient};
use agon_runtime::{Node, OpenEval, cell_admission, read_eval};
use agon_server::{AuthConfig, GatewayConfig, GatewayTimes, Scope, TokenFile, token_line};
use agon_store::Commands as _;
use pb::eval::State;
use pb::watch_eval_response::Kind;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tonic::transport::Channel;
use tonic::{Code, Request};

const EVAL: &str = "\
questions: questions.jsonl
debates: [{file: panel.yaml}]
seed: 7
";
const PANEL: &str = "\
topic: Any question
mode: deliberative
max_rounds: 1
ballots: both
consensus_strategy: vote
model: m
personas: [{name: Ada}, {name: Ben}, {name: Cleo}]
";
const QUESTIONS: usize = 30;
const AT: Timestamp = Timestamp(1_800_000_000_000);

fn eval(id: &str) -> pb::CreateEvalRequest {
    let question = |n| json!({"id": format!("q{n}"), "question": format!("What is {n} + 1?"), "answer": n + 1});
    let questions: Vec<String> = (0..QUESTIONS).map(|n| question(n).to_string()).collect();
    let files = [("questions.jsonl", questions.join("\n")), ("panel.yaml", PANEL.to_owned())];
    pb::CreateEvalRequest {
        file: Some(pb::EvalFile { text: EVAL.to_owned(), file_name: Some("eval.yaml".to_owned()) }),
        files: files.into_iter().map(|(name, text)| (name.to_owned(), text)).collect(),
        eval_id: Some(id.to_owned()),
        rehearsal: true,
        ..pb::CreateEvalRequest::default()
    }
}

/// A gateway before a node that drives nothing.
async fn quiet(bench: &GatewayBench) -> (TestGateway, EvalServiceClient<Channel>, Arc<Node>) {
    let node = bench.idle_node().await;
    let times = GatewayTimes { evals_look: Duration::from_millis(20), ..GatewayTimes::default() };
    let gateway = bench.gateway_before(&node, GatewayConfig { times, ..config() }).await;
    let evals = EvalServiceClient::new(gateway.channel.clone());
    (gateway, evals, node)
}

/// What a cell's debate said: debates are right, samples wrong.
fn facts(work: &CellWork) -> Facts {
    let cost = CellCost { calls: 1, prompt: 10, generated: 5, ..CellCost::default() };
    let ending = CellEnding::Answered;
    match work {
        CellWork::Samples { count, .. } => {
            let sample = |number| SampleFact {
                number: number + first_sample(work),
                model: None,
                answer: Some("-1".to_owned()),
                confidence: None,
                cost: cost.clone(),
            };
            let samples = (0..*count).map(sample).collect();
            Facts { ending, samples, answer: Some("-1".to_owned()), cost, ..Facts::default() }
        }
        _ => Facts { ending, answer: Some("planted answer".to_owned()), cost, ..Facts::default() },
    }
}

/// Closes cells of an eval, at most so many, and ends it where none is left.
async fn close(bench: &GatewayBench, id: &str, most: usize) -> OpenEval {
    let logs = &*bench.store;
    let mut eval = read_eval(logs, &DebateId::parse(id).unwrap()).await.unwrap();
    let specs = TemplateSpecs::of(eval.machine.admission()).unwrap();
    eval.decide(logs, EvalInput::Claim { writer: "test".to_owned() }, AT).await.unwrap();
    let mut closed = 0;
    loop {
        eval.decide(logs, EvalInput::Settle { now: AT.0 }, AT).await.unwrap();
        let next = eval.machine.next_cells(1).pop();
        let Some((cell, attempt)) = next.filter(|_| closed < most) else { return eval };
        let debate = order(eval.machine.admission(), &specs, &cell, attempt).unwrap().debate.id;
        eval.decide(logs, EvalInput::Open(vec![(cell.clone(), debate.clone())]), AT).await.unwrap();
        let facts = facts(&cell.work);
        let over = CellClosed { cell, debate, head: "h".to_owned(), reused: false, wall_ms: 1, facts };
        eval.decide(logs, EvalInput::Closed(Box::new(over)), AT).await.unwrap();
        closed += 1;
    }
}

async fn watched(client: &mut EvalServiceClient<Channel>, id: &str, after_sequence: u64) -> Vec<Kind> {
    let request = pb::WatchEvalRequest { name: id.to_owned(), after_sequence };
    let mut stream = client.watch_eval(request).await.unwrap().into_inner();
    let mut told = Vec::new();
    let all = async {
        while let Some(message) = stream.message().await.unwrap() {
            told.extend(message.kind);
        }
    };
    tokio::time::timeout(LIMIT, all).await.expect("the watch ends with the eval");
    told
}

fn events<'t>(told: &'t [Kind]) -> Vec<(u64, &'t str, Value)> {
    let event = |kind: &'t Kind| match kind {
        Kind::Event(event) => Some((event.sequence, event.r#type.as_str(), serde_json::from_str(&event.json).unwrap())),
        Kind::Snapshot(_) | Kind::Progress(_) | Kind::Heartbeat(_) => None,
    };
    told.iter().filter_map(event).collect()
}

async fn export(client: &mut EvalServiceClient<Channel>, id: &str, format: pb::EvalExportFormat) -> String {
    let request = pb::ExportEvalRequest { name: id.to_owned(), format: format.into() };
    client.export_eval(request).await.unwrap().into_inner().content
}

#[tokio::test]
async fn a_submitted_eval_is_followed_to_its_end_and_shows_no_rate_before() {
    let bench = GatewayBench::new().await;
    let (_gateway, mut client, _node) = quiet(&bench).await;
    let created = client.create_eval(eval("helps")).await.unwrap().into_inner();
    assert_eq!((created.name.as_str(), created.state(), created.seed), ("evals/helps", State::Queued, Some(7)));
    assert_eq!((created.debates, created.rehearsal, created.sequence), (vec!["panel".to_owned()], true, Some(1)));

    let open = close(&bench, "helps", 30).await;
    assert!(open.machine.ended().is_none());
    let running = client.get_eval(pb::GetEvalRequest { name: "evals/helps".into() }).await.unwrap().into_inner();
    assert_eq!((running.state(), running.withheld), (State::Running, true));
    assert_eq!(running.progress.unwrap().cells_over, 30);
    for format in [pb::EvalExportFormat::Json, pb::EvalExportFormat::Csv, pb::EvalExportFormat::Markdown] {
        let text = export(&mut client, "helps", format).await;
        assert!(!text.contains("planted answer") && !text.contains("\"comparisons\":[{"), "{text}");
    }
    let cells = client.list_cells(pb::ListCellsRequest { name: "helps".into(), ..Default::default() }).await.unwrap();
    let cells = &cells.get_ref().cells;
    assert!(!cells.is_empty() && cells.iter().all(|cell| cell.score.is_none() && cell.answer.is_none()), "{cells:?}");

    // whoever watches from the beginning sees the rest as it happens
    let mut early =
        client.watch_eval(pb::WatchEvalRequest { name: "helps".into(), after_sequence: 2 }).await.unwrap().into_inner();
    let Some(Kind::Snapshot(snapshot)) = early.message().await.unwrap().unwrap().kind else { panic!("a snapshot") };
    let Some(Kind::Event(third)) = early.message().await.unwrap().unwrap().kind else { panic!("an event") };
    assert_eq!((snapshot.sequence, third.sequence), (Some(open.events.len() as u64), 3));
    let mut blind = Vec::new();
    for _ in 3..open.events.len() {
        let Some(Kind::Event(event)) = early.message().await.unwrap().unwrap().kind else { panic!("an event") };
        blind.push(event);
    }
    let closed: Vec<&pb::EvalEvent> = blind.iter().filter(|event| event.r#type == "cell_closed").collect();
    assert!(!closed.is_empty());
    for event in closed {
        let event: Value = serde_json::from_str(&event.json).unwrap();
        assert!(event["facts"].get("answer").is_none() && event["facts"].get("samples").is_none(), "{event}");
        assert_eq!(event["facts"]["cost"]["prompt"], 10);
    }

    let ended = close(&bench, "helps", usize::MAX).await;
    assert_eq!(ended.machine.ended(), Some("complete"));
    let told = watched(&mut client, "helps", 0).await;
    let events = events(&told);
    let sequences: Vec<u64> = events.iter().map(|(sequence, ..)| *sequence).collect();
    assert_eq!(sequences, (1..=ended.events.len() as u64).collect::<Vec<_>>());
    assert_eq!((events[0].1, events.last().unwrap().1), ("eval_admitted", "eval_ended"));
    assert!(events.iter().any(|(_, _, event)| event["facts"]["answer"] == "planted answer"));
    assert!(events.iter().all(|(_, name, event)| event["type"] == *name));
    let mut rest = Vec::new();
    while let Some(message) = tokio::time::timeout(LIMIT, early.message()).await.unwrap().unwrap() {
        rest.extend(message.kind);
    }
    assert_eq!(self::events(&rest).len(), ended.events.len() - open.events.len());
    assert!(
        rest.iter().any(|kind| matches!(kind, Kind::Progress(progress) if progress.questions_over == QUESTIONS as u32))
    );
}

#[tokio::test]
async fn the_report_is_what_the_log_says_and_cells_come_by_pages() {
    let bench = GatewayBench::new().await;
    let (gateway, mut client, _node) = quiet(&bench).await;
    client.create_eval(eval("paged")).await.unwrap();
    let ended = close(&bench, "paged", usize::MAX).await;
    let json = export(&mut client, "paged", pb::EvalExportFormat::Json).await;
    let local = agon_eval::result_of(&ended.machine);
    assert_eq!(serde_json::from_str::<agon_eval::EvalResult>(&json).unwrap(), local);

    let (mut cells, mut page_token) = (Vec::new(), String::new());
    loop {
        let request = pb::ListCellsRequest { name: "paged".into(), page_size: 7, page_token, ..Default::default() };
        let page = client.list_cells(request).await.unwrap().into_inner();
        assert!(page.cells.len() <= 7);
        cells.extend(page.cells);
        page_token = page.next_page_token;
        if page_token.is_empty() {
            break;
        }
        let other = pb::ListCellsRequest {
            name: "paged".into(),
            page_token: page_token.clone(),
            arm: Some("panel".into()),
            ..Default::default()
        };
        assert_eq!(refusal(client.list_cells(other).await).0, Code::InvalidArgument);
    }
    let rows: Vec<(String, u64)> = local.cells.iter().map(|cell| (cell.arm.clone(), cell.total_tokens)).collect();
    assert_eq!(cells.iter().map(|cell| (cell.arm.clone(), cell.total_tokens)).collect::<Vec<_>>(), rows);

    let url = format!("http://{}/v1/evals/paged", gateway.http);
    let wrong = json_of(http().get(format!("{url}/cells?arm=panel&outcome=wrong")).send().await.unwrap()).await;
    assert_eq!(wrong["cells"].as_array().unwrap().len(), QUESTIONS);
    for (form, media) in
        [("md", "text/markdown"), ("html", "text/html"), ("json", "application/json"), ("csv", "text/csv")]
    {
        let answer = http().get(format!("{url}/report.{form}")).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        assert!(answer.headers()["content-type"].to_str().unwrap().starts_with(media), "{form}");
    }
    assert_eq!(status_of(http().get(format!("{url}/report.pdf")).send().await.unwrap()).await.0, 404);
    let stream = http().get(format!("{url}/events")).send().await.unwrap().text().await.unwrap();
    assert!(stream.contains("event: snapshot\n") && stream.contains("\"type\":\"eval_ended\""), "{stream}");
    let last = ended.events.len().to_string();
    let over = http().get(format!("{url}/events")).header("last-event-id", &last).send().await.unwrap();
    assert_eq!(over.status(), 204);
    let odd = http().post(format!("{url}:gate")).json(&json!({"debate": "none"})).send().await.unwrap();
    assert_eq!(status_of(odd).await, (400, "INVALID_REQUEST".to_owned()));
}

#[tokio::test]
async fn a_submission_is_safe_to_repeat_and_other_content_is_refused() {
    let bench = GatewayBench::new().await;
    let (_gateway, mut client, _node) = quiet(&bench).await;
    let keyed = pb::CreateEvalRequest { eval_id: None, request_id: Some("ticket-1".into()), ..eval("x") };
    let first = client.create_eval(keyed.clone()).await.unwrap().into_inner();
    assert_eq!(client.create_eval(keyed.clone()).await.unwrap().into_inner().id, first.id);
    let other = pb::CreateEvalRequest { seed: Some(8), ..keyed };
    assert_eq!(refusal(client.create_eval(other).await).1, "REQUEST_ID_CONFLICT");
    // the same key of a debate is another key
    let debate = pb::CreateDebateRequest { request_id: Some("ticket-1".into()), ..wanted("bridge") };
    assert_eq!(_gateway.create(debate).await.unwrap().id, "bridge");

    client.create_eval(eval("named")).await.unwrap();
    assert_eq!(client.create_eval(eval("named")).await.unwrap().into_inner().id, "named");
    let other = pb::CreateEvalRequest { max_questions: Some(3), ..eval("named") };
    assert_eq!(refusal(client.create_eval(other).await).1, "EVAL_EXISTS");
    let listed =
        client.list_evals(pb::ListEvalsRequest { page_size: 1, ..Default::default() }).await.unwrap().into_inner();
    assert_eq!(listed.evals[0].id, "named");
    let next = pb::ListEvalsRequest { page_size: 5, page_token: listed.next_page_token };
    let next = client.list_evals(next).await.unwrap().into_inner();
    assert_eq!((next.evals[0].id.clone(), next.next_page_token), (first.id, String::new()));
}

#[tokio::test]
async fn a_plan_is_computed_and_nothing_is_written() {
    let bench = GatewayBench::new().await;
    let (_gateway, mut client, _node) = quiet(&bench).await;
    let planned = pb::CreateEvalRequest { validate_only: true, ..eval("plan") };
    let plan = client.create_eval(planned).await.unwrap().into_inner().plan.unwrap();
    assert_eq!(u64::from(plan.questions), QUESTIONS as u64);
    assert!(plan.calls > 0 && plan.calls <= plan.calls_most && plan.tokens_likely <= plan.tokens_most, "{plan:?}");
    assert!(plan.unserved.iter().any(|one| one.name == "m"), "no host is there: {plan:?}");
    assert_eq!(refusal(client.get_eval(pb::GetEvalRequest { name: "plan".into() }).await).1, "EVAL_NOT_FOUND");
}

#[tokio::test]
async fn every_mistake_of_a_request_is_named_and_no_local_file_is_read() {
    let bench = GatewayBench::new().await;
    let (_gateway, mut client, _node) = quiet(&bench).await;
    let without = pb::CreateEvalRequest { files: BTreeMap::new(), ..eval("x") };
    let (code, _, details) = refusal(client.create_eval(without).await);
    let told: Vec<String> =
        details.bad_request().unwrap().field_violations.iter().map(|one| one.description.clone()).collect();
    assert_eq!(code, Code::InvalidArgument);
    for path in ["questions.jsonl", "panel.yaml"] {
        assert!(told.iter().any(|text| text.contains(path) && text.contains("`files`")), "{told:?}");
    }
    let local = EVAL.replace("panel.yaml", "/etc/hostname");
    let file = Some(pb::EvalFile { text: local, file_name: None });
    assert_eq!(refusal(client.create_eval(pb::CreateEvalRequest { file, ..eval("x") }).await).0, Code::InvalidArgument);
    let odd = pb::CreateEvalRequest { request_id: Some("a b".into()), max_questions: Some(0), ..eval("no!") };
    let (_, _, details) = refusal(client.create_eval(odd).await);
    let fields: Vec<&str> =
        details.bad_request().unwrap().field_violations.iter().map(|one| one.field.as_str()).collect();
    assert_eq!(fields, ["eval_id", "request_id", "max_questions"]);
}

#[tokio::test]
async fn programs_are_refused_at_their_keys_over_grpc_and_rest() {
    let bench = GatewayBench::new().await;
    let (gateway, mut client, _node) = quiet(&bench).await;
    let programs = "commands: [{name: mine, run: [sh]}]\nscorer: {command: [/bin/sh]}\n";
    let file = pb::EvalFile { text: format!("{EVAL}{programs}"), file_name: Some("eval.yaml".to_owned()) };
    let (code, _, details) =
        refusal(client.create_eval(pb::CreateEvalRequest { file: Some(file.clone()), ..eval("x") }).await);
    assert_eq!(code, Code::InvalidArgument);
    let told: Vec<(String, String)> = details
        .bad_request()
        .unwrap()
        .field_violations
        .iter()
        .map(|one| (one.field.clone(), one.description.clone()))
        .collect();
    for key in ["commands[0].run", "scorer.command"] {
        let own = told.iter().find(|(field, _)| field == key);
        assert!(own.is_some_and(|(_, text)| text.contains("only on the machine")), "{key} {told:?}");
    }
    let body = json!({"file": {"text": file.text}, "files": eval("x").files, "eval_id": "x", "rehearsal": true});
    let answer = http().post(format!("http://{}/v1/evals", gateway.http)).json(&body).send().await.unwrap();
    let (status, told) = (answer.status().as_u16(), answer.text().await.unwrap());
    assert!(status == 400 && told.contains("commands[0].run") && told.contains("only on the machine"), "{told}");
}

#[tokio::test]
async fn a_cancelled_eval_can_be_deleted_and_its_id_is_not_used_again() {
    let bench = GatewayBench::new().await;
    let (_gateway, mut client, _node) = quiet(&bench).await;
    client.create_eval(eval("gone")).await.unwrap();
    let delete = || pb::DeleteEvalRequest { name: "gone".into() };
    assert_eq!(refusal(client.delete_eval(delete()).await).1, "EVAL_NOT_OVER");
    let cancel = || pb::CancelEvalRequest { name: "gone".into(), reason: "enough".into() };
    let ended = client.cancel_eval(cancel()).await.unwrap().into_inner();
    assert_eq!((ended.state(), ended.stopped_detail.as_deref()), (State::Cancelled, Some("enough")));
    assert_eq!(client.cancel_eval(cancel()).await.unwrap().into_inner().sequence, ended.sequence);
    let retry = client.retry_eval(pb::RetryEvalRequest { name: "gone".into() }).await;
    assert_eq!(refusal(retry).1, "EVAL_STATE", "no cell has failed");
    client.delete_eval(delete()).await.unwrap();
    assert_eq!(refusal(client.delete_eval(delete()).await).1, "EVAL_NOT_FOUND");
    assert_eq!(refusal(client.create_eval(eval("gone")).await).1, "EVAL_DELETED");
}

#[tokio::test]
async fn who_cancels_an_eval_that_nobody_drives_ends_its_debates() {
    let bench = GatewayBench::new().await;
    let (_gateway, mut client, node) = quiet(&bench).await;
    client.create_eval(eval("left")).await.unwrap();
    let logs = &*bench.store;
    let mut left = read_eval(logs, &DebateId::parse("left").unwrap()).await.unwrap();
    let specs = TemplateSpecs::of(left.machine.admission()).unwrap();
    left.decide(logs, EvalInput::Claim { writer: "gone".to_owned() }, AT).await.unwrap();
    let (cell, attempt) = left.machine.next_cells(1).pop().unwrap();
    let opened = order(left.machine.admission(), &specs, &cell, attempt).unwrap();
    let debate = DebateId::parse(&opened.debate.id).unwrap();
    left.decide(logs, EvalInput::Open(vec![(cell, opened.debate.id.clone())]), AT).await.unwrap();
    node.submit(cell_admission(&debate, &opened, RetryPolicy::default())).await.unwrap();
    assert_eq!(bench.store.cancel_ordered(&debate).await.unwrap(), None);

    client.cancel_eval(pb::CancelEvalRequest { name: "left".into(), reason: String::new() }).await.unwrap();
    let ordered = bench.store.cancel_ordered(&debate).await.unwrap();
    assert_eq!(ordered.map(|order| order.reason).as_deref(), Some("the eval has ended"));
}

#[tokio::test]
async fn a_tenant_does_not_see_the_evals_of_another_and_a_reader_creates_none() {
    let bench = GatewayBench::new().await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tokens");
    let line = |tenant: &str, scopes: &[Scope], token: &str| {
        token_line(&TenantId::parse(tenant).unwrap(), token, scopes, token).unwrap()
    };
    let lines = [
        line("acme", &[Scope::DebatesRead, Scope::DebatesWrite], "alice"),
        line("acme", &[Scope::DebatesRead], "reader"),
        line("other", &[Scope::DebatesRead, Scope::DebatesWrite], "oscar"),
    ];
    std::fs::write(&path, lines.join("\n")).unwrap();
    let auth = AuthConfig { tokens: Some(TokenFile::new(&path)), ..AuthConfig::default() };
    let gateway = bench.gateway_before(&bench.idle_node().await, GatewayConfig { auth, ..config() }).await;
    let mut client = EvalServiceClient::new(gateway.channel.clone());
    fn by<T>(token: &str, message: T) -> Request<T> {
        let mut request = Request::new(message);
        request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
        request
    }
    assert_eq!(refusal(client.create_eval(eval("none")).await).0, Code::Unauthenticated);
    assert_eq!(refusal(client.create_eval(by("reader", eval("none"))).await).1, "MISSING_SCOPE");
    let created = client.create_eval(by("alice", eval("private"))).await.unwrap().into_inner();
    assert_eq!(created.name, "evals/private");
    let get = || pb::GetEvalRequest { name: "private".into() };
    assert_eq!(client.get_eval(by("reader", get())).await.unwrap().into_inner().id, "private");
    assert_eq!(refusal(client.get_eval(by("oscar", get())).await).1, "EVAL_NOT_FOUND");
    let cancel = pb::CancelEvalRequest { name: "private".into(), reason: String::new() };
    assert_eq!(refusal(client.cancel_eval(by("oscar", cancel.clone())).await).1, "EVAL_NOT_FOUND");
    assert_eq!(refusal(client.cancel_eval(by("reader", cancel)).await).1, "MISSING_SCOPE");
    let watch = pb::WatchEvalRequest { name: "private".into(), after_sequence: 0 };
    assert_eq!(refusal(client.watch_eval(by("oscar", watch)).await).1, "EVAL_NOT_FOUND");
    let list = client.list_evals(by("oscar", pb::ListEvalsRequest::default())).await.unwrap().into_inner();
    assert!(list.evals.is_empty());
    // both tenants may use the same id
    assert_eq!(client.create_eval(by("oscar", eval("private"))).await.unwrap().into_inner().id, "private");
}
