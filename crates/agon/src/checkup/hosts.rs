//! Model servers: reachable, new enough, with the model.
use super::{Finding, machine, model, reach};
use crate::cli::DoctorArgs;
use crate::commands::Context;
use crate::environment::Environment;
use crate::exit::Stop;
use crate::servers::{self, Found, Server};
use crate::settings::{HostKind, HostSettings, Origin, Settings, chosen_hosts};
use agon_core::ModelName;

/// Looks at every server, and at the model at each server that has it.
pub async fn check(context: &Context, args: &DoctorArgs, settings: &Settings) -> Result<Vec<Finding>, Stop> {
    let rehearsal = match args.server.rehearsal {
        true => Some(servers::start(agon_rehearsal::RehearsalConfig::default()).await?),
        false => None,
    };
    let wanted = args.model.as_deref().or(settings.defaults.model.as_deref());
    let hosts = match &rehearsal {
        Some((_, host)) => vec![host.clone()],
        None => {
            let models = Vec::from_iter(wanted.map(ModelName::from));
            chosen_hosts(&args.server, &settings.hosts, &context.environment, &models)
        }
    };
    let mut findings = Vec::new();
    // Nobody named Ollama's usual place, and it is not needed where a service plays.
    let needed = |host: &&HostSettings| host.origin != Origin::Usual || hosts.len() == 1;
    for host in hosts.iter().filter(needed) {
        findings.extend(one(host, &hosts, wanted, &context.environment).await);
    }
    if let Some((server, _)) = rehearsal {
        server.shutdown().await;
    }
    Ok(findings)
}

/// Looks at one server; what is wrong with it keeps nobody from looking at the others.
async fn one(
    host: &HostSettings,
    all: &[HostSettings],
    wanted: Option<&str>,
    environment: &Environment,
) -> Vec<Finding> {
    let server = match Server::connect(host, all, environment) {
        Ok(server) => server,
        Err(stop) => return vec![unprepared(host, &stop, environment)],
    };
    let what = format!("host {} ({})", host.name, server.client.endpoint());
    let models = Vec::from_iter(wanted.map(ModelName::from));
    let found = match servers::probe(&server, &models).await {
        Ok(found) => found,
        Err(error) => return vec![reach::failed(&what, &server, &error, environment).await],
    };
    let mut findings = vec![reached(&what, &found)];
    findings.extend(bare_key(&what, &server));
    findings.extend(machine::clock(&what, server.client.date().await.ok().flatten()));
    findings.extend(the_model(&server, found, wanted).await);
    findings
}

fn unprepared(host: &HostSettings, stop: &Stop, environment: &Environment) -> Finding {
    let unset = host.api_key.as_ref().and_then(|key| key.env.as_deref());
    let fix = match unset.filter(|name| environment.get(name).is_none()) {
        Some(name) => format!("export {name}=..., or change api_key of this host"),
        None => "correct this host in [[hosts]]; agon config show --origin shows where it comes from".to_owned(),
    };
    let why = stop.error.as_ref().map_or_else(String::new, |error| format!("{error:#}"));
    Finding::fail(format!("host {} ({})", host.name, host.url), why, fix)
}

/// A key that travels where others can read it.
fn bare_key(what: &str, server: &Server) -> Option<Finding> {
    let endpoint = server.client.endpoint();
    let bare = server.settings.api_key.is_some() && !endpoint.is_encrypted() && !is_here(server);
    bare.then(|| Finding::warn(what, "its key is sent unencrypted", "use https://, or a server on this machine"))
}

/// Whether the server is on this machine.
pub fn is_here(server: &Server) -> bool {
    let host = server.client.endpoint().host();
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Looks at the model that is wanted, else at the one that `agon run` would take.
async fn the_model(server: &Server, found: Found, wanted: Option<&str>) -> Vec<Finding> {
    let asked = [(server.clone(), Ok(found))];
    let picked = match wanted {
        Some(model) => Some(model.to_owned()),
        None => servers::pick(&asked).await.map(|picked| picked.model),
    };
    let [(server, Ok(found))] = &asked else { return Vec::new() };
    match picked {
        Some(name) if server.leaves(&name) => Vec::new(),
        Some(name) if servers::serves(server, found, &name) => model::check(server, found, &name).await,
        Some(name) => {
            let why = servers::check(&asked, &[ModelName::from(name.as_str())]).unwrap_or_default();
            let fix = match server.settings.kind {
                HostKind::Ollama => format!("ollama pull {name}, or choose another with --model NAME"),
                HostKind::Openai => "choose another with --model NAME".to_owned(),
            };
            vec![Finding::fail(format!("model {name}"), why, fix)]
        }
        None => {
            let fix = format!("install one: ollama pull {}", crate::settings::USUAL_MODEL);
            vec![Finding::fail("model", format!("{} has no model that writes text", server.client.endpoint()), fix)]
        }
    }
}

fn reached(what: &str, found: &Found) -> Finding {
    let version = found.version.text.as_deref().map_or("no version told".to_owned(), |text| format!("version {text}"));
    let models = found.models.len();
    let said = format!("reached, {version}, {models} model{}", if models == 1 { "" } else { "s" });
    if found.is_rehearsal() {
        return Finding::warn(
            what,
            format!("{said}; a rehearsal server: scripted speakers, no model"),
            "nothing to mend if that is meant",
        );
    }
    match found.version.release {
        Some(release) if !release.heeds_truncate() => {
            Finding::warn(what, format!("{said}; it cuts long prompts in silence"), "update Ollama to 0.12.6 or newer")
        }
        Some(_) | None => Finding::ok(what, said),
    }
}
