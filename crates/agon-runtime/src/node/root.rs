//! The root of the supervision tree: coordinators and their listener for hints, hosts, and the node's signs of life.
use crate::base::config::HostConfig;
use crate::base::shared::Shared;
use crate::base::supervision::{Children, exit_of};
use crate::base::tasks::{TaskScope, tell};
use crate::cluster::peers;
use crate::host::hosts::{self, HostSupervisor};
use crate::owner::HintListener;
use crate::owner::coordinators::{self, Coordinators};
use agon_core::{DebateId, Input};
use ractor::{Actor, ActorProcessingErr, ActorRef, SupervisionEvent};
use std::time::Duration;
use tokio::sync::oneshot;

pub(crate) enum Msg {
    /// Own this debate, and do this first.
    Adopt {
        debate: DebateId,
        orders: Option<Input>,
    },
    /// Hand every debate over.
    Drain(oneshot::Sender<()>),
    ReviveCoordinators,
    ReviveHosts,
    #[cfg(any(test, feature = "test-hooks"))]
    Strike(crate::base::hooks::Blow),
}

pub(crate) struct Args {
    pub(crate) shared: Shared,
    pub(crate) hosts: Vec<HostConfig>,
}

pub(crate) struct State {
    shared: Shared,
    configs: Vec<HostConfig>,
    scope: TaskScope,
    coordinators: Children<(), Coordinators>,
    hosts: Children<(), HostSupervisor>,
    /// The listening task; a new one when the one that it passes hints on to is new.
    hint_listener: Option<TaskScope>,
    /// Drains that were asked for while the coordinators' supervisor was being started.
    waiting: Vec<coordinators::Msg>,
}

pub(crate) struct NodeRoot;

impl Actor for NodeRoot {
    type Msg = Msg;
    type State = State;
    type Arguments = Args;

    async fn pre_start(&self, _: ActorRef<Msg>, args: Args) -> Result<State, ActorProcessingErr> {
        let Args { shared, hosts } = args;
        let restarts = shared.config.supervisor_restarts;
        let (mut coordinators, mut supervisors) = (Children::new(restarts), Children::new(restarts));
        coordinators.entry(&(), || ());
        supervisors.entry(&(), || ());
        Ok(State {
            scope: shared.tasks.scope(),
            configs: hosts,
            coordinators,
            hosts: supervisors,
            hint_listener: None,
            waiting: Vec::new(),
            shared,
        })
    }

    async fn post_start(&self, myself: ActorRef<Msg>, state: &mut State) -> Result<(), ActorProcessingErr> {
        state.show_life(&myself);
        state.start_hosts(&myself).await?;
        state.start_coordinators(&myself).await
    }

    async fn handle(&self, myself: ActorRef<Msg>, msg: Msg, state: &mut State) -> Result<(), ActorProcessingErr> {
        match msg {
            Msg::Adopt { debate, orders } => state.tell_coordinators(coordinators::Msg::Adopt { debate, orders }),
            Msg::Drain(done) => state.tell_coordinators(coordinators::Msg::Drain(done)),
            Msg::ReviveCoordinators => state.start_coordinators(&myself).await?,
            Msg::ReviveHosts => state.start_hosts(&myself).await?,
            #[cfg(any(test, feature = "test-hooks"))]
            Msg::Strike(blow) => state.strike(&blow),
        }
        Ok(())
    }

    /// A supervisor that cannot be kept alive takes the node down.
    async fn handle_supervisor_evt(
        &self,
        myself: ActorRef<Msg>,
        event: SupervisionEvent,
        state: &mut State,
    ) -> Result<(), ActorProcessingErr> {
        let Some(exit) = exit_of(&event) else { return Ok(()) };
        let now = state.shared.clock.now();
        let again = |revive| {
            let (scope, myself) = (&state.scope, &myself);
            move |(), after_ms| {
                tracing::warn!(after_ms, "supervisor died, starting another");
                scope.after(myself, Duration::from_millis(after_ms), revive);
            }
        };
        let coordinators = state.coordinators.restart(exit, now, again(Msg::ReviveCoordinators));
        match coordinators.or(state.hosts.restart(exit, now, again(Msg::ReviveHosts))) {
            Some(()) => Err("a supervisor died too often".into()),
            None => Ok(()),
        }
    }
}

impl State {
    /// Here, and not below, because other nodes shall hear of this one whatever becomes of its supervisors.
    fn show_life(&self, myself: &ActorRef<Msg>) {
        let config = &self.shared.config;
        if !config.embedded {
            self.scope.spawn(myself.get_cell(), peers::listen(self.shared.clone()));
        }
        if config.has_peers() {
            self.scope.spawn(myself.get_cell(), peers::beat(self.shared.clone()));
        }
    }

    async fn start_hosts(&mut self, myself: &ActorRef<Msg>) -> Result<(), ActorProcessingErr> {
        let (shared, hosts) = (self.shared.clone(), self.configs.clone());
        let args = hosts::Args { shared, hosts };
        self.hosts.start(myself.get_cell(), &(), (HostSupervisor, args)).await?;
        Ok(())
    }

    async fn start_coordinators(&mut self, myself: &ActorRef<Msg>) -> Result<(), ActorProcessingErr> {
        let args = coordinators::Args { shared: self.shared.clone() };
        if let Some(actor) = self.coordinators.start(myself.get_cell(), &(), (Coordinators, args)).await? {
            self.waiting.drain(..).for_each(|message| tell(&actor, message));
            self.listen(myself, actor);
        }
        Ok(())
    }

    fn listen(&mut self, myself: &ActorRef<Msg>, coordinators: ActorRef<coordinators::Msg>) {
        if self.shared.config.max_debates == 0 {
            return;
        }
        let hint_listener = HintListener { shared: self.shared.clone(), coordinators };
        let scope = self.shared.tasks.scope();
        scope.spawn(myself.get_cell(), async move { hint_listener.listen().await });
        self.hint_listener = Some(scope);
    }

    fn tell_coordinators(&mut self, message: coordinators::Msg) {
        match self.coordinators.actor(&()) {
            Some(actor) => tell(actor, message),
            None => self.waiting.push(message),
        }
    }

    #[cfg(any(test, feature = "test-hooks"))]
    fn strike(&self, blow: &crate::base::hooks::Blow) {
        use crate::base::hooks::Victim;
        let (coordinators, hosts) = (self.coordinators.actors(), self.hosts.actors());
        match &blow.victim {
            Victim::Coordinators => coordinators.for_each(|actor| blow.strike(actor, coordinators::Msg::Crash)),
            Victim::Hosts => hosts.for_each(|actor| blow.strike(actor, hosts::Msg::Crash)),
            Victim::Coordinator(_) => {
                coordinators.for_each(|actor| tell(actor, coordinators::Msg::Strike(blow.clone())));
            }
            Victim::Cell(_) | Victim::Participant(..) | Victim::Host(_) | Victim::Gate(_) => {
                hosts.for_each(|actor| tell(actor, hosts::Msg::Strike(blow.clone())));
            }
        }
    }
}
