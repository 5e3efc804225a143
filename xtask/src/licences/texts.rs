//! Licence texts of crates: found in their sources, numbered, each printed once.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// How the name of a file begins that holds a licence or a notice.
const NAMES: [&str; 6] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "UNLICENSE"];

/// Endings of files that are called so and hold something else.
const OTHERS: [&str; 9] = ["c", "h", "html", "json", "py", "rs", "toml", "yaml", "yml"];

/// Folders whose content is not built in.
const UNUSED: [&str; 4] = ["benches", "examples", "target", "tests"];

/// Texts in the order in which they were met.
#[derive(Debug, Default)]
pub struct LicenceTexts {
    all: Vec<LicenceText>,
}

#[derive(Debug)]
struct LicenceText {
    /// The text without what may differ in layout.
    words: String,
    text: String,
    /// Of which crates, and from which file.
    of: BTreeSet<String>,
}

impl LicenceTexts {
    /// The number of `text`, which belongs to `owner` (too).
    pub fn number(&mut self, text: &str, owner: &str) -> usize {
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let at = self.all.iter().position(|known| known.words == words).unwrap_or_else(|| {
            let text = text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
            self.all.push(LicenceText { words, text: text.trim_matches('\n').to_owned(), of: BTreeSet::new() });
            self.all.len() - 1
        });
        self.all.iter_mut().skip(at).take(1).for_each(|known| _ = known.of.insert(owner.to_owned()));
        at + 1
    }

    /// One section for each text.
    pub fn render(&self) -> String {
        let section = |(at, text): (usize, &LicenceText)| {
            let of = text.of.iter().map(|owner| format!("- {owner}\n")).collect::<String>();
            format!("\n## Text {}\n\n{of}\n~~~~text\n{}\n~~~~\n", at + 1, text.text)
        };
        self.all.iter().enumerate().map(section).collect()
    }
}

/// The licence files below `folder`, relative to it, sorted.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(at) = open.pop() {
        for entry in fs::read_dir(&at).with_context(|| format!("cannot list {}", at.display()))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = entry.path();
            if entry.file_type()?.is_dir() {
                open.extend((!name.starts_with('.') && !UNUSED.contains(&name.as_str())).then_some(path));
            } else if let Ok(path) = path.strip_prefix(folder).map(Path::to_path_buf) {
                found.extend(is_licence(&path).then_some(path));
            }
        }
    }
    found.sort();
    Ok(found)
}

fn is_licence(path: &Path) -> bool {
    let other = path.extension().is_some_and(|ending| OTHERS.iter().any(|other| ending.eq_ignore_ascii_case(other)));
    !other && path.iter().any(|part| begins(&part.to_string_lossy(), &NAMES))
}

/// Whether `path` is a notice, which has to be passed on whatever licence is chosen.
pub fn is_notice(path: &Path) -> bool {
    path.file_name().is_some_and(|name| begins(&name.to_string_lossy(), &["NOTICE"]))
}

/// Whether `path` lies in a folder of its own: the licence of something that the crate contains.
pub fn is_nested(path: &Path) -> bool {
    path.parent().is_some_and(|folder| !folder.as_os_str().is_empty())
}

fn begins(name: &str, beginnings: &[&str]) -> bool {
    let name = name.to_uppercase();
    beginnings.iter().any(|beginning| name.starts_with(beginning))
}

/// The MIT licence, for crates that name it in their manifest and bring no text.
pub fn mit(authors: &[String]) -> String {
    let holders = if authors.is_empty() { "its authors".to_owned() } else { authors.join(", ") };
    format!("MIT License\n\nCopyright (c) {holders}\n\n{MIT}")
}

const MIT: &str = r#"Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_differ_in_layout_alone_are_printed_once() {
        let mut texts = LicenceTexts::default();

        let numbers = ["same\n  words", "same words\r\n", "other"].map(|text| texts.number(text, text));

        assert_eq!(numbers, [1, 1, 2]);
        assert_eq!(texts.render().matches("~~~~text").count(), 2);
    }

    #[test]
    fn licences_are_known_by_name_and_place() {
        let is = |path: &str| is_licence(Path::new(path));

        assert!(is("LICENSE") && is("license-mit.md") && is("LICENSES/MIT.txt") && is("c_src/x/COPYING"));
        assert!(!is("src/license.rs") && !is("README.md") && !is("LICENSES/check.py"));
        assert!(is_notice(Path::new("NOTICE.txt")) && !is_notice(Path::new("LICENSE")));
        assert!(is_nested(Path::new("c/LICENSE")) && !is_nested(Path::new("LICENSE")));
    }
}
