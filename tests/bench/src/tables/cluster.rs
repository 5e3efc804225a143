//! The tables of a cluster: one gateway, two coordinators and two hosts over NATS, each a process.
use super::{ANSWER_TOKENS, BenchRun, measured};
use crate::cluster::ClusterRun;
use anyhow::Result;
use std::process::Command;

/// Rounds and debates: about as many turns each time, and then many debates at once.
const RUNS: [(&str, &str); 4] = [("4", "150"), ("16", "40"), ("64", "10"), ("4", "1000")];

impl BenchRun {
    /// Runs them and prints a row for each.
    pub(super) fn cluster(&self) -> Result<()> {
        println!(
            "\n## A cluster: 1 gateway, 2 coordinators, 2 hosts over one nats-server; {ANSWER_TOKENS} streamed tokens an answer, 20 ms latency\n"
        );
        println!(
            "| rounds | debates | finished | turns | calls | wall s | agon: CPU ms per turn | of it gateway | coordinators | hosts | nats-server: CPU ms per turn | model server: CPU ms per turn | bus bytes per turn | prompt tokens per turn | agon: peak MiB | nats-server: peak MiB | logs checked |"
        );
        println!("|{}", " --- |".repeat(17));
        for (rounds, debates) in RUNS {
            print(&self.clustered(rounds, debates)?, rounds, debates);
        }
        Ok(())
    }

    fn clustered(&self, rounds: &str, debates: &str) -> Result<ClusterRun> {
        let mut command = Command::new(&self.bench);
        command.args(["measure", "cluster", "--rounds", rounds, "--debates", debates, "--agon"]).arg(&self.agon);
        measured(command.arg("--nats-server").arg(&self.nats_server))
    }
}

fn print(run: &ClusterRun, rounds: &str, debates: &str) {
    let turns = run.turns.max(1) as f64;
    let own = run.gateway_cpu_s + run.coordinators_cpu_s + run.hosts_cpu_s;
    let [own, gateway, coordinators, hosts, nats, models] =
        [own, run.gateway_cpu_s, run.coordinators_cpu_s, run.hosts_cpu_s, run.nats_cpu_s, run.models_cpu_s]
            .map(|seconds| seconds * 1e3 / turns);
    println!(
        "| {rounds} | {debates} | {} | {} | {} | {:.1} | {own:.2} | {gateway:.2} | {coordinators:.2} | {hosts:.2} | {nats:.2} | {models:.2} | {:.0} | {:.0} | {:.0} | {:.0} | {} |",
        run.finished,
        run.turns,
        run.calls,
        run.wall_s,
        run.bus_bytes as f64 / turns,
        run.prompt_tokens as f64 / turns,
        run.peak_kib as f64 / 1024.0,
        run.nats_peak_kib as f64 / 1024.0,
        run.logs_checked,
    );
}
