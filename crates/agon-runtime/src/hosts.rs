//! Supervises the hosts.
use crate::announce;
use crate::config::HostConfig;
use crate::desk::Desk;
use crate::host::{self, Host};
use crate::shared::Shared;
use crate::supervision::{exit_of, restarts};
use crate::tasks::Scope;
#[cfg(any(test, feature = "test-hooks"))]
use crate::tasks::tell;
use agon_core::HostId;
use agon_core::restart::{Exit, RestartDecision, Restarts};
use ractor::{Actor, ActorId, ActorProcessingErr, ActorRef, SupervisionEvent};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

pub(crate) enum Msg {
    /// Start a host again.
    Revive(HostId),
    #[cfg(any(test, feature = "test-hooks"))]
    Crash(crate::hooks::Death),
    #[cfg(any(test, feature = "test-hooks"))]
    Strike(crate::hooks::Blow),
}

pub(crate) struct Args {
    pub(crate) shared: Shared,
    pub(crate) hosts: Vec<HostConfig>,
}

pub(crate) struct State {
    shared: Shared,
    scope: Scope,
    hosts: BTreeMap<HostId, Supervised>,
}

struct Supervised {
    desk: Arc<Desk>,
    actor: Option<ActorRef<host::Msg>>,
    restarts: Restarts,
}

pub(crate) struct Hosts;

impl Actor for Hosts {
    type Msg = Msg;
    type State = State;
    type Arguments = Args;

    async fn pre_start(&self, _: ActorRef<Msg>, args: Args) -> Result<State, ActorProcessingErr> {
        let Args { shared, hosts } = args;
        let supervise = |desk: Desk| {
            (desk.id.clone(), Supervised { desk: Arc::new(desk), actor: None, restarts: restarts(&shared) })
        };
        let seats = (shared.config.max_debates > 0).then(|| Desk::seats(&shared.config.id));
        let hosts = hosts.into_iter().map(Desk::server).chain(seats).map(supervise).collect();
        Ok(State { scope: shared.tasks.scope(), shared, hosts })
    }

    async fn post_start(&self, myself: ActorRef<Msg>, state: &mut State) -> Result<(), ActorProcessingErr> {
        let all: Vec<HostId> = state.hosts.keys().cloned().collect();
        for host in all {
            state.start(&myself, &host).await?;
        }
        if !state.shared.config.embedded {
            state.scope.spawn(myself.get_cell(), announce::listen(state.shared.clone()));
            state.scope.spawn(myself.get_cell(), announce::announce(state.shared.clone()));
        }
        Ok(())
    }

    async fn handle(&self, myself: ActorRef<Msg>, msg: Msg, state: &mut State) -> Result<(), ActorProcessingErr> {
        match msg {
            Msg::Revive(host) => state.start(&myself, &host).await?,
            #[cfg(any(test, feature = "test-hooks"))]
            Msg::Crash(death) => return death.happen(),
            #[cfg(any(test, feature = "test-hooks"))]
            Msg::Strike(blow) => state.strike(&blow),
        }
        Ok(())
    }

    async fn handle_supervisor_evt(
        &self,
        myself: ActorRef<Msg>,
        event: SupervisionEvent,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        match exit_of(&event) {
            Some((who, exit)) => state.exited(&myself, who, exit),
            None => Ok(()),
        }
    }
}

impl State {
    async fn start(&mut self, myself: &ActorRef<Msg>, host: &HostId) -> Result<(), ActorProcessingErr> {
        let Some(supervised) = self.hosts.get_mut(host).filter(|supervised| supervised.actor.is_none()) else {
            return Ok(());
        };
        let (shared, desk) = (self.shared.clone(), supervised.desk.clone());
        let args = host::Args { shared, desk };
        let (actor, _) = Actor::spawn_linked(None, Host, args, myself.get_cell()).await?;
        supervised.actor = Some(actor);
        Ok(())
    }

    #[cfg(any(test, feature = "test-hooks"))]
    fn tell_all(&self, message: impl Fn() -> host::Msg) {
        self.hosts.values().filter_map(|host| host.actor.as_ref()).for_each(|actor| tell(actor, message()));
    }

    /// A host that cannot be kept alive takes this supervisor down, so that the node decides.
    fn exited(&mut self, myself: &ActorRef<Msg>, who: ActorId, exit: Exit) -> Result<(), ActorProcessingErr> {
        let is_dead = |host: &Supervised| host.actor.as_ref().is_some_and(|actor| actor.get_id() == who);
        let Some((id, dead)) = self.hosts.iter_mut().find(|(_, host)| is_dead(host)) else { return Ok(()) };
        dead.actor = None;
        match dead.restarts.on_exit(exit, self.shared.clock.now()) {
            RestartDecision::Restart { after_ms } => {
                tracing::warn!(host = %id, after_ms, "host died, starting another");
                self.scope.after(myself, Duration::from_millis(after_ms), Msg::Revive(id.clone()));
                Ok(())
            }
            RestartDecision::GiveUp => Err(format!("host {id} died too often").into()),
            RestartDecision::Leave => Ok(()),
        }
    }

    #[cfg(any(test, feature = "test-hooks"))]
    fn strike(&self, blow: &crate::hooks::Blow) {
        match &blow.victim {
            crate::hooks::Victim::Host(id) => {
                let actor = self.hosts.get(id).and_then(|host| host.actor.as_ref());
                actor.into_iter().for_each(|actor| blow.strike(actor, host::Msg::Crash));
            }
            _ => self.tell_all(|| host::Msg::Strike(blow.clone())),
        }
    }
}
