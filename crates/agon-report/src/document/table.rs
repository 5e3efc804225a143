//! A table that every renderer can draw.

/// Rows under a head.
pub(crate) struct ReportTable {
    /// What it is, for those who do not see it.
    pub(crate) label: &'static str,
    pub(crate) head: Vec<&'static str>,
    pub(crate) rows: Vec<Vec<TableCell>>,
    /// What stands under the rows.
    pub(crate) note: Option<String>,
    /// The result as JSON has all rows, so that a renderer may show the first ones alone.
    pub(crate) open_ended: bool,
    /// What it is called where a page folds it, because a drawing shows the most of it.
    pub(crate) folded: Option<&'static str>,
}

/// A cell on one line.
#[derive(Clone, Debug)]
pub(crate) struct TableCell {
    pub(crate) text: String,
    /// Somebody else's words, or anything else that may run in either direction.
    pub(crate) foreign: bool,
    /// The number of the speech that it names.
    pub(crate) speech: Option<u32>,
}

impl TableCell {
    /// Words of Agon.
    pub(crate) fn own(text: impl Into<String>) -> Self {
        Self { text: text.into(), foreign: false, speech: None }
    }
    /// Words of somebody else.
    pub(crate) fn foreign(text: impl Into<String>) -> Self {
        Self { text: text.into(), foreign: true, speech: None }
    }
}

impl ReportTable {
    pub(crate) fn of(label: &'static str, head: &[&'static str], rows: Vec<Vec<TableCell>>) -> Self {
        Self { label, head: head.to_vec(), rows, note: None, open_ended: false, folded: None }
    }
    /// The rows that are shown where an open-ended table has at most `most`.
    pub(crate) fn shown(&self, most: usize) -> &[Vec<TableCell>] {
        let all = self.rows.as_slice();
        if self.open_ended { all.get(..most).unwrap_or(all) } else { all }
    }
    /// What stands under the rows that are shown.
    pub(crate) fn noted(&self, most: usize) -> Option<String> {
        match self.rows.len().saturating_sub(self.shown(most).len()) as u64 {
            0 => self.note.clone(),
            more => {
                let more = format!("{} in the result as JSON.", crate::words::count(more, "more row"));
                Some(self.note.as_ref().map_or(more.clone(), |note| format!("{more} {note}")))
            }
        }
    }
}
