//! `cargo xtask sbom`: the bill of materials of the shipped program, as CycloneDX 1.6.
//!
//! Our own, for cargo-cyclonedx lists what the tests of the workspace need as well, and names the folders of the machine
//! that built it. Without a time and a serial number, so that the same sources give the same bytes.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::process;
use crate::shipped::{self, Component, Components, Id};

/// The command line of `sbom`.
#[derive(clap::Args)]
pub struct Args {
    /// The file to write; standard output without it
    #[arg(long)]
    output: Option<PathBuf>,
}

/// `Cargo.lock`, as far as it says what was downloaded.
#[derive(Deserialize)]
struct Lock {
    package: Vec<Locked>,
}

#[derive(Deserialize)]
struct Locked {
    name: String,
    version: String,
    checksum: Option<String>,
}

/// SHA-256 of the packages that come from a registry.
type Checksums = BTreeMap<Id, String>;

/// Writes the bill of materials of `agon`.
pub fn run(args: &Args) -> Result<()> {
    let lock = fs::read_to_string(process::root().join("Cargo.lock")).context("cannot read Cargo.lock")?;
    let bill = bill(&shipped::components()?, &checksums(&lock)?)?;
    let text = serde_json::to_string_pretty(&bill)? + "\n";
    match &args.output {
        Some(path) => fs::write(path, text).with_context(|| format!("cannot write {}", path.display())),
        None => {
            print!("{text}");
            Ok(())
        }
    }
}

fn checksums(lock: &str) -> Result<Checksums> {
    let lock: Lock = toml::from_str(lock).context("Cargo.lock")?;
    let checksum = |package: Locked| Some((Id { name: package.name, version: package.version }, package.checksum?));
    Ok(lock.package.into_iter().filter_map(checksum).collect())
}

fn bill(all: &Components, checksums: &Checksums) -> Result<Value> {
    let (program, about) = all.iter().find(|(id, _)| id.name == "agon").context("agon is not a part of itself")?;
    let parts = all.iter().filter(|(id, _)| *id != program);
    let parts = parts.map(|(id, component)| describe(id, component, checksums.get(id))).collect::<Vec<_>>();
    let whole = BomComponent { kind: "application", ..describe(program, about, None) };
    Ok(json!({
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": { "component": whole, "properties": [{ "name": "targets", "value": shipped::TARGETS.join(" ") }] },
        "components": parts,
        "dependencies": all.iter().map(|(id, component)| depends(id, component)).collect::<Vec<_>>(),
    }))
}

fn depends(id: &Id, component: &Component) -> Value {
    json!({ "ref": purl(id), "dependsOn": component.needs.iter().map(purl).collect::<Vec<_>>() })
}

/// A component, by the names of the format.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BomComponent<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(rename = "bom-ref")]
    bom_ref: String,
    name: &'a str,
    version: &'a str,
    /// `required` is what is in the program, `excluded` what only took part in building it.
    scope: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hashes: Option<Value>,
    licenses: Value,
    purl: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    external_references: Option<Value>,
}

fn describe<'a>(id: &'a Id, component: &Component, checksum: Option<&String>) -> BomComponent<'a> {
    let repository = Some(&component.repository).filter(|address| !address.is_empty());
    BomComponent {
        kind: "library",
        bom_ref: purl(id),
        name: &id.name,
        version: &id.version,
        scope: if component.linked { "required" } else { "excluded" },
        hashes: checksum.map(|content| json!([{ "alg": "SHA-256", "content": content }])),
        licenses: json!([{ "expression": component.licence }]),
        purl: purl(id),
        external_references: repository.map(|address| json!([{ "type": "vcs", "url": address }])),
    }
}

fn purl(id: &Id) -> String {
    format!("pkg:cargo/{}@{}", id.name, id.version.replace('+', "%2B"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn id(name: &str, version: &str) -> Id {
        Id { name: name.to_owned(), version: version.to_owned() }
    }

    fn component(ours: bool, needs: BTreeSet<Id>) -> Component {
        let repository = if ours { String::new() } else { "https://example.org/dep".to_owned() };
        Component { licence: "MIT".to_owned(), repository, ours, linked: ours, needs }
    }

    #[test]
    fn the_bill_says_what_the_program_is_made_of_and_where_that_comes_from() {
        let dep = id("dep", "1.0.0+b");
        let all = Components::from([
            (id("agon", "0.1.0"), component(true, BTreeSet::from([dep.clone()]))),
            (dep, component(false, BTreeSet::new())),
        ]);
        let lock = "[[package]]\nname = 'dep'\nversion = '1.0.0+b'\nchecksum = 'ab12'\n";

        let bill = bill(&all, &checksums(lock).unwrap()).unwrap();

        assert_eq!(bill["metadata"]["component"]["type"], "application");
        let part = &bill["components"][0];
        assert_eq!((&part["purl"], &part["scope"]), (&json!("pkg:cargo/dep@1.0.0%2Bb"), &json!("excluded")));
        assert_eq!(part["hashes"][0]["content"], "ab12");
        assert_eq!(part["externalReferences"][0]["url"], "https://example.org/dep");
        let depends = json!({ "ref": "pkg:cargo/agon@0.1.0", "dependsOn": ["pkg:cargo/dep@1.0.0%2Bb"] });
        assert_eq!(bill["dependencies"][0], depends);
    }
}
