use crate::shown::minutes;
use crate::{log::Log, scenes};
use agon_report::{REHEARSAL, full_markdown, summary_only, verbose};

#[test]
fn a_decided_debate_in_full() {
    insta::assert_snapshot!(full_markdown(&minutes(&scenes::decided())));
}

#[test]
fn a_decided_debate_in_short() {
    insta::assert_snapshot!(summary_only(&minutes(&scenes::decided())));
}

#[test]
fn every_call_of_a_failed_debate() {
    insta::assert_snapshot!(verbose(&minutes(&scenes::failed())));
}

#[test]
fn everything_at_once() {
    insta::assert_snapshot!(verbose(&minutes(&scenes::grand(false))));
}

#[test]
fn an_order_sensitive_judge() {
    insta::assert_snapshot!(full_markdown(&minutes(&scenes::order_sensitive())));
}

#[test]
fn a_vote_with_a_lost_voter() {
    insta::assert_snapshot!(full_markdown(&minutes(&scenes::voted())));
}

#[test]
fn a_cancelled_debate_with_unknown_usage() {
    insta::assert_snapshot!(full_markdown(&minutes(&scenes::cancelled())));
}

#[test]
fn a_running_debate_in_short() {
    insta::assert_snapshot!(summary_only(&minutes(&scenes::running())));
}

#[test]
fn a_rehearsal_carries_its_banner_in_every_markdown() {
    let log = scenes::decided_as(true);
    for render in [full_markdown, summary_only, verbose] {
        assert!(render(&minutes(&log)).contains(&format!("> **{REHEARSAL}.**")));
        assert!(!render(&minutes(&scenes::decided())).contains(REHEARSAL));
    }
}

#[test]
fn the_same_log_gives_the_same_bytes() {
    let (one, two) = (scenes::grand(false), scenes::grand(false));
    assert_eq!(verbose(&minutes(&one)), verbose(&minutes(&two)));
    assert_eq!(agon_report::html(&minutes(&one)).unwrap(), agon_report::html(&minutes(&two)).unwrap());
    let json = |log: &Log| serde_json::to_string(&agon_report::DebateResult::of(&minutes(log))).unwrap();
    assert_eq!(json(&one), json(&two));
}
