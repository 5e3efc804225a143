//! The job queue in memory.
use super::MemoryStore;
use crate::lock::lock;
use crate::port::{Job, Jobs, StoreError};
use crate::weighted_fairness::{WeightedRoundRobin, full};
use agon_core::{DebateId, Priority};
use async_trait::async_trait;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::num::NonZeroUsize;
use std::time::Duration;
use tokio::time::Instant;

/// All jobs, and of each priority when which is free.
#[derive(Debug, Default)]
pub(super) struct MemoryJobQueue {
    jobs: HashMap<DebateId, MemoryJob>,
    free: BTreeMap<Priority, BTreeSet<JobOrder>>,
    shares: WeightedRoundRobin,
    counter: u64,
}

/// When a job is free, then which came first.
type JobOrder = (Instant, u64, DebateId);

#[derive(Debug)]
pub(super) struct MemoryJob {
    priority: Priority,
    number: u64,
    token: Option<u64>,
    free_at: Instant,
    deliveries: u32,
}

impl MemoryJobQueue {
    fn next(&mut self) -> u64 {
        self.counter += 1;
        self.counter
    }

    fn add(&mut self, debate: &DebateId, priority: Priority, limit: NonZeroUsize) -> Result<(), StoreError> {
        if self.jobs.contains_key(debate) {
            return Ok(());
        }
        if self.jobs.len() >= limit.get() {
            return Err(full(limit));
        }
        let (number, free_at) = (self.next(), Instant::now());
        self.put(debate, MemoryJob { priority, number, token: None, free_at, deliveries: 0 });
        Ok(())
    }

    fn put(&mut self, debate: &DebateId, held: MemoryJob) {
        self.free.entry(held.priority).or_default().insert((held.free_at, held.number, debate.clone()));
        self.jobs.insert(debate.clone(), held);
    }

    /// Removes a debate's job, whoever holds it.
    pub(super) fn remove(&mut self, debate: &DebateId) -> Option<MemoryJob> {
        let held = self.jobs.remove(debate)?;
        let turns = self.free.entry(held.priority).or_default();
        turns.remove(&(held.free_at, held.number, debate.clone()));
        Some(held)
    }

    fn take(&mut self, lease: Duration) -> Option<Job> {
        let now = Instant::now();
        let first = |priority: Priority| self.free.get(&priority)?.first().filter(|(free_at, ..)| *free_at <= now);
        let there: Vec<_> = Priority::ALL.into_iter().filter(|priority| first(*priority).is_some()).collect();
        let served = self.shares.order().into_iter().find(|priority| there.contains(priority))?;
        let (_, _, debate) = first(served)?.clone();
        self.shares.charge(served, |priority| there.contains(&priority));
        let (held, token) = (self.remove(&debate)?, self.next());
        let deliveries = held.deliveries.saturating_add(1);
        self.put(&debate, MemoryJob { token: Some(token), free_at: now + lease, deliveries, ..held });
        Some(Job { debate, token, deliveries })
    }

    /// Gives a job back, if it is the caller's.
    fn free(&mut self, job: &Job, free_at: Instant) {
        if let Some(held) = self.own(job) {
            self.put(&job.debate, MemoryJob { token: None, free_at, ..held });
        }
    }

    /// Removes a job that is the caller's.
    fn own(&mut self, job: &Job) -> Option<MemoryJob> {
        let held = self.jobs.get(&job.debate)?.token == Some(job.token);
        if held { self.remove(&job.debate) } else { None }
    }
}

#[async_trait]
impl Jobs for MemoryStore {
    async fn enqueue(&self, debate: &DebateId, priority: Priority) -> Result<(), StoreError> {
        lock(&self.state).jobs.add(debate, priority, self.max_jobs)
    }

    async fn renew(&self, debate: &DebateId, priority: Priority) -> Result<(), StoreError> {
        let jobs = &mut lock(&self.state).jobs;
        jobs.remove(debate);
        jobs.add(debate, priority, self.max_jobs)
    }

    async fn take(&self, _owner: &str, lease: Duration) -> Result<Option<Job>, StoreError> {
        Ok(lock(&self.state).jobs.take(lease))
    }

    async fn complete(&self, job: &Job) -> Result<(), StoreError> {
        lock(&self.state).jobs.own(job);
        Ok(())
    }

    async fn release(&self, job: &Job, delay: Duration) -> Result<(), StoreError> {
        lock(&self.state).jobs.free(job, Instant::now() + delay);
        Ok(())
    }
}
