//! The floor: the same calls in a bare loop. No actors, no log, no failure rules; what is left is HTTP and parsing.
use crate::{BenchPlan, Measurement, meter};
use anyhow::{Context, Result, ensure};
use futures_util::StreamExt;
use serde::Deserialize;
use serde_json::json;

/// About as long as the rules, topic and context of a real debate.
const SYSTEM_CHARS: usize = 1_600;

#[derive(Deserialize)]
struct ChatLine {
    message: ChatDelta,
    #[serde(default)]
    done: bool,
}
#[derive(Deserialize)]
struct ChatDelta {
    content: String,
}

/// Runs all debates at once.
pub async fn run(plan: &BenchPlan) -> Result<Measurement> {
    let http = reqwest::Client::builder().pool_max_idle_per_host(usize::MAX).no_proxy().build()?;
    debate(http.clone(), plan.url.clone(), 1).await?;
    let answered = crate::counted(plan, "finished_calls").await?;
    meter::forget_peak();
    let before = meter::resident_kib();
    let stretch = meter::Stretch::start();
    for _ in 0..plan.repeat {
        let debates: Vec<_> =
            (0..plan.debates).map(|_| tokio::spawn(debate(http.clone(), plan.url.clone(), plan.rounds))).collect();
        for debate in debates {
            debate.await.context("a debate of the floor panicked")??;
        }
    }
    let (wall_s, cpu_s) = stretch.seconds();
    let calls = crate::calls_since(plan, answered).await?;
    Ok(Measurement {
        wall_s,
        cpu_s,
        calls,
        finished: plan.debates * plan.repeat,
        before_kib: before,
        peak_kib: meter::peak_kib(),
    })
}

/// Opens the first call of every debate at a server that does not answer, and measures once all wait.
pub async fn wait(plan: &BenchPlan) -> Result<Measurement> {
    let http = reqwest::Client::builder().pool_max_idle_per_host(usize::MAX).no_proxy().build()?;
    let before_kib = meter::resident_kib();
    let calls: Vec<_> =
        (0..plan.debates).map(|_| tokio::spawn(debate(http.clone(), plan.url.clone(), plan.rounds))).collect();
    crate::until_all_wait(plan).await?;
    let peak_kib = meter::resident_kib();
    calls.iter().for_each(tokio::task::JoinHandle::abort);
    Ok(Measurement { wall_s: 0.0, cpu_s: 0.0, calls: 0, finished: plan.debates, before_kib, peak_kib })
}

/// Three speakers and a moderator a round, then a judge and who writes the conclusion: one after the other, the whole transcript in every prompt.
async fn debate(http: reqwest::Client, url: String, rounds: u32) -> Result<()> {
    let mut said = String::new();
    for _ in 0..rounds {
        for speaker in ["Ada", "Bo", "Cy", "moderator"] {
            let answer = call(&http, &url, speaker, &said).await?;
            if speaker != "moderator" {
                said.push_str(speaker);
                said.push_str(": ");
                said.push_str(&answer);
                said.push_str("\n\n");
            }
        }
    }
    for last in ["judge", "synthesizer"] {
        call(&http, &url, last, &said).await?;
    }
    Ok(())
}

async fn call(http: &reqwest::Client, url: &str, speaker: &str, said: &str) -> Result<String> {
    let body = json!({"model": "bench", "stream": true, "messages": [
        {"role": "system", "content": "x".repeat(SYSTEM_CHARS)},
        {"role": "user", "content": format!("{said}You are {speaker}.")}]});
    let request =
        http.post(format!("{url}/api/chat")).header("content-type", "application/json").body(body.to_string());
    let mut stream = request.send().await?.error_for_status()?.bytes_stream();
    let (mut rest, mut text, mut done) = (Vec::new(), String::new(), false);
    while let Some(piece) = stream.next().await {
        rest.extend_from_slice(&piece?);
        let whole = rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let lines: Vec<u8> = rest.drain(..whole).collect();
        for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            let line: ChatLine = serde_json::from_slice(line)?;
            text.push_str(&line.message.content);
            done |= line.done;
        }
    }
    ensure!(done, "the answer was cut");
    Ok(text)
}
