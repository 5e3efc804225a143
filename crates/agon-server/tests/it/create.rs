//! Submitting debates.
use crate::gateway_bench::*;
use agon_core::{DebateSpec, Position, TenantId};
use agon_proto::RequestClaim;
use agon_proto::pb::debate::v1 as debate_v1;
use agon_proto::pb::v1::{self as pb, create_debate_request::Source};
use agon_store::{Journal, Requests};
use pb::debate::State;
use std::collections::BTreeMap;
use tonic::Code;

#[tokio::test]
async fn a_submitted_file_becomes_a_debate_that_is_held_to_its_end() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway().await;
    let labels = BTreeMap::from([("team".to_owned(), "bridges".to_owned())]);
    let request = pb::CreateDebateRequest { labels: labels.clone(), seed: Some(7), ..wanted("bridge") };
    let created = gateway.create(request).await.unwrap();
    assert_eq!((created.name.as_str(), created.id.as_str()), ("debates/bridge", "bridge"));
    assert_eq!(created.topic, "Should the town build a bridge?");
    assert!(created.spec.is_some() && created.rehearsal && created.plan.is_none());
    assert_eq!(created.trace_id.len(), 32);
    let over = gateway.finish("bridge").await;
    assert_eq!(over.state(), State::Succeeded);
    assert_eq!(over.outcome(), debate_v1::Outcome::Decided);
    assert_eq!(over.labels, labels);
    let progress = over.progress.unwrap();
    assert_eq!((u64::from(progress.turns), progress.calls_done, progress.calls_planned), (CALLS, CALLS, CALLS));
    assert!(over.usage.unwrap().completion_tokens > 0);
    assert!(over.start_time.is_some() && over.end_time.is_some());
}

#[tokio::test]
async fn a_debate_without_an_id_gets_a_uuid_whose_bytes_are_its_trace() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway().await;
    let created = gateway.create(pb::CreateDebateRequest { debate_id: None, ..wanted("x") }).await.unwrap();
    assert_eq!(created.id.len(), 36);
    assert_eq!(created.trace_id, created.id.replace('-', ""));
}

#[tokio::test]
async fn validate_only_plans_and_writes_nothing() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway().await;
    let request =
        pb::CreateDebateRequest { validate_only: true, request_id: Some("plan-1".into()), ..wanted("planned") };
    let plan = gateway.create(request).await.unwrap().plan.unwrap();
    assert_eq!(plan.calls, CALLS);
    assert_eq!(plan.max_completion_tokens, Some(2 * 800 + 2 * 1500));
    let phases: Vec<_> = plan.phases.iter().map(|phase| (phase.phase(), phase.calls)).collect();
    assert_eq!(phases, [(debate_v1::PhaseName::Rounds, 2), (debate_v1::PhaseName::Decision, 2)]);
    let models: Vec<_> = plan.models.iter().map(|model| (model.model.as_str(), model.calls)).collect();
    assert_eq!(models, [("m:1", CALLS)]);
    assert_eq!(plan.models[0].hosts, ["stage"]);
    assert!(plan.warnings.iter().any(|warning| warning.contains("bridge.md:")), "{:?}", plan.warnings);
    assert_eq!(refusal(gateway.get("planned").await).0, Code::NotFound);
    let claim = RequestClaim { debate: id("other"), payload: [0; 32] };
    let standing = stage.store.claim(&TenantId::default(), "plan-1", claim.clone()).await.unwrap();
    assert_eq!(standing, claim, "the request id is still free");
}

#[tokio::test]
async fn a_plan_counts_the_calls_that_the_debate_then_makes() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway().await;
    let text = FILE.replace("ballots: none", "ballots: both\nmoderator: true").replace("false, final", "true, final");
    let request = pb::CreateDebateRequest { source: Some(file(&text)), ..wanted("counted") };
    let planned = gateway.create(pb::CreateDebateRequest { validate_only: true, ..request.clone() }).await.unwrap();
    gateway.create(request).await.unwrap();
    let over = gateway.finish("counted").await;
    assert_eq!(u64::from(over.progress.unwrap().turns), planned.plan.unwrap().calls);
}

