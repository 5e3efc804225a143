//! The same over NATS: every format in one cluster, at once.
use super::FORMATS;
use super::invariants::EventLog;
use crate::support::{TestCluster, example};

#[test]
fn every_format_is_held_over_nats_as_it_is_in_one_process() {
    let mut cluster = TestCluster::start().nats().gateway_and_coordinator().hosts(2);
    for format in FORMATS {
        let file = example(&format!("formats/{format}.md"));
        cluster.agon(&["submit", &file, "--rehearsal", "--seed", "11", "--id", &id(format)]).ok();
    }
    for format in FORMATS {
        let watch = cluster.agon(&["watch", &id(format), "--jsonl"]);
        assert!(matches!(watch.code, Some(0 | 2)), "{format}: {watch:?}");
        let log = EventLog::read(format, &watch.stdout);
        let spec = &log.events[0]["spec"];
        let (order, strategy) = (spec["turn_mode"].as_str().unwrap(), spec["consensus_strategy"].as_str().unwrap());
        log.holds(format, order, strategy);
    }
}

fn id(format: &str) -> String {
    format!("over-nats-{}", format.replace('_', "-"))
}
