//! Where the workspace is, and how its tools are called.

use std::ffi::OsString;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, bail, ensure};
use cargo_metadata::{Message, Metadata, MetadataCommand};

/// The folder that holds the workspace's `Cargo.toml`.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_path_buf()
}

/// The cargo that started this xtask, so that every child uses the same toolchain. It is not told what cargo says of xtask itself: build
/// scripts that look at it, as ring's does, would run again each time, and all that needs them would be built again.
pub fn cargo() -> Command {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(program);
    command.current_dir(root()).stdin(Stdio::null());
    for (name, _) in std::env::vars_os() {
        let is_own = |prefix| name.as_encoded_bytes().starts_with(prefix);
        if is_own(b"CARGO_PKG_".as_slice()) || is_own(b"CARGO_MANIFEST_".as_slice()) {
            command.env_remove(name);
        }
    }
    command
}

/// Builds the `agon` program and says where it is.
pub fn build_agon() -> Result<PathBuf> {
    let mut child = cargo()
        // Without `--package`: with the features of the whole workspace, as `cargo build` and the tests build it.
        .args(["build", "--quiet", "--bin", "agon", "--message-format", "json-render-diagnostics"])
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start cargo")?;
    let output = child.stdout.take().context("cargo has no stdout")?;
    let mut built = None;
    for message in Message::parse_stream(BufReader::new(output)) {
        if let Message::CompilerArtifact(artifact) = message.context("cargo wrote something else than messages")?
            && artifact.target.name == "agon"
            && let Some(path) = artifact.executable
        {
            built = Some(path.into_std_path_buf());
        }
    }
    if !child.wait().context("cargo did not finish")?.success() {
        bail!("the agon program does not build");
    }
    built.context("cargo built no program called agon")
}

/// Builds `agon` for release, as the README's first command does, and says where it is.
pub fn release_agon() -> Result<PathBuf> {
    Ok(programs(&["--release", "-p", "agon"], "release")?.join("agon"))
}

/// Builds programs of the workspace as they are shipped: what is measured is what people run. The folder of all.
pub fn shipped(packages: &[&str]) -> Result<PathBuf> {
    let packages = packages.iter().flat_map(|package| ["-p", *package]);
    programs(&["--profile=dist"].into_iter().chain(packages).collect::<Vec<_>>(), "dist")
}

/// Builds a program of the workspace with its checks on; the folder where it is.
pub fn debug(program: &str) -> Result<PathBuf> {
    programs(&["--bin", program], "debug")
}

fn programs(which: &[&str], folder: &str) -> Result<PathBuf> {
    println!(
        "xtask: building {}",
        which.iter().filter(|word| !word.starts_with('-')).copied().collect::<Vec<_>>().join(" and ")
    );
    let built = cargo().args(["build", "--quiet"]).args(which).status().context("cannot start cargo")?;
    ensure!(built.success(), "the build failed");
    Ok(metadata()?.target_directory.join(folder).into_std_path_buf())
}

/// Runs a program that says by itself what came of it, and ends as it did.
pub fn to_its_end(command: &mut Command) -> Result<ExitCode> {
    let status = command.status().with_context(|| format!("cannot start {command:?}"))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What `program` prints as the help of `subcommand` (its own for an empty name); `None` if it refuses.
pub fn help_of(program: &Path, subcommand: &str) -> Option<String> {
    let output =
        Command::new(program).arg("help").args(subcommand.split_whitespace()).stdin(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The workspace and all its dependencies, as resolved for this machine's platform.
pub fn metadata() -> Result<Metadata> {
    let mut command = MetadataCommand::new();
    command.manifest_path(root().join("Cargo.toml"));
    command.other_options(["--locked".to_owned(), "--filter-platform".to_owned(), host()?]);
    command.exec().context("cargo metadata failed")
}

fn host() -> Result<String> {
    let output = Command::new("rustc").arg("-vV").output().context("cannot start rustc")?;
    let text = String::from_utf8(output.stdout).context("rustc wrote bytes that are not UTF-8")?;
    let line = text.lines().find_map(|line| line.strip_prefix("host: ")).context("rustc does not name its host")?;
    Ok(line.to_owned())
}

/// Finds an executable file called `name` in the folders of `PATH`.
pub fn find_on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|candidate| is_executable(candidate))
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_are_not_told_what_cargo_says_of_xtask() {
        assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some(), "tests are told");
        let told = |name: &str| cargo().get_envs().any(|(set, value)| set == name && value.is_none());
        assert!(told("CARGO_MANIFEST_DIR") && !told("PATH"));
    }
}
