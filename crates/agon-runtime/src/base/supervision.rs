//! How exits are read, and which children of a supervisor are started again. ractor tells a kill like a normal stop, by
//! its reason only.
use agon_core::Timestamp;
use agon_core::restart::{ChildExit, RestartDecision, RestartPolicy, Restarts};
use ractor::{Actor, ActorCell, ActorId, ActorRef, SpawnErr, SupervisionEvent};
use std::collections::{BTreeMap, HashMap};

/// Who ended and how.
pub(crate) type ActorExit = (ActorId, ChildExit);

/// The exit that an event tells of; none for other events.
pub(crate) fn exit_of(event: &SupervisionEvent) -> Option<ActorExit> {
    match event {
        SupervisionEvent::ActorFailed(who, error) => {
            tracing::warn!(actor = %who.get_id(), %error, "actor failed");
            Some((who.get_id(), ChildExit::Abnormal))
        }
        SupervisionEvent::ActorTerminated(who, _, reason) => {
            let cut = matches!(reason.as_deref(), Some("killed" | "actor_task_cancelled"));
            Some((who.get_id(), if cut { ChildExit::Abnormal } else { ChildExit::Normal }))
        }
        SupervisionEvent::ActorStarted(_) | SupervisionEvent::ProcessGroupChanged(_) => None,
    }
}

/// The children of a supervisor, by what each is for: which of them live, how often each may be started again, and what
/// else its supervisor keeps of it.
pub(crate) struct Children<K, A: Actor, D = ()> {
    policy: RestartPolicy,
    kept: BTreeMap<K, Child<A, D>>,
    alive: HashMap<ActorId, K>,
}

struct Child<A: Actor, D> {
    actor: Option<ActorRef<A::Msg>>,
    restarts: Restarts,
    data: D,
}

impl<K: Clone + Ord, A: Actor, D> Children<K, A, D> {
    /// None yet; each gets a restart budget of its own.
    pub(crate) fn new(policy: RestartPolicy) -> Self {
        Self { policy, kept: BTreeMap::new(), alive: HashMap::new() }
    }

    /// What is kept of a child, made when it is first asked for.
    pub(crate) fn entry(&mut self, key: &K, data: impl FnOnce() -> D) -> &mut D {
        let fresh = || Child { actor: None, restarts: Restarts::new(self.policy), data: data() };
        &mut self.kept.entry(key.clone()).or_insert_with(fresh).data
    }

    /// What is kept of a child that is known.
    pub(crate) fn get(&self, key: &K) -> Option<&D> {
        self.kept.get(key).map(|child| &child.data)
    }

    /// The same, to be changed.
    pub(crate) fn get_mut(&mut self, key: &K) -> Option<&mut D> {
        self.kept.get_mut(key).map(|child| &mut child.data)
    }

    /// Those that are known, whether they live or not.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&K, &D)> {
        self.kept.iter().map(|(key, child)| (key, &child.data))
    }

    /// A child that lives.
    pub(crate) fn actor(&self, key: &K) -> Option<&ActorRef<A::Msg>> {
        self.kept.get(key)?.actor.as_ref()
    }

    /// All that live.
    #[cfg(any(test, feature = "test-hooks"))]
    pub(crate) fn actors(&self) -> impl Iterator<Item = &ActorRef<A::Msg>> {
        self.kept.values().filter_map(|child| child.actor.as_ref())
    }

    /// Starts the actor of a child that is known.
    pub(crate) async fn start(
        &mut self,
        supervisor: ActorCell,
        key: &K,
        (actor, args): (A, A::Arguments),
    ) -> Result<Option<ActorRef<A::Msg>>, SpawnErr> {
        let Some(child) = self.kept.get_mut(key) else { return Ok(None) };
        let (actor, _) = Actor::spawn_linked(None, actor, args, supervisor).await?;
        self.alive.insert(actor.get_id(), key.clone());
        Ok(Some(child.actor.insert(actor).clone()))
    }

    /// Stops the actor of a child, and keeps the rest. Nobody is told of that exit.
    pub(crate) fn stop(&mut self, key: &K) {
        if let Some(actor) = self.kept.get_mut(key).and_then(|child| child.actor.take()) {
            self.alive.remove(&actor.get_id());
            actor.stop(None);
        }
    }

    /// Stops a child and forgets it.
    pub(crate) fn remove(&mut self, key: &K) -> Option<D> {
        self.stop(key);
        self.kept.remove(key).map(|child| child.data)
    }

    /// Which child an exit is of; none where it is nobody's.
    pub(crate) fn exited(&mut self, who: ActorId) -> Option<K> {
        let key = self.alive.remove(&who)?;
        if let Some(child) = self.kept.get_mut(&key) {
            child.actor = None;
        }
        Some(key)
    }

    /// Has a child started again after its exit, as its budget allows: `again` is told which one, and after how many
    /// milliseconds. Returns the child whose budget is spent.
    pub(crate) fn restart(&mut self, (who, exit): ActorExit, now: Timestamp, again: impl FnOnce(K, u64)) -> Option<K> {
        let key = self.exited(who)?;
        match self.decide(&key, exit, now) {
            RestartDecision::Restart { after_ms } => again(key, after_ms),
            RestartDecision::GiveUp => return Some(key),
            RestartDecision::Leave => {}
        }
        None
    }

    /// What follows from the exit of a child, which counts.
    pub(crate) fn decide(&mut self, key: &K, exit: ChildExit, now: Timestamp) -> RestartDecision {
        self.kept.get_mut(key).map_or(RestartDecision::Leave, |child| child.restarts.on_exit(exit, now))
    }
}
