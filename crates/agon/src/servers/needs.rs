//! Which models a debate needs, and what to say when no server has them.
use super::probe::same_model;
use super::{ProbedModels, ReachableServer};
use crate::settings::{HostKind, KeySource, Origin, Provider};
use agon_core::{DebateSpec, EMBEDDER, MODERATOR, ModelName, ParticipantId, SUMMARIZER, SYNTHESIZER};
use agon_llm::{ChatError, ChatErrorKind};
use agon_spec::nearest;
use std::fmt::Write;

/// The models that the roles name first; fallbacks may be missing.
pub fn models_of(spec: &DebateSpec) -> Vec<ModelName> {
    let roles = participants(spec);
    let roles = roles.iter().filter_map(|who| spec.role(who));
    let mut models: Vec<ModelName> = roles.filter_map(|role| role.models().first().copied().cloned()).collect();
    models.sort();
    models.dedup();
    models
}

/// Everybody who takes part.
pub fn participants(spec: &DebateSpec) -> Vec<ParticipantId> {
    let names = spec.personas.iter().map(|persona| persona.name.clone()).chain(spec.judges());
    let served = [MODERATOR, SUMMARIZER, SYNTHESIZER, EMBEDDER].into_iter().map(ParticipantId::from);
    names.chain(served).filter(|who| spec.role(who).is_some()).collect()
}

/// Whether the server is to be asked for `model`.
pub fn serves(server: &ReachableServer, found: &ProbedModels, model: &str) -> bool {
    if !server.settings.models.is_empty() {
        return server.settings.models.iter().any(|name| same_model(name, model));
    }
    if server.leaves(model) {
        return false;
    }
    // An OpenAI-compatible server need not list what it has.
    let unlisted = found.models.is_empty() && server.settings.kind == HostKind::Openai;
    unlisted || found.models.iter().any(|listed| same_model(&listed.name, model))
}

/// Whether any of the models may be meant for the server; none is all that it has.
pub fn is_meant(server: &ReachableServer, models: &[ModelName]) -> bool {
    let host = &server.settings;
    let meant = |model: &ModelName| {
        let name = model.as_str();
        let prefix = name.split_once('/').map(|(prefix, _)| prefix);
        let listed = host.models.is_empty() || host.models.iter().any(|own| same_model(own, name));
        let prefixed = host.prefix.is_none() || host.prefix.as_deref() == prefix;
        // nobody named the server at the usual place, and this model is a service's
        let elsewhere = host.origin == Origin::Usual && Provider::of(name).is_some();
        listed && prefixed && !elsewhere && !server.leaves(name)
    };
    models.is_empty() || models.iter().any(meant)
}

/// Why the debate cannot be held with these servers, and what to do; nothing where it can.
pub fn check(asked: &[(ReachableServer, Result<ProbedModels, ChatError>)], models: &[ModelName]) -> Option<String> {
    let reached: Vec<(&ReachableServer, &ProbedModels)> =
        asked.iter().filter_map(|(server, found)| Some((server, found.as_ref().ok()?))).collect();
    let failed = asked.iter().filter_map(|(server, found)| Some((server, found.as_ref().err()?)));
    let failed: Vec<(&ReachableServer, &ChatError)> = failed.filter(|(server, _)| is_meant(server, models)).collect();
    if reached.is_empty() {
        return Some(unusable(asked.iter().map(|(server, _)| server), &failed, models));
    }
    let has = |model: &ModelName| reached.iter().any(|(server, found)| serves(server, found, model.as_str()));
    let missing: Vec<&ModelName> = models.iter().filter(|model| !has(model)).collect();
    (!missing.is_empty()).then(|| lacking(&reached, &failed, &missing))
}

fn is_away(error: &ChatError) -> bool {
    matches!(error.kind, ChatErrorKind::Transport(_) | ChatErrorKind::Timeout(_))
}

