//! A store that loses its logs, and one that is full.
use crate::cluster_bench::{ClusterBench, PATIENCE, count, is_speech, quick, state};
use crate::support::{ProgramOutput, RunningProgram};
use agon_bus::nats::NatsConfig;
use agon_chaos::Logs;
use agon_core::DebateState;
use agon_store::{NatsLimits, NatsStoreConfig};
use agon_testkit::until;
use serde_json::Value;
use std::num::NonZeroU64;

impl ClusterBench {
    /// Waits until `agon doctor` with these settings says so of `what`, with that remedy.
    fn doctor(&self, nats: &str, server: &str, what: &str, found: &str, fix: &str) {
        let limits = [("AGON__NATS__LIMITS__LOGS_MIB", "1"), ("AGON__NATS__LIMITS__RESERVE_PERCENT", "20")];
        until(&format!("the doctor says of {what}: {found}"), PATIENCE, || {
            let mut doctor = self.cluster.agon(&["doctor", "--json", "--server", server]);
            let said = ProgramOutput::of(&doctor.env("AGON__NATS__URLS", nats).envs(limits).output()?);
            let findings: Vec<Value> = serde_json::from_str(&said.stdout)?;
            let has = |finding: &Value, key: &str, text: &str| finding[key].as_str().unwrap_or_default().contains(text);
            let fits = |it: &&Value| it["level"] == "fail" && has(it, "what", what) && has(it, "found", found);
            Ok(findings.iter().find(fits).map(|finding| assert!(has(finding, "fix", fix), "{finding}")))
        })
        .unwrap();
    }

    /// What the readiness of a process says once it is so.
    fn readiness(&mut self, name: &str, wanted: &str) -> String {
        let line = self.cluster.member(name).unwrap().process().unwrap().wait_for("admin     ").unwrap();
        let admin = line.split_whitespace().last().unwrap().to_owned();
        let told = until(&format!("{name}: {wanted}"), PATIENCE, || {
            let said = ProgramOutput::of(&self.cluster.agon(&["health", "--url", &admin]).output()?);
            Ok(said.stdout.contains(wanted).then_some(said.stdout))
        });
        told.unwrap()
    }
}

#[test]
fn debates_whose_log_was_deleted_are_shown_as_lost_and_can_be_deleted_and_others_go_on() {
    let stage = ClusterBench::start(quick(1, 1));
    stage.submit("told-before", 1);
    stage.finishes("told-before");
    stage.submit("cut-off", 20);
    stage.speeches("cut-off", 1);
    stage.logs.delete_logs().unwrap();
    let nats = stage.cluster.nats.url();
    // a role may have been faster
    stage.cluster.agon(&["provision", "--nats", &nats]).output().unwrap();

    for id in ["told-before", "cut-off"] {
        until("the loss is told", PATIENCE, || {
            let said = stage.agon(&["get", id, "--json"]);
            assert_ne!(said.code, Some(64), "a debate that is known is never unknown: {said:?}");
            Ok((said.code == Some(3)).then_some(said))
        })
        .map(|said| assert!(said.stdout.contains("\"lost\"") && said.stderr.contains("deleted or purged"), "{said:?}"))
        .unwrap();
        let refused = stage.agon(&["watch", id]).code(3);
        assert!(refused.stderr.contains("LOG_LOST"), "{refused:?}");
    }
    let lost = stage.agon(&["list", "--state", "lost"]).ok();
    assert!(lost.stdout.contains("told-before") && lost.stdout.contains("cut-off"), "{lost:?}");
    assert!(
        lost.stderr.contains("debate cut-off is lost: ") && lost.stderr.contains("agon delete cut-off"),
        "{lost:?}"
    );
    let lost = stage.agon(&["list", "--state", "lost", "--json"]).ok().stdout;
    assert!(lost.contains("\"loss\": "), "{lost}");
    let replayed = stage.agon(&["replay", "cut-off"]).code(3);
    assert!(replayed.stderr.starts_with("error: replay: "), "{replayed:?}");
    for id in ["told-before", "cut-off"] {
        stage.agon(&["delete", id]).ok();
    }
    let listed = stage.agon(&["list", "--json"]).ok().stdout;
    assert_eq!(listed.trim(), "[]");
    stage.submit("told-after", 1);
    stage.finishes("told-after");
}

#[test]
fn a_full_store_refuses_what_is_new_lets_debates_be_ended_and_all_go_on_once_there_is_room() {
    let limits = "[nats.limits]\nlogs_mib = 1\nreserve_percent = 20\n";
    let cluster = quick(1, 1).settings(limits).start().unwrap();
    let of_cluster = NatsLimits { log_bytes: NonZeroU64::new(1 << 20).unwrap(), ..NatsLimits::default() };
    let who = NatsConfig::new([cluster.nats.url()], "checker", "checker");
    let logs = Logs::open_as(who, NatsStoreConfig { limits: of_cluster, ..NatsStoreConfig::default() }).unwrap();
    let mut stage = ClusterBench { cluster, logs };
    for id in ["ended", "goes-on"] {
        stage.submit(id, 20);
        stage.speeches(id, 1);
    }
    stage.logs.fill_logs().unwrap();
    // a fifth of a mebibyte is the reserve; half of it is left
    stage.logs.make_room(1).unwrap();
    stage.readiness("coordinator-1", "stream AGON_LOG_0 is full");

    let (nats, server) = (stage.cluster.nats.url(), stage.cluster.grpc(0).unwrap());
    stage.doctor(&nats, &server, "NATS ", "stream AGON_LOG_0 is full", "agon delete");
    stage.doctor(&nats, &server, "server ", "its store has no room", "agon delete");

    let submit = ["submit", "Should this fit?", "--rehearsal", "--model", "scripted"];
    let refused = stage.agon(&submit).code(69);
    assert!(refused.stderr.contains("STORE_FULL") && refused.stderr.contains("agon delete"), "{refused:?}");
    let waits = stage.agon(&[&submit[..], &["--wait", "--no-reports", "--patience", "1s"]].concat()).code(69);
    assert!(waits.stderr.contains("STORE_FULL") && waits.stderr.contains("Waiting for 0 s: "), "{waits:?}");
    let server = stage.cluster.grpc(0).unwrap();
    let watch = ["watch", "goes-on", "--patience", "2s", "--server", &server];
    let watch = RunningProgram::start(stage.cluster.agon(&watch));
    stage.agon(&["cancel", "ended"]).ok();
    let records = stage.finishes("ended");
    assert_eq!(state(&records), Some(DebateState::Cancelled));
    let (status, told) = watch.wait();
    assert_eq!(status.code(), Some(69), "{told}");
    assert!(told.contains("Waiting for") && told.contains("AGON_LOG_0 is full"), "{told}");

    stage.logs.make_room(1_000).unwrap();
    let records = stage.finishes("goes-on");
    assert_eq!((state(&records), count(&records, is_speech)), (Some(DebateState::Succeeded), 40));
    assert!(stage.readiness("coordinator-1", "true").contains("[]"));
}
