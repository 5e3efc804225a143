//! Which tests there are: the workspace is built once, with the program that the system tests drive, and each test program says what it holds.

use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};
use cargo_metadata::{Artifact, Message};

use crate::process;

/// What the build left.
pub struct Built {
    /// The program that the system tests drive.
    pub program: PathBuf,
    suites: Vec<Suite>,
}

/// A program that holds tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suite {
    /// Its package and target, as `agon-core properties`.
    pub name: String,
    pub program: PathBuf,
    /// The folder of its package, where cargo runs tests too.
    pub folder: PathBuf,
}

/// One test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Test {
    pub suite: Suite,
    /// Its path in the suite, as `chart::secrets::a_secret_is_a_file`.
    pub name: String,
}

/// Builds the workspace with all its tests.
pub fn build() -> Result<Built> {
    let mut child = process::cargo()
        .args(["build", "--workspace", "--all-targets", "--message-format", "json-render-diagnostics"])
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start cargo")?;
    let output = child.stdout.take().context("cargo has no stdout")?;
    let (mut program, mut suites) = (None, Vec::new());
    for message in Message::parse_stream(BufReader::new(output)) {
        if let Message::CompilerArtifact(artifact) = message.context("cargo wrote something else than messages")?
            && let Some(path) = artifact.executable.clone()
        {
            if artifact.profile.test {
                suites.push(suite(&artifact, path.into_std_path_buf())?);
            } else if artifact.target.name == "agon" {
                program = Some(path.into_std_path_buf());
            }
        }
    }
    ensure!(child.wait().context("cargo did not finish")?.success(), "the workspace does not build");
    // System tests first: they wait more than they compute, and the short ones fill the gaps.
    suites.sort_by_key(|suite| (!suite.name.starts_with("agon-tests "), suite.name.clone()));
    Ok(Built { program: program.context("cargo built no program called agon")?, suites })
}

fn suite(artifact: &Artifact, program: PathBuf) -> Result<Suite> {
    let folder = artifact.manifest_path.parent().context("a manifest without a folder")?;
    let package = std::fs::read_to_string(&artifact.manifest_path)?;
    let package: toml::Table = package.parse().context("a manifest that is no TOML")?;
    let package = package.get("package").and_then(|package| package.get("name")).and_then(toml::Value::as_str);
    let package = package.context("a package without a name")?;
    Ok(Suite { name: format!("{package} {}", artifact.target.name), program, folder: folder.into() })
}

/// Every test of every suite, in the order in which the suites say them.
pub fn tests(built: &Built) -> Result<Vec<Test>> {
    let lists: Vec<Vec<Test>> = built.suites.iter().map(of).collect::<Result<_>>()?;
    Ok(lists.concat())
}

fn of(suite: &Suite) -> Result<Vec<Test>> {
    let output = command(suite, &suite.program).args(["--list", "--format", "terse"]).output();
    let output = output.with_context(|| format!("cannot start the tests of {}", suite.name))?;
    if !output.status.success() {
        bail!("{} does not list its tests: {}", suite.name, String::from_utf8_lossy(&output.stderr).trim_end());
    }
    Ok(names(&String::from_utf8_lossy(&output.stdout))
        .map(|name| Test { suite: suite.clone(), name: name.to_owned() })
        .collect())
}

fn names(listed: &str) -> impl Iterator<Item = &str> {
    listed.lines().filter_map(|line| line.strip_suffix(": test"))
}

/// The program in the folder where cargo would run it.
fn command(suite: &Suite, program: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(&suite.folder).env("CARGO_MANIFEST_DIR", &suite.folder).stdin(Stdio::null());
    command
}

impl Test {
    /// Its suite and its path there.
    pub fn full_name(&self) -> String {
        format!("{} {}", self.suite.name, self.name)
    }
    /// Runs this test alone.
    pub fn command(&self) -> Command {
        let mut command = command(&self.suite, &self.suite.program);
        command.args(["--exact", &self.name, "--test-threads", "1"]);
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_tests_is_read_by_its_names() {
        let listed = "a::b: test\nc: test\nd: benchmark\n\n3 tests, 1 benchmark\n";
        assert_eq!(names(listed).collect::<Vec<_>>(), ["a::b", "c"]);
    }
}
