//! Which installed model plays where none is named.
use super::{ProbedModels, ReachableServer, probe_all};
use crate::checkup::hosts::is_here;
use crate::checkup::machine::{available_memory, bytes};
use crate::cli::ServerArgs;
use crate::client::Client;
use crate::commands::Context;
use crate::debate_file::{self, NamedDebate};
use crate::exit::Stop;
use crate::settings::{PROVIDERS, Provider, Settings, USUAL_MODEL, chosen_hosts};
use agon_llm::{ChatError, ModelInfo};
use agon_proto::pb::v1::Host;
use std::collections::BTreeMap;

/// Memory that is assumed of a server on another machine, in bytes.
const ASSUMED: u64 = 10 << 30;
/// Families of models that compute vectors and write no text.
const EMBEDDERS: [&str; 2] = ["bert", "embed"];

/// A model that was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picked {
    /// Its name.
    pub model: String,
    /// Why this one.
    pub why: String,
}

/// Fills in the default model where neither flags nor settings name one and the debate needs one: the largest that fits.
pub async fn choose_model(
    context: &Context,
    flags: &ServerArgs,
    mut settings: Settings,
    named: &NamedDebate,
    model: Option<&str>,
) -> Result<Settings, Stop> {
    let is_named = model.is_some() || flags.rehearsal || settings.defaults.model.is_some();
    if is_named || !debate_file::needs_model(named.source(), &debate_file::defaults(&settings)) {
        return Ok(settings);
    }
    let hosts = chosen_hosts(flags, &settings.hosts, &context.environment, &[]);
    let asked = probe_all(ReachableServer::connect_all(&hosts, &context.environment)?, Vec::new()).await;
    if let Some(picked) = pick(&asked).await {
        take(context, &mut settings, picked);
    } else if let Some(provider) = PROVIDERS.iter().find(|provider| context.environment.get(provider.key).is_some()) {
        let (key, prefix) = (provider.key, provider.prefix);
        context
            .output
            .note(&format!("no model is installed here, but {key} is set: name a model with --model {prefix}/NAME"));
    }
    Ok(settings)
}

/// The same among the models that the hosts of an Agon server serve, whose sizes nobody tells: the one that most hosts serve.
pub async fn choose_served(
    context: &Context,
    client: &Client,
    mut settings: Settings,
    named: &NamedDebate,
    model: Option<&str>,
) -> Result<Settings, Stop> {
    let is_named = model.is_some() || settings.defaults.model.is_some();
    if is_named || !debate_file::needs_model(named.source(), &debate_file::defaults(&settings)) {
        return Ok(settings);
    }
    let Some(hosts) = client.hosts_if_permitted().await? else {
        context.output.note(&format!(
            "no model is named, and this token may not list those of the server (it lacks cluster:admin): taking {USUAL_MODEL}; \
             choose another with --model NAME"
        ));
        return Ok(settings);
    };
    if let Some(picked) = most_served(&hosts) {
        take(context, &mut settings, picked);
    } else {
        context.output.note(&format!(
            "no model is named, and no live host offers one: taking {USUAL_MODEL}; choose another with --model NAME"
        ));
    }
    Ok(settings)
}

fn take(context: &Context, settings: &mut Settings, Picked { model, why }: Picked) {
    context.output.note(&format!("model {model}: {why}; choose another with --model NAME"));
    settings.defaults.model = Some(model);
}

/// The model that most hosts serve; of several one that is loaded, and then the first by name.
fn most_served(hosts: &[Host]) -> Option<Picked> {
    let hosts: Vec<&Host> = hosts.iter().filter(|host| !host.draining && !host.rehearsal).collect();
    // A service has its price, and a host lists its models only because somebody has asked for them.
    let offered = |name: &str| !embeds(name) && Provider::of(name).is_none();
    let mut served: BTreeMap<&str, (usize, bool)> = BTreeMap::new();
    for model in hosts.iter().flat_map(|host| &host.models).filter(|model| offered(&model.name)) {
        let (count, warm) = served.entry(&model.name).or_default();
        *count += 1;
        *warm |= model.warm == Some(true);
    }
    // of equals the last one is taken
    let best = served.into_iter().rev().max_by_key(|(_, rank)| *rank);
    best.map(|(model, (count, warm))| {
        let warm = if warm { ", where it is loaded" } else { "" };
        Picked {
            model: model.to_owned(),
            why: format!("served by {count} of {}{warm}", agon_report::count(hosts.len() as u64, "host")),
        }
    })
}

/// The largest model that fits into the memory of its server, else the smallest.
pub async fn pick(asked: &[(ReachableServer, Result<ProbedModels, ChatError>)]) -> Option<Picked> {
    let mut candidates = Vec::new();
    for (server, found) in asked {
        if let Ok(found) = found {
            candidates.extend(candidates_of(server, found).await);
        }
    }
    best(candidates)
}

/// A model that could be chosen.
#[derive(Clone, Debug)]
struct Candidate {
    model: ModelInfo,
    fits: bool,
    /// The memory that it was compared with.
    memory: u64,
}

