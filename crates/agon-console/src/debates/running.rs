//! The figures of debates that run, as their logs show them now: entries of the catalogue are written when a state changes.
use agon_core::DebateId;
use agon_proto::pb::v1 as pb;
use agon_server::{Api, CallContext};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How long a log is waited for.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long what was read is shown to all who look.
const FRESH: Duration = Duration::from_secs(2);

/// What was read of running debates lately, for all who look at lists.
#[derive(Default)]
pub(crate) struct RunningFigures {
    known: Mutex<HashMap<DebateId, (Instant, pb::Debate)>>,
}

impl RunningFigures {
    /// A debate of a list as its log shows it, if it runs. Where the log cannot be read now, the figures are not known.
    pub async fn up_to_date(&self, api: &Api, call: &CallContext, debate: pb::Debate) -> pb::Debate {
        let Ok(id) = api.readable(call, &debate.id) else { return debate };
        if !is_running(&debate) {
            return debate;
        }
        let known = self.known().get(&id).filter(|(at, _)| at.elapsed() < FRESH).map(|(_, debate)| debate.clone());
        if let Some(known) = known {
            return known;
        }
        let log = tokio::time::timeout(PATIENCE, api.debate_log(call, &debate.id)).await;
        match log.ok().and_then(|log| log.and_then(|log| log.resource()).ok()) {
            Some(read) => {
                let mut known = self.known();
                known.retain(|_, (at, _)| at.elapsed() < FRESH);
                known.insert(id, (Instant::now(), read.clone()));
                read
            }
            None => pb::Debate { usage: None, expenses: None, progress: None, winner: None, dissent: None, ..debate },
        }
    }

    fn known(&self) -> MutexGuard<'_, HashMap<DebateId, (Instant, pb::Debate)>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether somebody plays a debate.
pub(super) fn is_running(debate: &pb::Debate) -> bool {
    use pb::debate::State;
    match debate.state() {
        State::Running | State::Cancelling => true,
        State::Unspecified
        | State::Queued
        | State::Succeeded
        | State::Failed
        | State::Cancelled
        | State::Paused
        | State::Interrupted
        | State::Lost => false,
    }
}
