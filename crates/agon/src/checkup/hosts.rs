//! Model servers: reachable, new enough, with the model.
use super::{CheckupFinding, machine, model, reach};
use crate::cli::{DoctorArgs, ProcessRole};
use crate::commands::Context;
use crate::debate_file::{self, NamedDebate};
use crate::environment::Environment;
use crate::exit::Stop;
use crate::servers::{self, ProbedModels, ReachableServer};
use crate::settings::{HostKind, HostSettings, Origin, Settings, chosen_hosts, masked_address};
use crate::speeds::Remembered;
use agon_core::{DebateSpec, ModelName, Outgrown, Overlong};
use agon_llm::ChatError;
use agon_spec::{Defaults, Overrides};

/// One server, and what it said.
type ProbedServer = [(ReachableServer, Result<ProbedModels, ChatError>); 1];
/// A model, and the tokens that it generates a second.
pub type ModelSpeed = (String, f64);

/// Looks at every server, and at the model at each server that has it.
pub async fn check(context: &Context, args: &DoctorArgs, settings: &Settings) -> Result<Vec<CheckupFinding>, Stop> {
    let rehearsal = match args.server.rehearsal {
        true => Some(servers::start(agon_rehearsal::RehearsalConfig::default()).await?),
        false => None,
    };
    let spec = match &args.file {
        Some(file) => Some(debate(context, args, settings, file).await?),
        None => None,
    };
    let wanted = ProbeRequest::of(args, settings, spec.as_ref());
    let hosts = match &rehearsal {
        Some((_, host)) => vec![host.clone()],
        None => chosen_hosts(&args.server, &settings.hosts, &context.environment, &wanted.models),
    };
    if let Some(finding) = unused(args, settings, &hosts) {
        return Ok(vec![finding]);
    }
    let mut findings = Vec::new();
    // Nobody named Ollama's usual place, and it is not needed where a service plays.
    let needed = |host: &&HostSettings| host.origin != Origin::Usual || hosts.len() == 1;
    for host in hosts.iter().filter(needed) {
        findings.extend(one(host, &hosts, &wanted, context).await);
    }
    if let Some((server, _)) = rehearsal {
        server.shutdown().await;
    }
    Ok(findings)
}

/// That nobody named a model server and this machine needs none: another process plays the turns.
fn unused(args: &DoctorArgs, settings: &Settings, hosts: &[HostSettings]) -> Option<CheckupFinding> {
    let named = hosts.iter().any(|host| host.origin != Origin::Usual);
    if named || args.server.is_named() || args.file.is_some() || args.model.is_some() {
        return None;
    }
    let why = if !settings.node.roles.contains(&ProcessRole::Host) {
        "none is named, and node.roles has no host, so other processes play the turns"
    } else if args.api.server.is_some() || settings.client.server.is_some() {
        "none is named, and debates are submitted to a server; agon doctor --ollama URL checks one"
    } else {
        return None;
    };
    Some(CheckupFinding::ok("model servers", format!("not used here: {why}")))
}

/// Looks at one server; what is wrong with it keeps nobody from looking at the others.
async fn one(
    host: &HostSettings,
    all: &[HostSettings],
    wanted: &ProbeRequest<'_>,
    context: &Context,
) -> Vec<CheckupFinding> {
    let environment = &context.environment;
    let server = match ReachableServer::connect(host, all, environment) {
        Ok(server) => server,
        Err(stop) => return vec![unprepared(host, &stop, environment)],
    };
    let what = format!("host {} ({})", host.name, server.client.endpoint());
    let found = match servers::probe(&server, &wanted.models).await {
        Ok(found) => found,
        Err(error) => return vec![reach::failed(&what, &server, &error, environment).await],
    };
    let mut findings = vec![reached(&what, &found)];
    findings.extend(bare_key(&what, &server));
    findings.extend(machine::clock(&what, server.client.date().await.ok().flatten()));
    let scripted = found.is_rehearsal();
    for (model, finding) in the_models(&server, found, wanted).await {
        // what was measured here is known to the next run
        if let Some((model, speed)) = model.filter(|_| !scripted) {
            Remembered::of(context).note(&server, &model, speed);
        }
        findings.push(finding);
    }
    findings
}

/// The debate that is to run.
async fn debate(context: &Context, args: &DoctorArgs, settings: &Settings, file: &str) -> Result<DebateSpec, Stop> {
    let named = NamedDebate::Written(debate_file::file_or_input(file, None)?);
    let model = args.model.as_deref();
    let settings = servers::choose_model(context, &args.server, settings.clone(), &named, model).await?;
    let overrides = Overrides { model: args.model.clone(), ..Overrides::default() };
    debate_file::load(&named, &debate_file::defaults(&settings), &overrides, Some(&context.output))
}

/// What the servers are tried with.
pub struct ProbeRequest<'a> {
    /// The models, none where nobody named one.
    models: Vec<ModelName>,
    /// What they are to do.
    spec: Option<&'a DebateSpec>,
}

impl<'a> ProbeRequest<'a> {
    fn of(args: &DoctorArgs, settings: &Settings, spec: Option<&'a DebateSpec>) -> Self {
        let named = args.model.as_deref().or(settings.defaults.model.as_deref());
        let models = match spec {
            Some(spec) => servers::models_of(spec),
            None => Vec::from_iter(named.map(ModelName::from)),
        };
        Self { models, spec }
    }

