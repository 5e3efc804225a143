//! Showing, listing, cancelling, removing and exporting debates.
use crate::gateway_bench::*;
use agon_core::{
    CallCounts, DebateId, DebateState, Dissent, DissentAmong, ModelUsage, Outcome, Position, Priority, SummaryFigures,
    TenantId, Timestamp, UsageTotals,
};
use agon_proto::pb::debate::v1 as debate_v1;
use agon_proto::pb::v1 as pb;
use agon_proto::{DebateSummary, SummaryState};
use agon_report::Price;
use agon_server::GatewayConfig;
use agon_store::{Catalogue, Journal, Upkeep};
use pb::debate::State;
use std::collections::BTreeMap;
use tonic::Code;

#[tokio::test]
async fn a_debate_is_shown_in_full_or_without_spec_and_result() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway().await;
    gateway.create(wanted("shown")).await.unwrap();
    let full = gateway.finish("debates/shown").await;
    let result = full.result.unwrap();
    let text = |name: &str| match result.fields[name].kind.clone().unwrap() {
        prost_types::value::Kind::StringValue(text) => text,
        other => panic!("{other:?}"),
    };
    assert_eq!((text("id").as_str(), text("state").as_str()), ("shown", "succeeded"));
    assert_eq!(text("log_head").len(), 64);
    let request = pb::GetDebateRequest { name: "shown".into(), view: pb::DebateView::Basic.into() };
    let basic = gateway.debates.clone().get_debate(request).await.unwrap().into_inner();
    assert!(basic.spec.is_none() && basic.result.is_none());
    assert_eq!(basic.sequence, full.sequence);
}

#[tokio::test]
async fn what_does_not_exist_is_not_found_by_any_method() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway().await;
    let mut client = gateway.debates.clone();
    let name = "nobody".to_owned();
    let refusals = [
        refusal(gateway.get(&name).await),
        refusal(client.cancel_debate(pb::CancelDebateRequest { name: name.clone(), ..Default::default() }).await),
        refusal(client.resume_debate(pb::ResumeDebateRequest { name: name.clone() }).await),
        refusal(client.verify_debate(pb::VerifyDebateRequest { name: name.clone() }).await),
        refusal(client.delete_debate(pb::DeleteDebateRequest { name: name.clone() }).await),
        refusal(gateway.watch(&name, 0).await),
        refusal(
            client.list_debate_events(pb::ListDebateEventsRequest { name: name.clone(), ..Default::default() }).await,
        ),
        refusal(client.export_debate(pb::ExportDebateRequest { name: name.clone(), format: 0 }).await),
        refusal(client.rejudge_debate(pb::RejudgeDebateRequest { name, ..Default::default() }).await),
    ];
    for (code, reason, details) in refusals {
        assert_eq!((code, reason.as_str()), (Code::NotFound, "DEBATE_NOT_FOUND"));
        assert_eq!(details.resource_info().unwrap().resource_name, "debates/nobody");
    }
    let (code, _, details) = refusal(gateway.get("Not An Id").await);
    assert_eq!(
        (code, details.bad_request().unwrap().field_violations[0].field.as_str()),
        (Code::InvalidArgument, "name")
    );
}

fn summary(number: u64, state: SummaryState) -> DebateSummary {
    DebateSummary {
        id: id(&format!("listed-{number}")),
        topic: format!("Topic {number}"),
        state,
        labels: BTreeMap::from([("half".to_owned(), (number % 2).to_string())]),
        priority: Priority::Normal,
        creator: None,
        rehearsal: true,
        epoch: 1,
        last: Position(3),
        admitted: Timestamp(1_800_000_000_000 + number),
        updated: Timestamp(1_800_000_000_000 + number),
        card: None,
        paused_ms: 0,
        claimed: None,
        rounds: None,
        figures: None,
    }
}

async fn listed(gateway: &TestGateway, request: pb::ListDebatesRequest) -> pb::ListDebatesResponse {
    gateway.debates.clone().list_debates(request).await.unwrap().into_inner()
}

fn ids(page: &pb::ListDebatesResponse) -> Vec<&str> {
    page.debates.iter().map(|debate| debate.id.as_str()).collect()
}

