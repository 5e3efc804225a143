//! The figures that a plan starts from, with their units: what is asked, what was measured, what is set, and what is assumed.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};

/// All figures. A file names those that shall differ.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Figures {
    /// What is asked.
    pub question: Question,
    /// What a debate is like.
    pub debate: Debate,
    /// What a GPU does, and costs.
    pub gpu: Gpu,
    /// What Agon and NATS take; measured.
    pub measured: Measured,
    /// Settings of one cluster, as they are by default.
    pub defaults: Limits,
    /// How the plan uses them.
    pub plan: Choice,
    /// Prices other than GPUs'.
    pub price: Price,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Question {
    /// Debates that run at the same time.
    pub debates: u64,
    /// Hours within which all of them shall end.
    pub hours: f64,
    /// Seed of debate ids and of the lengths of answers.
    pub seed: u64,
}

/// What a debate is like.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Debate {
    /// Turns, one after the other.
    pub turns: u32,
    /// Tokens of a prompt, mean.
    pub prompt_tokens: f64,
    /// Share of a prompt that the model server finds in its cache.
    pub cached_share: f64,
    /// Tokens of an answer, mean.
    pub answer_tokens: f64,
    /// Seconds that a turn may wait for a server and then take, before it fails: `runtime.wait_limit` and `timeout_per_turn`.
    pub patience_s: f64,
}

/// What a GPU does, and costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Gpu {
    /// Answers that it generates at once.
    pub sequences: u32,
    /// Tokens a second of one of them.
    pub tokens_per_s: f64,
    /// Prompt tokens a second that it evaluates, of all answers together.
    pub prefill_tokens_per_s: f64,
    /// Share of the time that it is planned to work.
    pub busy: f64,
    /// GPUs at one host process.
    pub per_host: u32,
    /// Price of an hour, in US dollars.
    pub usd_per_hour: f64,
}

/// What Agon and NATS take; docs/scale.md says where each was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Measured {
    /// Processor time of gateway and coordinator for a turn, in milliseconds.
    pub coordinator_ms_per_turn: f64,
    /// Processor time of a host for a turn, in milliseconds.
    pub host_ms_per_turn: f64,
    /// Requests that one nats-server answers in a second: appends and register writes on two shared cores.
    pub nats_requests_per_s: f64,
    /// Processor time of nats-server for a turn, in milliseconds.
    pub nats_ms_per_turn: f64,
    /// Messages that nats-server gets in a second for a debate whose turn waits or is played.
    pub messages_per_waiting_s: f64,
    /// Bytes that nats-server gets and sends for a turn.
    pub bus_bytes_per_turn: f64,
    /// Memory of a coordinator for a running debate, in KiB.
    pub coordinator_kib_per_debate: f64,
    /// Memory of a gateway or coordinator for a debate of the catalogue, in KiB.
    pub catalogue_kib_per_debate: f64,
    /// Bytes of a debate in the catalogue's stream.
    pub catalogue_bytes: f64,
    /// Bytes of a debate in the stream of jobs, where it stays until it is over.
    pub job_bytes: f64,
    /// Bytes of a turn in the streams of the logs.
    pub log_bytes_per_turn: f64,
    /// Bytes of a turn in the stream of registers.
    pub register_bytes_per_turn: f64,
}

/// Settings of one cluster, as they are by default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// `coordinator.max_debates`
    pub max_debates: f64,
    /// `nats.limits.jobs`
    pub jobs: f64,
    /// Bytes of the stream of jobs, in MiB; no setting.
    pub jobs_mib: f64,
    /// Turns that may wait for hosts; no setting.
    pub queued_turns: f64,
    /// `nats.limits.catalogue_mib`
    pub catalogue_mib: f64,
    /// `nats.limits.logs_mib`
    pub logs_mib: f64,
    /// `nats.limits.registers_mib`
    pub registers_mib: f64,
    /// Seconds between two signs of life of a process (`coordinator.heartbeat`).
    pub heartbeat_s: f64,
    /// Seconds between two notes on a running debate in the catalogue; no setting.
    pub note_s: f64,
}

/// How the plan uses them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Choice {
    /// Debates of a cell, that is of a cluster of its own; 0: as many as the bottlenecks of a cell allow.
    pub debates_per_cell: u64,
    /// Share of a limit that is used.
    pub headroom: f64,
    /// Streams that the logs of a cell are spread over (`nats.shards`).
    pub shards: u32,
    /// Copies of every stream (`nats.replicas`), each on a nats-server of its own.
    pub replicas: u32,
    /// `coordinator.max_debates` of the plan.
    pub max_debates: f64,
    /// Gateways of a cell.
    pub gateways: u32,
    /// Minutes over which the debates are handed in.
    pub ramp_min: f64,
    /// Memory that a process may take, in GiB.
    pub process_gib: f64,
    /// Messages a second that a nats-server hands to listeners.
    pub deliveries_per_s: f64,
}

/// Prices other than GPUs', in US dollars.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Price {
    /// A processor core with its memory, an hour.
    pub core_hour: f64,
    /// A GiB of fast disk, a month.
    pub disk_gib_month: f64,
}

