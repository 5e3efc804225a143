//! What every store must do, whatever it is made of. Each check gets a fresh store; [`contract_tests`] makes tests of them.
pub(crate) mod jobs;
pub(crate) mod journal;
pub(crate) mod registers;
pub(crate) mod settle;
pub(crate) mod upkeep;

use crate::{Jobs, Journal, Registers, Upkeep};
use agon_core::*;
use std::time::Duration;

/// A kind of store under test.
pub(crate) trait Rig {
    /// The store.
    type Store: Journal + Registers + Jobs + Upkeep + 'static;
    /// A fresh, empty store.
    fn store(&self) -> std::sync::Arc<Self::Store>;
    /// Lets time pass for leases.
    async fn pass(&self, time: Duration);
}

/// Makes a test of every check, on the rig that `$rig` makes.
macro_rules! contract_tests {
    ($rig:expr) => {
        crate::contract::contract_tests!($rig;
            journal: a_log_starts_at_event_1_and_grows_without_a_gap, a_record_that_does_not_continue_the_log_is_fenced,
            a_record_without_events_is_refused, of_many_writers_of_one_position_one_wins,
            a_reader_gets_every_record_with_later_events, debates_do_not_mix, forgetting_loses_nothing,
            the_list_is_newest_first_and_pages_without_gaps, the_head_tells_times_and_end;
            settle: a_lost_answer_of_a_record_that_landed_is_success, a_lost_request_is_unsure_and_may_be_tried_again,
            a_try_that_landed_late_is_found_by_the_next_try, a_deposed_writer_is_fenced_whatever_it_heard;
            registers: the_first_result_stays, of_many_writers_of_a_register_one_wins, turns_and_tries_have_their_own_registers;
            jobs: the_job_that_is_free_longest_is_taken_first, a_debate_has_one_job, an_expired_lease_frees_the_job,
            an_extended_lease_holds, a_stale_token_changes_nothing, a_released_job_is_free_after_its_delay,
            a_completed_job_is_gone_and_may_come_back, of_many_takers_each_job_has_one;
            upkeep: a_whole_log_verifies_and_its_head_depends_on_all, raw_records_carry_the_chain,
            purging_drops_registers_only, a_deleted_debate_is_gone_and_may_start_again, an_unknown_debate_is_not_found;
        );
    };
    ($rig:expr; $($area:ident: $($name:ident),+;)+) => {$(
        mod $area {
            $(#[tokio::test(start_paused = true)]
            async fn $name() {
                crate::contract::$area::$name(&$rig).await;
            })+
        }
    )+};
}
pub(crate) use contract_tests;

/// A debate of that name.
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
    TurnResult::Answered { answer: Answer::Speech { text: text.into() }, call: Box::default() }
}

pub(crate) const TURN: TurnId = TurnId { round: 1, seat: 0, attempt: 1 };