#[tokio::test]
async fn a_list_is_paged_newest_first_and_filtered() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway_before(&stage.idle_node().await, config()).await;
    let ended = SummaryState::Ended { state: DebateState::Succeeded, outcome: Some(Outcome::Tie) };
    for number in 1..=5 {
        let state = if number == 3 { ended.clone() } else { SummaryState::Queued };
        stage.store.note(summary(number, state)).await.unwrap();
    }
    let stranger = DebateSummary { id: id("acme/listed-9"), ..summary(9, SummaryState::Queued) };
    stage.store.note(stranger).await.unwrap();

    let first = listed(&gateway, pb::ListDebatesRequest { page_size: 3, ..Default::default() }).await;
    assert_eq!(ids(&first), ["listed-5", "listed-4", "listed-3"]);
    assert_eq!(first.debates[2].topic, "Topic 3");
    let next = pb::ListDebatesRequest { page_token: first.next_page_token.clone(), ..Default::default() };
    let second = listed(&gateway, next).await;
    assert_eq!((ids(&second), second.next_page_token.as_str()), (vec!["listed-2", "listed-1"], ""));

    let filtered = |filter| pb::ListDebatesRequest { filter: Some(filter), ..Default::default() };
    let ties = pb::DebateFilter { outcomes: vec![debate_v1::Outcome::Tie.into()], ..Default::default() };
    assert_eq!(ids(&listed(&gateway, filtered(ties)).await), ["listed-3"]);
    let even = pb::DebateFilter { labels: [("half".to_owned(), "0".to_owned())].into(), ..Default::default() };
    assert_eq!(ids(&listed(&gateway, filtered(even)).await), ["listed-4", "listed-2"]);
    let over = pb::DebateFilter { states: vec![State::Succeeded.into()], ..Default::default() };
    assert_eq!(ids(&listed(&gateway, filtered(over)).await), ["listed-3"]);
    let text = pb::DebateFilter { text: "TOPIC 4".into(), ..Default::default() };
    assert_eq!(ids(&listed(&gateway, filtered(text.clone())).await), ["listed-4"]);

    let mixed = pb::ListDebatesRequest { page_token: first.next_page_token, ..filtered(text) };
    let (code, _, details) = refusal(gateway.debates.clone().list_debates(mixed).await);
    let violation = details.bad_request().unwrap().field_violations[0].clone();
    assert_eq!((code, violation.field.as_str()), (Code::InvalidArgument, "page_token"));
    let negative = pb::ListDebatesRequest { page_size: -1, ..Default::default() };
    assert_eq!(refusal(gateway.debates.clone().list_debates(negative).await).0, Code::InvalidArgument);
}

#[tokio::test]
async fn what_is_ordered_to_end_is_listed_as_cancelling() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway_before(&stage.idle_node().await, config()).await;
    for name in ["stays", "goes"] {
        gateway.create(wanted(name)).await.unwrap();
    }
    let order = agon_proto::CancelOrder { reason: "enough".into(), by: None };
    agon_store::Commands::order_cancel(&*stage.store, &id("goes"), order).await.unwrap();
    assert_eq!(gateway.get("goes").await.unwrap().state(), State::Cancelling);
    for (state, name) in [(State::Cancelling, "goes"), (State::Queued, "stays")] {
        let filter = pb::DebateFilter { states: vec![state.into()], ..Default::default() };
        let page = listed(&gateway, pb::ListDebatesRequest { filter: Some(filter), ..Default::default() }).await;
        assert_eq!(ids(&page), [name]);
    }
}

#[tokio::test]
async fn cancelling_is_one_order_however_often_it_is_given() {
    let stage = GatewayBench::slow().await;
    let gateway = stage.gateway().await;
    gateway.create(wanted("cancelled")).await.unwrap();
    let order = |reason: &str| pb::CancelDebateRequest { name: "cancelled".into(), reason: reason.into() };
    let mut client = gateway.debates.clone();
    let first = client.cancel_debate(order("no longer needed")).await.unwrap().into_inner();
    assert!(matches!(first.state(), State::Cancelling | State::Cancelled), "{:?}", first.state());
    client.cancel_debate(order("another reason")).await.unwrap();
    let over = gateway.finish("cancelled").await;
    assert_eq!(over.state(), State::Cancelled);
    let again = client.cancel_debate(order("late")).await.unwrap().into_inner();
    assert_eq!((again.state(), again.sequence), (State::Cancelled, over.sequence));
    let log = stage.store.read(&id("cancelled"), Position(0)).await.unwrap();
    let reasons: Vec<_> = log
        .iter()
        .flat_map(|record| &record.events)
        .filter_map(|event| if let agon_core::Event::CancelRequested { reason } = event { Some(reason) } else { None })
        .collect();
    assert_eq!(reasons, ["no longer needed"]);
}

