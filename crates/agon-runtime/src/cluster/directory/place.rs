//! Which of the hosts that serve a model is the best place for a debate's turns.
use agon_core::{DebateId, HostId};
use agon_proto::BreakerState;
use std::cmp::Reverse;

/// How a host stands towards one model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HostStanding {
    /// It names the model, and does not only take whatever it is asked for.
    pub(crate) listed: bool,
    /// It has been asked for the model, or names it.
    pub(crate) known: bool,
    pub(crate) breaker: BreakerState,
    /// The model is loaded; unknown where the server does not tell.
    pub(crate) warm: Option<bool>,
    /// Calls that run or wait.
    pub(crate) load: usize,
    /// Calls that may run at once.
    pub(crate) permits: usize,
}

/// The order of preference: the least is the best.
pub(crate) type Rank = (bool, bool, bool, u8, usize, Reverse<u64>);

/// How good a place the host is. A host that names the model comes before one that might have it, unless its breaker is open.
pub(crate) fn rank(standing: &HostStanding, debate: &DebateId, host: &HostId) -> Rank {
    let warmth = match standing.warm {
        Some(true) => 0,
        None => 1,
        Some(false) => 2,
    };
    let load = standing.load.saturating_mul(1000) / standing.permits.max(1);
    let open = standing.breaker == BreakerState::Open;
    let doubtful = standing.breaker == BreakerState::HalfOpen;
    (open, !standing.listed, doubtful, warmth, load, Reverse(affinity(debate, host)))
}

/// Rendezvous hash: every node gives a debate the same order of hosts, and a host that goes moves only its own debates.
fn affinity(debate: &DebateId, host: &HostId) -> u64 {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&(debate.as_str().len() as u64).to_le_bytes());
    hasher.update(debate.as_str().as_bytes()).update(host.as_str().as_bytes());
    let hash = hasher.finalize();
    hash.as_bytes().first_chunk().map_or(0, |head| u64::from_le_bytes(*head))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing() -> HostStanding {
        HostStanding { listed: true, known: true, breaker: BreakerState::Closed, warm: None, load: 0, permits: 2 }
    }
    fn debate(n: usize) -> DebateId {
        DebateId::parse(&format!("debate-{n}")).unwrap()
    }

    #[test]
    fn health_comes_before_warmth_and_warmth_before_load() {
        let best_first = [
            HostStanding { warm: Some(true), load: 9, ..standing() },
            standing(),
            HostStanding { load: 1, ..standing() },
            HostStanding { warm: Some(false), ..standing() },
            HostStanding { breaker: BreakerState::HalfOpen, warm: Some(true), ..standing() },
            HostStanding { listed: false, warm: Some(true), ..standing() },
            HostStanding { breaker: BreakerState::Open, warm: Some(true), ..standing() },
        ];

        let ranks: Vec<Rank> = best_first.iter().map(|one| rank(one, &debate(1), &HostId::from("gpu1"))).collect();

        assert!(ranks.is_sorted() && ranks.windows(2).all(|pair| pair[0] != pair[1]), "{ranks:?}");
    }

    #[test]
    fn load_counts_by_permit() {
        let small = HostStanding { load: 2, permits: 2, ..standing() };
        let large = HostStanding { load: 3, permits: 8, ..standing() };

        assert!(rank(&large, &debate(1), &"a".into()) < rank(&small, &debate(1), &"b".into()));
    }

    #[test]
    fn ties_are_spread_over_hosts_and_a_host_that_goes_moves_only_its_own_debates() {
        let best = |hosts: &[&str], n: usize| {
            let ranked = hosts.iter().min_by_key(|host| rank(&standing(), &debate(n), &HostId::from(**host)));
            ranked.unwrap().to_string()
        };
        let before: Vec<String> = (0..300).map(|n| best(&["a", "b", "c"], n)).collect();

        for host in ["a", "b", "c"] {
            assert!(before.iter().filter(|of| *of == host).count() > 50, "{host}");
        }
        for (n, host) in before.iter().enumerate().filter(|(_, host)| *host != "c") {
            assert_eq!(best(&["a", "b"], n), *host);
        }
    }
}
