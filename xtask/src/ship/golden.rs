//! Golden renders: what the chart makes of each set of values, kept in the repository for readers and for the system test.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::ShipPaths;
use super::chart::{self, DEFAULT, EXAMPLES, KUBERNETES, OPTIONS};

/// Where they are.
pub const FOLDER: &str = "tests/charts/golden";
/// How much of a difference is shown.
const SHOWN_LINES: usize = 80;

/// Compares what the chart renders with the golden renders, or replaces them where that was asked for.
pub fn check(place: &ShipPaths) -> Result<()> {
    let mut wrong = Vec::new();
    fs::create_dir_all(place.root.join(FOLDER))?;
    for case in chart::all_cases(place)? {
        let fresh = chart::render(place, &case, KUBERNETES)?;
        let file = place.root.join(FOLDER).join(format!("{}.yaml", case.name));
        if place.accept {
            fs::write(&file, fresh)?;
        } else if fs::read_to_string(&file).ok().as_ref() != Some(&fresh) {
            wrong.push(difference(place, &case.name, &fresh)?);
        }
    }
    wrong.extend(unmatched(&place.root)?);
    if wrong.is_empty() {
        return Ok(());
    }
    bail!("{}\n`cargo xtask ship --accept` takes what the chart renders now for right", wrong.join("\n"))
}

/// How the golden render of `name` became `fresh`, as `diff` shows it.
fn difference(place: &ShipPaths, name: &str, fresh: &str) -> Result<String> {
    let golden = format!("{FOLDER}/{name}.yaml");
    let new = place.scratch.join(format!("{name}.yaml"));
    fs::write(&new, fresh)?;
    if !place.root.join(&golden).is_file() {
        return Ok(format!("{golden} is missing"));
    }
    let mut diff = Command::new("diff");
    diff.args(["-u", "--label", &golden, "--label", "what the chart renders", &golden]).arg(&new);
    let output = diff.current_dir(&place.root).stdin(Stdio::null()).output().context("cannot start diff")?;
    Ok(shortened(&String::from_utf8_lossy(&output.stdout)))
}

fn shortened(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut shown = lines.iter().take(SHOWN_LINES).copied().collect::<Vec<_>>().join("\n");
    if lines.len() > SHOWN_LINES {
        shown.push_str(&format!("\n... and {} lines more", lines.len() - SHOWN_LINES));
    }
    shown
}

/// Examples without a golden render, and golden renders without an example.
fn unmatched(root: &Path) -> Result<Vec<String>> {
    let mut cases = examples(root)?;
    cases.extend(names(&root.join(OPTIONS))?);
    let golden = names(&root.join(FOLDER))?;
    let without = cases.difference(&golden).map(|name| format!("the values {name} have no golden render"));
    let stray = golden.difference(&cases).map(|name| format!("{FOLDER}/{name}.yaml is of no values: delete it"));
    Ok(without.chain(stray).collect())
}

/// The cases that are shown to users.
fn examples(root: &Path) -> Result<BTreeSet<String>> {
    let mut examples = names(&root.join(EXAMPLES))?;
    examples.insert(DEFAULT.to_owned());
    Ok(examples)
}

/// The YAML files of a folder, without their endings.
fn names(folder: &Path) -> Result<BTreeSet<String>> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let name = |entry: std::io::Result<fs::DirEntry>| -> Result<Option<String>> {
        Ok(entry?.file_name().to_string_lossy().strip_suffix(".yaml").map(str::to_owned))
    };
    entries.filter_map(|entry| name(entry).transpose()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::blocks;
    use super::*;

    #[test]
    fn every_set_of_values_has_a_golden_render_and_no_other_is_there() {
        assert_eq!(unmatched(&crate::process::root()).unwrap(), Vec::<String>::new());
    }

    /// Helm removes hooks before it reads the logs of `helm test --logs`, which needs the files of the test's pod.
    #[test]
    fn only_the_pod_of_helm_test_is_a_hook() {
        let root = crate::process::root();
        for name in examples(&root).unwrap() {
            let render = fs::read_to_string(root.join(FOLDER).join(format!("{name}.yaml"))).unwrap();
            let hooks = blocks::documents(&render).filter(|document| document.contains("helm.sh/hook"));
            let hooks: Vec<&str> = hooks.collect();
            assert_eq!(hooks.len(), 1, "{name}");
            assert_eq!(blocks::of_kind(hooks[0], "Pod").count(), 1, "{name}: {}", hooks[0]);
            for kind in ["ServiceAccount", "ConfigMap"] {
                let made =
                    blocks::of_kind(&render, kind).any(|document| document.contains("name: agon-rehearsal-test\n"));
                assert!(made, "{name}: the test has no {kind} of its own");
            }
        }
    }

    #[test]
    fn a_render_too_many_and_one_too_few_are_named() {
        let root = std::env::temp_dir().join(format!("agon-xtask-golden-{}", std::process::id()));
        for (folder, file) in [(EXAMPLES, "a.yaml"), (OPTIONS, "c.yaml"), (FOLDER, "default.yaml"), (FOLDER, "b.yaml")]
        {
            fs::create_dir_all(root.join(folder)).unwrap();
            fs::write(root.join(folder).join(file), "").unwrap();
        }
        let found = unmatched(&root).unwrap();
        fs::remove_dir_all(&root).unwrap();
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].contains("values a have no") && found[1].contains("values c have no"), "{found:?}");
        assert!(found[2].starts_with("tests/charts/golden/b.yaml"), "{found:?}");
    }

    #[test]
    fn a_long_difference_says_how_much_more_there_is() {
        assert_eq!(shortened("a\nb"), "a\nb");
        let long = "x\n".repeat(SHOWN_LINES + 2);
        assert!(shortened(&long).ends_with("\n... and 2 lines more"));
    }
}
