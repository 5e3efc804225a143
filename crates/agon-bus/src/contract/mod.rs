//! What every bus does: one suite for the in-memory twin and for NATS.
//!
//! Each case takes the bus and a [`CaseScope`] that keeps its subjects apart from those of other cases. The queue cases use
//! subjects of the `gen` family, because a durable queue has to be set up before it is used.
use crate::port::{Bus, BusError, Delivery, Payload};
use crate::subject::{DebateKey, Priority, Subject, Token, TurnKey, pattern};
use std::time::Duration;

mod calls;
mod queues;

pub use calls::*;
pub use queues::*;

/// What a case may use: its own names, and how long a lease lasts with this bus.
#[derive(Clone, Debug)]
pub struct CaseScope {
    /// Unique for each case and run.
    pub name: String,
    /// The shortest lease that the bus grants.
    pub lease: Duration,
}
impl CaseScope {
    fn key(&self) -> DebateKey {
        DebateKey { tenant: Token::new("contract"), debate: Token::new(&self.name) }
    }
    fn model(&self) -> Token {
        Token::model(&self.name)
    }
    fn work(&self, seat: u32) -> String {
        let turn = TurnKey { round: 1, seat, attempt: 1 };
        Subject::Gen { model: self.model(), prio: Priority::Normal, key: self.key(), turn }.to_string()
    }
    fn queue(&self) -> String {
        pattern::generations(&self.model(), Priority::Normal)
    }
    fn hint(&self) -> String {
        Subject::Ctl { key: self.key() }.to_string()
    }
    fn host(&self, verb: &str) -> String {
        Subject::Host { host: Token::new(&self.name), verb: Token::new(verb) }.to_string()
    }
}

/// The longest that anything which should come may take.
const SOON: Duration = Duration::from_secs(5);

/// Makes one test of each case. `$attr` is the test attribute, `$buses` makes the buses to try as `Arc<impl Bus>`,
/// `$lease` is the shortest lease.
#[macro_export]
macro_rules! bus_contract {
    ($(#[$attr:meta])+, $buses:expr, $lease:expr) => {
        $crate::bus_contract!(@cases [$(#[$attr])+] $buses, $lease;
            a_listener_hears_what_fits_its_pattern,
            a_dropped_listener_costs_nothing,
            a_request_without_a_server_fails_at_once,
            a_request_that_only_a_listener_hears_times_out,
            a_server_answers_and_an_unanswered_request_times_out,
            requests_are_shared_among_servers,
            work_comes_in_the_order_it_was_added,
            work_that_is_not_acknowledged_comes_again,
            acknowledged_work_does_not_come_again,
            an_extended_lease_keeps_the_work,
            work_given_back_comes_again_after_the_delay,
            a_late_acknowledgement_takes_the_work_from_the_next_holder,
            a_pull_waits_for_work,
            a_cancelled_pull_loses_nothing,
            a_queue_holds_one_piece_of_work_for_a_subject,
            a_pull_that_does_not_wait_takes_what_is_there,
            queued_work_is_counted_and_shown_by_model_and_debate_until_it_is_acknowledged,
            the_trace_context_travels_on_every_way,
            a_large_message_arrives_whole_on_every_way,
            a_message_that_is_too_large_is_refused_on_every_way,
            draining_ends_listeners_servers_and_pulls,
        );
    };
    (@cases $attrs:tt $buses:expr, $lease:expr; $($case:ident,)+) => {
        $($crate::bus_contract!(@case $attrs $buses, $lease, $case);)+
    };
    (@case [$(#[$attr:meta])+] $buses:expr, $lease:expr, $case:ident) => {
        $(#[$attr])+
        async fn $case() {
            let unique = format!("{}-{}", stringify!($case), std::process::id());
            let scope = $crate::contract::CaseScope { name: unique, lease: $lease };
            for bus in $buses {
                $crate::contract::$case(&*bus, &scope).await.unwrap();
            }
        }
    };
}

/// A broken promise, or a bus that failed.
pub type CaseResult = Result<(), Box<dyn std::error::Error>>;

fn bytes(text: &str) -> Payload {
    Payload::from(text.as_bytes().to_vec())
}

async fn soon<T>(what: impl Future<Output = T>) -> Result<T, tokio::time::error::Elapsed> {
    tokio::time::timeout(SOON, what).await
}

async fn pull(bus: &dyn Bus, scope: &CaseScope) -> Result<Box<dyn Delivery>, Box<dyn std::error::Error>> {
    Ok(tokio::time::timeout(SOON + 3 * scope.lease, bus.pull(&scope.queue(), scope.lease)).await??)
}

async fn nothing_to_pull(bus: &dyn Bus, scope: &CaseScope, within: Duration) -> Result<bool, BusError> {
    match tokio::time::timeout(within, bus.pull(&scope.queue(), scope.lease)).await {
        Err(_) => Ok(true),
        Ok(delivery) => delivery.map(|_| false),
    }
}