/// What is the matter with the servers as a whole.
fn heading(failed: &[(&ReachableServer, &ChatError)], models: &[ModelName]) -> String {
    let all = |is: &dyn Fn(&ChatError) -> bool| failed.iter().all(|(_, error)| is(error));
    match failed {
        [] if !models.is_empty() => {
            let names: Vec<&str> = models.iter().map(ModelName::as_str).collect();
            format!("no model server is known for {}", names.join(", "))
        }
        [_] if all(&|error| error.kind == ChatErrorKind::Unauthorized) => "the model server refuses access".to_owned(),
        _ if all(&is_away) => "no model server is reachable".to_owned(),
        _ => "no model server can be used".to_owned(),
    }
}

/// A line for each server that failed, with what that usually means.
fn failures(failed: &[(&ReachableServer, &ChatError)]) -> String {
    let line = |(server, error): &(&ReachableServer, &ChatError)| {
        let hint = hint(server, error).map(|hint| format!("\n    {hint}")).unwrap_or_default();
        format!("\n  {}: {error}{hint}", server.client.endpoint())
    };
    failed.iter().map(line).collect()
}

fn unusable<'a>(
    asked: impl Iterator<Item = &'a ReachableServer>,
    failed: &[(&ReachableServer, &ChatError)],
    models: &[ModelName],
) -> String {
    let keys = keys_wanted(asked, models);
    let mut said = format!("{}{}{keys}", heading(failed, models), failures(failed));
    let own: Vec<&ModelName> = models.iter().filter(|model| Provider::of(model.as_str()).is_none()).collect();
    let away = |kind| failed.iter().any(|(server, error)| server.settings.kind == kind && is_away(error));
    // Where only services are wanted, no model can be pulled.
    if away(HostKind::Ollama) || failed.is_empty() && (models.is_empty() || !own.is_empty()) {
        let pulls: Vec<String> = own.iter().map(|model| format!("`ollama pull {model}`")).collect();
        let pulls = if pulls.is_empty() { "`ollama pull MODEL`".to_owned() } else { pulls.join(", ") };
        let _ = write!(
            said,
            "\n  To use a model: install Ollama, start it (`ollama serve`), then {pulls}; or name a server with --ollama URL \
             or --base-url URL."
        );
    } else if away(HostKind::Openai) {
        said.push_str("\n  Is the address right, and can this machine reach it (a proxy, a firewall)?");
    }
    said.push_str("\n  To try Agon without a model: add --rehearsal.");
    said
}

/// Which keys are missing for models that name a provider.
fn keys_wanted<'a>(servers: impl Iterator<Item = &'a ReachableServer>, models: &[ModelName]) -> String {
    let there: Vec<&str> = servers.filter_map(|server| server.settings.prefix.as_deref()).collect();
    let mut said = String::new();
    for model in models {
        if let Some(provider) = Provider::of(model.as_str()).filter(|provider| !there.contains(&provider.prefix)) {
            let _ = write!(said, "\n  {model} needs a key: set {} in the environment", provider.key);
        }
    }
    said
}