    /// What is too long for a model of this speed: the answers of the debate, or else those of one that says nothing of them.
    pub fn overlong(&self, model: &str, tokens_per_second: f64) -> Option<Overlong> {
        if let Some(spec) = self.spec {
            return spec.overlong(&ModelName::from(model), tokens_per_second);
        }
        let usual = Defaults::default();
        let (max_tokens, limit_ms) = (usual.max_tokens.debater, usual.timeout_per_turn_ms);
        let overlong = Overlong { max_tokens, tokens_per_second, limit_ms };
        (overlong.takes_ms() > limit_ms).then_some(overlong)
    }

    /// Whether the debate may outgrow a context.
    pub fn outgrows(&self, context: u64) -> Option<Outgrown> {
        self.spec?.outgrows(context)
    }
}

fn unprepared(host: &HostSettings, stop: &Stop, environment: &Environment) -> CheckupFinding {
    let otherwise = || "correct this host in [[hosts]]; agon config show --origin shows where it comes from".to_owned();
    let fix = host.remedy(environment).unwrap_or_else(otherwise);
    CheckupFinding::fail(format!("host {} ({})", host.name, masked_address(&host.url)), stop.why(), fix)
}

/// A key that travels where others can read it.
fn bare_key(what: &str, server: &ReachableServer) -> Option<CheckupFinding> {
    let endpoint = server.client.endpoint();
    let bare = server.settings.api_key.is_some() && !endpoint.is_encrypted() && !is_here(server);
    bare.then(|| CheckupFinding::warn(what, "its key is sent unencrypted", "use https://, or a server on this machine"))
}

/// Whether the server is on this machine.
pub fn is_here(server: &ReachableServer) -> bool {
    let host = server.client.endpoint().host();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Looks at the models that are wanted, else at the one that `agon run` would take.
async fn the_models(
    server: &ReachableServer,
    found: ProbedModels,
    wanted: &ProbeRequest<'_>,
) -> Vec<(Option<ModelSpeed>, CheckupFinding)> {
    let asked = [(server.clone(), Ok(found))];
    if wanted.models.is_empty() {
        let picked = servers::pick(&asked).await.map(|picked| picked.model);
        return the_model(&asked, picked, wanted).await;
    }
    let mut findings = Vec::new();
    for model in &wanted.models {
        findings.extend(the_model(&asked, Some(model.to_string()), wanted).await);
    }
    findings
}

/// Looks at one model.
async fn the_model(
    asked: &ProbedServer,
    picked: Option<String>,
    wanted: &ProbeRequest<'_>,
) -> Vec<(Option<ModelSpeed>, CheckupFinding)> {
    let [(server, Ok(found))] = asked else { return Vec::new() };
    let findings = match picked {
        Some(name) if server.leaves(&name) => Vec::new(),
        Some(name) if servers::serves(server, found, &name) => return model::check(server, found, &name, wanted).await,
        Some(name) => {
            let why = servers::check(asked, &[ModelName::from(name.as_str())]).unwrap_or_default();
            let fix = match server.settings.kind {
                HostKind::Ollama => format!("{}, or choose another with --model NAME", agon_core::remedy::pull(&name)),
                HostKind::Openai => "choose another with --model NAME".to_owned(),
            };
            vec![CheckupFinding::fail(format!("model {name}"), why, fix)]
        }
        None => {
            let fix = format!("install one: {}", agon_core::remedy::pull(crate::settings::USUAL_MODEL));
            vec![CheckupFinding::fail(
                "model",
                format!("{} has no model that writes text", server.client.endpoint()),
                fix,
            )]
        }
    };
    findings.into_iter().map(|finding| (None, finding)).collect()
}

fn reached(what: &str, found: &ProbedModels) -> CheckupFinding {
    let version =
        found.version.text.as_deref().map_or("no version reported".to_owned(), |text| format!("version {text}"));
    let models = found.models.len();
    let said = format!("reached, {version}, {models} model{}", if models == 1 { "" } else { "s" });
    if found.is_rehearsal() {
        return CheckupFinding::warn(
            what,
            format!("{said}; a rehearsal server: scripted speakers, no model"),
            "nothing to fix if this is intended",
        );
    }
    match found.version.release {
        Some(release) if !release.heeds_truncate() => CheckupFinding::warn(
            what,
            format!("{said}; it cuts long prompts in silence"),
            "update Ollama to 0.12.6 or newer",
        ),
        Some(_) | None => CheckupFinding::ok(what, said),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_that_plays_no_turns_needs_no_model_server() {
        let usual = [HostSettings { origin: Origin::Usual, ..HostSettings::ollama("ollama", "http://127.0.0.1:1") }];
        let of = |settings: &str, hosts: &[HostSettings], model: Option<&str>| {
            let args = DoctorArgs {
                file: None,
                server: crate::cli::ServerArgs::default(),
                model: model.map(str::to_owned),
                api: crate::cli::ApiArgs::default(),
                json: false,
            };
            unused(&args, &toml::from_str(settings).unwrap(), hosts).is_some()
        };
        let (roles, server) = ("node.roles = [\"gateway\", \"coordinator\"]", "client.server = \"gateway:50051\"");
        assert!(of(roles, &usual, None) && of(server, &usual, None));
        assert!(!of("", &usual, None) && !of(server, &usual, Some("qwen3:8b")));
        assert!(!of(roles, &[HostSettings::ollama("gpu", "http://gpu:1")], None));
    }
}
