//! What changed sides: bars both ways, and bands from first to last.
use super::{WIDTH, framed};
use crate::text::excerpt;
use crate::tree::escaped;
use std::fmt::Write;

const ROW: f64 = 40.0;
const MIDDLE: f64 = WIDTH / 2.0;
/// The longest bar; beside it stands its number.
const LONGEST: f64 = MIDDLE - 34.0;

/// One row of bars both ways, as counts.
pub(in crate::eval) struct FlipBar {
    pub(in crate::eval) name: String,
    pub(in crate::eval) harmed: u64,
    pub(in crate::eval) mended: u64,
}

/// What went from right to wrong to the left, what went from wrong to right to the right.
pub(in crate::eval) struct FlipBars {
    pub(in crate::eval) title: String,
    pub(in crate::eval) description: String,
    pub(in crate::eval) rows: Vec<FlipBar>,
}
impl FlipBars {
    /// The drawing; none without rows.
    pub(in crate::eval) fn svg(&self) -> Option<String> {
        let most = self.rows.iter().map(|row| row.harmed.max(row.mended)).max()?.max(1) as f64;
        let bottom = 20.0 + self.rows.len() as f64 * ROW;
        let mut out = format!(
            "<text class=\"tick end\" x=\"{:.1}\" y=\"11\">← right to wrong</text><text class=\"tick\" x=\"{:.1}\" y=\"11\">wrong to right →</text><path class=\"zero\" d=\"M{MIDDLE} 16V{bottom:.1}\"/>",
            MIDDLE - 8.0,
            MIDDLE + 8.0
        );
        for (at, row) in self.rows.iter().enumerate() {
            let y = 20.0 + at as f64 * ROW;
            let (left, right) = (LONGEST * row.harmed as f64 / most, LONGEST * row.mended as f64 / most);
            // Writing to a string cannot fail.
            let _ = write!(
                out,
                "<text class=\"name\" x=\"2\" y=\"{:.1}\">{}</text><rect class=\"harmed\" x=\"{:.1}\" y=\"{:.1}\" width=\"{left:.1}\" height=\"13\"/><rect class=\"mended\" x=\"{MIDDLE}\" y=\"{:.1}\" width=\"{right:.1}\" height=\"13\"/><text class=\"value end\" x=\"{:.1}\" y=\"{:.1}\">{}</text><text class=\"value\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                y + 14.0,
                escaped(&excerpt(&row.name, 58)),
                MIDDLE - left,
                y + 20.0,
                y + 20.0,
                MIDDLE - left - 5.0,
                y + 31.0,
                row.harmed,
                MIDDLE + right + 5.0,
                y + 31.0,
                row.mended
            );
        }
        Some(framed("flips", &self.title, &self.description, (WIDTH, bottom + 4.0), &out))
    }
}

/// How much went from each state at first to each at last. Right and wrong, and wrong in another way.
pub(in crate::eval) struct BandsFigure {
    pub(in crate::eval) title: String,
    pub(in crate::eval) description: String,
    /// Right at first and at last.
    pub(in crate::eval) kept_right: f64,
    pub(in crate::eval) harmed: f64,
    pub(in crate::eval) mended: f64,
    /// Wrong at first and at last in the same way.
    pub(in crate::eval) kept_wrong: f64,
    /// Wrong at first, and wrong in another way at last.
    pub(in crate::eval) other_wrong: f64,
}

const BAND_LEFT: f64 = 96.0;
const BAND_RIGHT: f64 = WIDTH - 96.0;
const BAND_TOP: f64 = 22.0;
const BAND_HEIGHT: f64 = 150.0;
const GAP: f64 = 14.0;

