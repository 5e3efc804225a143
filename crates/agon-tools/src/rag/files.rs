//! Which files there are, and their text.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::{self, File, Metadata};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::html;

/// Longer files are not read.
pub(super) const MAX_FILE_BYTES: u64 = 2 * 1024 * 1024;
const MAX_FILES: usize = 5_000;
const MAX_ENTRIES: usize = 100_000;

/// What says whether a file has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stamp {
    modified: Option<SystemTime>,
    size: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FoundFile {
    /// How results name it: the configured path's last part and the way below it.
    pub(super) label: String,
    pub(super) stamp: Stamp,
}

/// Why files are not searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SkipCause {
    TooLarge,
    NotText,
    Unreadable,
    Outside,
    TooMany,
}

/// How many files are not searched, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Skipped(pub(super) BTreeMap<SkipCause, usize>);

impl Skipped {
    pub(super) fn add(&mut self, why: SkipCause) {
        *self.0.entry(why).or_default() += 1;
    }

    /// One sentence, if anything was skipped.
    pub(super) fn notes(&self) -> Vec<String> {
        let words = |(why, count): (&SkipCause, &usize)| match why {
            SkipCause::TooLarge => format!("{count} over {} MB", MAX_FILE_BYTES / 1024 / 1024),
            SkipCause::NotText => format!("{count} that are no text"),
            SkipCause::Unreadable => format!("{count} that cannot be read"),
            SkipCause::Outside => format!("{count} links that lead outside"),
            SkipCause::TooMany => format!("at least {count} beyond the limit of this tool"),
        };
        let parts = self.0.iter().map(words).collect::<Vec<_>>();
        if parts.is_empty() { Vec::new() } else { vec![format!("Files not searched: {}", parts.join(", "))] }
    }
}

/// All files below `roots`, by their true paths; hidden ones and links that leave the roots are left out.
pub(super) fn walk(roots: &[PathBuf], skipped: &mut Skipped) -> BTreeMap<PathBuf, FoundFile> {
    let mut walk = FolderWalk { roots: Vec::new(), seen: BTreeSet::new(), found: BTreeMap::new(), skipped };
    let mut open = VecDeque::new();
    for root in roots {
        match fs::canonicalize(root) {
            Ok(real) => {
                let name = real.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
                walk.roots.push(real.clone());
                open.push_back((real, name));
            }
            Err(_) => walk.skipped.add(SkipCause::Unreadable),
        }
    }
    let mut entries = 0;
    while let Some((path, label)) = open.pop_front() {
        entries += 1;
        if entries > MAX_ENTRIES || walk.found.len() == MAX_FILES {
            walk.skipped.add(SkipCause::TooMany);
            break;
        }
        walk.visit(&path, label, &mut open);
    }
    walk.found
}

struct FolderWalk<'a> {
    roots: Vec<PathBuf>,
    seen: BTreeSet<PathBuf>,
    found: BTreeMap<PathBuf, FoundFile>,
    skipped: &'a mut Skipped,
}

impl FolderWalk<'_> {
    fn visit(&mut self, path: &Path, label: String, open: &mut VecDeque<(PathBuf, String)>) {
        let looked = fs::canonicalize(path).and_then(|real| fs::metadata(&real).map(|metadata| (real, metadata)));
        let Ok((real, metadata)) = looked else { return self.skipped.add(SkipCause::Unreadable) };
        if !self.roots.iter().any(|root| real.starts_with(root)) {
            return self.skipped.add(SkipCause::Outside);
        }
        if !self.seen.insert(real.clone()) {
            return;
        }
        if metadata.is_dir() {
            self.list(&real, &label, open);
        } else if metadata.is_file() {
            self.take(real, label, &metadata);
        }
    }

    fn list(&mut self, folder: &Path, label: &str, open: &mut VecDeque<(PathBuf, String)>) {
        let Ok(entries) = fs::read_dir(folder) else { return self.skipped.add(SkipCause::Unreadable) };
        let mut names = entries.filter_map(|entry| Some(entry.ok()?.file_name())).take(MAX_ENTRIES).collect::<Vec<_>>();
        names.sort();
        for name in names {
            let shown = name.to_string_lossy().into_owned();
            if !shown.starts_with('.') {
                open.push_back((folder.join(&name), format!("{label}/{shown}")));
            }
        }
    }

    fn take(&mut self, real: PathBuf, label: String, metadata: &Metadata) {
        if metadata.len() > MAX_FILE_BYTES {
            return self.skipped.add(SkipCause::TooLarge);
        }
        let stamp = Stamp { modified: metadata.modified().ok(), size: metadata.len() };
        self.found.insert(real, FoundFile { label, stamp });
    }
}

/// The text of a file, HTML without its tags.
pub(super) fn read(path: &Path) -> Result<String, SkipCause> {
    let file = File::open(path).map_err(|_| SkipCause::Unreadable)?;
    let mut bytes = Vec::new();
    // One byte more than allowed: the file may have grown since it was found.
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(|_| SkipCause::Unreadable)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(SkipCause::TooLarge);
    }
    let text = String::from_utf8(bytes).map_err(|_| SkipCause::NotText)?;
    if text.contains('\0') {
        return Err(SkipCause::NotText);
    }
    let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    let page = matches!(extension.as_deref(), Some("html" | "htm" | "xhtml"));
    Ok(if page { html::text(&text) } else { text })
}