async fn candidates_of(server: &ReachableServer, found: &ProbedModels) -> Vec<Candidate> {
    let loaded = server.client.loaded().await.unwrap_or_default();
    // What is loaded can make room for another model.
    let held: u64 = loaded.iter().filter_map(|loaded| loaded.size).sum();
    let memory = match is_here(server) {
        true => available_memory().map_or(ASSUMED, |available| available.saturating_add(held)),
        false => ASSUMED,
    };
    let only = |model: &&ModelInfo| super::serves(server, found, &model.name);
    let mut candidates = Vec::new();
    for model in found.models.iter().filter(only).filter(|model| !is_embedder(model)) {
        let details = server.client.show(&model.name).await.ok();
        if details.and_then(|details| details.can("completion")) == Some(false) {
            continue;
        }
        let runs = loaded.iter().any(|loaded| super::same_model(&loaded.name, &model.name));
        let fits = runs || model.size.is_none_or(|size| size <= memory);
        candidates.push(Candidate { model: model.clone(), fits, memory });
    }
    candidates
}

fn is_embedder(model: &ModelInfo) -> bool {
    let family = model.family.as_deref().unwrap_or_default();
    embeds(&model.name) || EMBEDDERS.iter().any(|word| family.contains(word))
}

fn embeds(name: &str) -> bool {
    EMBEDDERS.iter().any(|word| name.to_lowercase().contains(word))
}

fn best(candidates: Vec<Candidate>) -> Option<Picked> {
    let size = |candidate: &Candidate| candidate.model.size.unwrap_or(0);
    let (fitting, others): (Vec<_>, Vec<_>) = candidates.into_iter().partition(|candidate| candidate.fits);
    // Of models that tell no size, the one that the server lists first.
    let largest = fitting.into_iter().reduce(|best, next| if size(&next) > size(&best) { next } else { best });
    let picked = |candidate: Candidate, why: &str| {
        let of = candidate
            .model
            .size
            .map_or_else(String::new, |size| format!(" ({} of {})", bytes(size), bytes(candidate.memory)));
        Picked { model: candidate.model.name, why: format!("{why}{of}") }
    };
    match largest {
        Some(candidate) => Some(picked(candidate, "the largest installed model that fits into memory")),
        None => others
            .into_iter()
            .min_by_key(size)
            .map(|one| picked(one, "the smallest installed model, and yet larger than the memory")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(name: &str, size: Option<u64>, memory: u64) -> Candidate {
        let model = ModelInfo { name: name.into(), size, ..ModelInfo::default() };
        Candidate { fits: size.is_none_or(|size| size <= memory), model, memory }
    }
    fn chosen(sizes: &[(&str, Option<u64>)]) -> Option<String> {
        best(sizes.iter().map(|(name, size)| candidate(name, *size, 100)).collect()).map(|picked| picked.model)
    }

    #[test]
    fn the_largest_model_that_fits_is_chosen() {
        assert_eq!(chosen(&[("small", Some(10)), ("large", Some(90)), ("huge", Some(900))]), Some("large".into()));
        assert_eq!(chosen(&[("huge", Some(900)), ("less", Some(500))]), Some("less".into()));
        assert_eq!(chosen(&[("first", None), ("second", None)]), Some("first".into()));
        assert_eq!(chosen(&[]), None);
    }

    fn host(name: &str, models: &[(&str, bool)]) -> Host {
        let model = |(name, warm): &(&str, bool)| agon_proto::pb::bus::v1::HostModel {
            name: (*name).to_owned(),
            warm: Some(*warm),
            ..Default::default()
        };
        Host { name: name.into(), models: models.iter().map(model).collect(), ..Host::default() }
    }

    #[test]
    fn of_the_models_that_hosts_serve_the_one_that_most_serve_is_chosen() {
        let chosen = |hosts: &[Host]| most_served(hosts).map(|picked| (picked.model, picked.why));
        let two =
            [host("a", &[("b:1", false), ("c:1", false)]), host("b", &[("c:1", false), ("nomic-embed-text", true)])];
        assert_eq!(chosen(&two), Some(("c:1".into(), "served by 2 of 2 hosts".into())));
        let equal = host("a", &[("a:1", false), ("b:1", true), ("c:1", true)]);
        assert_eq!(chosen(&[equal]), Some(("b:1".into(), "served by 1 of 1 host, where it is loaded".into())));
        let cold = host("a", &[("d:1", false), ("a:1", false)]);
        assert_eq!(chosen(std::slice::from_ref(&cold)).map(|(model, _)| model), Some("a:1".into()));
        let unfit = [Host { draining: true, ..cold.clone() }, Host { rehearsal: true, ..cold }];
        assert_eq!(chosen(&unfit), None);
    }

    #[test]
    fn models_that_only_compute_vectors_are_left_out() {
        let model = |name: &str, family: &str| ModelInfo {
            name: name.into(),
            family: Some(family.into()),
            ..ModelInfo::default()
        };
        assert!(is_embedder(&model("nomic-embed-text:latest", "nomic-bert")));
        assert!(is_embedder(&model("all-minilm", "bert")));
        assert!(!is_embedder(&model("qwen3:8b", "qwen3")));
    }
}