#[tokio::test]
async fn a_plan_warns_of_models_that_no_live_host_serves() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway().await;
    let real = pb::CreateDebateRequest { validate_only: true, rehearsal: false, ..wanted("real") };
    let plan = gateway.create(real).await.unwrap().plan.unwrap();
    assert!(plan.models[0].hosts.is_empty(), "a rehearsing host plays no real debate");
    let told = "no live host serves m:1 (the live ones only rehearse; use --rehearsal)";
    assert!(plan.warnings.iter().any(|warning| warning.contains(told)), "{:?}", plan.warnings);
    let [unserved] = &plan.unserved[..] else { panic!("{:?}", plan.unserved) };
    assert_eq!((unserved.kind(), unserved.name.as_str()), (pb::unserved::Kind::Model, "m:1"));
    assert!(plan.warnings.contains(&unserved.warning), "{unserved:?}");
}

#[tokio::test]
async fn a_plan_warns_of_models_that_are_too_slow_at_the_fastest_of_their_hosts() {
    let stage = GatewayBench::new().await;
    // an answer of a judge takes 750 s at 2 tokens a second, and 15 s at 100
    let speeds = [("a", "m:1", 2.0), ("b", "m:1", 1.5), ("a", "quick:1", 2.0), ("b", "quick:1", 100.0)];
    let known = speeds.map(|(host, model, speed)| ((host.into(), model.into()), speed));
    let node = agon_runtime::NodeConfig {
        speeds: agon_runtime::Speeds::new(known).into(),
        ..agon_runtime::NodeConfig::embedded("n1".into())
    };
    let models = ["m:1", "quick:1", "new:1"].map(agon_core::ModelName::from);
    let host = |id: &str| agon_runtime::HostConfig {
        id: id.into(),
        rehearsal: false,
        ..stage.host(agon_runtime::Served::List(models.to_vec()))
    };
    let rehearsing = stage.host(agon_runtime::Served::List(models.to_vec()));
    let node = stage.node_with(node, vec![host("a"), host("b"), rehearsing]).await;
    let gateway = stage.gateway_before(&node, config()).await;
    let planned = async |text: &str, rehearsal| {
        let request =
            pb::CreateDebateRequest { source: Some(file(text)), validate_only: true, rehearsal, ..wanted("slow") };
        gateway.create(request).await.unwrap().plan.unwrap()
    };

    let plan = planned(FILE, false).await;
    let told = "m:1 at a, its fastest known host: the model may be too slow for this debate: at 2.0 tokens a second an answer of 1500 (`max_tokens`) takes 12 min 30 s";
    let slow = plan.models[0].slow.clone().unwrap_or_default();
    assert!(slow.starts_with(told) && slow.ends_with(agon_core::Overlong::REMEDY), "{plan:?}");
    assert!(plan.warnings.contains(&slow), "{plan:?}");
    for model in ["quick:1", "new:1"] {
        let plan = planned(&FILE.replace("m:1", model), false).await;
        assert_eq!((plan.models[0].hosts.len(), &plan.models[0].slow), (2, &None), "{model}");
    }
    assert_eq!(planned(FILE, true).await.models[0].slow, None, "scripted speakers are no model");

    let hosts = gateway.cluster.clone().list_hosts(pb::ListHostsRequest {}).await.unwrap().into_inner().hosts;
    let fast = hosts[1].models.iter().find(|model| model.name == "quick:1").unwrap();
    assert_eq!((hosts[1].name.as_str(), fast.millitokens_per_second), ("b", Some(100_000)));
    assert!(hosts[0].models.iter().all(|model| model.name != "new:1" || model.millitokens_per_second.is_none()));
}