#[tokio::test]
async fn a_list_says_of_a_debate_that_is_over_what_its_log_says() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway().await;
    gateway.create(wanted("agreed")).await.unwrap();
    let over = gateway.finish("agreed").await;
    let limit = tokio::time::Instant::now() + LIMIT;
    let listed = loop {
        let mut page = listed(&gateway, pb::ListDebatesRequest::default()).await;
        if page.debates[0].end_time.is_some() || tokio::time::Instant::now() > limit {
            break page.debates.remove(0);
        }
        tokio::task::yield_now().await;
    };
    assert_eq!((listed.rounds, listed.rounds), (Some(1), over.rounds));
    assert_eq!((listed.end_time, listed.update_time), (over.end_time, over.end_time));
    assert_eq!((&listed.progress, &listed.usage), (&over.progress, &over.usage));
    assert_eq!((&listed.winner, &listed.dissent), (&over.winner, &over.dissent));
    assert_eq!((&listed.models, &listed.expenses), (&over.models, &over.expenses));
    let progress = listed.progress.unwrap();
    assert_eq!((progress.calls_done, progress.calls_planned, progress.max_rounds), (CALLS, CALLS, 1));
    let used = listed.usage.unwrap();
    let [model] = &listed.models[..] else { panic!("{:?}", listed.models) };
    assert_eq!((model.model.as_str(), model.calls), ("m:1", used.calls + used.unknown_calls));
    assert_eq!((model.prompt_tokens, model.completion_tokens), (used.prompt_tokens, used.completion_tokens));
    let expenses = listed.expenses.unwrap();
    assert_eq!((expenses.amounts, expenses.unknown_calls), (vec![], model.calls), "no price is known");
}

#[tokio::test]
async fn a_list_shows_winners_dissent_models_money_and_progress_and_finds_debates_by_model() {
    let price = Price { prompt: 1.0, cached: None, generated: 2.0, currency: "EUR".into(), list: None };
    let config = GatewayConfig { prices: [("paid".into(), price)].into(), ..config() };
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway_before(&stage.idle_node().await, config).await;
    let usage = |unknown_calls| UsageTotals {
        calls: 3,
        unknown_calls,
        prompt_tokens: 1_000_000,
        completion_tokens: 500_000,
        ..UsageTotals::default()
    };
    let figures = SummaryFigures {
        winner: Some("Build it".into()),
        dissent: Some(Dissent { against: 1, of: 3, among: DissentAmong::Judges }),
        models: vec![
            ModelUsage { model: "paid".into(), usage: usage(1) },
            ModelUsage { model: "own".into(), usage: usage(0) },
        ],
        other_calls: Some(usage(3)),
        calls: CallCounts { done: 9, planned: 12 },
        max_rounds: 4,
        turns: 8,
        failed_tries: 2,
        rejudges: None,
    };
    let known = DebateSummary { figures: Some(figures), rounds: Some(2), ..summary(1, SummaryState::Queued) };
    stage.store.note(known).await.unwrap();
    stage.store.note(summary(2, SummaryState::Queued)).await.unwrap();

    let page = listed(&gateway, pb::ListDebatesRequest::default()).await;
    let [old, new] = &page.debates[..] else { panic!("{page:?}") };
    assert_eq!((old.progress, old.usage, &old.expenses), (None, None, &None), "what is unknown is not 0");
    assert_eq!((new.winner.as_deref(), new.usage.unwrap().unknown_calls), (Some("Build it"), 4));
    let dissent = new.dissent.unwrap();
    assert_eq!((dissent.against, dissent.of, dissent.among()), (1, 3, pb::debate::dissent::Among::Judges));
    let progress = new.progress.unwrap();
    assert_eq!((progress.round, progress.max_rounds, progress.turns, progress.failed_tries), (2, 4, 8, 2));
    assert_eq!((progress.calls_done, progress.calls_planned), (9, 12));
    let models: Vec<_> = new.models.iter().map(|one| (one.model.as_str(), one.calls, one.unknown_calls)).collect();
    assert_eq!(models, [("paid", 3, 1), ("own", 3, 0)]);
    assert_eq!(new.other_calls.as_ref().map(|other| (other.model.as_str(), other.unknown_calls)), Some(("", 3)));
    let expenses = new.expenses.as_ref().unwrap();
    let amount = pb::debate::Expense { currency: "EUR".into(), amount: 2.0, list_prices: None };
    assert_eq!((&expenses.amounts[..], expenses.unknown_calls), (&[amount][..], 7));

    let by = |models: &[&str]| pb::ListDebatesRequest {
        filter: Some(pb::DebateFilter {
            models: models.iter().map(ToString::to_string).collect(),
            ..Default::default()
        }),
        ..Default::default()
    };
    assert_eq!(ids(&listed(&gateway, by(&["other", "own"])).await), ["listed-1"]);
    assert_eq!(ids(&listed(&gateway, by(&["other"])).await), [""; 0]);
    let (_, _, details) = refusal(gateway.debates.clone().list_debates(by(&["own", ""])).await);
    assert_eq!(details.bad_request().unwrap().field_violations[0].field, "filter.models[1]");
}

