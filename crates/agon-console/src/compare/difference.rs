//! How two debate files differ, line by line.
use agon_report::plain;
use similar::{ChangeTag, TextDiff};
use std::time::Duration;

/// Unchanged lines around a change.
const AROUND: usize = 2;
/// Lines that are shown.
const MOST_LINES: usize = 600;
/// Characters of a line.
const MOST_CHARS: usize = 300;
/// How long files may be compared; after that the difference is coarser.
const LONGEST: Duration = Duration::from_millis(500);

/// Which file has a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DiffLine {
    First,
    Second,
    Both,
    /// Lines of both are left out here.
    Gap,
}

/// The difference of two files.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FileDifference {
    pub lines: Vec<(DiffLine, String)>,
    /// There is more than is shown.
    pub cut: bool,
}

/// Compares two files.
pub(super) fn difference(first: &str, second: &str) -> FileDifference {
    let diff = TextDiff::configure().timeout(LONGEST).diff_lines(first, second);
    let mut lines = Vec::new();
    let file: Vec<&str> = first.lines().collect();
    for (at, group) in diff.grouped_ops(AROUND).iter().enumerate() {
        if at > 0 {
            lines.push((DiffLine::Gap, String::new()));
        }
        let from = group.first().map_or(0, |op| op.old_range().start);
        for (at, line) in parents(&file, from) {
            lines.push((DiffLine::Both, shown(line)));
            if at + 1 < from {
                lines.push((DiffLine::Gap, String::new()));
            }
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let of = match change.tag() {
                ChangeTag::Delete => DiffLine::First,
                ChangeTag::Insert => DiffLine::Second,
                ChangeTag::Equal => DiffLine::Both,
            };
            lines.push((of, shown(change.value())));
        }
    }
    let cut = lines.len() > MOST_LINES;
    lines.truncate(MOST_LINES);
    FileDifference { lines, cut }
}

/// The lines that a line is inside of by its indent, with their numbers, the outermost first.
fn parents<'f>(file: &[&'f str], of: usize) -> Vec<(usize, &'f str)> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut least = file.iter().skip(of).find(|line| !line.trim().is_empty()).map_or(0, |line| indent(line));
    let mut parents = Vec::new();
    for (at, line) in file.iter().enumerate().take(of).rev() {
        if !line.trim().is_empty() && indent(line) < least {
            least = indent(line);
            parents.push((at, *line));
        }
    }
    parents.reverse();
    parents
}

fn shown(line: &str) -> String {
    let line = plain(line.trim_end_matches('\n')).to_string();
    match line.char_indices().nth(MOST_CHARS) {
        Some((at, _)) => format!("{} …", line.get(..at).unwrap_or_default()),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(first: &str, second: &str) -> Vec<String> {
        let sign = |of| match of {
            DiffLine::First => '-',
            DiffLine::Second => '+',
            DiffLine::Both => ' ',
            DiffLine::Gap => '~',
        };
        difference(first, second).lines.into_iter().map(|(of, line)| format!("{}{line}", sign(of))).collect()
    }

    #[test]
    fn changes_stand_among_the_lines_around_them() {
        let same = "a: 1\nb: 2\nc: 3\nd: 4\ne: 5\nf: 6\ng: 7\n";
        assert_eq!(told(same, same), [""; 0]);
        let other = same.replace("a: 1", "a: x").replace("g: 7\n", "");
        let expected = ["-a: 1", "+a: x", " b: 2", " c: 3", "~", " e: 5", " f: 6", "-g: 7"];
        assert_eq!(told(same, &other), expected);
    }

    #[test]
    fn a_change_below_a_key_is_shown_with_that_key() {
        let file = "judge:\n  orders: 2\n  panel: 1\n  names: true\n  model: m:1\n";
        let expected = ["judge:", "~", "  panel: 1", "  names: true", "-  model: m:1", "+  model: n:2"];
        let told = told(file, &file.replace("m:1", "n:2"));
        assert_eq!(told.iter().map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn hostile_lines_are_plain_and_long_ones_are_cut() {
        let hostile = format!("a: \u{202e}\u{1b}[31m{}\n", "x".repeat(1000));
        let lines = difference("", &hostile).lines;
        assert!(lines.iter().all(|(_, line)| line.chars().count() < 310 && !line.contains(['\u{202e}', '\u{1b}'])));
    }

    #[test]
    fn a_long_difference_is_cut() {
        let long: String = (0..5000).map(|n| format!("{n}\n")).collect();
        let difference = difference("", &long);
        assert!(difference.cut && difference.lines.len() == MOST_LINES);
    }
}
