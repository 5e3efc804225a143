//! Configurations of NATS: those for machines, and those in the renders of the chart.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::tools::{NATS_OF_THE_CHART, NATS_SERVER, ShipTool};
use super::{ShipPaths, blocks, chart};
use crate::steps::quiet;

const FOLDER: &str = "deploy/nats";
/// What every password is while a configuration is read.
const PASSWORD: &str = "secret1";
/// The settings that name files which the server opens even where it only reads its configuration, and what is put there.
const FILES: &[(&str, &str)] = &[("cert_file", CERTIFICATE), ("key_file", KEY), ("ca_file", CERTIFICATE)];
const CERTIFICATE: &str = "nats.crt";
const KEY: &str = "nats.key";

/// `nats-server -t` on each of them: of those for machines also by the machine's server, which may be older.
pub fn check(place: &ShipPaths) -> Result<()> {
    certificate(place)?;
    for file in place.files(FOLDER, ".conf")? {
        let text = fs::read_to_string(&file)?;
        for server in [NATS_SERVER, NATS_OF_THE_CHART] {
            let by = server.program;
            let environment = variables(&text).into_iter().map(|name| (name, PASSWORD.to_owned())).collect();
            one(place, &server, &text, &environment).with_context(|| format!("{by} refuses {}", file.display()))?;
        }
    }
    let mut rendered = BTreeSet::new();
    for case in chart::all_cases(place)? {
        let (of, render) = (&case.name, chart::render(place, &case, chart::KUBERNETES)?);
        for (name, text) in blocks::of_kind(&render, "ConfigMap").flat_map(|document| blocks::files(document, ".conf"))
        {
            let environment = environment(&render, &text).with_context(|| format!("{name} of {of}"))?;
            one(place, &NATS_OF_THE_CHART, &text, &environment).with_context(|| format!("{name} of {of}"))?;
            rendered.insert(of.clone());
        }
    }
    ensure!(!rendered.is_empty(), "no render has a configuration of NATS");
    Ok(())
}

fn one(place: &ShipPaths, server: &ShipTool, text: &str, environment: &BTreeMap<&str, String>) -> Result<()> {
    let file = place.scratch.join("nats.conf");
    fs::write(&file, with_files_of(&place.scratch, text))?;
    let mut command = place.command(server)?;
    quiet(command.envs(environment).arg("-t").arg("-c").arg(&file))
}

/// What the containers of `render` give the variables of the configuration `text`; one that none of them has is an error.
fn environment<'a>(render: &str, text: &'a str) -> Result<BTreeMap<&'a str, String>> {
    let given = |name| Some((name, value(render, name)?));
    let found = |name| given(name).with_context(|| format!("${name} is read, and no container has it"));
    variables(text).into_iter().map(found).collect()
}

/// The value of a variable that some container of `render` has: what is written there, with a password where a secret or a
/// field of the pod stands.
fn value(render: &str, name: &str) -> Option<String> {
    let head = format!("- name: {name}");
    let mut lines = render.lines().map(str::trim).skip_while(|line| *line != head).skip(1);
    let Some(written) = lines.next()?.strip_prefix("value: ") else { return Some(PASSWORD.to_owned()) };
    let written =
        ['\'', '"'].iter().find_map(|quote| written.strip_prefix(*quote)?.strip_suffix(*quote)).unwrap_or(written);
    let mut parts = written.split("$(");
    let first = parts.next().unwrap_or_default().to_owned();
    Some(parts.filter_map(|part| part.split_once(')')).fold(first, |all, (_, rest)| format!("{all}{PASSWORD}{rest}")))
}

/// A certificate that nobody trusts, and its key.
fn certificate(place: &ShipPaths) -> Result<()> {
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
    fn variables_have_what_the_containers_of_the_render_give_them() {
        let render = "env:\n  - name: A\n    valueFrom:\n      secretKeyRef: {}\n  - name: B\n    value: '\"nats://r:$(A)@b:1\"'\n";
        let given = environment(render, "a: $A\nb: $B\n").unwrap();
        assert_eq!(given, BTreeMap::from([("A", "secret1".to_owned()), ("B", "\"nats://r:secret1@b:1\"".to_owned())]));
        assert!(environment(render, "c: $C\n").unwrap_err().to_string().contains("$C"));
    }

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
