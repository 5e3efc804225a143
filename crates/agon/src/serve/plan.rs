//! What the process is to be: flags over settings, checked as a whole.
use super::Herald;
use super::infrastructure::Infrastructure;
use super::own_door::OwnDoor;
use crate::cli::{PaceArgs, ProcessRole, ServeArgs, ServerArgs, UiArgs};
use crate::commands::Context;
use crate::exit::Stop;
use crate::settings::{AuthSettings, Length, Settings};
use agon_core::NodeId;
use agon_runtime::{EvalKeeperConfig, NodeConfig, RoomLimits, Times};
use agon_server::GatewayConfig;
use agon_store::NatsUse;
use agon_telemetry::LogFormat;
use std::collections::BTreeSet;
use std::net::Ipv4Addr;
use std::num::NonZeroUsize;
use uuid::Uuid;

/// What roles use of a store on NATS.
pub fn uses(roles: &BTreeSet<ProcessRole>) -> NatsUse {
    let is = |role| roles.contains(&role);
    let (admits, owns) = (is(ProcessRole::Gateway), is(ProcessRole::Coordinator));
    NatsUse { admits, owns, evals: admits || owns, queues: owns || is(ProcessRole::Host) }
}

/// Cells of an eval that a coordinator holds at once where the settings say nothing.
const EVAL_CELLS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(63);

/// What the process is to be.
pub struct ServePlan {
    /// The settings in force, flags included.
    pub settings: Settings,
    /// What it does.
    pub roles: BTreeSet<ProcessRole>,
    /// Its name, which no other process ever has.
    pub id: NodeId,
    /// Which model servers it plays at.
    pub server: ServerArgs,
    /// How a rehearsal goes.
    pub pace: PaceArgs,
    /// How it says what happens.
    pub herald: Herald,
    /// How the user of this machine comes in, where the process is theirs alone.
    pub own_door: Option<OwnDoor>,
}

impl ServePlan {
    /// Reads the settings and lays the flags over them.
    pub fn of(context: &Context, args: &ServeArgs) -> Result<Self, Stop> {
        let mut settings = context.settings()?;
        overrule(&mut settings, args);
        check(&settings)?;
        let roles: BTreeSet<ProcessRole> = settings.node.roles.iter().copied().collect();
        if settings.nats.urls.is_empty() && !ALL.iter().all(|role| roles.contains(role)) {
            return Err(Stop::usage(
                "a process with only some of the roles needs the others, and NATS to reach them: \
                 add --nats URL, or set nats.urls; without --roles one process has all roles",
            ));
        }
        if !roles.contains(&ProcessRole::Host) && args.server.is_named() {
            return Err(Stop::usage("--rehearsal, --ollama and --base-url are for hosts: add `host` to --roles"));
        }
        let herald = Herald { output: context.output, format: settings.telemetry.log_format };
        let name = settings.node.name.clone().unwrap_or_else(machine);
        let id = node_id(&name);
        Ok(Self { settings, roles, id, server: args.server.clone(), pace: args.pace.clone(), herald, own_door: None })
    }

    /// `agon ui`: every role, the store of `agon run`, pages for the user of this machine and for nobody else.
    pub fn ui(context: &Context, args: &UiArgs) -> Result<Self, Stop> {
        let mut settings = context.settings()?;
        make_own(&mut settings, args.port);
        check(&settings)?;
        Ok(Self {
            settings,
            roles: BTreeSet::from(ALL),
            id: node_id("ui"),
            server: args.server.clone(),
            pace: args.pace.clone(),
            herald: Herald { output: context.output, format: LogFormat::Text },
            own_door: Some(OwnDoor::new(args.open)),
        })
    }

    /// Whether it has this role.
    pub fn is(&self, role: ProcessRole) -> bool {
        self.roles.contains(&role)
    }

    /// Whether there are no other processes.
    pub fn is_alone(&self) -> bool {
        self.settings.nats.urls.is_empty()
    }

    /// Whether scripted speakers are in this process: where they are asked for, and always for a user of this machine.
    pub fn rehearses(&self) -> bool {
        self.server.rehearsal || self.own_door.is_some()
    }

