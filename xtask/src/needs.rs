//! The programs that tests and checks drive and that cargo does not bring, and a public MCP server.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

use crate::process;

/// A program that has to be on the search path.
#[derive(Debug, Clone, Copy)]
struct RequiredProgram {
    program: &'static str,
    /// With what it has to succeed, where being there is not enough.
    able: &'static [&'static str],
    /// The Debian package that holds it.
    package: &'static str,
    /// What needs it.
    whose: &'static str,
}

const TESTS: &[RequiredProgram] = &[
    RequiredProgram { program: "chromium", able: &[], package: "chromium", whose: "the report tests" },
    RequiredProgram { program: "nats-server", able: &[], package: "nats-server", whose: "the tests across machines" },
    RequiredProgram {
        program: "python3",
        able: &["-c", "import ensurepip, tomllib, venv"],
        package: "python3-venv",
        whose: "the example of an external participant and the plan of docs/scale",
    },
    RequiredProgram { program: "node", able: &[], package: "nodejs", whose: "the tests of tools" },
    RequiredProgram { program: "npm", able: &[], package: "npm", whose: "the tests of tools" },
    RequiredProgram { program: "curl", able: &[], package: "curl", whose: "the commands of the documents" },
    RequiredProgram { program: "jq", able: &[], package: "jq", whose: "the commands of the documents" },
    RequiredProgram { program: "ip", able: &[], package: "iproute2", whose: "the commands of the documents" },
    RequiredProgram {
        program: "prometheus",
        able: &[],
        package: "prometheus",
        whose: "the tests of alerts and dashboard",
    },
];

const CLUSTERS: &[RequiredProgram] =
    &[RequiredProgram { program: "nats-server", able: &[], package: "nats-server", whose: "clusters on this machine" }];

const SHIP: &[RequiredProgram] = &[
    RequiredProgram { program: "nats-server", able: &[], package: "nats-server", whose: "the NATS configurations" },
    RequiredProgram { program: "promtool", able: &[], package: "prometheus", whose: "alert rules and dashboard" },
    RequiredProgram {
        program: "python3",
        able: &["-c", "import ensurepip, venv"],
        package: "python3-venv",
        whose: "the linter of the Dockerfile",
    },
];

/// A file of a package of the npm registry, in the version that the tests know.
pub struct NpmFile {
    package: &'static str,
    version: &'static str,
    /// From the folder of the package.
    file: &'static str,
    /// What needs it.
    whose: &'static str,
}

/// An MCP server that others wrote.
pub const MCP_SERVER: NpmFile = NpmFile {
    package: "@modelcontextprotocol/server-everything",
    version: "2026.8.31",
    file: "dist/index.js",
    whose: "the tests of tools",
};
/// What looks for barriers in pages. For the tests alone; nothing of it is shipped.
pub const AXE: NpmFile =
    NpmFile { package: "axe-core", version: "4.14.1", file: "axe.min.js", whose: "the tests of the console" };

/// The authorities that node trusts besides its own, and those that the machine trusts.
const NODE_AUTHORITIES: &str = "NODE_EXTRA_CA_CERTS";
const SYSTEM_AUTHORITIES: &str = "/etc/ssl/certs/ca-certificates.crt";

const UPDATE: &[&str] = &["update"];
const INSTALL: &[&str] = &["install", "-y", "--no-install-recommends"];