impl Default for Question {
    fn default() -> Self {
        Self { debates: 1_000_000, hours: 2.0, seed: 1 }
    }
}

impl Default for Debate {
    fn default() -> Self {
        Self { turns: 17, prompt_tokens: 1_972.0, cached_share: 0.3, answer_tokens: 400.0, patience_s: 690.0 }
    }
}

impl Default for Gpu {
    fn default() -> Self {
        Self {
            sequences: 32,
            tokens_per_s: 40.0,
            prefill_tokens_per_s: 8_000.0,
            busy: 0.85,
            per_host: 8,
            usd_per_hour: 2.0,
        }
    }
}

impl Default for Measured {
    fn default() -> Self {
        Self {
            coordinator_ms_per_turn: 0.28,
            host_ms_per_turn: 0.52,
            nats_requests_per_s: 8_740.0,
            nats_ms_per_turn: 0.66,
            messages_per_waiting_s: 0.335,
            bus_bytes_per_turn: 13_654.0,
            coordinator_kib_per_debate: 53.0,
            catalogue_kib_per_debate: 0.94,
            catalogue_bytes: 265.0,
            job_bytes: 151.0,
            log_bytes_per_turn: 1_575.0,
            register_bytes_per_turn: 1_064.0,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_debates: 512.0,
            jobs: 100_000.0,
            jobs_mib: 64.0,
            queued_turns: 20_000.0,
            catalogue_mib: 128.0,
            logs_mib: 1_024.0,
            registers_mib: 256.0,
            heartbeat_s: 2.0,
            note_s: 30.0,
        }
    }
}

impl Default for Choice {
    fn default() -> Self {
        Self {
            debates_per_cell: 0,
            headroom: 0.5,
            shards: 4,
            replicas: 3,
            max_debates: 4_096.0,
            gateways: 2,
            ramp_min: 10.0,
            process_gib: 8.0,
            deliveries_per_s: 200_000.0,
        }
    }
}

impl Default for Price {
    fn default() -> Self {
        Self { core_hour: 0.05, disk_gib_month: 0.1 }
    }
}

impl Figures {
    /// The figures of a file, and the usual ones for what it leaves out.
    pub fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        toml::from_str(&text).with_context(|| format!("{} holds no figures of a plan", path.display()))
    }

    /// Refuses what no plan can be made from.
    pub fn check(&self) -> Result<()> {
        let Self { question, debate, gpu, plan, measured, .. } = self;
        ensure!((1..=10_000_000).contains(&question.debates), "question.debates must lie between 1 and 10,000,000");
        ensure!((1..=10_000).contains(&debate.turns), "debate.turns must lie between 1 and 10,000");
        ensure!(gpu.sequences > 0 && gpu.per_host > 0, "gpu.sequences and gpu.per_host must be at least 1");
        ensure!(plan.shards > 0 && plan.replicas > 0, "plan.shards and plan.replicas must be at least 1");
        ensure!((0.0..=1.0).contains(&debate.cached_share), "debate.cached_share must lie between 0 and 1");
        let positive = [
            ("question.hours", question.hours),
            ("gpu.busy", gpu.busy),
            ("gpu.tokens_per_s", gpu.tokens_per_s),
            ("gpu.prefill_tokens_per_s", gpu.prefill_tokens_per_s),
            ("plan.headroom", plan.headroom),
            ("plan.max_debates", plan.max_debates),
            ("measured.nats_requests_per_s", measured.nats_requests_per_s),
        ];
        for (name, value) in positive {
            ensure!(value.is_finite() && value > 0.0, "{name} must be greater than 0");
        }
        ensure!(gpu.busy <= 1.0 && plan.headroom <= 1.0, "gpu.busy and plan.headroom are shares of 1");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_changes_what_it_names_and_nothing_else() {
        let read: Figures = toml::from_str("[gpu]\nusd_per_hour = 9.5\n").unwrap();
        assert_eq!(read.gpu, Gpu { usd_per_hour: 9.5, ..Gpu::default() });
        assert_eq!(read.debate, Debate::default());
        assert_eq!(toml::from_str::<Figures>(&toml::to_string(&read).unwrap()).unwrap(), read);
        assert!(toml::from_str::<Figures>("[gpu]\nusd_per_day = 9.5\n").is_err());
    }

    #[test]
    fn what_no_plan_can_be_made_from_is_refused_by_name() {
        assert!(Figures::default().check().is_ok());
        let refused = [
            ("[question]\ndebates = 0\n", "question.debates"),
            ("[question]\nhours = 0.0\n", "question.hours"),
            ("[gpu]\nbusy = 1.5\n", "gpu.busy"),
            ("[plan]\nshards = 0\n", "plan.shards"),
            ("[debate]\ncached_share = 2.0\n", "debate.cached_share"),
        ];
        for (text, name) in refused {
            let error = toml::from_str::<Figures>(text).unwrap().check().unwrap_err().to_string();
            assert!(error.contains(name), "{error}");
        }
    }
}
