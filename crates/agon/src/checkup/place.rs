//! Settings, folders and the store.
use super::Finding;
use crate::commands::Context;
use crate::exit::Stop;
use crate::settings::{Layers, Settings};
use crate::store::{self, Store};
use std::path::Path;

/// The settings, and what is wrong with them.
pub fn settings(context: &Context) -> (Vec<Finding>, Option<Settings>) {
    let read = context.layers().and_then(|layers| Ok((names(&layers), layers.settings()?)));
    match read {
        Ok((names, settings)) => (vec![Finding::ok("settings", names)], Some(settings)),
        Err(stop) => (
            vec![Finding::fail(
                "settings",
                told(&stop),
                "mend them; agon config show --origin shows where each value comes from",
            )],
            None,
        ),
    }
}

fn names(layers: &Layers) -> String {
    let names: Vec<&str> = layers.names().collect();
    if names.is_empty() { "defaults only".to_owned() } else { format!("defaults, {}", names.join(", ")) }
}

/// Where debates are kept.
pub fn store(context: &Context) -> Vec<Finding> {
    const FIX: &str = "make it writable, or keep debates elsewhere with --store PATH or [store] path";
    let path = match store::path(context) {
        Ok(path) => path,
        Err(stop) => return vec![Finding::fail("store", told(&stop), FIX)],
    };
    if !path.exists() {
        let ready = store::prepare(&path).and_then(|()| writable(path.parent().unwrap_or(Path::new("."))));
        return vec![match ready {
            Ok(()) => Finding::ok("store", format!("{} will be made by the first debate", path.display())),
            Err(error) => Finding::fail("store", format!("{error:#}"), FIX),
        }];
    }
    match Store::open(context) {
        Ok(store) => vec![checked(&store, &path)],
        Err(stop) => vec![Finding::fail("store", told(&stop), FIX)],
    }
}

fn checked(store: &Store, path: &Path) -> Finding {
    match store.count_unfinished() {
        Ok((all, 0)) => Finding::ok("store", format!("{} holds {all} debates", path.display())),
        Ok((all, open)) => Finding::warn(
            "store",
            format!("{} holds {all} debates, {open} of them unfinished", path.display()),
            "agon resume goes on with all of them, agon list shows them",
        ),
        Err(stop) => Finding::fail("store", told(&stop), "agon verify says which logs are damaged"),
    }
}

fn writable(folder: &Path) -> anyhow::Result<()> {
    let probe = folder.join(format!(".agon-{}", std::process::id()));
    std::fs::write(&probe, [])?;
    Ok(std::fs::remove_file(&probe)?)
}

fn told(stop: &Stop) -> String {
    stop.error.as_ref().map_or_else(|| "cannot be read".to_owned(), |error| format!("{error:#}"))
}
