//! Callers that keep debates under way, and what the logs must say in the end.
use super::places::CHECKER;
use super::pod::Pod;
use super::site::{Release, Site};
use crate::cluster_bench::PATIENCE;
use agon_bus::nats::{NatsAuth, NatsConfig, NatsTls};
use agon_chaos::Logs;
use agon_core::{DebateState, Event};
use agon_store::{NatsLimits, NatsStoreConfig};
use agon_testkit::{Process, until};
use serde_json::Value;
use std::num::NonZeroU64;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Callers at one time.
const CALLERS: usize = 3;

/// What the callers have done.
#[derive(Default)]
pub struct CrowdProgress {
    begun: AtomicUsize,
    ended: Mutex<Vec<String>>,
    enough: AtomicBool,
}

impl CrowdProgress {
    /// Waits until so many more debates have come to their end: those that run next are under way by then.
    pub fn more(&self, count: usize) {
        let before = self.ended.lock().unwrap().len();
        let more = || (self.ended.lock().unwrap().len() >= before + count).then_some(());
        until("debates come to their ends", PATIENCE, || {
            assert!(!self.enough.load(Ordering::Relaxed), "a caller gave up");
            Ok(more())
        })
        .unwrap();
    }
}

/// Does the work while callers submit one debate after the other with the test's own client, each followed from its first event to its
/// last. Gives the debates' ids.
pub fn while_debates_run(site: &Site, caller: &Pod, debate: &[&str], work: impl FnOnce(&CrowdProgress)) -> Vec<String> {
    let progress = CrowdProgress::default();
    let call = || {
        while !progress.enough.load(Ordering::Relaxed) {
            let id = format!("rolled-{:04}", progress.begun.fetch_add(1, Ordering::Relaxed));
            let told = catch_unwind(AssertUnwindSafe(|| follow(site, caller, debate, &id)));
            if let Err(told) = told {
                progress.enough.store(true, Ordering::Relaxed);
                resume_unwind(told);
            }
            progress.ended.lock().unwrap().push(id);
        }
    };
    std::thread::scope(|scope| {
        (0..CALLERS).for_each(|_| drop(scope.spawn(call)));
        let told = catch_unwind(AssertUnwindSafe(|| {
            progress.more(1);
            work(&progress);
            progress.more(CALLERS);
        }));
        progress.enough.store(true, Ordering::Relaxed);
        told.unwrap_or_else(|told| resume_unwind(told));
    });
    progress.ended.into_inner().unwrap()
}

/// Submits a debate and follows it, past every gateway that ends. Each event is told once, in order, and there is a verdict.
fn follow(site: &Site, caller: &Pod, debate: &[&str], id: &str) {
    let args = [&["submit"], debate, &["--id", id, "--wait", "--jsonl", "--no-reports"]].concat();
    let command = caller.command(site, caller.main(), &[], Some(&args));
    let mut process = Process::start(id, command, caller.folder().join(format!("{id}.log"))).unwrap();
    let status = process.wait().unwrap();
    let said = process.log();
    assert!(
        status.success(),
        "{id}: {status}\n{}",
        said.lines().filter(|line| !line.starts_with('{')).collect::<String>()
    );
    // what is said to people stands between
    let told =
        said.lines().filter(|line| line.starts_with('{')).map(|line| serde_json::from_str::<Value>(line).unwrap());
    let told: Vec<u64> = told.filter(|line| line["type"] != "delta").filter_map(|line| line["seq"].as_u64()).collect();
    assert_eq!(told, (1..=told.len() as u64).collect::<Vec<_>>(), "{id}");
}

/// How the streams of a release are laid out, and whether there is TLS: from the settings of its gateways.
fn logs(site: &Site) -> Logs {
    let files = site.render.files("agon-gateway");
    let settings = &files[0].1;
    let number = |name: &str| -> u64 {
        let after = settings.split(&format!("{name} = ")).nth(1).unwrap_or_else(|| panic!("no {name} in {settings}"));
        after.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
    };
    let bytes = |name: &str| NonZeroU64::new(number(name) << 20).unwrap();
    let limits = NatsLimits {
        log_bytes: bytes("logs_mib"),
        register_bytes: bytes("registers_mib"),
        catalogue_bytes: bytes("catalogue_mib"),
        eval_bytes: bytes("evals_mib"),
        ..NatsLimits::default()
    };
    let shards = u32::try_from(number("shards")).unwrap().try_into().unwrap();
    let replicas = usize::try_from(number("replicas")).unwrap().try_into().unwrap();
    let config = NatsStoreConfig { shards, replicas, limits, ..NatsStoreConfig::default() };
    let url = format!("nats://127.0.0.1:{}", site.network.service("agon-nats", 4222));
    let mut who = NatsConfig::new([url], CHECKER, CHECKER);
    if settings.contains("password = ") {
        who.auth = NatsAuth::UserPassword { user: CHECKER.to_owned(), password: CHECKER.into() };
    }
    if settings.contains("require = true") {
        let ca = site.pod_folder("checker").join("ca.crt");
        std::fs::write(&ca, site.secrets.value("agon-nats-tls", "ca.crt")).unwrap();
        who.tls = NatsTls { require: true, ca_file: Some(ca), ..NatsTls::default() };
    }
    Logs::open_as(who, config).unwrap()
}

/// Every debate was decided, its log has nothing wrong, no turn failed, nobody tried what it may not, and at least so many debates
/// changed their owners.
pub fn nothing_was_lost(release: &Release, debates: &[String], moved: usize) {
    for pod in release.pods() {
        let figures = pod.metrics().unwrap_or_default();
        let failed: Vec<&str> = figures.lines().filter(|line| line.starts_with("agon_turn_failures_total")).collect();
        assert!(failed.iter().all(|line| line.ends_with(" 0")), "{}: {failed:?}", pod.name);
    }
    let refused = release.site.violations();
    assert!(refused.is_empty(), "{refused:#?}");
    let logs = logs(&release.site);
    let mut owners = 0;
    for id in debates {
        let (findings, events) = (logs.check(id).unwrap(), logs.events(id).unwrap());
        assert!(findings.is_empty(), "{id}: {findings:?}\n{events:#?}");
        let failed = events.iter().filter(|event| matches!(event, Event::TurnFailed { .. })).count();
        assert_eq!(failed, 0, "{id}: {events:#?}");
        let end = events.last().unwrap();
        assert!(matches!(end, Event::DebateEnded { state: DebateState::Succeeded, .. }), "{id}: {end:?}");
        owners += events.iter().filter(|event| matches!(event, Event::Claimed { .. })).count() - 1;
    }
    assert!(owners >= moved, "{owners} debates changed their owner, of {}", debates.len());
}
