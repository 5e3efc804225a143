//! Settings, folders and the store.
use super::{CheckupFinding, machine};
use crate::commands::Context;
use crate::exit::Stop;
use crate::settings::{Layers, Settings};
use crate::store::{self, Store};
use agon_report::count;
use anyhow::Context as _;
use std::path::Path;

const STORE_FIX: &str = "make it writable, or keep debates elsewhere with --store PATH or [store] path";

/// The settings, and what is wrong with them.
pub fn settings(context: &Context) -> (Vec<CheckupFinding>, Option<Settings>) {
    let read = context.layers().and_then(|layers| Ok((names(&layers), layers.settings()?)));
    let mut findings = machine::variables(&context.environment);
    match read {
        Ok((names, settings)) => {
            findings.insert(0, CheckupFinding::ok("settings", names));
            (findings, Some(settings))
        }
        Err(stop) => {
            let fix = "correct them there; docs/reference/configuration.md lists every key";
            findings.insert(0, CheckupFinding::fail("settings", told(&stop), fix));
            (findings, None)
        }
    }
}

fn names(layers: &Layers) -> String {
    let names: Vec<&str> = layers.names().collect();
    if names.is_empty() { "defaults only".to_owned() } else { format!("defaults, {}", names.join(", ")) }
}

/// Where debates are kept.
pub fn store(context: &Context) -> Vec<CheckupFinding> {
    let path = match store::path(context) {
        Ok(path) => path,
        Err(stop) => return vec![CheckupFinding::fail("store", told(&stop), STORE_FIX)],
    };
    let mut findings = Vec::from_iter(machine::disk("store", &path));
    findings.push(store_at(context, &path));
    findings
}

fn store_at(context: &Context, path: &Path) -> CheckupFinding {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if path.is_dir() {
        let fix = format!("name a file in it: --store {}, or [store] path", path.join("agon.db").display());
        return CheckupFinding::fail("store", format!("{} is a folder", path.display()), fix);
    }
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let there = folder.ancestors().find(|place| place.exists()).unwrap_or(Path::new("/"));
    let opened = match path.exists() {
        true => std::fs::OpenOptions::new().append(true).open(path).map(drop),
        false => Ok(()),
    };
    let ready = opened.with_context(|| format!("{} cannot be written", path.display())).and_then(|()| writable(there));
    if let Err(error) = ready {
        return CheckupFinding::fail("store", format!("{error:#}"), STORE_FIX);
    }
    if !path.exists() {
        return CheckupFinding::ok("store", format!("the first debate will create {}", path.display()));
    }
    match Store::open(context) {
        Ok(store) => checked(&store, path),
        Err(stop) => CheckupFinding::fail("store", told(&stop), "name another file with --store PATH or [store] path"),
    }
}

/// Where reports go.
pub fn reports(settings: &Settings) -> Vec<CheckupFinding> {
    const FIX: &str = "make it writable, or write reports elsewhere with --output-dir DIR or [output] dir";
    const ELSEWHERE: &str = "move it, or write reports elsewhere with --output-dir DIR or [output] dir";
    let dir = std::path::absolute(&settings.output.dir).unwrap_or_else(|_| settings.output.dir.clone());
    let there = dir.ancestors().find(|place| place.exists()).unwrap_or(Path::new("/"));
    let mut findings = Vec::from_iter(machine::disk("reports", &dir));
    findings.push(match (there.is_dir(), writable(there)) {
        (false, _) => CheckupFinding::fail("reports", format!("{} is no folder", there.display()), ELSEWHERE),
        (true, Err(error)) => CheckupFinding::fail("reports", format!("{error:#}"), FIX),
        (true, Ok(())) => CheckupFinding::ok("reports", format!("{} can be written", dir.display())),
    });
    findings
}

fn checked(store: &Store, path: &Path) -> CheckupFinding {
    match store.count() {
        Ok((all, None)) => {
            CheckupFinding::ok("store", format!("{} holds {}", path.display(), count(all as u64, "debate")))
        }
        Ok((all, Some(halted))) => CheckupFinding::warn(
            "store",
            format!("{} holds {}: {halted}", path.display(), count(all as u64, "debate")),
            format!("{} shows them, {} continues them", store.advice("list"), store.advice("resume")),
        ),
        Err(stop) => {
            CheckupFinding::fail("store", told(&stop), format!("{} lists the damaged logs", store.advice("verify")))
        }
    }
}

fn writable(folder: &Path) -> anyhow::Result<()> {
    let probe = folder.join(format!(".agon-{}", std::process::id()));
    std::fs::write(&probe, []).with_context(|| format!("the folder {} cannot be written", folder.display()))?;
    Ok(std::fs::remove_file(&probe)?)
}

fn told(stop: &Stop) -> String {
    stop.error.as_ref().map_or_else(|| "cannot be read".to_owned(), |error| format!("{error:#}"))
}
