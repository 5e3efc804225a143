//! What the tests of failures share: quick clusters, slow debates, and what their logs say.
use crate::support::{ProgramOutput, agon};
use agon_chaos::{Logs, owner};
use agon_core::{DebateState, Event, Record};
use agon_testkit::cluster::{Cluster, Scenario};
use agon_testkit::{Rehearsal, until};
use std::collections::BTreeMap;
use std::time::Duration;

/// Longest time that anything here may take; it decides nothing.
pub const PATIENCE: Duration = Duration::from_secs(90);

/// Failures are noticed sooner than by default, so that the tests are short.
const QUICK: &str = "[coordinator]\nheartbeat = \"1s\"\nnode_silent = \"4s\"\nhost_silent = \"4s\"\nsweep = \"2s\"\n\
    queued_stale = \"2s\"\nrunning_stale = \"6s\"\n";

/// One gateway, so many coordinators and hosts, and models that take a third of a second for a turn.
pub fn quick(coordinators: usize, hosts: usize) -> Scenario {
    Scenario::new(agon()).coordinators(coordinators).hosts(hosts).settings(QUICK).rehearsal(&["--latency", "300ms"])
}

/// A debate of two speakers and so many rounds.
pub fn file(id: &str, rounds: u32) -> String {
    format!(
        "topic: Should {id} be tried?\nmax_rounds: {rounds}\nballots: none\njudge: {{orders: 1}}\n\
         phases: {{opening_statements: false, final_statements: false}}\n\
         personas:\n- {{name: Ada, stance: yes}}\n- {{name: Bo, stance: no}}\n"
    )
}

/// A cluster and its logs.
pub struct ClusterBench {
    pub cluster: Cluster,
    pub logs: Logs,
}

impl ClusterBench {
    pub fn start(scenario: Scenario) -> Self {
        let cluster = scenario.start().unwrap();
        let logs = Logs::open(&cluster.nats.url()).unwrap();
        Self { cluster, logs }
    }

    /// Runs the program against the gateway.
    pub fn agon(&self, args: &[&str]) -> ProgramOutput {
        let server = self.cluster.grpc(0).unwrap();
        ProgramOutput::of(&self.cluster.agon(&[args, &["--server", &server]].concat()).output().unwrap())
    }

    /// Submits a debate of two speakers and so many rounds, each call after the other.
    pub fn submit(&self, id: &str, rounds: u32) {
        self.cluster.submit(&file(id, rounds), id).unwrap();
    }

    /// Waits for so many speeches.
    pub fn speeches(&self, id: &str, count: usize) -> Vec<Record> {
        self.logs.until_count(id, "speeches", count, |event| event.speech().is_some()).unwrap()
    }
    /// Waits for so many claims.
    pub fn claims(&self, id: &str, count: usize) -> Vec<Record> {
        self.logs.until_count(id, "claims", count, |event| matches!(event, Event::Claimed { .. })).unwrap()
    }

    /// The process that owns a debate.
    pub fn owner(&mut self, id: &str) -> String {
        let node = owner(&self.claims(id, 1)).unwrap();
        self.cluster.member_of(&node).unwrap_or_else(|| panic!("no process is {node}"))
    }
    /// The process of the host that plays a debate, and its model server, once a call is open there.
    pub fn player(&self) -> (String, &Rehearsal) {
        let playing = until("a host plays a turn", PATIENCE, || {
            Ok(self.cluster.rehearsals.iter().position(|server| server.count("in_flight").is_ok_and(|open| open > 0)))
        });
        let at = playing.unwrap();
        (format!("host-{}", at + 1), &self.cluster.rehearsals[at])
    }

    /// Waits for the end of a debate, whose log must have nothing wrong.
    pub fn finishes(&self, id: &str) -> Vec<Record> {
        let records = self.logs.until_over(id).unwrap();
        let findings = self.logs.check(id).unwrap();
        assert!(findings.is_empty(), "{id}: {findings:?}\n{:#?}", events(&records));
        records
    }

    /// Calls that were answered to their end more than once: tokens that were paid for again.
    pub fn paid_twice(&self) -> Vec<String> {
        let mut finished: BTreeMap<String, usize> = BTreeMap::new();
        for server in &self.cluster.rehearsals {
            for call in server.calls().unwrap().into_iter().filter(|call| call.finished) {
                *finished.entry(call.body).or_default() += 1;
            }
        }
        finished.into_iter().filter(|(_, times)| *times > 1).map(|(body, _)| body).collect()
    }
}

/// The events of a log, in order.
pub fn events(records: &[Record]) -> Vec<&Event> {
    records.iter().flat_map(|record| &record.events).collect()
}

/// How a debate ended.
pub fn state(records: &[Record]) -> Option<DebateState> {
    events(records).into_iter().find_map(|event| match event {
        Event::DebateEnded { state, .. } => Some(*state),
        _ => None,
    })
}

/// How many events are of a kind.
pub fn count(records: &[Record], of: impl Fn(&Event) -> bool) -> usize {
    events(records).into_iter().filter(|event| of(event)).count()
}

pub fn is_speech(event: &Event) -> bool {
    event.speech().is_some()
}
pub fn is_claim(event: &Event) -> bool {
    matches!(event, Event::Claimed { .. })
}
pub fn is_failure(event: &Event) -> bool {
    matches!(event, Event::TurnFailed { .. })
}
