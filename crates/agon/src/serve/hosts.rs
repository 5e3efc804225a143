//! The model servers that this process plays at.
use super::plan::ServePlan;
use crate::cli::ProcessRole;
use crate::commands::Context;
use crate::exit::{Exit, Stop};
use crate::servers::{self, ProbedModels, READING_PACE, ReachableServer};
use crate::settings::{HostSettings, Length, Origin, chosen_hosts, offered_services};
use agon_core::{HostId, ModelName};
use agon_llm::ChatError;
use agon_rehearsal::RehearsalServer;
use agon_runtime::{HostConfig, Served};
use std::time::Duration;
use tokio::time::Instant;

/// How soon a server that did not answer is asked again.
const AGAIN: Duration = Duration::from_millis(500);

/// What `agon ui` says where no model can be asked.
const ONLY_REHEARSALS: &str =
    "no model server answers: debates can be rehearsed only; `agon doctor` says what to install or to start";

/// What is played at.
#[derive(Default)]
pub struct HostSetup {
    /// The servers, as the node wants them.
    pub configs: Vec<HostConfig>,
    /// The scripted server in this process, where there is one.
    pub rehearsal: Option<RehearsalServer>,
}

impl HostSetup {
    /// Finds the servers. One has to answer, because only its server knows whether it rehearses.
    pub async fn find(context: &Context, plan: &ServePlan) -> Result<Self, Stop> {
        if !plan.is(ProcessRole::Host) {
            return Ok(Self::default());
        }
        let (named, services) = wanted(context, plan);
        let (rehearsal, own) = match plan.rehearses() {
            true => rehearsing(plan, &named).await.map(|(server, host)| (Some(server), Some(host)))?,
            false => (None, None),
        };
        let settings: Vec<HostSettings> = own.into_iter().chain(named).collect();
        let known = settings.len();
        let all = ReachableServer::connect_all(&[settings, services].concat(), &context.environment)?;
        let (servers, services) = all.split_at_checked(known).unwrap_or((&all, &[]));
        let mut configs = Vec::new();
        for (server, found) in answering(context, plan, servers, services).await? {
            plan.herald.tell(&format!("host      {} at {}", host_id(plan, &server), server.client.endpoint()));
            configs.push(config(plan, &server, &found));
        }
        // not asked: what they have is known by its prefix, and a call may cost money
        for server in services {
            let (id, endpoint) = (host_id(plan, server), server.client.endpoint());
            plan.herald.tell(&format!("host      {id} at {endpoint} for {}/...", server.settings.name));
            configs.push(server.host(host_id(plan, server), Served::Prefixed(server.settings.name.clone()), false));
        }
        Ok(Self { configs, rehearsal })
    }
}

/// The servers to ask, and the services that are not asked.
fn wanted(context: &Context, plan: &ServePlan) -> (Vec<HostSettings>, Vec<HostSettings>) {
    if plan.server.rehearsal {
        return (Vec::new(), Vec::new());
    }
    let named = chosen_hosts(&plan.server, &plan.settings.hosts, &context.environment, &[]);
    // who names servers means these and no service besides
    let services = match plan.server.is_named() {
        true => Vec::new(),
        false => offered_services(&plan.settings.hosts, &context.environment),
    };
    (named, services)
}

/// The scripted server of this process, under a name that none of the others has.
async fn rehearsing(plan: &ServePlan, others: &[HostSettings]) -> Result<(RehearsalServer, HostSettings), Stop> {
    // somebody reads along
    let pace = if plan.own_door.is_some() { READING_PACE } else { Duration::ZERO };
    let config = servers::paced(&plan.pace, plan.settings.rehearsal.latency, Length(pace))?;
    let (server, mut host) = servers::start(config).await?;
    while others.iter().any(|other| other.name == host.name) {
        host.name.push_str("-here");
    }
    Ok((server, host))
}

/// The servers that answer within the time that the settings give them; at least one, unless there are services or
/// the process rehearses.
async fn answering(
    context: &Context,
    plan: &ServePlan,
    servers: &[ReachableServer],
    services: &[ReachableServer],
) -> Result<Vec<(ReachableServer, ProbedModels)>, Stop> {
    let until = Instant::now() + plan.settings.host.wait.0;
    // nobody has asked for the server at the usual place
    let enough = !services.is_empty() || plan.rehearses();
    let is_wanted = |server: &ReachableServer| !enough || server.settings.origin != Origin::Usual;
    loop {
        let asked = servers::probe_all(servers.to_vec(), Vec::new()).await;
        let late = Instant::now() >= until || !asked.iter().any(|(server, found)| found.is_err() && is_wanted(server));
        if late
            && !enough
            && let Some(why) = servers::check(&asked, &[])
        {
            return Err(Stop::say(Exit::Unavailable, why));
        }
        if late {
            return Ok(used(context, plan, asked, services));
        }
        tokio::time::sleep(AGAIN).await;
    }
}

/// Those of the servers that answered; says which ones did not.
fn used(
    context: &Context,
    plan: &ServePlan,
    asked: Vec<(ReachableServer, Result<ProbedModels, ChatError>)>,
    services: &[ReachableServer],
) -> Vec<(ReachableServer, ProbedModels)> {
    let mut found = Vec::new();
    for (server, answer) in asked {
        match answer {
            Ok(answer) => found.push((server, answer)),
            // nobody has named it
            Err(_) if plan.own_door.is_some() && server.settings.origin == Origin::Usual => {}
            Err(error) => context.output.warn(&format!("{} is not used: {error}", server.client.endpoint())),
        }
    }
    let wants_models = plan.own_door.is_some() && !plan.server.rehearsal;
    if wants_models && services.is_empty() && found.iter().all(|(_, found)| found.is_rehearsal()) {
        plan.herald.tell(ONLY_REHEARSALS);
    }
    found
}

fn config(plan: &ServePlan, server: &ReachableServer, found: &ProbedModels) -> HostConfig {
    let named: Vec<ModelName> = server.settings.models.iter().map(|model| ModelName::from(model.as_str())).collect();
    let rehearsal = found.is_rehearsal();
    let models = match (rehearsal, named.is_empty()) {
        (_, false) => Served::List(named),
        // it plays whatever it is asked to
        (true, true) => Served::Any,
        (false, true) => Served::Discovered,
    };
    server.host(host_id(plan, server), models, rehearsal)
}

/// The same settings may be in force on many machines, so the node's name tells their hosts apart.
fn host_id(plan: &ServePlan, server: &ReachableServer) -> HostId {
    let name = &server.settings.name;
    if plan.is_alone() { HostId::from(name.as_str()) } else { HostId::from(format!("{name}-{}", plan.id).as_str()) }
}
