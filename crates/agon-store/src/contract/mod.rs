//! What every store must do, whatever it is made of. Each check gets a fresh store; [`contract_tests`] makes tests of them.
//!
//! Checks hold in real time too: where one waits for a lease, it asks until the job is free, and what must not be free yet is only
//! asserted while the rig's clock says so. Catalogues may be behind their notes, so checks of them ask until the answer is right.
pub(crate) mod catalogue;
pub(crate) mod commands;
pub(crate) mod evals;
pub(crate) mod fenced_jobs;
pub(crate) mod jobs;
pub(crate) mod journal;
pub(crate) mod registers;
pub(crate) mod requests;
pub(crate) mod settle;
pub(crate) mod upkeep;

use crate::{Catalogue, Commands, DebateSummary, EvalLogs, Jobs, Journal, Registers, Requests, SummaryState, Upkeep};
use agon_core::*;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// A kind of store under test.
pub(crate) trait StoreRig {
    type Store: Journal + Registers + Jobs + Commands + Requests + Catalogue + Upkeep + EvalLogs + 'static;
    /// A fresh, empty store.
    async fn store(&self) -> Arc<Self::Store>;
    /// The shortest lease of a job that the store keeps.
    fn lease(&self) -> Duration {
        Duration::from_secs(30)
    }
    /// Lets time pass for leases; may wait for real.
    async fn pass(&self, time: Duration);
    /// The next rig to check, where there is one: another version of the same server, say.
    fn next(self) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }
    /// The time that leases go by.
    fn now(&self) -> Instant {
        Instant::now()
    }
}

/// Makes a test of every check, on the rig that `$rig` makes, with the options of `tokio::test` in parentheses. A store whose leases are
/// not fenced leaves out what only such leases keep: `contract_tests!(rig; (); unfenced)`.
macro_rules! contract_tests {
    (@each $rig:expr; $flavor:tt; $($area:ident: $($name:ident),+;)+) => {$(
        mod $area {
            $(#[tokio::test $flavor]
            async fn $name() {
                let mut rigs = Some($rig);
                while let Some(rig) = rigs {
                    crate::contract::$area::$name(&rig).await;
                    rigs = crate::contract::StoreRig::next(rig);
                }
            })+
        }
    )+};
    ($rig:expr; $flavor:tt) => {
        crate::contract::contract_tests!($rig; $flavor; unfenced);
        crate::contract::contract_tests!(@each $rig; $flavor;
            fenced_jobs: a_lease_ends_to_the_moment, a_stale_token_changes_nothing,
            a_job_keeps_its_first_priority;
        );
    };
    ($rig:expr; $flavor:tt; unfenced) => {
        crate::contract::contract_tests!(@each $rig; $flavor;
            journal: a_log_starts_at_event_1_and_grows_without_a_gap, a_record_that_does_not_continue_the_log_is_fenced,
            a_record_without_events_is_refused, of_many_writers_of_one_position_one_wins,
            a_reader_gets_every_record_with_later_events, debates_do_not_mix, forgetting_loses_nothing;
            settle: a_lost_answer_of_a_record_that_landed_is_success, a_lost_request_is_unsure_and_may_be_tried_again,
            a_tail_that_cannot_be_read_leaves_it_unsure,
            a_try_that_landed_late_is_found_by_the_next_try, a_deposed_writer_is_fenced_whatever_it_heard;
            registers: the_first_result_stays, of_many_writers_of_a_register_one_wins, turns_and_tries_have_their_own_registers;
            jobs: the_job_that_is_free_longest_is_taken_first, a_debate_has_one_job, an_expired_lease_frees_the_job,
            a_renewed_job_is_free_whoever_holds_the_old_one, a_released_job_is_free_after_its_delay, a_completed_job_is_gone_and_may_come_back,
            of_many_takers_each_job_has_one, priorities_share_the_queue_by_their_weights,
            a_priority_that_is_alone_does_not_wait;
            commands: the_first_order_counts, of_many_orders_one_counts, orders_are_told_once_and_in_order,
            a_long_backlog_is_told_whole, a_deleted_debates_order_is_not_told_and_the_others_are;
            requests: a_request_id_stands_for_its_first_claim, tenants_have_their_own_request_ids,
            of_many_claimers_one_wins, any_text_is_a_request_id;
            catalogue: debates_are_found_newest_first, what_has_not_ended_is_counted_by_how_it_stands, pages_have_no_gaps_while_debates_are_added, every_filter_filters, debates_are_found_by_their_models,
            what_was_claimed_and_has_no_owner_is_known, tenants_are_apart, an_older_note_never_replaces_a_newer, what_has_not_ended_is_known_oldest_first,
            a_struck_debate_is_gone_and_may_come_back, vectors_are_kept_by_model_until_their_debate_is_struck;
            upkeep: a_whole_log_verifies_and_its_head_depends_on_all, raw_records_carry_the_chain,
            purging_drops_registers_only, deleting_removes_all_of_a_debate_and_nothing_of_others,
            a_deleted_debate_may_start_again, an_unknown_debate_is_not_found,
            the_list_is_newest_first_and_pages_without_gaps, the_head_tells_times_and_end;
            evals: a_log_of_an_eval_grows_and_is_read_from_anywhere,
            a_record_that_does_not_continue_an_evals_log_is_fenced, of_many_drivers_of_an_eval_one_appends,
            evals_are_listed_newest_first_and_deleted_alone, evals_of_tenants_are_apart_and_open_ones_are_known;
        );
    };
}
pub(crate) use contract_tests;