    /// Its role in one word, for traces and for permissions: `agon` where it has several.
    pub fn role_name(&self) -> &'static str {
        let mut roles = self.roles.iter();
        match (roles.next(), roles.next()) {
            (Some(ProcessRole::Gateway), None) => "gateway",
            (Some(ProcessRole::Coordinator), None) => "coordinator",
            (Some(ProcessRole::Host), None) => "host",
            (_, _) => "agon",
        }
    }

    /// What traces call it.
    pub fn service_name(&self) -> String {
        match self.role_name() {
            "agon" => "agon".to_owned(),
            role => format!("agon-{role}"),
        }
    }

    /// The settings of its node.
    pub fn node(&self) -> NodeConfig {
        let coordinator = &self.settings.coordinator;
        let base = match self.is_alone() {
            true => NodeConfig::embedded(self.id.clone()),
            false => NodeConfig::clustered(self.id.clone()),
        };
        NodeConfig {
            max_debates: if self.is(ProcessRole::Coordinator) { coordinator.max_debates.get() } else { 0 },
            tenant_cap: coordinator.tenant_cap,
            breaker: self.settings.breaker_policy(),
            times: Times {
                drain: self.settings.node.drain.0,
                heartbeat: coordinator.heartbeat.0,
                node_silent: coordinator.node_silent.0,
                host_silent: coordinator.host_silent.0,
                sweep: coordinator.sweep.0,
                queued_stale: coordinator.queued_stale.0,
                running_stale: coordinator.running_stale.0,
                models_refresh: self.settings.host.discovery.0,
                ..Times::default()
            },
            ..base
        }
    }
}

impl ServePlan {
    /// How its coordinator drives evals; nothing where it has none, or may keep none.
    pub fn evals(&self, infrastructure: &Infrastructure) -> Option<EvalKeeperConfig> {
        if !self.is(ProcessRole::Coordinator) || !infrastructure.keeps_evals {
            return None;
        }
        let gateway = GatewayConfig::default();
        Some(EvalKeeperConfig {
            logs: infrastructure.evals.clone(),
            upkeep: infrastructure.upkeep.clone(),
            evals: self.settings.coordinator.max_evals,
            concurrency: self.settings.eval.at_once(EVAL_CELLS),
            limits: RoomLimits {
                queued: self.settings.gateway.max_queued.get(),
                tenant_unfinished: gateway.limits.tenant_unfinished,
                age: gateway.times.load_age,
            },
            retry: self.settings.retry_policy(),
        })
    }
}

/// Every role.
const ALL: [ProcessRole; 3] = [ProcessRole::Gateway, ProcessRole::Coordinator, ProcessRole::Host];

fn check(settings: &Settings) -> Result<(), Stop> {
    let problems = settings.problems();
    if problems.is_empty() {
        return Ok(());
    }
    Err(Stop::usage(format!("the flags and settings are incompatible:\n  {}", problems.join("\n  "))))
}

/// Takes out of the settings what is meant for servers that many reach, and takes bounds and patience from those of local debates.
fn make_own(settings: &mut Settings, port: u16) {
    settings.nats.urls.clear();
    settings.gateway.http = (Ipv4Addr::LOCALHOST, port).into();
    settings.gateway.tls = None;
    settings.gateway.auth = AuthSettings::default();
    settings.gateway.insecure = false;
    settings.console.enabled = true;
    settings.node.drain = settings.runtime.drain;
    settings.coordinator.max_debates = settings.runtime.max_debates;
    settings.coordinator.tenant_cap = None;
    // nobody waits for a server before a page: what does not answer now is left out
    settings.host.wait = Length::default();
}

fn overrule(settings: &mut Settings, args: &ServeArgs) {
    if !args.roles.is_empty() {
        settings.node.roles.clone_from(&args.roles);
    }
    if !args.nats.is_empty() {
        settings.nats.urls.clone_from(&args.nats);
    }
    if args.name.is_some() {
        settings.node.name.clone_from(&args.name);
    }
    settings.gateway.grpc = args.grpc.unwrap_or(settings.gateway.grpc);
    settings.gateway.http = args.http.unwrap_or(settings.gateway.http);
    settings.gateway.insecure |= args.insecure;
    settings.admin.listen = args.admin.or(settings.admin.listen);
    if args.json_logs {
        settings.telemetry.log_format = LogFormat::Json;
    }
}

