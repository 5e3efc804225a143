//! Where a setting stands that is named by a path such as `hosts[0].url`.
use config::{Map, Value, ValueKind};

/// A key, and which of its list is meant.
pub type PathStep<'a> = (&'a str, Option<usize>);

/// The steps of a path.
pub fn steps(path: &str) -> Vec<PathStep<'_>> {
    path.split('.').map(step).collect()
}

/// Whether a source sets the value. A list may be written as one text, so that the last index need not be there.
pub fn is_set(values: &Map<String, Value>, steps: &[PathStep<'_>]) -> bool {
    let Some(((key, at), rest)) = steps.split_first() else { return false };
    let Some(value) = values.get(*key) else { return false };
    if rest.is_empty() {
        return true;
    }
    let inner = match (&value.kind, at) {
        (ValueKind::Array(values), Some(at)) => values.get(*at),
        _ => Some(value),
    };
    inner.is_some_and(|inner| matches!(&inner.kind, ValueKind::Table(table) if is_set(table, rest)))
}

/// `hosts[0]` as the key and the index.
fn step(text: &str) -> PathStep<'_> {
    match text.strip_suffix(']').and_then(|text| text.rsplit_once('[')) {
        Some((key, at)) => (key, at.parse().ok()),
        None => (text, None),
    }
}

/// The line of a TOML text that sets a key in a table of its own, as settings are usually written.
pub fn line_of(text: &str, steps: &[PathStep<'_>]) -> Option<usize> {
    let ((key, _), tables) = steps.split_last()?;
    let wanted: Vec<&str> = tables.iter().map(|(key, _)| *key).collect();
    let (wanted, nth) = (wanted.join("."), tables.iter().find_map(|(_, at)| *at));
    let (mut table, mut seen) = ("", 0);
    for (at, line) in text.lines().enumerate() {
        let line = line.trim();
        if let Some(rest) = line.strip_prefix('[') {
            table = rest.trim_start_matches('[').split(']').next().unwrap_or_default().trim();
            seen += usize::from(table == wanted);
        } else if table == wanted
            && nth.is_none_or(|nth| seen == nth + 1)
            && line.split_once('=').is_some_and(|(name, _)| name.trim() == *key)
        {
            return Some(at + 1);
        }
    }
    None
}
