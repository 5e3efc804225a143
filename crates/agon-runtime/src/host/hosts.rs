//! Supervises the hosts.
use crate::base::config::HostConfig;
use crate::base::shared::Shared;
use crate::base::supervision::{ActorExit, Children, exit_of};
use crate::base::tasks::TaskScope;
#[cfg(any(test, feature = "test-hooks"))]
use crate::base::tasks::tell;
use crate::host::announce;
use crate::host::host_actor::{self, Host};
use crate::host::host_state::HostState;
use agon_core::HostId;
use ractor::{Actor, ActorProcessingErr, ActorRef, SupervisionEvent};
use std::sync::Arc;
use std::time::Duration;

pub(crate) enum Msg {
    /// Start a host again.
    Revive(HostId),
    #[cfg(any(test, feature = "test-hooks"))]
    Crash(crate::base::hooks::Death),
    #[cfg(any(test, feature = "test-hooks"))]
    Strike(crate::base::hooks::Blow),
}

pub(crate) struct Args {
    pub(crate) shared: Shared,
    pub(crate) hosts: Vec<HostConfig>,
}

pub(crate) struct State {
    shared: Shared,
    scope: TaskScope,
    hosts: Children<HostId, Host, Arc<HostState>>,
}

pub(crate) struct HostSupervisor;

impl Actor for HostSupervisor {
    type Msg = Msg;
    type State = State;
    type Arguments = Args;

    async fn pre_start(&self, _: ActorRef<Msg>, args: Args) -> Result<State, ActorProcessingErr> {
        let Args { shared, hosts } = args;
        let seats = (shared.config.max_debates > 0).then(|| HostState::seats(&shared.config.id));
        let mut children = Children::new(shared.config.restarts);
        for host in hosts.into_iter().map(HostState::server).chain(seats).map(Arc::new) {
            children.entry(&host.id, || host.clone());
        }
        Ok(State { scope: shared.tasks.scope(), shared, hosts: children })
    }

    async fn post_start(&self, myself: ActorRef<Msg>, state: &mut State) -> Result<(), ActorProcessingErr> {
        let all: Vec<HostId> = state.hosts.iter().map(|(id, _)| id.clone()).collect();
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
        exit_of(&event).map_or(Ok(()), |exit| state.exited(&myself, exit))
    }
}

impl State {
    async fn start(&mut self, myself: &ActorRef<Msg>, id: &HostId) -> Result<(), ActorProcessingErr> {
        let Some(host_state) = self.hosts.get(id).cloned() else { return Ok(()) };
        let args = host_actor::Args { shared: self.shared.clone(), host_state };
        self.hosts.start(myself.get_cell(), id, (Host, args)).await?;
        Ok(())
    }

    /// A host that cannot be kept alive takes this supervisor down, so that the node decides.
    fn exited(&mut self, myself: &ActorRef<Msg>, exit: ActorExit) -> Result<(), ActorProcessingErr> {
        let lost = self.hosts.restart(exit, self.shared.clock.now(), |id, after_ms| {
            tracing::warn!(host = %id, after_ms, "host died, starting another");
            self.scope.after(myself, Duration::from_millis(after_ms), Msg::Revive(id));
        });
        lost.map_or(Ok(()), |id| Err(format!("host {id} died too often").into()))
    }

    #[cfg(any(test, feature = "test-hooks"))]
    fn strike(&self, blow: &crate::base::hooks::Blow) {
        match &blow.victim {
            crate::base::hooks::Victim::Host(id) => {
                self.hosts.actor(id).into_iter().for_each(|actor| blow.strike(actor, host_actor::Msg::Crash));
            }
            _ => self.hosts.actors().for_each(|actor| tell(actor, host_actor::Msg::Strike(blow.clone()))),
        }
    }
}