impl BandsFigure {
    /// The drawing; none where nothing was counted.
    pub(in crate::eval) fn svg(&self) -> Option<String> {
        let whole = self.kept_right + self.harmed + self.mended + self.kept_wrong + self.other_wrong;
        if !(whole.is_finite() && whole > 0.0) {
            return None;
        }
        let high = |n: f64| BAND_HEIGHT * n / whole;
        let (right_first, right_last) = (self.kept_right + self.harmed, self.kept_right + self.mended);
        let (wrong_first, wrong_last) = (whole - right_first, whole - right_last);
        let (first_wrong_top, last_wrong_top) = (BAND_TOP + high(right_first) + GAP, BAND_TOP + high(right_last) + GAP);
        let mut out = String::new();
        let nodes = [
            (BAND_LEFT - 10.0, BAND_TOP, right_first, "good"),
            (BAND_LEFT - 10.0, first_wrong_top, wrong_first, "bad"),
            (BAND_RIGHT, BAND_TOP, right_last, "good"),
            (BAND_RIGHT, last_wrong_top, wrong_last, "bad"),
        ];
        let bands = [
            ("kept", "right first and last", BAND_TOP, BAND_TOP, self.kept_right),
            ("harmed", "right to wrong", BAND_TOP + high(self.kept_right), last_wrong_top, self.harmed),
            ("mended", "wrong to right", first_wrong_top, BAND_TOP + high(self.kept_right), self.mended),
            (
                "kept",
                "wrong first and last",
                first_wrong_top + high(self.mended),
                last_wrong_top + high(self.harmed),
                self.kept_wrong,
            ),
            (
                "other",
                "wrong to other wrong",
                first_wrong_top + high(self.mended + self.kept_wrong),
                last_wrong_top + high(self.harmed + self.kept_wrong),
                self.other_wrong,
            ),
        ];
        for (class, name, from, to, n) in bands.into_iter().filter(|(.., n)| *n > 0.0) {
            let _ = write!(
                out,
                "<path class=\"flow {class}\" d=\"{}\"><title>{name}: {n:.0}</title></path>",
                band(from, to, high(n))
            );
        }
        for (x, y, n, class) in nodes {
            let _ = write!(
                out,
                "<rect class=\"node {class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"10\" height=\"{:.1}\"/>",
                high(n)
            );
        }
        let label = |out: &mut String, x: f64, y: f64, n: f64, name: &str, anchor: &str| {
            let middle = y + high(n) / 2.0;
            let _ = write!(
                out,
                "<text class=\"name {anchor}\" x=\"{x:.1}\" y=\"{:.1}\">{name}</text><text class=\"value {anchor}\" x=\"{x:.1}\" y=\"{:.1}\">{n:.0} ({:.1} %)</text>",
                middle - 1.0,
                middle + 13.0,
                100.0 * n / whole
            );
        };
        let apart = |top: f64, n: f64, above: f64| top.max(above + 30.0 - high(n) / 2.0);
        let (first_right, last_right) = (BAND_TOP + high(right_first) / 2.0, BAND_TOP + high(right_last) / 2.0);
        label(&mut out, BAND_LEFT - 16.0, BAND_TOP, right_first, "right", "end");
        label(
            &mut out,
            BAND_LEFT - 16.0,
            apart(first_wrong_top, wrong_first, first_right),
            wrong_first,
            "wrong",
            "end",
        );
        label(&mut out, BAND_RIGHT + 16.0, BAND_TOP, right_last, "right", "start");
        label(&mut out, BAND_RIGHT + 16.0, apart(last_wrong_top, wrong_last, last_right), wrong_last, "wrong", "start");
        let _ = write!(
            out,
            "<text class=\"tick end\" x=\"{:.1}\" y=\"11\">first</text><text class=\"tick\" x=\"{BAND_RIGHT:.1}\" y=\"11\">last</text>",
            BAND_LEFT
        );
        let height = BAND_TOP + BAND_HEIGHT + GAP + 22.0;
        Some(framed("bands", &self.title, &self.description, (WIDTH, height), &out))
    }
}

/// A band from the left to the right that is as high at both ends.
fn band(from: f64, to: f64, high: f64) -> String {
    let middle = (BAND_LEFT + BAND_RIGHT) / 2.0;
    format!(
        "M{BAND_LEFT:.1} {from:.1}C{middle:.1} {from:.1} {middle:.1} {to:.1} {BAND_RIGHT:.1} {to:.1}v{high:.1}C{middle:.1} {0:.1} {middle:.1} {1:.1} {BAND_LEFT:.1} {1:.1}Z",
        to + high,
        from + high
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_need_something_that_was_counted() {
        let mut figure = BandsFigure {
            title: String::new(),
            description: String::new(),
            kept_right: 0.0,
            harmed: 0.0,
            mended: 0.0,
            kept_wrong: 0.0,
            other_wrong: 0.0,
        };
        assert!(figure.svg().is_none());
        (figure.kept_right, figure.harmed) = (3.0, 1.0);
        let svg = figure.svg().unwrap();
        assert!(svg.contains("right to wrong: 1") && !svg.contains("wrong to right"), "{svg}");
        assert!(svg.contains("3 (75.0 %)") && svg.contains("4 (100.0 %)") && !svg.contains("NaN"), "{svg}");
    }

    #[test]
    fn bars_of_no_flips_are_of_no_length() {
        let rows = vec![FlipBar { name: "a".to_owned(), harmed: 0, mended: 0 }];
        let svg = FlipBars { title: String::new(), description: String::new(), rows }.svg().unwrap();
        assert_eq!(svg.matches("width=\"0.0\"").count(), 2);
    }
}