#[tokio::test]
async fn a_debate_that_waits_for_its_first_turn_shows_the_models_of_its_plan() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway_before(&stage.idle_node().await, config()).await;
    gateway.create(wanted("waits")).await.unwrap();
    let page = listed(&gateway, pb::ListDebatesRequest::default()).await;
    let planned = pb::debate::ModelUsage { model: "m:1".into(), ..Default::default() };
    assert_eq!(page.debates[0].models, [planned]);
    assert_eq!(page.debates[0].progress.unwrap().calls_planned, CALLS);
    assert_eq!((&page.debates[0].winner, &page.debates[0].dissent), (&None, &None));
}

#[tokio::test]
async fn a_debate_can_be_removed_once_it_is_over() {
    let stage = GatewayBench::slow().await;
    let gateway = stage.gateway().await;
    gateway.create(wanted("removed")).await.unwrap();
    let mut client = gateway.debates.clone();
    let request = pb::DeleteDebateRequest { name: "removed".into() };
    let (code, reason, details) = refusal(client.delete_debate(request.clone()).await);
    assert_eq!((code, reason.as_str()), (Code::FailedPrecondition, "DEBATE_NOT_OVER"));
    assert_eq!(details.resource_info().unwrap().resource_name, "debates/removed");
    client.cancel_debate(pb::CancelDebateRequest { name: "removed".into(), ..Default::default() }).await.unwrap();
    gateway.finish("removed").await;
    client.delete_debate(request).await.unwrap();
    assert_eq!(refusal(gateway.get("removed").await).0, Code::NotFound);
    assert!(listed(&gateway, pb::ListDebatesRequest::default()).await.debates.is_empty());
}

#[tokio::test]
async fn what_a_deletion_that_failed_has_left_is_removed_by_the_next() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway().await;
    gateway.create(wanted("half")).await.unwrap();
    gateway.finish("half").await;
    let id = DebateId::parse("half").unwrap();
    let summary = stage.store.get_summary(&id).await.unwrap().unwrap();
    assert!(Upkeep::delete(&*stage.store, &id).await.unwrap());
    stage.store.note(summary).await.unwrap();
    assert_eq!(listed(&gateway, pb::ListDebatesRequest::default()).await.debates.len(), 1);

    let request = pb::DeleteDebateRequest { name: "half".into() };
    gateway.debates.clone().delete_debate(request.clone()).await.unwrap();
    assert!(listed(&gateway, pb::ListDebatesRequest::default()).await.debates.is_empty());
    assert_eq!(refusal(gateway.debates.clone().delete_debate(request).await).0, Code::NotFound);
}

