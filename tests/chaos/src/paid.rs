//! Which finished turns were asked again, as the model servers saw it.
use crate::faults::FaultRecord;
use crate::schedule::NATS;
use agon_testkit::RehearsedCall;
use std::collections::BTreeMap;

/// How long after the end of a generation its result may still be on its way to the register, in milliseconds.
const SETTLE: u64 = 2_000;

/// Turns that a model had finished when they were asked again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Paid {
    /// Nothing was wrong with the host or nats-server while the result was made and written.
    pub for_nothing: Vec<String>,
    /// The host was killed, stopped or cut off before its result could count.
    pub host_gone: u64,
    /// nats-server was away, so that no result could count, and the host was there all the time.
    pub nats_gone: Vec<String>,
}

/// After nats-server is back its clients may take so long to find it again, in milliseconds.
const RECONNECT: u64 = 5_000;

/// Compares the calls of each host's model server with what was done to the hosts.
pub fn paid_again(servers: &[(String, Vec<RehearsedCall>)], faults: &[FaultRecord]) -> Paid {
    let mut bodies: BTreeMap<&str, Vec<(&str, &RehearsedCall)>> = BTreeMap::new();
    for (host, calls) in servers {
        for call in calls {
            bodies.entry(&call.body).or_default().push((host, call));
        }
    }
    let mut paid = Paid::default();
    for (body, calls) in bodies {
        for (host, done) in calls.iter().filter(|(_, call)| call.finished) {
            if !calls.iter().any(|(_, later)| later.began > done.ended) {
                continue;
            }
            let (until, nats_was_away) = written_by(done, faults);
            let what = format!("{host} at {}: {body}", done.ended);
            match (met(faults, host, done.began, until), nats_was_away) {
                (true, _) => paid.host_gone += 1,
                (false, true) => paid.nats_gone.push(what),
                (false, false) => paid.for_nothing.push(what),
            }
        }
    }
    paid
}

/// When a result counts at the latest if its host does what it should, and whether nats-server was away meanwhile.
fn written_by(call: &RehearsedCall, faults: &[FaultRecord]) -> (u64, bool) {
    let mut until = call.ended + SETTLE;
    let mut away = false;
    for fault in faults.iter().filter(|fault| fault.fault.target == NATS) {
        if fault.began <= until && fault.ended >= call.began {
            until = until.max(fault.ended + RECONNECT);
            away = true;
        }
    }
    (until, away)
}

fn met(faults: &[FaultRecord], target: &str, from: u64, until: u64) -> bool {
    faults.iter().any(|fault| fault.fault.target == target && fault.began <= until && fault.ended >= from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::{FaultKind, PlannedFault};
    use std::time::Duration;

    fn call(began: u64, ended: u64, finished: bool) -> RehearsedCall {
        RehearsedCall { body: "b".to_owned(), began, ended, finished }
    }
    fn fault(target: &str, began: u64, ended: u64) -> FaultRecord {
        let fault = PlannedFault {
            at: Duration::ZERO,
            lasts: Duration::ZERO,
            target: target.to_owned(),
            kind: FaultKind::Kill,
        };
        FaultRecord { fault, began, ended }
    }
    fn of(one: RehearsedCall, other: RehearsedCall, faults: &[FaultRecord]) -> (usize, u64, usize) {
        let paid = paid_again(&[("host-1".to_owned(), vec![one]), ("host-2".to_owned(), vec![other])], faults);
        (paid.for_nothing.len(), paid.host_gone, paid.nats_gone.len())
    }

    #[test]
    fn a_turn_that_is_asked_after_it_was_finished_is_paid_again() {
        assert_eq!(of(call(1, 10, true), call(11, 20, true), &[]), (1, 0, 0));
    }

    #[test]
    fn a_turn_that_broke_off_or_was_still_open_is_not() {
        assert_eq!(of(call(1, 10, false), call(11, 20, true), &[]), (0, 0, 0));
        assert_eq!(of(call(1, 10, true), call(5, 20, true), &[]), (0, 0, 0));
    }

    #[test]
    fn what_was_done_to_its_host_meanwhile_excuses_it_and_what_was_done_later_or_to_others_does_not() {
        let (first, second) = (call(10_000, 11_000, true), call(30_000, 31_000, true));
        assert_eq!(of(first.clone(), second.clone(), &[fault("host-1", 10_500, 12_000)]), (0, 1, 0));
        assert_eq!(of(first.clone(), second.clone(), &[fault(NATS, 9_000, 10_001)]), (0, 0, 1));
        assert_eq!(of(first.clone(), second.clone(), &[fault("host-2", 10_500, 12_000)]), (1, 0, 0));
        assert_eq!(of(first.clone(), second.clone(), &[fault("host-1", 14_000, 15_000)]), (1, 0, 0));
        // the result waits for nats-server, and its host dies before it is back
        let both = [fault(NATS, 10_500, 13_000), fault("host-1", 14_000, 15_000)];
        assert_eq!(of(first, second, &both), (0, 1, 0));
    }
}
