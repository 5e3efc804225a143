//! Texts inside manifests: the documents of a render, and the files and parts that stand in them.

/// The documents of a YAML stream.
pub fn documents(stream: &str) -> impl Iterator<Item = &str> {
    stream.split("\n---\n").filter(|document| !document.trim().is_empty())
}

/// The documents of `kind`.
pub fn of_kind<'a>(stream: &'a str, kind: &str) -> impl Iterator<Item = &'a str> {
    let line = format!("kind: {kind}");
    documents(stream).filter(move |document| document.lines().any(|found| found == line))
}

/// The files that `document` holds as literal blocks (`name: |`) under names that end with `ending`: name and text.
pub fn files<'a>(document: &'a str, ending: &str) -> Vec<(&'a str, String)> {
    let lines: Vec<&str> = document.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some((name, style)) = line.trim_start().split_once(": ") else { continue };
        if name.ends_with(ending) && style.starts_with('|') {
            let after = lines.get(at + 1..).unwrap_or_default();
            found.push((name, block(after, indent(line))));
        }
    }
    found
}

/// What stands below the top-level key `key` of `document`, moved to the left margin.
pub fn below(document: &str, key: &str) -> Option<String> {
    let lines: Vec<&str> = document.lines().collect();
    let head = format!("{key}:");
    let at = lines.iter().position(|line| line.trim_end() == head)?;
    Some(block(lines.get(at + 1..).unwrap_or_default(), 0))
}

/// The first of `lines` that stand further right than `outer`, moved to the left margin.
fn block(lines: &[&str], outer: usize) -> String {
    let inside = lines.iter().take_while(|line| line.trim().is_empty() || indent(line) > outer);
    let inside: Vec<&str> = inside.copied().collect();
    let margin = inside.iter().filter(|line| !line.trim().is_empty()).map(|line| indent(line)).min().unwrap_or(0);
    inside.iter().map(|line| format!("{}\n", line.get(margin..).unwrap_or_default())).collect()
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &str = "\
---
# Source: a
kind: ConfigMap
data:
  nats.conf: |
    a {
      b: 1

    }
  other.txt: |-
    c
---
kind: PrometheusRule
spec:
  groups:
    - name: a
";

    #[test]
    fn files_in_a_manifest_are_moved_to_the_left_margin() {
        assert_eq!(files(STREAM, ".conf"), [("nats.conf", "a {\n  b: 1\n\n}\n".to_owned())]);
        assert_eq!(files(STREAM, ".txt"), [("other.txt", "c\n".to_owned())]);
        assert_eq!(files(STREAM, ".json"), []);
    }

    #[test]
    fn documents_are_told_by_their_kind() {
        assert_eq!(documents(STREAM).count(), 2);
        let rules: Vec<_> = of_kind(STREAM, "PrometheusRule").collect();
        assert_eq!(rules.len(), 1);
        assert_eq!(below(rules[0], "spec").as_deref(), Some("groups:\n  - name: a\n"));
        assert_eq!(below(rules[0], "data"), None);
        assert_eq!(of_kind(STREAM, "Secret").count(), 0);
    }
}
