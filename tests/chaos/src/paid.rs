//! Which finished turns were asked again, as the model servers saw it.
use crate::faults::Done;
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
    /// nats-server was away, so that nobody's result could count.
    pub nats_gone: u64,
}

/// Compares the calls of each host's model server with what was done to the hosts.
pub fn paid_again(servers: &[(String, Vec<RehearsedCall>)], faults: &[Done]) -> Paid {
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
            let met = |target: &str| {
                faults.iter().any(|fault| {
                    fault.fault.target == target && fault.began <= done.ended + SETTLE && fault.ended >= done.began
                })
            };
            match (met(host), met(NATS)) {
                (true, _) => paid.host_gone += 1,
                (false, true) => paid.nats_gone += 1,
                (false, false) => paid.for_nothing.push(format!("{host} at {}: {body}", done.ended)),
            }
        }
    }
    paid
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::{Fault, Kind};
    use std::time::Duration;

    fn call(began: u64, ended: u64, finished: bool) -> RehearsedCall {
        RehearsedCall { body: "b".to_owned(), began, ended, finished }
    }
    fn fault(target: &str, began: u64, ended: u64) -> Done {
        let fault = Fault { at: Duration::ZERO, lasts: Duration::ZERO, target: target.to_owned(), kind: Kind::Kill };
        Done { fault, began, ended }
    }
    fn of(one: RehearsedCall, other: RehearsedCall, faults: &[Done]) -> (usize, u64, u64) {
        let paid = paid_again(&[("host-1".to_owned(), vec![one]), ("host-2".to_owned(), vec![other])], faults);
        (paid.for_nothing.len(), paid.host_gone, paid.nats_gone)
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
        assert_eq!(of(first, second, &[fault("host-1", 14_000, 15_000)]), (1, 0, 0));
    }
}
