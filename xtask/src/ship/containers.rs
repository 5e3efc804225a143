//! Dockerfile, compose file and the workflows of a forge.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::{ShipPaths, tools};
use crate::steps::{quiet, said};

const DOCKERFILE: &str = "deploy/Dockerfile";
const COMPOSE: &str = "deploy/compose.yaml";
const WORKFLOWS: &str = ".github/workflows";
/// What every variable of the compose file is while it is read.
const VALUE: &str = "secret1";

/// The Dockerfile, by hadolint; the least remark counts.
pub fn dockerfile(place: &ShipPaths) -> Result<()> {
    quiet(place.command(&tools::HADOLINT)?.args(["--no-color", "--failure-threshold", "style", DOCKERFILE]))
}

/// The compose file as compose reads it: alone, with each profile, and with each of the files that are laid over it.
pub fn compose(place: &ShipPaths) -> Result<()> {
    let profiles = said(config(place, &[])?.arg("--profiles"))?;
    let mut ways = vec![Vec::new()];
    ways.extend(profiles.lines().map(|profile| vec!["--profile".to_owned(), profile.to_owned()]));
    for over in place.files("deploy", ".yaml")? {
        let over = over.to_string_lossy().into_owned();
        // with all profiles, for it may change what only one of them has
        if !over.ends_with(COMPOSE) {
            let all = profiles.lines().flat_map(|profile| ["--profile".to_owned(), profile.to_owned()]);
            ways.push(["--file".to_owned(), over].into_iter().chain(all).collect());
        }
    }
    for way in ways {
        let mut command = config(place, &way)?;
        // what only warns, such as a variable that nobody sets, is wrong here too
        let output = command.arg("--quiet").output().context("cannot start compose")?;
        let complaint = String::from_utf8_lossy(&output.stderr).trim_end().to_owned();
        ensure!(output.status.success() && complaint.is_empty(), "{COMPOSE} {}: {complaint}", way.join(" "));
    }
    Ok(())
}

/// The workflows, by actionlint alone: what it could ask other programs differs from machine to machine.
pub fn workflows(place: &ShipPaths) -> Result<()> {
    let files = place.files(WORKFLOWS, ".yml").or_else(|_| place.files(WORKFLOWS, ".yaml"))?;
    let alone = ["-no-color", "-shellcheck=", "-pyflakes="];
    quiet(place.command(&tools::ACTIONLINT)?.args(alone).args(files))
}

/// `config` with a value for each variable that has to be set, and with no file of the user's.
fn config(place: &ShipPaths, more: &[String]) -> Result<Command> {
    let text = fs::read_to_string(place.root.join(COMPOSE)).with_context(|| format!("cannot read {COMPOSE}"))?;
    let mut command = place.command(&tools::COMPOSE)?;
    command.envs(required(&text).into_iter().map(|name| (name, VALUE)));
    command.args(["--env-file", "/dev/null", "--file", COMPOSE]).args(more).arg("config");
    Ok(command)
}

/// The variables of a compose file that have no default: `${NAME}` and `${NAME:?why}`.
fn required(text: &str) -> BTreeSet<&str> {
    let parts = text.split("${").skip(1);
    let named = parts.filter_map(|part| {
        let end = part.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
        part.split_at_checked(end)
    });
    named.filter(|(_, rest)| rest.starts_with(['}', '?']) || rest.starts_with(":?")).map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_without_a_default_have_to_be_set() {
        let text = "image: ${IMAGE:-agon}\nmore: ${MORE-x}\na: ${A:?make it}\nb: ${B}${C?why} $$D\n";
        assert_eq!(required(text), BTreeSet::from(["A", "B", "C"]));
    }
}
