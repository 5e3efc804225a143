//! `cargo xtask package`: the crates of the product as packages, without a warning.

use std::fs;
use std::process::Stdio;

use anyhow::{Context, Result, bail};
use cargo_metadata::{Metadata, Package};

use crate::process;

/// The command line of `package`.
#[derive(clap::Args)]
pub struct Args {
    /// Also build every crate from its package alone; takes as long as a build of everything
    #[arg(long)]
    pub verify: bool,
}

/// Packages every crate that may be published; without building them, into `target/package`.
pub fn run(args: &Args) -> Result<()> {
    let metadata = process::metadata()?;
    let packages = published(&metadata);
    let wrong = packages.iter().flat_map(|package| incomplete(package)).collect::<Vec<_>>();
    if !wrong.is_empty() {
        bail!("{}", wrong.join("\n"));
    }
    let mut command = process::cargo();
    // The manifests name no address of the project, for it has no fixed one; what else cargo asks for, `incomplete` does.
    command.args(["package", "--locked", "--allow-dirty", "--no-metadata"]);
    // One folder for all builds, or cargo would build the dependencies anew for every crate.
    let verified = metadata.target_directory.join("verify");
    if args.verify {
        command.arg("--target-dir").arg(&verified);
    } else {
        // Everything was downloaded for the build; without this cargo asks the registry again for every crate.
        command.args(["--no-verify", "--offline"]);
    }
    command.args(packages.iter().flat_map(|package| ["--package", package.name.as_str()]));
    let output = command.stdout(Stdio::null()).output().context("cannot start cargo")?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() || said.lines().any(|line| line.starts_with("warning")) {
        bail!("{}", said.trim_end());
    }
    // It is as large as the target folder itself, and of no further use.
    if args.verify { fs::remove_dir_all(&verified).context("cannot clear target/verify") } else { Ok(()) }
}

fn published(metadata: &Metadata) -> Vec<&Package> {
    metadata.workspace_packages().into_iter().filter(|package| package.publish.is_none()).collect()
}

/// What a package lacks that a reader of it needs.
fn incomplete(package: &Package) -> Vec<String> {
    let fields = [
        ("description", package.description.is_some()),
        ("license", package.license.is_some()),
        ("readme", package.readme.is_some()),
        ("keywords", !package.keywords.is_empty()),
        ("categories", !package.categories.is_empty()),
        ("rust-version", package.rust_version.is_some()),
    ];
    let folder = package.manifest_path.parent();
    let text = ("LICENSE file", folder.is_some_and(|folder| folder.join("LICENSE").is_file()));
    let missing = fields.into_iter().chain([text]).filter(|(_, present)| !present);
    missing.map(|(field, _)| format!("{}: has no {field}", package.name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crates_of_the_product_are_published_and_those_of_tests_are_not() {
        let metadata = process::metadata().unwrap();

        let published = published(&metadata);

        assert!(published.iter().all(|package| package.manifest_path.as_str().contains("/crates/")));
        let folders = fs::read_dir(process::root().join("crates")).unwrap().count();
        assert_eq!(published.len(), folders);
    }

    #[test]
    fn every_package_says_what_it_is() {
        let metadata = process::metadata().unwrap();

        assert_eq!(published(&metadata).into_iter().flat_map(incomplete).collect::<Vec<_>>(), [""; 0]);
    }
}
