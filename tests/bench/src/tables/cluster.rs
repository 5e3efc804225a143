//! The tables of a cluster: one gateway, two coordinators and two hosts over NATS, each a process.
use super::{ANSWER_TOKENS, BenchRun, measured};
use crate::Measurement;
use crate::cluster::{ClusterRun, WaitingRun};
use anyhow::Result;
use serde::de::DeserializeOwned;
use std::process::Command;

/// nats-servers, rounds and debates: about as many turns each time, many debates at once, and three copies of everything.
const RUNS: [(u32, &str, u32); 6] =
    [(1, "4", 150), (3, "4", 150), (1, "16", 40), (1, "64", 10), (1, "4", 1_000), (1, "4", 10_000)];
/// Before the first token of each answer.
const LATENCY: &str = "20ms";
/// The goal: so many times the processor time of the floor, without that of nats-server.
const MOST_CPU: f64 = 2.0;
/// Of more debates at once the quick tables have none.
const QUICK: u32 = 1_000;
/// Messages a second that a debate may cost while it waits.
const GOAL: f64 = 0.03;

impl BenchRun {
    /// Runs them and prints a row for each.
    pub(super) fn cluster(&self, quick: bool) -> Result<()> {
        println!(
            "\n## A cluster: 1 gateway, 2 coordinators, 2 hosts over NATS; {ANSWER_TOKENS} streamed tokens an answer, {LATENCY} latency\n"
        );
        println!(
            "| nats-servers and copies | rounds | debates | finished | turns | calls | wall s | agon: CPU ms per turn | floor | ratio | goal | of it gateway | coordinators | hosts | nats-server: CPU ms per turn | model server: CPU ms per turn | bus bytes per turn | prompt tokens per turn | agon: peak MiB | nats-server: peak MiB | logs checked |"
        );
        println!("|{}", " --- |".repeat(21));
        let server = self.server(&["--answer-tokens", ANSWER_TOKENS, "--latency", LATENCY, "--no-model-cache"])?;
        for (servers, rounds, debates) in RUNS.into_iter().filter(|(_, _, debates)| !quick || *debates <= QUICK) {
            let floor: Measurement =
                self.measure("floor", &server, &["--rounds", rounds, "--debates", &debates.to_string()])?;
            print(&self.clustered("cluster", servers, rounds, debates)?, floor.cpu_ms(), (servers, rounds, debates));
        }
        println!("\n## Debates that wait in such a cluster for a model that does not answer\n");
        println!(
            "| debates | messages a second without them | messages a second and debate | goal | bytes a second and debate | nats-server: busy cores |\n|{}",
            " --- |".repeat(6)
        );
        let debates = if quick { QUICK } else { 10 * QUICK };
        let run: WaitingRun = self.clustered("cluster-waiting", 1, "4", debates)?;
        println!(
            "| {} | {:.1} | {:.4} | {GOAL} | {:.1} | {:.3} |",
            run.debates, run.idle_per_s, run.messages_per_s, run.bytes_per_s, run.nats_cpu_share
        );
        Ok(())
    }

    fn clustered<T: DeserializeOwned>(&self, subject: &str, servers: u32, rounds: &str, debates: u32) -> Result<T> {
        let mut command = Command::new(&self.bench);
        command.args(["measure", subject, "--rounds", rounds, "--debates", &debates.to_string()]);
        command.args(["--nats-servers", &servers.to_string()]);
        measured(command.arg("--agon").arg(&self.agon).arg("--nats-server").arg(&self.nats_server))
    }
}

fn print(run: &ClusterRun, floor: f64, (servers, rounds, debates): (u32, &str, u32)) {
    let turns = run.turns.max(1) as f64;
    let own = run.gateway_cpu_s + run.coordinators_cpu_s + run.hosts_cpu_s;
    let [own, gateway, coordinators, hosts, nats, models] =
        [own, run.gateway_cpu_s, run.coordinators_cpu_s, run.hosts_cpu_s, run.nats_cpu_s, run.models_cpu_s]
            .map(|seconds| seconds * 1e3 / turns);
    println!(
        "| {servers} | {rounds} | {debates} | {} | {} | {} | {:.1} | {own:.2} | {floor:.2} | {:.2} | {MOST_CPU} | {gateway:.2} | {coordinators:.2} | {hosts:.2} | {nats:.2} | {models:.2} | {:.0} | {:.0} | {:.0} | {:.0} | {} |",
        run.finished,
        run.turns,
        run.calls,
        run.wall_s,
        own / floor,
        run.bus_bytes as f64 / turns,
        run.prompt_tokens as f64 / turns,
        run.peak_kib as f64 / 1024.0,
        run.nats_peak_kib as f64 / 1024.0,
        run.logs_checked,
    );
}