#[tokio::test]
async fn a_model_without_its_usual_tag_is_found_in_a_plan() {
    let stage = GatewayBench::new().await;
    let node = agon_runtime::NodeConfig::embedded("n1".into());
    let host = stage.host(agon_runtime::Served::List(vec!["m:latest".into()]));
    let gateway = stage.gateway_before(&stage.node_with(node, vec![host]).await, config()).await;
    let request = pb::CreateDebateRequest {
        source: Some(file(&FILE.replace("m:1", "m"))),
        validate_only: true,
        ..wanted("untagged")
    };
    let plan = gateway.create(request).await.unwrap().plan.unwrap();
    assert_eq!((plan.models[0].hosts.as_slice(), plan.unserved.len()), (["stage".to_owned()].as_slice(), 0));
}

#[tokio::test]
async fn a_debate_whose_tools_no_live_host_has_is_refused_and_taken_where_one_has_them() {
    let stage = GatewayBench::new().await;
    let text = FILE.replace("stance: Build it", "stance: Build it, tools: [docs]");
    let request = pb::CreateDebateRequest { source: Some(file(&text)), ..wanted("tooled") };
    let plan = pb::CreateDebateRequest { validate_only: true, ..request.clone() };
    let bare = stage.gateway().await;
    for request in [&request, &plan] {
        let (code, reason, details) = refusal(bare.create(request.clone()).await);
        assert_eq!((code, reason.as_str()), (Code::FailedPrecondition, "TOOL_NOT_OFFERED"));
        let [missing] = &details.precondition_failure().unwrap().violations[..] else { panic!("{details:?}") };
        let told = (missing.subject.as_str(), missing.description.as_str());
        assert_eq!(told, ("tools.docs", "needed by ada; offered by live hosts: none"));
        assert_eq!(details.error_info().unwrap().metadata["missing"], "tools.docs");
    }
    assert_eq!(refusal(bare.get("tooled").await).0, Code::NotFound);
    let real = pb::CreateDebateRequest { rehearsal: false, ..plan };
    let warnings = bare.create(real).await.unwrap().plan.unwrap().warnings;
    assert!(warnings.iter().any(|told| told.contains("no live host could have the tool \"docs\"")), "{warnings:?}");

    let docs = serde_json::json!({"paths": [env!("CARGO_MANIFEST_DIR")]});
    let docs = agon_tools::ToolConfig::Rag(serde_json::from_value(docs).unwrap());
    let node = agon_runtime::NodeConfig {
        tools: [("docs".to_owned(), docs)].into(),
        ..agon_runtime::NodeConfig::embedded("n2".into())
    };
    let node = stage.node_with(node, vec![stage.host(agon_runtime::Served::Any)]).await;
    let tooled = stage.gateway_before(&node, config()).await;
    assert_eq!(tooled.create(request).await.unwrap().id, "tooled");
}

#[tokio::test]
async fn the_same_request_id_and_payload_give_the_first_debate_also_from_another_gateway() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway().await;
    let request = pb::CreateDebateRequest { debate_id: None, request_id: Some("r-1".into()), ..wanted("x") };
    let first = gateway.create(request.clone()).await.unwrap();
    let again = gateway.create(request.clone()).await.unwrap();
    assert!(gateway.gateway.drain().await);
    let fresh = stage.gateway_before(&stage.idle_node().await, config()).await;
    let elsewhere = fresh.create(request).await.unwrap();
    assert_eq!([&again.id, &elsewhere.id], [&first.id, &first.id]);
}

#[tokio::test]
async fn the_same_debate_said_as_a_file_and_as_a_message_is_one_payload() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway().await;
    let request = pb::CreateDebateRequest { debate_id: None, request_id: Some("r-2".into()), ..wanted("x") };
    let first = gateway.create(request.clone()).await.unwrap();
    let source = Some(Source::Spec(first.spec.clone().unwrap()));
    let again = gateway.create(pb::CreateDebateRequest { source, ..request }).await.unwrap();
    assert_eq!(again.id, first.id);
}

