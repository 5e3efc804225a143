//! Configurations of NATS: those for machines, and those in the renders of the chart.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::tools::{NATS_OF_THE_CHART, NATS_SERVER, Tool};
use super::{Place, blocks, golden};
use crate::steps::quiet;

const FOLDER: &str = "deploy/nats";
/// What every password is while a configuration is read.
const PASSWORD: &str = "secret1";
/// The settings that name files which the server opens even where it only reads its configuration, and what is put there.
const FILES: &[(&str, &str)] = &[("cert_file", CERTIFICATE), ("key_file", KEY), ("ca_file", CERTIFICATE)];
const CERTIFICATE: &str = "nats.crt";
const KEY: &str = "nats.key";

/// `nats-server -t` on each of them: of those for machines also by the machine's server, which may be older.
pub fn check(place: &Place) -> Result<()> {
    certificate(place)?;
    for file in place.files(FOLDER, ".conf")? {
        let text = fs::read_to_string(&file)?;
        for server in [NATS_SERVER, NATS_OF_THE_CHART] {
            let by = server.program;
            one(place, &server, &text).with_context(|| format!("{by} refuses {}", file.display()))?;
        }
    }
    let mut rendered = BTreeSet::new();
    for file in place.files(golden::FOLDER, ".yaml")? {
        let render = fs::read_to_string(&file)?;
        let of = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for (name, text) in blocks::of_kind(&render, "ConfigMap").flat_map(|document| blocks::files(document, ".conf"))
        {
            one(place, &NATS_OF_THE_CHART, &text).with_context(|| format!("{name} of {of}"))?;
            rendered.insert(of.clone());
        }
    }
    ensure!(!rendered.is_empty(), "no render has a configuration of NATS");
    Ok(())
}

fn one(place: &Place, server: &Tool, text: &str) -> Result<()> {
    let file = place.scratch.join("nats.conf");
    fs::write(&file, with_files_of(&place.scratch, text))?;
    let mut command = place.command(server)?;
    command.envs(variables(text).into_iter().map(|name| (name, PASSWORD)));
    quiet(command.arg("-t").arg("-c").arg(&file))
}

/// A certificate that nobody trusts, and its key.
fn certificate(place: &Place) -> Result<()> {
    let made = rcgen::generate_simple_self_signed(["nats".to_owned()]).context("cannot make a certificate")?;
    fs::write(place.scratch.join(CERTIFICATE), made.cert.pem())?;
    fs::write(place.scratch.join(KEY), made.signing_key.serialize_pem())?;
    Ok(())
}

/// The configuration with the certificate of `folder` in place of those that a machine has in earnest.
fn with_files_of(folder: &Path, text: &str) -> String {
    let line = |line: &str| {
        let file = FILES.iter().find(|(setting, _)| line.trim_start().starts_with(setting));
        file.map_or_else(
            || format!("{line}\n"),
            |(setting, file)| format!("{setting}: \"{}\"\n", folder.join(file).display()),
        )
    };
    text.lines().map(line).collect()
}

/// The variables of the environment that a configuration reads: `$NAME` outside of texts and comments.
fn variables(text: &str) -> BTreeSet<&str> {
    text.lines().filter(|line| !line.trim_start().starts_with(['#', '/'])).flat_map(of_line).collect()
}

fn of_line(line: &str) -> impl Iterator<Item = &str> {
    // what stands between quotes is every second part
    line.split('"').step_by(2).flat_map(|outside| outside.split('$').skip(1)).filter_map(|part| {
        let end = part.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(part.len());
        part.get(..end).filter(|name| !name.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certificates_are_replaced_and_nothing_else() {
        let text = "tls {\n  cert_file: \"/etc/a\"\n  key_file: \"/etc/b\"\n  verify: true\n}\n";
        let replaced = "tls {\ncert_file: \"/t/nats.crt\"\nkey_file: \"/t/nats.key\"\n  verify: true\n}\n";
        assert_eq!(with_files_of(Path::new("/t"), text), replaced);
    }

    #[test]
    fn variables_are_read_where_they_are_no_subjects() {
        let text = "# $COMMENT\nuser: a, password: $AGON_A\nallow: [\"$JS.API.>\", \"$SYS\"]\nx: {p: $B}\n";
        assert_eq!(variables(text), BTreeSet::from(["AGON_A", "B"]));
    }
}
