//! The process itself: everything is started in order, and ended in the reverse order.
use super::plan::Plan;
use super::{admin, face, ground::Ground, hosts::Hosts};
use crate::cli::Role;
use crate::commands::Context;
use crate::exit::Stop;
use crate::settings::{tools_with_keys, verifiers_with_keys};
use agon_rehearsal::RehearsalServer;
use agon_runtime::{Node, Ports, SystemClock};
use agon_server::{Admin, CredentialHealth, Gateway, GatewayPorts};
use agon_telemetry::Telemetry;
use anyhow::Context as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A running process.
pub struct Process {
    node: Arc<Node>,
    gateway: Option<Gateway>,
    admin: Admin,
    ground: Ground,
    rehearsal: Option<RehearsalServer>,
    ending: Arc<AtomicBool>,
}

impl Process {
    /// Starts everything that the plan names; says where it listens once it does.
    pub async fn start(context: &Context, plan: &Plan, telemetry: &Telemetry) -> Result<Self, Stop> {
        let ground = Ground::open(context, plan).await?;
        let hosts = Hosts::find(context, plan).await?;
        ground.check_queues(plan, &hosts.configs).await?;
        let ports = Ports {
            bus: ground.bus.clone(),
            journal: ground.journal.clone(),
            registers: ground.registers.clone(),
            jobs: ground.jobs.clone(),
            commands: ground.commands.clone(),
            catalogue: ground.catalogue.clone(),
            upkeep: Some(ground.upkeep.clone()),
            hosts: hosts.configs,
            clock: Arc::new(SystemClock),
            observer: Arc::new(telemetry.clone()),
        };
        let mut config = plan.node();
        if let Some(keys) = ground.keys() {
            (config.tells_keys, config.hears_keys) = (keys.told, keys.heard);
        }
        if plan.is(Role::Host) {
            config.tools = tools_with_keys(&plan.settings.tools, &context.environment)?;
            config.verifiers = verifiers_with_keys(&plan.settings.verifiers, &context.environment)?;
        }
        let node = Node::start(config, ports).await.context("the runtime's actors do not start")?;
        let node = Arc::new(node);
        let parts = GatewayPorts {
            node: node.clone(),
            journal: ground.journal.clone(),
            catalogue: ground.catalogue.clone(),
            requests: ground.requests.clone(),
            commands: ground.commands.clone(),
            upkeep: ground.upkeep.clone(),
            rpc: telemetry.rpc(),
            cluster: telemetry.cluster(),
            credentials: CredentialHealth::default(),
            streams: ground.streams(plan),
        };
        let ending = Arc::new(AtomicBool::new(false));
        let admin = admin::start(plan, admin::ports(plan, telemetry, parts.clone(), ending.clone())?).await?;
        let gateway = match plan.is(Role::Gateway) {
            true => Some(
                Gateway::start(face::config(plan, &context.environment)?, parts).await.map_err(face::not_started)?,
            ),
            false => None,
        };
        let process = Self { node, gateway, admin, ground, rehearsal: hosts.rehearsal, ending };
        process.announce(plan);
        Ok(process)
    }

    fn announce(&self, plan: &Plan) {
        let scheme = if plan.settings.gateway.tls.is_some() { "https" } else { "http" };
        let addresses = self.gateway.as_ref().map(Gateway::addresses);
        if let Some(grpc) = addresses.and_then(|addresses| addresses.grpc) {
            plan.herald.tell(&format!("gRPC      {scheme}://{grpc}"));
        }
        if let Some(http) = addresses.and_then(|addresses| addresses.http) {
            plan.herald.tell(&format!("HTTP      {scheme}://{http}"));
        }
        plan.herald.tell(&format!("admin     http://{}", self.admin.address()));
        let roles: Vec<&str> = plan.roles.iter().map(|role| role.name()).collect();
        plan.herald.tell(&format!("node {} is up: {}, {}", plan.id, roles.join(", "), self.ground.place()));
    }

    /// Waits until the process can no longer do its work.
    pub async fn failed(&self) -> Stop {
        tokio::select! {
            down = self.node.failed() => {
                Stop::from(anyhow::Error::from(down).context("the process gives up, so that it is started anew"))
            }
            stop = self.ground.keep_streams() => stop,
        }
    }

    /// Ends in order; false when something was cut off.
    pub async fn end(self) -> bool {
        self.ending.store(true, Ordering::Release);
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
        self.ground.close().await;
        self.admin.stop().await;
        handed_over && answered
    }
}
