//! What became of the debates of a run: how they ended, and all that is wrong with their logs.
use crate::crowd::Followed;
use agon_chaos::{InvariantBreach, Logs};
use agon_core::{DebateState, Event};
use agon_testkit::RehearsedCall;
use agon_testkit::cluster::{Cluster, NodeRole};
use anyhow::{Context, Result};
use std::collections::BTreeMap;

/// What was found.
#[derive(Debug, Default)]
pub struct LogCounts {
    /// Debates by how they ended.
    states: BTreeMap<&'static str, u64>,
    takeovers: u64,
    events: u64,
    events_lost: u64,
    events_doubled: u64,
    resumed: u64,
    chains: u64,
    two_writers: u64,
    other: u64,
    not_over: u64,
    not_submitted: u64,
    turns_failed: u64,
    /// Debates that did not succeed.
    unsuccessful: u64,
    /// Events that a watcher was told otherwise than the log has them.
    differing: u64,
    /// Debates whose log was deleted, and that say so.
    lost: u64,
    /// The longest time between two records of each debate, in milliseconds.
    pauses: Vec<u64>,
}

impl LogCounts {
    /// Reads the logs of all debates and checks them.
    pub fn of(logs: &Logs, followed: &[Followed]) -> Result<Self> {
        Self::without(logs, followed, |_| Ok(false))
    }

    /// The same; of debates whose log was deleted it is only asked whether the servers say so.
    pub fn without(logs: &Logs, followed: &[Followed], mut is_lost: impl FnMut(&str) -> Result<bool>) -> Result<Self> {
        let mut counts = Self::default();
        for one in followed {
            if is_lost(&one.id)? {
                counts.lost += 1;
                continue;
            }
            counts.take(logs, one).with_context(|| one.id.clone())?;
        }
        counts.pauses.sort_unstable();
        Ok(counts)
    }

    fn take(&mut self, logs: &Logs, one: &Followed) -> Result<()> {
        let records = logs.records(&one.id)?;
        let Some(last) = records.last().map(|record| record.last().0) else {
            println!("{}: never admitted: {:?}", one.id, one.seen.as_ref().err());
            self.not_submitted += 1;
            return Ok(());
        };
        self.events += last;
        let events = || records.iter().flat_map(|record| &record.events);
        let claims = events().filter(|event| matches!(event, Event::Claimed { .. })).count() as u64;
        self.takeovers += claims.saturating_sub(1);
        self.turns_failed += events().filter(|event| matches!(event, Event::TurnFailed { .. })).count() as u64;
        let times: Vec<u64> = records.iter().map(|record| record.at.0).collect();
        let pauses = times.iter().zip(times.iter().skip(1)).map(|(one, next)| next.saturating_sub(*one));
        self.pauses.push(pauses.max().unwrap_or_default());
        let state =
            events().find_map(|event| if let Event::DebateEnded { state, .. } = event { Some(*state) } else { None });
        *self.states.entry(name(state)).or_default() += 1;
        self.not_over += u64::from(state.is_none());
        self.unsuccessful += u64::from(matches!(state, Some(DebateState::Failed | DebateState::Cancelled)));
        match &one.seen {
            Ok(sight) => {
                self.events_lost += sight.lost(last);
                self.events_doubled += sight.doubled(last);
                self.resumed += sight.resumed;
                self.differing += sight.differing(&records);
            }
            Err(error) => {
                println!("{}: {error:#}", one.id);
                self.events_lost += u64::from(state.is_some());
            }
        }
        for finding in logs.check(&one.id)? {
            println!("{}: {finding}", one.id);
            self.add(&finding);
        }
        Ok(())
    }

    fn add(&mut self, finding: &InvariantBreach) {
        match finding {
            InvariantBreach::Chain(_) => self.chains += 1,
            InvariantBreach::Gap(_) | InvariantBreach::Lost(_) => self.events_lost += 1,
            InvariantBreach::TwoWriters(_) | InvariantBreach::Epoch(_) => self.two_writers += 1,
            InvariantBreach::Doubled(_) | InvariantBreach::AskedAgain(_) => self.events_doubled += 1,
            InvariantBreach::Unasked(_)
            | InvariantBreach::Differs(_)
            | InvariantBreach::Tools(_)
            | InvariantBreach::Stray(_)
            | InvariantBreach::End(_)
            | InvariantBreach::Broken(_) => self.other += 1,
        }
    }

    /// Everything that must not be.
    pub fn bad(&self) -> u64 {
        let logs = self.chains + self.two_writers + self.other + self.not_over + self.not_submitted;
        logs + self.events_lost + self.events_doubled + self.unsuccessful + self.differing
    }

    /// Turns that the logs say have failed.
    pub fn turns_failed(&self) -> u64 {
        self.turns_failed
    }
    /// The longest pause of the debate in the middle, and of the one that stood still longest, in milliseconds.
    pub fn pauses(&self) -> (u64, u64) {
        let at = |n: usize| self.pauses.get(n).copied().unwrap_or_default();
        (at(self.pauses.len() / 2), at(self.pauses.len().saturating_sub(1)))
    }

    /// How the debates ended, and how they went.
    pub fn print_debates(&self) {
        for (state, debates) in &self.states {
            println!("debates {state:<36} {debates}");
        }
        println!("debates lost with their logs, and told so    {}", self.lost);
        println!("takeovers                                    {}", self.takeovers);
        println!("streams taken up again by clients            {}", self.resumed);
        println!("events in the logs                           {}", self.events);
    }

    /// What must be nothing but zeros.
    pub fn print_findings(&self) {
        println!("events lost                                  {}", self.events_lost);
        println!("events doubled                               {}", self.events_doubled);
        println!("events told otherwise than logged             {}", self.differing);
        println!("chains that do not verify                    {}", self.chains);
        println!("positions written by two writers             {}", self.two_writers);
        println!("other findings                               {}", self.other);
        println!("debates never admitted                       {}", self.not_submitted);
        println!("debates not over                             {}", self.not_over);
        println!("debates failed or cancelled                  {}", self.unsuccessful);
    }
}

fn name(state: Option<DebateState>) -> &'static str {
    match state {
        Some(DebateState::Succeeded) => "succeeded",
        Some(DebateState::Failed) => "failed",
        Some(DebateState::Cancelled) => "cancelled",
        None => "not over",
    }
}

/// What the model server of each host was asked.
pub fn calls(cluster: &Cluster) -> Result<Vec<(String, Vec<RehearsedCall>)>> {
    let hosts = cluster.names(NodeRole::Host);
    let servers = hosts.into_iter().zip(&cluster.rehearsals);
    servers.map(|(host, server)| Ok((host, server.calls()?))).collect()
}
