//! The headless browser that the report tests open pages with.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::process;

const PROGRAM: &str = "chromium";
const UPDATE: &[&str] = &["update"];
const INSTALL: &[&str] = &["install", "-y", "--no-install-recommends", PROGRAM];

/// What can be done about a browser that is missing.
#[derive(Debug, PartialEq, Eq)]
enum Remedy {
    /// Nothing is missing.
    None,
    /// This process may install it.
    Install,
    /// Only a person can, with this command.
    Ask(String),
}

/// Makes sure that `chromium` is on `PATH`, installing it where this process is allowed to.
pub fn ensure() -> Result<()> {
    let found = process::find_on_path(PROGRAM).is_some();
    let apt = process::find_on_path("apt-get").is_some() && Path::new("/etc/debian_version").exists();
    match remedy(found, apt, is_root()) {
        Remedy::None => Ok(()),
        Remedy::Ask(command) => bail!("the report tests need `{PROGRAM}` on PATH; install it with: {command}"),
        Remedy::Install => {
            println!("xtask: installing {PROGRAM} for the report tests");
            apt_get(UPDATE)?;
            apt_get(INSTALL)?;
            process::find_on_path(PROGRAM).with_context(|| format!("apt-get installed no `{PROGRAM}`")).map(|_| ())
        }
    }
}

fn remedy(found: bool, apt: bool, root: bool) -> Remedy {
    match (found, apt, root) {
        (true, _, _) => Remedy::None,
        (false, true, true) => Remedy::Install,
        (false, true, false) => {
            Remedy::Ask(format!("sudo apt-get {} && sudo apt-get {}", UPDATE.join(" "), INSTALL.join(" ")))
        }
        (false, false, _) => Remedy::Ask(format!("your system's package manager (the program is called `{PROGRAM}`)")),
    }
}

/// The effective user of this process, read where Linux shows it; elsewhere nobody is taken for root.
fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    Path::new("/proc/self").metadata().is_ok_and(|meta| meta.uid() == 0)
}

fn apt_get(args: &[&str]) -> Result<()> {
    let output = Command::new("apt-get")
        .args(args)
        .env("DEBIAN_FRONTEND", "noninteractive")
        .stdin(Stdio::null())
        .output()
        .context("cannot start apt-get")?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("`apt-get {}` failed ({}):\n{}", args.join(" "), output.status, said.trim_end());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_that_is_there_needs_nothing() {
        assert_eq!(remedy(true, true, true), Remedy::None);
        assert_eq!(remedy(true, false, false), Remedy::None);
    }

    #[test]
    fn only_root_on_debian_installs() {
        assert_eq!(remedy(false, true, true), Remedy::Install);
        let Remedy::Ask(command) = remedy(false, true, false) else { panic!("a plain user cannot install") };
        assert!(command.contains("apt-get install -y --no-install-recommends chromium"), "{command}");
        assert!(matches!(remedy(false, false, true), Remedy::Ask(_)));
    }
}