/// What a failed probe usually means.
pub fn hint(server: &ReachableServer, error: &ChatError) -> Option<String> {
    let hint = match (&error.kind, error.status) {
        (ChatErrorKind::Unauthorized, _) if server.settings.user.is_none() && error.detail.contains("Basic auth") => {
            "set user = \"NAME\" and, as its password, api_key = { env = \"VARIABLE\" } of this host in [[hosts]]; or put `Basic BASE64` into a variable and name it with --api-key-env"
        }
        (ChatErrorKind::Unauthorized, _) if server.settings.api_key.is_some() => {
            return Some(format!("the server rejects the key from {}: put a valid one there", key_place(server)));
        }
        (ChatErrorKind::Unauthorized, Some(403)) if server.settings.kind == HostKind::Ollama => {
            "a server that listens on loopback refuses foreign Host headers: let the proxy rewrite Host, or set OLLAMA_HOST there"
        }
        (ChatErrorKind::Unauthorized, _) if server.settings.origin == Origin::Flag => {
            "the server requires a key: name its variable with --api-key-env VARIABLE"
        }
        (ChatErrorKind::Unauthorized, _) if matches!(server.settings.origin, Origin::Usual | Origin::Variable) => {
            "the server requires a key: name both with --ollama URL --api-key-env VARIABLE, or as a host with api_key in [[hosts]]"
        }
        (ChatErrorKind::Unauthorized, _) => {
            "the server requires a key: set api_key = { env = \"VARIABLE\" } of this host, see docs/reference/configuration.md"
        }
        (ChatErrorKind::PathNotFound | ChatErrorKind::Malformed, _) => match server.settings.kind {
            HostKind::Ollama => {
                "this is not Ollama, or its address has another path; for an OpenAI-compatible server use --base-url URL, or kind = \"openai\" in [[hosts]]"
            }
            HostKind::Openai => "this is not an OpenAI-compatible server, or its address has another path, such as /v1",
        },
        (_, _) => return None,
    };
    Some(hint.to_owned())
}

/// Where the key of the server comes from.
fn key_place(server: &ReachableServer) -> String {
    match &server.settings.api_key {
        Some(KeySource { env: Some(name), .. }) => format!("the environment variable {name}"),
        Some(KeySource { file: Some(path), .. }) => format!("the file {}", path.display()),
        Some(KeySource { env: None, file: None }) | None => "nowhere".to_owned(),
    }
}

fn names_of(found: &ProbedModels) -> impl Iterator<Item = &str> {
    found.models.iter().map(|model| model.name.as_str())
}

