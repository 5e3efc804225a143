//! `cargo xtask tidy`: the rules of this workspace that no compiler or linter knows.

mod commands;
mod deny;
mod docs;
mod edges;
mod examples;
mod features;
mod finding;
pub mod licence;
mod scan;
mod source;
mod texts;
mod type_names;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use cargo_metadata::Metadata;

use crate::process;
use finding::{Finding, Level};
use type_names::TypeNames;

/// Folders that hold nothing the project wrote.
const FOREIGN: &[&str] = &["target", "agon-reports", "bench-out", "node_modules"];

/// Hidden folders that the project wrote all the same.
const OURS: &[&str] = &[".ci", ".github"];

/// The command line of `tidy`.
#[derive(clap::Args)]
pub struct Args {}

/// Prints every finding; fails if one of them weighs enough.
pub fn run(_: &Args) -> Result<()> {
    let findings = findings()?;
    findings.iter().for_each(|finding| println!("{finding}"));
    let failures = findings.iter().filter(|finding| finding.level == Level::Fail).count();
    if failures > 0 {
        bail!("tidy: {failures} rules broken");
    }
    println!("tidy: no rule broken, {} warnings", findings.len());
    Ok(())
}

fn findings() -> Result<Vec<Finding>> {
    let root = process::root();
    let files = project_files(&root)?;
    let metadata = process::metadata()?;
    let mut findings = dependencies(&root, &metadata)?;
    findings.extend(sources(&root, &files)?);
    findings.extend(crate_docs(&root, &metadata)?);
    findings.extend(documents(&root, &files)?);
    findings.extend(shown_commands(&root, &files, &["cargo", "xtask"], &crate::help)?);
    match process::build_agon() {
        Ok(agon) => findings.extend(against_the_program(&root, &files, &agon)?),
        // A finding, so that the other rules are still reported.
        Err(error) => findings.push(Finding::fail("examples/", format!("not checked: {error:#}"))),
    }
    findings.sort_by(|a, b| a.level.cmp(&b.level).then_with(|| a.place.cmp(&b.place)));
    Ok(findings)
}

fn dependencies(root: &Path, metadata: &Metadata) -> Result<Vec<Finding>> {
    let members = metadata.workspace_packages().iter().map(|package| package.name.to_string()).collect::<Vec<_>>();
    let policy = deny::parse(&read(root, "deny.toml")?)?;
    let mut findings = edges::check(&members, &edges::edges(metadata));
    findings.extend(features::check()?);
    findings.extend(deny::check(&policy, &deny::packages(metadata)));
    Ok(findings)
}

fn sources(root: &Path, files: &[String]) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    let mut names = TypeNames::default();
    for file in files.iter().filter(|file| file.ends_with(".rs") && !source::is_generated(file)) {
        let text = read(root, file)?;
        findings.extend(source::check(file, &text));
        names.add(file, &text);
    }
    findings.extend(names.check());
    for file in files.iter().filter(|file| texts::is_shipped(file)) {
        findings.extend(texts::check(file, &read(root, file)?));
    }
    Ok(findings)
}

fn crate_docs(root: &Path, metadata: &Metadata) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for target in metadata.workspace_packages().iter().flat_map(|package| &package.targets) {
        if target.is_lib() || target.is_bin() {
            let path = Path::new(&target.src_path).strip_prefix(root).context("a crate outside the workspace")?;
            let path = path.to_string_lossy();
            findings.extend(source::check_crate_docs(&path, &read(root, &path)?));
        }
    }
    Ok(findings)
}

fn documents(root: &Path, files: &[String]) -> Result<Vec<Finding>> {
    let exists = |path: &Path| root.join(path).exists();
    let text = |path: &Path| fs::read_to_string(root.join(path)).ok();
    let mut findings = Vec::new();
    // a link to a document is read at the place of that
    let linked = |file: &str| fs::symlink_metadata(root.join(file)).is_ok_and(|about| about.is_symlink());
    for file in files.iter().filter(|file| is_document(file) && !linked(file)) {
        findings.extend(docs::broken_links(file, &read(root, file)?, &exists, &text));
    }
    let decisions = files.iter().filter_map(|file| file.strip_prefix("docs/adr/")).map(str::to_owned);
    findings.extend(docs::unlisted_decisions(&decisions.collect::<Vec<_>>(), &read(root, "docs/adr/README.md")?));
    Ok(findings)
}

/// Markdown that people read: not debate files, not fixtures.
fn is_document(file: &str) -> bool {
    file.ends_with(".md") && (!file.contains('/') || file.starts_with("docs/") || file.ends_with("/README.md"))
}

/// Examples and documented commands, checked by asking the built program.
fn against_the_program(root: &Path, files: &[String], agon: &Path) -> Result<Vec<Finding>> {
    let debates = files.iter().filter(|file| examples::is_debate_file(file)).map(PathBuf::from).collect::<Vec<_>>();
    let mut findings = examples::check(agon, root, &debates)?;
    findings.extend(shown_commands(root, files, &["agon"], &|subcommand| process::help_of(agon, subcommand))?);
    Ok(findings)
}

fn shown_commands(
    root: &Path,
    files: &[String],
    words: &[&str],
    help: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<Finding>> {
    let program = commands::Program { words, help };
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| is_document(file) && !is_history(file)) {
        findings.extend(commands::check(file, &read(root, file)?, &program));
    }
    Ok(findings)
}

/// Documents that may name what is no longer there.
fn is_history(file: &str) -> bool {
    file == "CHANGELOG.md" || file.starts_with("docs/adr/")
}

/// The project's files, relative to `root`, with `/`, sorted; hidden folders and build output left out.
fn project_files(root: &Path) -> Result<Vec<String>> {
    let mut files = Vec::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if (name.starts_with('.') && !OURS.contains(&name.as_str())) || FOREIGN.contains(&name.as_str()) {
                continue;
            }
            if entry.file_type()?.is_dir() {
                open.push(entry.path());
            } else if let Ok(path) = entry.path().strip_prefix(root) {
                files.push(path.to_string_lossy().into_owned());
            }
        }
    }
    files.sort();
    Ok(files)
}

fn read(root: &Path, file: &str) -> Result<String> {
    fs::read_to_string(root.join(file)).with_context(|| format!("cannot read {file}"))
}