/// What can be done about programs that are missing.
#[derive(Debug, PartialEq, Eq)]
enum InstallRemedy {
    /// Nothing is missing.
    None,
    /// This process may install these packages.
    Install(Vec<&'static str>),
    /// Only a person can, with this command.
    Ask(String),
}

/// Makes sure that every program that the tests need is there, installing what is missing where this process is allowed to.
pub fn ensure() -> Result<()> {
    ensure_all(TESTS, "the tests")
}

/// The same for the checks of what is shipped.
pub fn ensure_for_ship() -> Result<()> {
    ensure_all(SHIP, "the checks of what is shipped")
}

/// The nats-server for clusters on this machine, installed where it is missing and this process is allowed to.
pub fn nats_server() -> Result<PathBuf> {
    ensure_all(CLUSTERS, "clusters on this machine")?;
    find("nats-server").context("nats-server is not installed")
}

fn ensure_all(needs: &[RequiredProgram], purpose: &str) -> Result<()> {
    let missing: Vec<RequiredProgram> = needs.iter().copied().filter(is_missing).collect();
    let apt = process::find_on_path("apt-get").is_some() && Path::new("/etc/debian_version").exists();
    match remedy(&missing, apt, is_root()) {
        InstallRemedy::None => Ok(()),
        InstallRemedy::Ask(command) => {
            let wants: Vec<String> =
                missing.iter().map(|need| format!("{} need `{}` on PATH", need.whose, need.program)).collect();
            bail!("{}; install with: {command}", wants.join("; "))
        }
        InstallRemedy::Install(packages) => {
            println!("xtask: installing {} for {purpose}", packages.join(", "));
            apt_get(UPDATE)?;
            apt_get(&[INSTALL, &packages].concat())?;
            let still = missing.iter().find(|need| is_missing(need));
            still.map_or(Ok(()), |need| bail!("apt-get installed no `{}`", need.program))
        }
    }
}

/// The file, which is fetched from the npm registry into `target` where it is not there yet. Without a registry the tests that
/// need it fail by themselves, and the others can still be run.
pub fn npm_file(target: &Path, wanted: &NpmFile) -> PathBuf {
    let folder = target.join("npm").join(wanted.version);
    let entry = folder.join("node_modules").join(wanted.package).join(wanted.file);
    if !entry.is_file() {
        let (package, whose) = (format!("{}@{}", wanted.package, wanted.version), wanted.whose);
        println!("xtask: fetching {package} for {whose}");
        if let Err(error) = npm_install(&folder, &package) {
            println!("xtask: {whose} will fail: {error:#}");
        }
    }
    entry
}

fn npm_install(folder: &Path, package: &str) -> Result<()> {
    let install = ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"];
    let npm = process::find_on_path("npm").context("npm is not installed")?;
    let mut command = Command::new(npm);
    command.args(install).arg(folder).arg(package).stdin(Stdio::null());
    // npm has a list of authorities of its own: it shall trust whom the machine trusts, a proxy's for instance
    if std::env::var_os(NODE_AUTHORITIES).is_none() && Path::new(SYSTEM_AUTHORITIES).is_file() {
        command.env(NODE_AUTHORITIES, SYSTEM_AUTHORITIES);
    }
    let output = command.output();
    let output = output.context("cannot start npm")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "npm could not fetch {package} ({}):\n{}", output.status, said.trim_end());
    Ok(())
}

fn is_missing(need: &RequiredProgram) -> bool {
    let Some(program) = find(need.program) else { return true };
    let mut command = Command::new(program);
    command.args(need.able).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    !need.able.is_empty() && !command.status().is_ok_and(|status| status.success())
}

/// Where the program is: on the search path, or where Debian puts servers, which a plain user's path leaves out.
pub fn find(program: &str) -> Option<PathBuf> {
    let server = Path::new("/usr/sbin").join(program);
    process::find_on_path(program).or_else(|| server.is_file().then_some(server))
}

fn remedy(missing: &[RequiredProgram], apt: bool, root: bool) -> InstallRemedy {
    let packages: Vec<&'static str> = missing.iter().map(|need| need.package).collect();
    match (packages.is_empty(), apt, root) {
        (true, _, _) => InstallRemedy::None,
        (false, true, true) => InstallRemedy::Install(packages),
        (false, true, false) => {
            let install = [INSTALL, &packages].concat();
            InstallRemedy::Ask(format!("sudo apt-get {} && sudo apt-get {}", UPDATE.join(" "), install.join(" ")))
        }
        (false, false, _) => {
            InstallRemedy::Ask(format!("your system's package manager (packages {})", packages.join(", ")))
        }
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
    fn programs_that_are_there_need_nothing() {
        assert_eq!(remedy(&[], true, true), InstallRemedy::None);
        assert_eq!(remedy(&[], false, false), InstallRemedy::None);
    }

    #[test]
    fn only_root_on_debian_installs_and_only_what_is_missing() {
        let missing = &TESTS[..2];
        assert_eq!(remedy(missing, true, true), InstallRemedy::Install(vec!["chromium", "nats-server"]));
        let InstallRemedy::Ask(command) = remedy(missing, true, false) else { panic!("a plain user cannot install") };
        assert!(command.contains("apt-get install -y --no-install-recommends chromium nats-server"), "{command}");
        assert!(matches!(remedy(missing, false, true), InstallRemedy::Ask(_)));
    }
}
