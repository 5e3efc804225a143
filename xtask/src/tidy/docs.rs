//! Rules about the project's own Markdown: links inside the project resolve, and the index of decisions is whole.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use super::finding::Finding;

/// One link of a Markdown file.
#[derive(Debug, PartialEq, Eq)]
struct DocLink {
    line: usize,
    target: String,
}

/// Links of `text` (the Markdown file `path`, relative to the workspace) that lead nowhere.
///
/// `read` gives the text of a file of the project, `exists` says whether a path of the project exists.
pub fn broken_links(
    path: &str,
    text: &str,
    exists: &dyn Fn(&Path) -> bool,
    read: &dyn Fn(&Path) -> Option<String>,
) -> Vec<Finding> {
    let folder = Path::new(path).parent().unwrap_or(Path::new(""));
    links(text)
        .into_iter()
        .filter(|link| !is_external(&link.target))
        .filter_map(|link| {
            let (file, anchor) = link.target.split_once('#').unwrap_or((&link.target, ""));
            let place = format!("{path}:{}", link.line);
            let target = if file.is_empty() { Some(PathBuf::from(path)) } else { resolve(folder, file) };
            let Some(target) = target.filter(|target| exists(target)) else {
                return Some(Finding::fail(place, format!("the link to {} leads nowhere", link.target)));
            };
            let missing = !anchor.is_empty() && read(&target).is_some_and(|text| !anchors(&text).contains(anchor));
            missing.then(|| Finding::fail(place, format!("{} has no heading #{anchor}", target.display())))
        })
        .collect()
}

/// Decisions (`NNNN-title.md` among `files`) that the text of their index does not link to.
pub fn unlisted_decisions(files: &[String], index: &str) -> Vec<Finding> {
    let listed = links(index).into_iter().map(|link| link.target).collect::<BTreeSet<_>>();
    files
        .iter()
        .filter(|file| is_decision(file) && !listed.contains(*file))
        .map(|file| Finding::fail("docs/adr/README.md", format!("does not list {file}")))
        .collect()
}

fn is_decision(file: &str) -> bool {
    let digits = file.chars().take_while(char::is_ascii_digit).count();
    digits == 4 && file.ends_with(".md")
}

fn is_external(target: &str) -> bool {
    ["http://", "https://", "mailto:"].iter().any(|scheme| target.starts_with(scheme))
}

/// `folder` joined with `file`, without `..`; `None` if that leaves the project.
fn resolve(folder: &Path, file: &str) -> Option<PathBuf> {
    let mut path = PathBuf::new();
    for part in folder.join(file).components() {
        match part {
            Component::ParentDir => path.pop().then_some(())?,
            Component::CurDir => {}
            Component::Normal(name) => path.push(name),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(path)
}

/// Inline links `[text](target)` and definitions `[name]: target`, outside code.
fn links(text: &str) -> Vec<DocLink> {
    let mut found = Vec::new();
    for (line, text) in prose(text) {
        let text = without_code_spans(text);
        let definition = text.strip_prefix('[').and_then(|rest| rest.split_once("]: ")).map(|(_, target)| target);
        let inline = text.match_indices("](").filter_map(|(at, opening)| text.get(at + opening.len()..));
        let inline = inline.filter_map(|rest| rest.split_once(')')).map(|(target, _)| target);
        for target in inline.chain(definition) {
            let target = target.split_whitespace().next().unwrap_or_default().trim_matches(['<', '>']);
            found.push(DocLink { line, target: target.to_owned() });
        }
    }
    found
}

/// The pieces of code in `text`, with the numbers of their lines: lines of fenced code, and code spans.
pub fn code(text: &str) -> Vec<(usize, &str)> {
    let mut pieces = Vec::new();
    for (number, line, fenced) in lines(text) {
        if fenced {
            pieces.push((number, line));
        } else {
            pieces.extend(line.split('`').skip(1).step_by(2).map(|span| (number, span)));
        }
    }
    pieces
}

/// The lines outside fenced code, with their numbers.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    lines(text).filter(|(_, _, fenced)| !fenced).map(|(number, line, _)| (number, line))
}

/// The lines with their numbers, and whether they are fenced code; the fences themselves are left out.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str, bool)> {
    let mut fenced = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        (!fence).then_some((index + 1, line, fenced))
    })
}

fn without_code_spans(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join(" ")
}

/// The anchors of the headings, formed as GitHub does.
fn anchors(text: &str) -> BTreeSet<String> {
    let heading = |line: &str| {
        let title = line.trim_start_matches('#');
        (title.len() < line.len() && title.starts_with(' ')).then(|| slug(title.trim()))
    };
    prose(text).filter_map(|(_, line)| heading(line)).collect()
}

fn slug(title: &str) -> String {
    let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken(text: &str) -> Vec<String> {
        let exists = |path: &Path| ["docs/a.md", "README.md"].contains(&path.to_str().unwrap());
        let read = |path: &Path| (path == Path::new("docs/a.md")).then(|| format!("# One `Two`, three\n{text}"));
        broken_links("docs/a.md", text, &exists, &read).into_iter().map(|finding| finding.what).collect()
    }

    #[test]
    fn links_to_files_that_exist_pass() {
        assert!(
            broken("[a](a.md) [b](../README.md \"title\") [c](https://example.org/x) [d](mailto:a@b.c)").is_empty()
        );
        assert!(broken("[a]: ../README.md").is_empty());
    }

    #[test]
    fn links_that_lead_nowhere_are_reported_with_their_line() {
        let found = broken_links("docs/a.md", "x\n[a](b.md)\n", &|_| false, &|_| None);
        assert_eq!(found.first().map(|finding| finding.place.as_str()), Some("docs/a.md:2"));
        assert_eq!(broken("[a]: ../gone.md").len(), 1);
        assert_eq!(broken("[a](../../outside.md)").len(), 1);
        assert_eq!(broken("[a](/etc/hosts)").len(), 1);
    }

    #[test]
    fn links_in_code_are_text() {
        assert!(broken("`[a](b.md)`\n```\n[a](b.md)\n```\n").is_empty());
    }

    #[test]
    fn anchors_must_be_headings() {
        assert!(broken("[a](#one-two-three)").is_empty());
        assert_eq!(broken("[a](a.md#four)").len(), 1);
    }

    #[test]
    fn a_decision_must_stand_in_the_index() {
        let files = ["0001-a.md".to_owned(), "0002-b.md".to_owned(), "README.md".to_owned()];
        let found = unlisted_decisions(&files, "- [A](0001-a.md)\n");
        assert_eq!(found.len(), 1);
        assert!(found.iter().all(|finding| finding.what.contains("0002-b.md")));
    }
}
