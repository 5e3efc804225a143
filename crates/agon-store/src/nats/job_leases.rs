//! The jobs that this process holds.
use crate::port::Job;
use agon_core::DebateId;
use async_nats::Subject;
use std::collections::{HashMap, VecDeque};
use tokio::time::Instant;

/// Which delivery each token stands for, and until when. Bounded: of too many, the oldest is forgotten and its lease runs out.
#[derive(Debug)]
pub(crate) struct JobLeases {
    jobs: HashMap<u64, JobDelivery>,
    order: VecDeque<u64>,
    most: usize,
}

#[derive(Debug)]
struct JobDelivery {
    debate: DebateId,
    /// Where to answer.
    subject: Subject,
    until: Instant,
}

impl JobLeases {
    pub(crate) fn new(most: usize) -> Self {
        Self { jobs: HashMap::new(), order: VecDeque::new(), most }
    }

    /// Takes in a delivery; its token.
    pub(crate) fn add(&mut self, debate: &DebateId, subject: Subject, until: Instant) -> u64 {
        let token = rand::random();
        self.jobs.insert(token, JobDelivery { debate: debate.clone(), subject, until });
        self.order.push_back(token);
        while self.jobs.len() > self.most {
            let Some(oldest) = self.order.pop_front() else { break };
            self.jobs.remove(&oldest);
        }
        // Tokens that are gone leave the order with time, so that it is never more than twice as long as it has to be.
        if self.order.len() > 2 * self.jobs.len().max(16) {
            self.order.retain(|token| self.jobs.contains_key(token));
        }
        token
    }

    /// Where to answer, if the lease has not run out.
    pub(crate) fn subject(&mut self, job: &Job, now: Instant) -> Option<Subject> {
        let delivery = self.jobs.get(&job.token).filter(|delivery| delivery.debate == job.debate)?;
        if delivery.until <= now {
            self.jobs.remove(&job.token);
            return None;
        }
        Some(delivery.subject.clone())
    }

    /// Forgets a job that is no longer held.
    pub(crate) fn remove(&mut self, job: &Job) {
        self.jobs.remove(&job.token);
    }
}

#[cfg(test)]
mod tests {
    use super::JobLeases;
    use crate::Job;
    use crate::contract::debate;
    use std::time::Duration;
    use tokio::time::Instant;

    #[test]
    fn of_too_many_jobs_the_oldest_is_forgotten() {
        let mut held = JobLeases::new(2);
        let now = Instant::now();
        let mut add = |name: &str| {
            let token = held.add(&debate(name), "reply".into(), now + Duration::from_secs(9));
            Job { debate: debate(name), token, deliveries: 1 }
        };
        let jobs = ["a", "b", "c"].map(&mut add);
        assert_eq!(jobs.each_ref().map(|job| held.subject(job, now).is_some()), [false, true, true]);
    }

    #[test]
    fn a_lease_that_ran_out_is_given_up() {
        let mut held = JobLeases::new(9);
        let now = Instant::now();
        let token = held.add(&debate("a"), "reply".into(), now + Duration::from_secs(1));
        let job = Job { debate: debate("a"), token, deliveries: 1 };
        assert!(held.subject(&job, now).is_some());
        assert!(held.subject(&job, now + Duration::from_secs(1)).is_none());
    }
}
