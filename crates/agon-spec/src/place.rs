//! Where something stands in a file.
use serde::Serialize;

/// A line and a column, both from 1; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Place {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
}
impl Default for Place {
    fn default() -> Self {
        Self { line: 1, column: 1 }
    }
}

/// From a place up to, and without, another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Where it begins.
    pub start: Place,
    /// The first place behind it.
    pub end: Place,
}
impl Span {
    /// A place without extent.
    pub fn at(place: Place) -> Self {
        Self { start: place, end: place }
    }
}
