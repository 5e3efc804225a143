//! A real Prometheus on a free port.
use crate::support::{PATIENCE, root};
use agon_testkit::{Process, free_port, http_get, until};
use anyhow::{Context as _, Result};
use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// A running server that looks at some admin ports twice a second, and evaluates the rules. Killed when dropped.
pub struct Prometheus {
    _process: Process,
    address: String,
}

impl Prometheus {
    /// Starts one in a folder of its own, and waits until it is ready.
    pub fn start(folder: &Path, targets: &[String]) -> Self {
        std::fs::create_dir(folder).unwrap();
        let rules = root().join(super::RULES);
        let config = format!(
            "global: {{scrape_interval: 500ms, evaluation_interval: 500ms}}\nrule_files: [{rules:?}]\n\
             scrape_configs: [{{job_name: processes, static_configs: [{{targets: {targets:?}}}]}}]\n"
        );
        std::fs::write(folder.join("prometheus.yaml"), config).unwrap();
        let address = format!("127.0.0.1:{}", free_port().unwrap());
        let mut command = Command::new("prometheus");
        command.arg("--config.file=prometheus.yaml").arg("--storage.tsdb.path=data").current_dir(folder);
        command.arg(format!("--web.listen-address={address}"));
        let process = Process::start("prometheus", command, folder.join("log"))
            .expect("prometheus starts; `apt-get install prometheus` installs it on Debian");
        until("Prometheus is ready", PATIENCE, || Ok(http_get(&address, "/-/ready").ok())).unwrap();
        Self { _process: process, address }
    }

    fn get(&self, path: &str) -> Result<Value> {
        let answer: Value = serde_json::from_str(&http_get(&self.address, path)?)?;
        anyhow::ensure!(answer["status"] == "success", "{path}: {answer}");
        Ok(answer)
    }

    /// The figures that an expression has now.
    pub fn ask(&self, expression: &str) -> Result<Vec<f64>> {
        let answer = self.get(&format!("/api/v1/query?query={}", encoded(expression)))?;
        let figures = answer["data"]["result"].as_array().context("no result")?.iter();
        figures.map(|one| one["value"][1].as_str().context("no figure")?.parse().context("no number")).collect()
    }

    /// All rules, each with what became of its last evaluation.
    pub fn rules(&self) -> Vec<(String, String)> {
        let evaluated = || {
            let answer = self.get("/api/v1/rules")?;
            let groups = answer["data"]["groups"].as_array().context("no groups")?.clone();
            let rules = groups.iter().flat_map(|group| group["rules"].as_array().unwrap());
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            let rules: Vec<_> = rules.map(|rule| (text(&rule["name"]), text(&rule["health"]))).collect();
            Ok(rules.iter().all(|(_, health)| health != "unknown").then_some(rules))
        };
        until("every rule was evaluated", PATIENCE, evaluated).unwrap()
    }
}

/// An expression as a part of an address.
fn encoded(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() {
            out.push(char::from(byte));
        } else {
            write!(out, "%{byte:02X}").unwrap();
        }
        out
    })
}