fn lacking(
    reached: &[(&ReachableServer, &ProbedModels)],
    failed: &[(&ReachableServer, &ChatError)],
    missing: &[&ModelName],
) -> String {
    let names: Vec<String> = missing.iter().map(|model| format!("{:?}", model.as_str())).collect();
    let mut said = format!("no server has the model {}", names.join(" or "));
    for (server, found) in reached {
        if let Some(near) = missing.iter().find_map(|model| nearest(model.as_str(), names_of(found))) {
            let _ = write!(said, "\n  did you mean {near:?}?");
        }
        let mut has: Vec<&str> = found.models.iter().map(|model| model.name.as_str()).collect();
        has.sort_unstable();
        let shown = has.iter().take(20).copied().collect::<Vec<_>>().join(", ");
        let more = if has.len() > 20 { format!(" and {} more", has.len() - 20) } else { String::new() };
        let shown = if has.is_empty() { "no model".to_owned() } else { format!("{shown}{more}") };
        let _ = write!(said, "\n  {} has {shown}", server.client.endpoint());
    }
    said.push_str(&failures(failed));
    let names: Vec<ModelName> = missing.iter().map(|model| (*model).clone()).collect();
    said.push_str(&keys_wanted(reached.iter().map(|(server, _)| *server), &names));
    let any_ollama = reached.iter().any(|(server, _)| server.settings.kind == HostKind::Ollama);
    if any_ollama {
        for model in missing.iter().filter(|model| Provider::of(model.as_str()).is_none()) {
            let _ = write!(said, "\n  To get it: ollama pull {model}");
        }
    }
    said.push_str("\n  To use another for every role: --model NAME. To try Agon without a model: --rehearsal.");
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::ServerArgs;
    use crate::environment::Environment;
    use crate::settings::{HostSettings, chosen_hosts};
    use agon_llm::{EndpointKind, ModelInfo, ServerVersion, TransportFault};

    fn server() -> ReachableServer {
        let hosts = [HostSettings::ollama("ollama", "http://127.0.0.1:1")];
        ReachableServer::connect_all(&hosts, &Environment::default()).unwrap().remove(0)
    }
    fn found(models: &[&str]) -> ProbedModels {
        let models = models.iter().map(|name| ModelInfo { name: (*name).to_owned(), ..ModelInfo::default() }).collect();
        ProbedModels { version: ServerVersion { kind: EndpointKind::Ollama, text: None, release: None }, models }
    }

    #[test]
    fn a_name_without_a_tag_means_the_latest() {
        assert!(serves(&server(), &found(&["llama3.2:latest"]), "llama3.2"));
        assert!(serves(&server(), &found(&["llama3.2"]), "llama3.2:latest"));
        assert!(!serves(&server(), &found(&["llama3.2:1b"]), "llama3.2"));
    }

    #[test]
    fn a_server_that_cannot_be_reached_is_named_with_two_ways_out() {
        let refused = ChatError::new(ChatErrorKind::Transport(TransportFault::Connect), "connection refused");
        let said = check(&[(server(), Err(refused))], &[ModelName::from("llama3.2")]).unwrap();
        for wanted in ["http://127.0.0.1:1", "connection refused", "--rehearsal", "ollama pull llama3.2"] {
            assert!(said.contains(wanted), "{said}");
        }
    }

    #[test]
    fn a_key_that_is_missing_or_wrong_is_no_trouble_of_the_network_and_other_servers_are_not_told_of() {
        let environment = Environment::from([("OPENAI_API_KEY", "k")]);
        let models = [ModelName::from("openai/gpt-x")];
        let hosts = chosen_hosts(&ServerArgs::default(), &[], &environment, &models);
        let servers = ReachableServer::connect_all(&hosts, &environment).unwrap();
        let away = || ChatError::new(ChatErrorKind::Transport(TransportFault::Connect), "connection refused");
        let refused = || ChatError::new(ChatErrorKind::Unauthorized, "no such key");
        let errors = [away(), refused()];
        let asked: Vec<_> = servers.into_iter().zip(errors).map(|(server, error)| (server, Err(error))).collect();
        let said = check(&asked, &models).unwrap();
        assert!(said.starts_with("the model server refuses access\n  https://api.openai.com"), "{said}");
        assert!(said.contains("OPENAI_API_KEY: put a valid one there"), "{said}");
        for other in ["11434", "ollama", "firewall"] {
            assert!(!said.contains(other), "{said}");
        }
        let unset = check(asked.get(..1).unwrap(), &models).unwrap();
        assert!(
            unset.starts_with("no model server is known for openai/gpt-x\n") && !unset.contains("11434"),
            "{unset}"
        );
        assert!(unset.contains("set OPENAI_API_KEY"), "{unset}");
        let [(ollama, _), failed] = <[_; 2]>::try_from(asked).ok().unwrap();
        let beside = check(&[(ollama, Ok(found(&["qwen3:8b"]))), failed], &models).unwrap();
        assert!(beside.contains("put a valid one there"), "{beside}");
    }

    #[test]
    fn the_remedy_for_a_missing_key_is_one_that_works() {
        let refused = ChatError::new(ChatErrorKind::Unauthorized, "who are you");
        for (origin, wanted) in [
            (Origin::Flag, "--api-key-env VARIABLE"),
            (Origin::Usual, "--ollama URL --api-key-env VARIABLE"),
            (Origin::Settings, "api_key = { env"),
        ] {
            let mut server = server();
            server.settings.origin = origin;
            assert!(hint(&server, &refused).unwrap().contains(wanted), "{origin:?}");
        }
    }

    #[test]
    fn a_missing_model_is_told_with_what_there_is() {
        let asked = [(server(), Ok(found(&["qwen3:8b"])))];
        let said = check(&asked, &[ModelName::from("llama3.2")]).unwrap();
        for wanted in ["\"llama3.2\"", "qwen3:8b", "ollama pull llama3.2", "--model"] {
            assert!(said.contains(wanted), "{said}");
        }
        assert_eq!(check(&asked, &[ModelName::from("qwen3:8b")]), None);
    }
}
