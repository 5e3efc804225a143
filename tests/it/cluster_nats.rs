//! nats-server dies, loses what may be lost, or holds what nobody understands.
use crate::cluster_bench::{ClusterBench, PATIENCE, count, is_claim, is_failure, is_speech, quick};
use agon_testkit::until;

#[test]
fn when_nats_is_killed_and_comes_back_debates_go_on_where_they_were() {
    let mut stage = ClusterBench::start(quick(2, 2).own_rehearsals());
    for id in ["outage-1", "outage-2"] {
        stage.submit(id, 5);
        stage.speeches(id, 2);
    }
    stage.cluster.nats.kill();
    stage.cluster.nats.restart().unwrap();
    for id in ["outage-1", "outage-2"] {
        let records = stage.finishes(id);
        assert_eq!((count(&records, is_speech), count(&records, is_failure)), (10, 0), "{id}");
    }
    assert_eq!(stage.paid_twice(), Vec::<String>::new());
}

#[test]
fn a_debate_whose_job_was_removed_is_found_and_queued_again() {
    let mut stage = ClusterBench::start(quick(1, 1));
    stage.cluster.member("coordinator-1").unwrap().kill();
    stage.submit("forgotten", 1);
    let gone = until("the job is in the queue", PATIENCE, || {
        let gone = stage.logs.delete_jobs()?;
        Ok((gone > 0).then_some(gone))
    });
    assert_eq!(gone.unwrap(), 1);
    stage.cluster.restart("coordinator-1").unwrap();
    let records = stage.finishes("forgotten");
    assert_eq!(count(&records, is_claim), 1);
}

#[test]
fn a_log_that_this_version_cannot_read_is_left_alone_and_other_debates_go_on() {
    let mut stage = ClusterBench::start(quick(1, 1));
    stage.submit("from-later", 8);
    stage.speeches("from-later", 1);
    stage.cluster.member("coordinator-1").unwrap().kill();
    stage.logs.append_unknown_event("from-later").unwrap();
    let before = stage.logs.read("from-later").unwrap().raw.len();

    stage.cluster.restart("coordinator-1").unwrap();

    for id in ["present-1", "present-2"] {
        stage.submit(id, 1);
        stage.finishes(id);
    }
    stage.cluster.member("coordinator-1").unwrap().process().unwrap().wait_for("from-later").unwrap();
    assert_eq!(stage.logs.read("from-later").unwrap().raw.len(), before, "nobody may write behind what it cannot read");
    assert!(stage.cluster.member("coordinator-1").unwrap().runs());
}
