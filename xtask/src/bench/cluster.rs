//! The tables of a cluster: one gateway, two coordinators and two hosts over NATS, each a process.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::{ANSWER_TOKENS, BenchRun};

/// What `agon-bench cluster` prints.
#[derive(Debug, Deserialize)]
struct ClusterRunReport {
    wall_s: f64,
    turns: u64,
    calls: u64,
    finished: u32,
    logs_checked: u32,
    gateway_cpu_s: f64,
    coordinators_cpu_s: f64,
    hosts_cpu_s: f64,
    nats_cpu_s: f64,
    models_cpu_s: f64,
    bus_bytes: u64,
    prompt_tokens: u64,
    peak_kib: u64,
    nats_peak_kib: u64,
}

/// Rounds and debates: about as many turns each time, and then many debates at once.
const RUNS: [(&str, &str); 4] = [("4", "150"), ("16", "40"), ("64", "10"), ("4", "1000")];

impl BenchRun {
    /// Runs them and prints a row for each.
    pub(super) fn cluster(&self, nats: &Path) -> Result<()> {
        println!(
            "\n## A cluster: 1 gateway, 2 coordinators, 2 hosts over one nats-server; {ANSWER_TOKENS} streamed tokens an answer, 20 ms latency\n"
        );
        println!(
            "| rounds | debates | finished | turns | calls | wall s | agon: CPU ms per turn | of it gateway | coordinators | hosts | nats-server: CPU ms per turn | model server: CPU ms per turn | bus bytes per turn | prompt tokens per turn | agon: peak MiB | nats-server: peak MiB | logs checked |"
        );
        println!("|{}", " --- |".repeat(17));
        for (rounds, debates) in RUNS {
            self.clustered(nats, rounds, debates)?.print(rounds, debates);
        }
        Ok(())
    }

    fn clustered(&self, nats: &Path, rounds: &str, debates: &str) -> Result<ClusterRunReport> {
        let mut command = Command::new(&self.bench);
        command.args(["cluster", "--rounds", rounds, "--debates", debates, "--agon"]).arg(&self.agon);
        command.arg("--nats-server").arg(nats);
        let output =
            command.stdin(Stdio::null()).stderr(Stdio::inherit()).output().context("cannot start agon-bench")?;
        ensure!(output.status.success(), "agon-bench cluster of {debates} debates failed: {}", output.status);
        serde_json::from_slice(&output.stdout).context("agon-bench printed something else")
    }
}

impl ClusterRunReport {
    fn print(&self, rounds: &str, debates: &str) {
        let turns = self.turns.max(1) as f64;
        let own = self.gateway_cpu_s + self.coordinators_cpu_s + self.hosts_cpu_s;
        let [own, gateway, coordinators, hosts, nats, models] =
            [own, self.gateway_cpu_s, self.coordinators_cpu_s, self.hosts_cpu_s, self.nats_cpu_s, self.models_cpu_s]
                .map(|seconds| seconds * 1e3 / turns);
        println!(
            "| {rounds} | {debates} | {} | {} | {} | {:.1} | {own:.2} | {gateway:.2} | {coordinators:.2} | {hosts:.2} | {nats:.2} | {models:.2} | {:.0} | {:.0} | {:.0} | {:.0} | {} |",
            self.finished,
            self.turns,
            self.calls,
            self.wall_s,
            self.bus_bytes as f64 / turns,
            self.prompt_tokens as f64 / turns,
            self.peak_kib as f64 / 1024.0,
            self.nats_peak_kib as f64 / 1024.0,
            self.logs_checked,
        );
    }
}