#[tokio::test]
async fn events_come_by_pages_each_once() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway().await;
    gateway.create(wanted("paged")).await.unwrap();
    let over = gateway.finish("paged").await;
    let (mut seen, mut pages) = (Vec::new(), 0);
    loop {
        let after_sequence = seen.last().copied().unwrap_or_default();
        let request = pb::ListDebateEventsRequest { name: "paged".into(), after_sequence, page_size: 4 };
        let page = gateway.debates.clone().list_debate_events(request).await.unwrap().into_inner();
        seen.extend(page.events.iter().map(|event| event.sequence));
        pages += 1;
        if !page.more {
            break;
        }
    }
    assert!(pages > 2, "{pages}");
    assert_eq!(seen, (1..=over.sequence).collect::<Vec<_>>());
    // a cursor inside a record parts it
    let request = pb::ListDebateEventsRequest { name: "paged".into(), after_sequence: 2, page_size: 1 };
    let page = gateway.debates.clone().list_debate_events(request).await.unwrap().into_inner();
    assert_eq!(page.events[0].sequence, 3);
}

#[tokio::test]
async fn every_document_of_a_debate_can_be_had() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway().await;
    gateway.create(wanted("exported")).await.unwrap();
    let over = gateway.finish("exported").await;
    let export = async |format: pb::ExportFormat| {
        let request = pb::ExportDebateRequest { name: "exported".into(), format: format.into() };
        gateway.debates.clone().export_debate(request).await.unwrap().into_inner()
    };
    use pb::ExportFormat as F;
    for (format, media, file) in [
        (F::Unspecified, "text/markdown; charset=utf-8", "exported.md"),
        (F::Summary, "text/markdown; charset=utf-8", "exported.summary.md"),
        (F::Html, "text/html; charset=utf-8", "exported.html"),
    ] {
        let document = export(format).await;
        assert_eq!((document.media_type.as_str(), document.file_name.as_str()), (media, file));
        assert!(document.content.contains("Should the town build a bridge?"));
    }
    let result: serde_json::Value = serde_json::from_str(&export(F::Json).await.content).unwrap();
    assert_eq!(result["state"], "succeeded");
    assert_eq!(export(F::Events).await.content.lines().count() as u64, over.sequence);
}

#[tokio::test]
async fn an_ended_debate_is_judged_again_by_another_model() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway().await;
    gateway.create(wanted("first")).await.unwrap();
    let mut client = gateway.debates.clone();
    let request = pb::RejudgeDebateRequest {
        name: "first".into(),
        judge_model: Some("other:2".into()),
        debate_id: Some("second".into()),
        request_id: Some("again".into()),
    };
    let old = gateway.finish("first").await;
    let new = client.rejudge_debate(request.clone()).await.unwrap().into_inner();
    assert_eq!((new.id.as_str(), new.rejudges.as_deref()), ("second", Some("first")));
    let over = gateway.finish("second").await;
    assert_eq!(over.state(), State::Succeeded);
    assert_eq!(over.spec.unwrap().judge.unwrap().voice.unwrap().model, "other:2");
    assert_eq!(over.usage.unwrap().calls, 2, "only the judge is asked");
    assert_eq!(gateway.get("first").await.unwrap().sequence, old.sequence, "the old log stays as it is");
    assert_eq!(client.rejudge_debate(request).await.unwrap().into_inner().id, "second");
    let page = listed(&gateway, pb::ListDebatesRequest::default()).await;
    let marks: Vec<_> = page.debates.iter().map(|one| (one.id.as_str(), one.rejudges.as_deref())).collect();
    assert_eq!(marks, [("second", Some("first")), ("first", None)], "lists say so too");
}

#[tokio::test]
async fn a_debate_that_goes_on_is_not_judged_again() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway_before(&stage.idle_node().await, config()).await;
    gateway.create(wanted("waits")).await.unwrap();
    let request = pb::RejudgeDebateRequest { name: "waits".into(), ..Default::default() };
    let (code, reason, _) = refusal(gateway.debates.clone().rejudge_debate(request).await);
    assert_eq!((code, reason.as_str()), (Code::FailedPrecondition, "DEBATE_NOT_OVER"));
    let query = agon_store::CatalogueQuery { limit: 9, tenant: Some(TenantId::default()), ..Default::default() };
    assert_eq!(stage.store.find(&query).await.unwrap().len(), 1);
}

#[tokio::test]
async fn an_answer_tells_the_time_of_the_server() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway_before(&stage.idle_node().await, config()).await;
    let answer = gateway.debates.clone().list_debates(pb::ListDebatesRequest::default()).await.unwrap();
    let date = answer.metadata().get("date").expect("agon doctor compares clocks by it").to_str().unwrap();
    assert!(date.ends_with(" GMT"), "{date}");
}
