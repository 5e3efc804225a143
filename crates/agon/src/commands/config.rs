//! `agon config show`: the settings in force, and which source decided each.
use super::Context;
use crate::cli::{ConfigAction, ConfigArgs, ServerArgs};
use crate::exit::{Exit, Stop};
use crate::settings::{Layers, Settings, chosen_hosts, hidden, masked, masked_address};
use anyhow::Context as _;
use std::collections::BTreeMap;
use std::fmt::Write;

/// `agon config ...`
pub fn run(context: &Context, args: ConfigArgs) -> Result<Exit, Stop> {
    let ConfigArgs { action: ConfigAction::Show, origin, json } = args;
    let layers = context.layers()?;
    let (settings, _) = layers.read_and_judged()?;
    let settings = hidden(&settings).context("the settings cannot be written")?;
    show(context, &layers, &settings, (origin, json))?;
    // also where something is wrong, this shows where it comes from
    layers.settings().map(|_| Exit::Done)
}

fn show(context: &Context, layers: &Layers, settings: &Settings, (origin, json): (bool, bool)) -> Result<(), Stop> {
    if json {
        let settings = serde_json::to_value(settings).context("the settings cannot be written")?;
        let both = || serde_json::json!({"settings": settings, "origins": layers.origins()});
        let shown = serde_json::to_string_pretty(&if origin { both() } else { settings.clone() });
        context.output.line(&masked(&shown.context("the settings cannot be written")?))?;
        return Ok(());
    }
    let text = toml::to_string(settings).context("the settings cannot be written")?;
    let text = if origin { with_origins(&text, &layers.origins()) } else { text };
    context.output.data(&masked(&text))?;
    let hosts = chosen_hosts(&ServerArgs::default(), &settings.hosts, &context.environment, &[]);
    if settings.hosts.is_empty() {
        for host in hosts {
            context.output.note(&format!(
                "no hosts are set; {} is used ({})",
                masked_address(&host.url),
                host_origin(context, settings)
            ));
        }
    }
    Ok(())
}

fn host_origin(context: &Context, settings: &Settings) -> &'static str {
    match (settings.hosts.is_empty(), context.environment.get("OLLAMA_HOST")) {
        (true, Some(_)) => "from OLLAMA_HOST",
        (true, None) => "Ollama's usual place",
        (false, _) => "from the settings",
    }
}

/// The TOML text with a comment after each value of a table; a list of tables has one origin as a whole.
fn with_origins(text: &str, origins: &BTreeMap<String, String>) -> String {
    let mut table = String::new();
    let mut out = String::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("[[").and_then(|rest| rest.strip_suffix("]]")) {
            table.clear();
            let _ = writeln!(out, "{line} # {}", origin(origins, name));
        } else if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            name.clone_into(&mut table);
            let _ = writeln!(out, "{line}");
        } else if let Some((key, _)) = line.split_once(" = ").filter(|(key, _)| is_key(key)) {
            let path = if table.is_empty() { key.to_owned() } else { format!("{table}.{key}") };
            let _ = writeln!(out, "{line} # {}", origin(origins, &path));
        } else {
            let _ = writeln!(out, "{line}");
        }
    }
    out
}

fn is_key(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn origin<'a>(origins: &'a BTreeMap<String, String>, path: &str) -> &'a str {
    origins.get(path).map_or("default", String::as_str)
}