#[tokio::test]
async fn a_request_id_that_stands_for_something_else_is_a_conflict() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway().await;
    let request = pb::CreateDebateRequest { debate_id: None, request_id: Some("r-3".into()), ..wanted("x") };
    let first = gateway.create(request.clone()).await.unwrap();
    let other = pb::CreateDebateRequest { priority: debate_v1::Priority::Batch.into(), ..request };
    let (code, reason, details) = refusal(gateway.create(other).await);
    assert_eq!((code, reason.as_str()), (Code::AlreadyExists, "REQUEST_ID_CONFLICT"));
    let metadata = &details.error_info().unwrap().metadata;
    assert_eq!((metadata["request_id"].as_str(), metadata["debate"].as_str()), ("r-3", first.id.as_str()));
    assert_eq!(details.resource_info().unwrap().resource_name, first.name);
}

#[tokio::test]
async fn a_claim_whose_submission_crashed_is_taken_up_again() {
    let stage = GatewayBench::new().await;
    let node = stage.idle_node().await;
    let gateway = stage.gateway_before(&node, config()).await;
    // the payload of a submission, as a gateway claims it before it admits
    let request = pb::CreateDebateRequest { debate_id: None, request_id: Some("r-4".into()), ..wanted("x") };
    let first = gateway.create(request.clone()).await.unwrap();
    agon_store::Upkeep::delete(&*stage.store, &id(&first.id)).await.unwrap();
    let again = gateway.create(request).await.unwrap();
    assert_eq!(again.id, first.id, "the claim keeps its debate");
    assert_eq!(stage.store.read(&id(&first.id), Position(0)).await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_request_id_of_a_deleted_debate_makes_a_new_one_that_is_held() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway().await;
    let request = pb::CreateDebateRequest { debate_id: None, request_id: Some("r-5".into()), ..wanted("x") };
    let mut seen = Vec::new();
    for _ in 0..3 {
        let made = gateway.create(request.clone()).await.unwrap();
        assert_eq!(gateway.create(request.clone()).await.unwrap().id, made.id, "the same until it is deleted");
        assert!(!seen.contains(&made.id), "{} of {seen:?}", made.id);
        assert_eq!(gateway.finish(&made.id).await.state(), State::Succeeded);
        gateway.debates.clone().delete_debate(pb::DeleteDebateRequest { name: made.id.clone() }).await.unwrap();
        seen.push(made.id);
    }
}

#[tokio::test]
async fn the_id_of_a_deleted_debate_is_refused() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway().await;
    let keyed = pb::CreateDebateRequest { request_id: Some("r-6".into()), ..wanted("gone") };
    gateway.create(keyed.clone()).await.unwrap();
    gateway.finish("gone").await;
    gateway.debates.clone().delete_debate(pb::DeleteDebateRequest { name: "gone".into() }).await.unwrap();
    for again in [wanted("gone"), keyed] {
        let (code, reason, details) = refusal(gateway.create(again).await);
        assert_eq!((code, reason.as_str()), (Code::AlreadyExists, "DEBATE_DELETED"));
        assert_eq!(details.resource_info().unwrap().resource_name, "debates/gone");
    }
    assert_eq!(refusal(gateway.get("gone").await).0, Code::NotFound, "nothing was admitted");
}

#[tokio::test]
async fn an_admission_that_was_not_queued_is_queued_when_it_is_submitted_again() {
    let stage = GatewayBench::new().await;
    let idle = stage.gateway_before(&stage.idle_node().await, config()).await;
    idle.create(wanted("parked")).await.unwrap();
    let job = agon_store::Jobs::take(&*stage.store, "thief", LIMIT).await.unwrap().unwrap();
    agon_store::Jobs::complete(&*stage.store, &job).await.unwrap();
    let gateway = stage.gateway().await;
    gateway.create(wanted("parked")).await.unwrap();
    assert_eq!(gateway.finish("parked").await.state(), State::Succeeded);
}