/// Letters that a start adds to the name.
const SUFFIX: usize = 6;

/// A restarted process is another one: what its predecessor held is not its own.
fn node_id(name: &str) -> NodeId {
    let random = Uuid::new_v4().simple().to_string();
    NodeId::from(format!("{name}-{}", random.get(..SUFFIX).unwrap_or(&random)).as_str())
}

/// The machine's name as a node may have it.
fn machine() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    slug(&name)
}

fn slug(name: &str) -> String {
    let lower = name.trim().to_ascii_lowercase();
    let slug: String = lower.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).take(40).collect();
    let slug = slug.trim_matches('-');
    if slug.is_empty() { "agon".to_owned() } else { slug.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Command};
    use crate::environment::Environment;
    use crate::output::OutputMode;
    use clap::Parser;

    fn plan(line: &str) -> Result<ServePlan, String> {
        let cli = Cli::try_parse_from(line.split_whitespace()).unwrap();
        let environment = Environment::default();
        let output = OutputMode::new(crate::cli::ColorChoice::Never, &environment);
        let context = Context { global: cli.global, environment, output };
        let plan = match cli.command {
            Command::Serve(args) => ServePlan::of(&context, &args),
            Command::Ui(args) => ServePlan::ui(&context, &args),
            _ => panic!("{line} starts no server"),
        };
        plan.map_err(|stop| stop.error.unwrap().to_string())
    }

    #[test]
    fn the_pages_of_one_user_are_on_loopback_and_behind_a_code_whatever_the_settings_say_of_servers() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agon.toml");
        let text = "[nats]\nurls = [\"nats://a:1\"]\n[gateway]\nhttp = \"0.0.0.0:80\"\ninsecure = true\n\
                    [gateway.auth]\ntokens_file = \"/none\"\n[console]\nenabled = false\n[runtime]\nmax_debates = 3";
        std::fs::write(&path, text).unwrap();
        let plan = plan(&format!("agon ui --port 8765 --config {}", path.display())).unwrap();
        assert!(plan.is_alone() && plan.own_door.is_some() && plan.settings.console.enabled);
        let gateway = crate::serve::listener::config(&plan, &Environment::default()).unwrap();
        assert_eq!((gateway.grpc, gateway.http), (None, Some((Ipv4Addr::LOCALHOST, 8765).into())));
        assert!(gateway.auth.own_token.is_some() && gateway.auth.tokens.is_none() && !gateway.insecure);
        assert_eq!(plan.node().max_debates, 3);
    }

    #[test]
    fn the_pace_of_rehearsals_is_set_where_scripted_speakers_are_always_there() {
        let plan = plan("agon ui --token-interval 20ms --latency 1s").unwrap();
        assert!(plan.pace.token_interval.is_some() && plan.pace.latency.is_some() && !plan.server.rehearsal);
        assert!(Cli::try_parse_from(["agon", "serve", "--token-interval", "20ms"]).is_err());
    }

    #[test]
    fn without_nats_everything_is_in_one_process() {
        let alone = plan("agon serve").unwrap();
        assert!(alone.is_alone() && alone.node().embedded && alone.node().max_debates > 0);
        assert_eq!(alone.service_name(), "agon");
        assert!(plan("agon serve --roles gateway").err().unwrap().contains("--nats"));
    }

    #[test]
    fn only_coordinators_lead_debates() {
        let host = plan("agon serve --roles host --nats nats://a:1").unwrap();
        assert_eq!((host.node().max_debates, host.node().embedded), (0, false));
        assert_eq!(host.service_name(), "agon-host");
        assert!(plan("agon serve --roles gateway --nats nats://a:1 --rehearsal").err().unwrap().contains("host"));
    }

    #[test]
    fn two_starts_of_one_name_are_two_nodes() {
        let id = || plan("agon serve --name gpu1").unwrap().id;
        let (one, two) = (id(), id());
        assert!(one.as_str().starts_with("gpu1-") && one != two);
        assert!(plan("agon serve --name GPU_1").is_err());
    }

    #[test]
    fn the_name_of_any_machine_becomes_one_of_a_node() {
        assert_eq!(slug("GPU_1.example.org\n"), "gpu-1-example-org");
        assert_eq!(slug(""), "agon");
    }
}