/// Asks until the answer is right.
pub(crate) async fn eventually<T: PartialEq + Debug>(rig: &impl StoreRig, wanted: &T, ask: impl AsyncFn() -> T) {
    for _ in 0..1_000 {
        if ask().await == *wanted {
            return;
        }
        rig.pass(Duration::from_millis(10)).await;
    }
    assert_eq!(ask().await, *wanted);
}

/// What a catalogue holds of a new debate that was admitted then.
pub(crate) fn summary(name: &str, admitted: u64) -> DebateSummary {
    DebateSummary {
        id: debate(name),
        topic: format!("Topic of {name}"),
        state: SummaryState::Queued,
        labels: Default::default(),
        priority: Priority::Normal,
        creator: None,
        rehearsal: false,
        epoch: 0,
        last: Position(1),
        admitted: Timestamp(admitted),
        updated: Timestamp(admitted),
        card: None,
        paused_ms: 0,
        claimed: None,
        rounds: None,
        figures: None,
    }
}

pub(crate) fn debate(name: &str) -> DebateId {
    DebateId::parse(&format!("debate-{name}")).unwrap()
}

/// A record of `events` small events that starts at `first`.
pub(crate) fn record(first: u64, events: u64, nonce: u64) -> Record {
    let event = |n| Event::CancelRequested { reason: format!("event {n}") };
    Record {
        first: Position(first),
        at: Timestamp(1_000 + first),
        epoch: 1,
        nonce,
        events: (first..first + events).map(event).collect(),
    }
}

/// The record that ends a debate.
pub(crate) fn ending(first: u64) -> Record {
    let end = Event::DebateEnded {
        state: DebateState::Cancelled,
        outcome: None,
        reason: None,
        usage: UsageTotals::default(),
        missing_seats: vec![],
    };
    Record { events: vec![end], ..record(first, 1, first) }
}

/// A result that says `text`.
pub(crate) fn said(text: &str) -> TurnResult {
    TurnResult::Answered {
        answer: Answer::Speech { text: text.into(), cut: false, cut_at_limit: false },
        call: Box::default(),
    }
}

pub(crate) const TURN: TurnId = TurnId { round: 1, seat: 0, attempt: 1 };