#[tokio::test]
async fn a_taken_debate_id_is_refused_unless_the_content_is_the_same() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway().await;
    gateway.create(wanted("taken")).await.unwrap();
    assert_eq!(gateway.create(wanted("taken")).await.unwrap().id, "taken");
    let other = pb::CreateDebateRequest { source: Some(file(&FILE.replace("bridge?", "road?"))), ..wanted("taken") };
    let (code, reason, details) = refusal(gateway.create(other).await);
    assert_eq!((code, reason.as_str()), (Code::AlreadyExists, "DEBATE_EXISTS"));
    let resource = details.resource_info().unwrap();
    assert_eq!((resource.resource_type.as_str(), resource.resource_name.as_str()), ("agon.v1.Debate", "debates/taken"));
}

#[tokio::test]
async fn every_mistake_of_a_file_is_a_violation_with_its_path_and_place() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway().await;
    let text = FILE.replace("stance: Leave it", "stance: ''").replace("max_rounds: 1", "max_rounds: 1000");
    let request = pb::CreateDebateRequest {
        source: Some(file(&text)),
        request_id: Some("not ok".into()),
        labels: BTreeMap::from([("Upper".to_owned(), String::new())]),
        debate_id: Some("no".into()),
        ..wanted("x")
    };
    let (code, reason, details) = refusal(gateway.create(request).await);
    assert_eq!((code, reason.as_str()), (Code::InvalidArgument, "INVALID_REQUEST"));
    let violations = &details.bad_request().unwrap().field_violations;
    let text = |field: &str| {
        let found = violations.iter().find(|violation| violation.field == field);
        found.unwrap_or_else(|| panic!("{field} in {violations:?}")).description.as_str()
    };
    assert!(text("personas[1].stance").starts_with("bridge.md:8:"), "{}", text("personas[1].stance"));
    assert!(text("max_rounds").starts_with("bridge.md:3:13: [out-of-range]"), "{}", text("max_rounds"));
    assert!(text("debate_id").contains("4 to 63"));
    assert!(text("request_id").contains("visible ASCII"));
    assert!(text("labels[\"Upper\"]").contains("a-z"));
}

#[tokio::test]
async fn a_message_is_checked_by_the_rules_of_files_and_keeps_every_value() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway().await;
    let planned = pb::CreateDebateRequest { validate_only: true, ..wanted("as-message") };
    let spec = gateway.create(planned.clone()).await.unwrap().spec.unwrap();
    let as_message =
        |spec: debate_v1::DebateSpec| pb::CreateDebateRequest { source: Some(Source::Spec(spec)), ..planned.clone() };
    assert_eq!(gateway.create(as_message(spec.clone())).await.unwrap().spec.as_ref(), Some(&spec));

    let mut wrong = spec.clone();
    wrong.personas[1].stance = Some(" ".to_owned());
    let (code, _, details) = refusal(gateway.create(as_message(wrong)).await);
    let violation = details.bad_request().unwrap().field_violations[0].clone();
    assert_eq!((code, violation.field.as_str()), (Code::InvalidArgument, "personas[1].stance"));

    let unspecified = debate_v1::DebateSpec { turn_mode: 0, ..spec };
    let (_, _, details) = refusal(gateway.create(as_message(unspecified)).await);
    assert_eq!(details.bad_request().unwrap().field_violations[0].field, "turn_mode");
    let nothing = pb::CreateDebateRequest { source: None, ..planned };
    assert_eq!(refusal(gateway.create(nothing).await).2.bad_request().unwrap().field_violations[0].field, "file");
}

#[tokio::test]
async fn the_trace_of_the_call_and_the_version_go_into_the_admission() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway_before(&stage.idle_node().await, config()).await;
    let traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let mut request = tonic::Request::new(wanted("traced"));
    request.metadata_mut().insert("traceparent", traceparent.parse().unwrap());
    gateway.debates.clone().create_debate(request).await.unwrap();
    let records = stage.store.read(&id("traced"), Position(0)).await.unwrap();
    let agon_core::Event::DebateAdmitted(admission) = &records[0].events[0] else { panic!("admitted first") };
    assert_eq!(admission.submitted_by.as_deref(), Some(traceparent));
    assert_eq!(admission.agon_version, env!("CARGO_PKG_VERSION"));
    let spec: &DebateSpec = &admission.spec;
    assert_eq!(spec.max_rounds, 1);
}
