//! The process itself: everything is started in order, and ended in the reverse order.
use super::plan::ServePlan;
use super::{admin, hosts::HostSetup, infrastructure::Infrastructure, listener};
use crate::cli::ProcessRole;
use crate::commands::Context;
use crate::exit::Stop;
use crate::settings::with_keys;
use agon_rehearsal::RehearsalServer;
use agon_runtime::{EvalKeeper, Node, Ports, SystemClock};
use agon_server::{Admin, CredentialHealth, Gateway, GatewayPorts, ListenerGate};
use agon_telemetry::Telemetry;
use anyhow::Context as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A running process.
pub struct ServeProcess {
    node: Arc<Node>,
    evals: Option<EvalKeeper>,
    gateway: Option<Gateway>,
    admin: Option<Admin>,
    infrastructure: Infrastructure,
    rehearsal: Option<RehearsalServer>,
    ending: Arc<AtomicBool>,
}

impl ServeProcess {
    /// Starts everything that the plan names; says where it listens once it does.
    pub async fn start(context: &Context, plan: &ServePlan, telemetry: &Telemetry) -> Result<Self, Stop> {
        let infrastructure = Infrastructure::open(context, plan).await?;
        let hosts = HostSetup::find(context, plan).await?;
        infrastructure.check_queues(plan, &hosts.configs).await?;
        let ports = Ports {
            bus: infrastructure.bus.clone(),
            journal: infrastructure.journal.clone(),
            registers: infrastructure.registers.clone(),
            jobs: infrastructure.jobs.clone(),
            commands: infrastructure.commands.clone(),
            catalogue: infrastructure.catalogue.clone(),
            upkeep: Some(infrastructure.upkeep.clone()),
            hosts: hosts.configs,
            clock: Arc::new(SystemClock),
            observer: Arc::new(telemetry.clone()),
        };
        let mut config = plan.node();
        config.purges_registers = infrastructure.purges_registers();
        if let Some(keys) = infrastructure.keys() {
            (config.tells_keys, config.hears_keys) = (keys.told, keys.heard);
        }
        if plan.is(ProcessRole::Host) {
            config.tools = with_keys(&plan.settings.tools, &context.environment)?;
            config.verifiers = with_keys(&plan.settings.verifiers, &context.environment)?;
        }
        let node = Node::start(config, ports).await.context("the runtime's actors do not start")?;
        let node = Arc::new(node);
        let evals = plan.evals(&infrastructure).map(|config| EvalKeeper::start(node.clone(), config));
        let parts = GatewayPorts {
            node: node.clone(),
            journal: infrastructure.journal.clone(),
            catalogue: infrastructure.catalogue.clone(),
            requests: infrastructure.requests.clone(),
            commands: infrastructure.commands.clone(),
            upkeep: infrastructure.upkeep.clone(),
            evals: infrastructure.evals.clone(),
            rpc: telemetry.rpc(),
            cluster: telemetry.cluster(),
            credentials: CredentialHealth::default(),
            listeners: ListenerGate::default(),
            streams: infrastructure.streams(plan),
        };
        let ending = Arc::new(AtomicBool::new(false));
        // whoever started the process sees how it is
        let admin = match plan.own_door {
            Some(_) => None,
            None => Some(admin::start(plan, admin::ports(plan, telemetry, parts.clone(), ending.clone())?).await?),
        };
        let gateway = match plan.is(ProcessRole::Gateway) {
            true => Some(
                Gateway::start_with(listener::config(plan, &context.environment)?, parts, listener::pages(plan))
                    .await
                    .map_err(|error| listener::not_started(plan, error))?,
            ),
            false => {
                parts.listeners.open();
                None
            }
        };
        let process = Self { node, evals, gateway, admin, infrastructure, rehearsal: hosts.rehearsal, ending };
        match &plan.own_door {
            Some(door) => door.announce(&plan.herald, process.http()),
            None => process.announce(plan),
        }
        Ok(process)
    }

    /// Where pages are.
    fn http(&self) -> Option<SocketAddr> {
        self.gateway.as_ref().and_then(|gateway| gateway.addresses().http)
    }

    fn announce(&self, plan: &ServePlan) {
        let scheme = if plan.settings.gateway.tls.is_some() { "https" } else { "http" };
        let addresses = self.gateway.as_ref().map(Gateway::addresses);
        if let Some(grpc) = addresses.and_then(|addresses| addresses.grpc) {
            plan.herald.tell(&format!("gRPC      {scheme}://{grpc}"));
        }
        if let Some(http) = addresses.and_then(|addresses| addresses.http) {
            plan.herald.tell(&format!("HTTP      {scheme}://{http}"));
            if plan.settings.console.enabled {
                plan.herald.tell(&format!("Open {scheme}://{http}/ in a browser"));
            }
        }
        if let Some(admin) = &self.admin {
            plan.herald.tell(&format!("admin     http://{}", admin.address()));
        }
        let roles: Vec<&str> = plan.roles.iter().map(|role| role.name()).collect();
        plan.herald.tell(&format!("node {} is up: {}, {}", plan.id, roles.join(", "), self.infrastructure.place()));
    }

    /// Lets the user of this machine in. Never returns.
    pub async fn let_in(&self, context: &Context, plan: &ServePlan) {
        match &plan.own_door {
            Some(door) => door.keep(context, &plan.herald, self.http()).await,
            None => std::future::pending().await,
        }
    }

    /// Waits until the process can no longer do its work.
    pub async fn failed(&self) -> Stop {
        tokio::select! {
            down = self.node.failed() => {
                Stop::from(anyhow::Error::from(down).context("the process stops, to be restarted"))
            }
            stop = self.infrastructure.keep_streams() => stop,
        }
    }

    /// Ends in order; false when something was cut off.
    pub async fn end(self) -> bool {
        self.ending.store(true, Ordering::Release);
        let given_up = match self.evals {
            Some(evals) => evals.stop().await,
            None => true,
        };
        let handed_over = self.node.drain();
        let answered = async {
            match self.gateway {
                Some(gateway) => gateway.drain().await,
                None => true,
            }
        };
        let (handed_over, answered) = tokio::join!(handed_over, answered);
        if let Some(server) = self.rehearsal {
            server.shutdown().await;
        }
        self.infrastructure.close().await;
        if let Some(admin) = self.admin {
            admin.stop().await;
        }
        given_up && handed_over && answered
    }
}
