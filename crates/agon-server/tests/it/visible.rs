//! Words that a debate file keeps from clients.
use crate::gateway_bench::*;
use crate::http::http;
use agon_core::Event;
use agon_proto::pb::v1 as pb;
use pb::ExportFormat;

/// Every form of a document. A new one has to be entered here.
fn name(format: ExportFormat) -> &'static str {
    match format {
        ExportFormat::Unspecified => "unspecified",
        ExportFormat::Markdown => "report.md",
        ExportFormat::Summary => "report.txt",
        ExportFormat::Json => "report.json",
        ExportFormat::Html => "report.html",
        ExportFormat::Events => "report.jsonl",
    }
}

/// Sentences of all speeches, as the log has them.
async fn spoken(gateway: &TestGateway, debate: &str) -> Vec<String> {
    let request = pb::ListDebateEventsRequest { name: debate.into(), after_sequence: 0, page_size: 500 };
    let page = gateway.debates.clone().list_debate_events(request).await.unwrap().into_inner();
    let speeches = page.events.into_iter().filter_map(|event| match Event::try_from(event.event.unwrap()) {
        Ok(event) => event.speech().map(|(_, speech)| speech.text.to_string()),
        Err(error) => panic!("{error}"),
    });
    let first = |text: String| text.split(['.', '\n']).next().unwrap_or_default().to_owned();
    speeches.map(first).filter(|sentence| sentence.len() > 20).collect()
}

#[tokio::test]
async fn words_kept_from_clients_are_in_no_form_by_which_they_follow_a_debate() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway().await;
    let hidden = FILE.replacen("---\n", "---\nvisible: {debaters: {client: false, history: false}}\n", 1);
    gateway.create(pb::CreateDebateRequest { source: Some(file(&hidden)), ..wanted("hidden") }).await.unwrap();
    gateway.create(wanted("open")).await.unwrap();
    gateway.finish("hidden").await;
    gateway.finish("open").await;
    for (debate, shown) in [("hidden", false), ("open", true)] {
        let spoken = spoken(&gateway, debate).await;
        assert!(spoken.len() > 1, "{spoken:?}");
        let has_words = |text: &str| spoken.iter().any(|sentence| text.contains(sentence.as_str()));
        let url = |path: &str| format!("http://{}/v1/debates/{debate}/{path}", gateway.http);
        let page = http().get(url("events?page_size=500")).header("accept", "application/json").send().await.unwrap();
        let page = page.text().await.unwrap();
        assert_eq!(has_words(&page), shown, "the page of {debate}");
        assert!(page.contains("debate_ended"), "{page}");
        let streamed = http().get(url("events")).send().await.unwrap().text().await.unwrap();
        assert_eq!(has_words(&streamed), shown, "the stream of {debate}");
        for number in 0.. {
            let Ok(format) = ExportFormat::try_from(number) else { break };
            let request = pb::ExportDebateRequest { name: debate.into(), format: number };
            let document = gateway.debates.clone().export_debate(request).await.unwrap().into_inner().content;
            assert!(shown || !has_words(&document), "{} of {debate}", name(format));
            if format != ExportFormat::Unspecified {
                let answer = http().get(url(name(format))).send().await.unwrap();
                assert_eq!(answer.status(), 200);
                assert!(shown || !has_words(&answer.text().await.unwrap()), "{} of {debate}", name(format));
            }
            // what is open shows its speeches at least in the log
            assert!(!shown || format != ExportFormat::Events || has_words(&document));
        }
    }
}
