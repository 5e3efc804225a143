//! Long debates stay within the model's context, and their last turns cost no more than those in the middle.
use super::*;
use crate::Cli;
use agon_rehearsal::{RehearsalConfig, RehearsalServer};
use clap::Parser as _;

/// One debate against a server in this process; `None` leaves the context to the server, which has 131,072 tokens.
async fn hold(past: &str, rounds: u32, context: Option<u32>, cache: bool) -> ContextFigures {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let config = RehearsalConfig { model_cache: cache, chunk_tokens: 64, ..RehearsalConfig::default() };
    let server = RehearsalServer::start(config).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (rounds, url) = (rounds.to_string(), server.url());
    let context = context.map(|tokens| format!("--context={tokens}"));
    let mut args =
        vec!["agon-bench", "measure", "context", "--sync-normal", "--past", past, "--rounds", &rounds, "--url", &url];
    args.extend(context.as_deref());
    let Cli::Measure(plan) = Cli::parse_from(args) else { panic!("it is asked to measure") };
    let plan = BenchPlan { store: Some(folder.path().join("bench.db")), ..plan };
    let figures = run(&plan).await.unwrap();
    server.shutdown().await;
    figures
}

/// The context that the documentation's example gives a host.
const CONTEXT: u32 = 16_384;

#[tokio::test(flavor = "multi_thread")]
async fn a_rolling_window_keeps_64_rounds_bounded_even_where_nothing_is_cached() {
    let figures = hold("rolling-window", 64, Some(CONTEXT), false).await;

    assert_eq!(figures.findings, Vec::<String>::new(), "{figures:?}");
    assert!(figures.longest_prompt <= u64::from(CONTEXT), "{figures:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn summaries_keep_64_rounds_bounded_even_where_nothing_is_cached() {
    let figures = hold("summarize-past", 64, Some(CONTEXT), false).await;

    assert_eq!(figures.findings, Vec::<String>::new(), "{figures:?}");
    assert!(figures.longest_prompt <= u64::from(CONTEXT), "{figures:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn both_memories_stay_bounded_where_the_last_prompt_is_cached() {
    for past in ["rolling-window", "summarize-past"] {
        let figures = hold(past, 16, Some(CONTEXT), true).await;

        assert_eq!(figures.findings, Vec::<String>::new(), "{past}: {figures:?}");
        assert!(figures.evaluated.mean < figures.uncached.mean, "{past}: the cache spares nothing, {figures:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_debate_that_forgets_nothing_outgrows_the_context() {
    let figures = hold("append-all", 64, Some(CONTEXT), true).await;

    let findings = &figures.findings;
    assert!(figures.refused > 0 && figures.rounds < 64, "{figures:?}");
    assert!(findings.iter().any(|finding| finding.contains("did not fit the context")), "{findings:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_debate_that_forgets_nothing_evaluates_more_and_more_where_nothing_is_cached() {
    let figures = hold("append-all", 24, None, false).await;

    assert_eq!((figures.rounds, figures.refused), (24, 0), "{figures:?}");
    let findings = &figures.findings;
    assert!(matches!(&findings[..], [only] if only.contains("grow")), "{findings:?}");
}
