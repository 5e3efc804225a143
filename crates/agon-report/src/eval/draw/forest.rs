//! A forest: an interval for each row around one line.
use super::{Axis, WIDTH, framed};
use crate::text::excerpt;
use crate::tree::escaped;
use std::fmt::Write;

const ROW: f64 = 38.0;
const TOP: f64 = 20.0;
const SIDE: f64 = 10.0;
/// Where the interval of a row begins, below its name.
const BAND: f64 = 17.0;

/// What a row's interval says, as a colour and a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::eval) enum ForestMark {
    /// Better: a filled disc.
    Good,
    /// Worse: a filled square.
    Bad,
    /// Not better by enough: an empty disc.
    Mixed,
    /// Unknown, or not judged: a small diamond.
    Open,
}

/// One row.
pub(in crate::eval) struct ForestRow {
    pub(in crate::eval) name: String,
    /// The estimate; absent where there is none.
    pub(in crate::eval) value: Option<f64>,
    pub(in crate::eval) interval: Option<(f64, f64)>,
    pub(in crate::eval) mark: ForestMark,
    /// The figures as they are written.
    pub(in crate::eval) written: String,
}

/// The whole figure.
pub(in crate::eval) struct ForestFigure {
    pub(in crate::eval) title: String,
    pub(in crate::eval) description: String,
    /// What the scale counts.
    pub(in crate::eval) unit: &'static str,
    /// Lines across all rows, each with its name: the first is drawn whole, the others dashed.
    pub(in crate::eval) lines: Vec<(f64, String)>,
    /// The scale is of percentages.
    pub(in crate::eval) percent: bool,
    pub(in crate::eval) rows: Vec<ForestRow>,
}

impl ForestFigure {
    /// The drawing; none where no row has a figure.
    pub(in crate::eval) fn svg(&self) -> Option<String> {
        let figures = || {
            let rows = self.rows.iter().flat_map(|row| {
                row.interval.map_or_else(Vec::new, |(low, high)| vec![low, high]).into_iter().chain(row.value)
            });
            rows.filter(|value| value.is_finite())
        };
        figures().next()?;
        let all = || figures().chain(self.lines.iter().map(|(at, _)| *at));
        let bounds = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
        let places = (SIDE + 4.0, WIDTH - SIDE - 4.0);
        let axis = if self.percent { Axis::percent(bounds, places) } else { Axis::rounded(bounds, places) };
        let bottom = TOP + self.rows.len() as f64 * ROW;
        let mut out = String::new();
        self.scale(&mut out, axis, bottom);
        for (at, row) in self.rows.iter().enumerate() {
            draw(&mut out, axis, row, TOP + at as f64 * ROW);
        }
        Some(framed("forest", &self.title, &self.description, (WIDTH, bottom + 38.0), &out))
    }

    fn scale(&self, out: &mut String, axis: Axis, bottom: f64) {
        let mut free = f64::NEG_INFINITY;
        let mut lines: Vec<(usize, &(f64, String))> = self.lines.iter().enumerate().collect();
        lines.sort_by(|(_, (one, _)), (_, (other, _))| one.total_cmp(other));
        for (at, (value, name)) in lines {
            let x = axis.place(*value);
            let class = if at == 0 { "zero" } else { "goal" };
            // Names that would lie on each other: the later begins where the earlier ends.
            let width = name.chars().count() as f64 * 6.2;
            let start = (x - width / 2.0).clamp(2.0, (WIDTH - width - 2.0).max(2.0)).max(free);
            free = start + width + 8.0;
            // The line leaves out the names of the rows.
            let path: String = (0..self.rows.len())
                .map(|at| TOP + at as f64 * ROW)
                .map(|top| format!("M{x:.1} {:.1}V{:.1}", top + BAND, top + ROW + 1.0))
                .collect();
            let _ = write!(
                out,
                "<path class=\"{class}\" d=\"M{x:.1} {:.1}V{TOP:.1}{path}\"/><text class=\"tick\" x=\"{start:.1}\" y=\"11\">{}</text>",
                TOP - 4.0,
                escaped(name)
            );
        }
        for (value, text) in axis.marks() {
            let x = axis.place(value);
            let _ = write!(
                out,
                "<path class=\"rule\" d=\"M{x:.1} {bottom:.1}v4\"/><text class=\"tick mid\" x=\"{x:.1}\" y=\"{:.1}\">{text}</text>",
                bottom + 16.0
            );
        }
        let _ = write!(
            out,
            "<text class=\"tick end\" x=\"{:.1}\" y=\"{:.1}\">{} →</text>",
            WIDTH - SIDE,
            bottom + 32.0,
            self.unit
        );
    }
}

/// Letters of a row's name that have room beside its figures.
fn room(written: &str) -> usize {
    62_usize.saturating_sub(written.chars().count()).max(12)
}

fn draw(out: &mut String, axis: Axis, row: &ForestRow, top: f64) {
    let y = top + 25.0;
    let class = match row.mark {
        ForestMark::Good => "good",
        ForestMark::Bad => "bad",
        ForestMark::Mixed => "mixed",
        ForestMark::Open => "open",
    };
    let _ = write!(
        out,
        "<g class=\"{class}\"><text class=\"name\" x=\"2\" y=\"{:.1}\">{}</text><text class=\"value end\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
        top + 13.0,
        escaped(&excerpt(&row.name, room(&row.written))),
        WIDTH - 2.0,
        top + 13.0,
        escaped(&row.written)
    );
    if let Some((low, high)) = row.interval {
        let (start, end) = (axis.place(low), axis.place(high));
        let _ = write!(
            out,
            "<path class=\"bar-line\" d=\"M{start:.1} {y:.1}H{end:.1}M{start:.1} {:.1}v8M{end:.1} {:.1}v8\"/>",
            y - 4.0,
            y - 4.0
        );
    }
    if let Some(value) = row.value {
        let x = axis.place(value);
        let _ = match row.mark {
            ForestMark::Good => write!(out, "<circle class=\"dot\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\"/>"),
            ForestMark::Mixed => write!(out, "<circle class=\"ring\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.6\"/>"),
            ForestMark::Bad => {
                write!(out, "<rect class=\"dot\" x=\"{:.1}\" y=\"{:.1}\" width=\"9\" height=\"9\"/>", x - 4.5, y - 4.5)
            }
            ForestMark::Open => {
                write!(out, "<path class=\"diamond\" d=\"M{x:.1} {:.1}l5 5l-5 5l-5 -5Z\"/>", y - 5.0)
            }
        };
    }
    out.push_str("</g>");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, value: Option<f64>, interval: Option<(f64, f64)>) -> ForestRow {
        ForestRow { name: name.to_owned(), value, interval, mark: ForestMark::Open, written: String::new() }
    }
    fn figure(rows: Vec<ForestRow>) -> ForestFigure {
        ForestFigure {
            title: "t".to_owned(),
            description: "d".to_owned(),
            unit: "points",
            lines: vec![(0.0, "no difference".to_owned()), (3.0, "worth it".to_owned())],
            percent: false,
            rows,
        }
    }

    #[test]
    fn a_row_without_figures_keeps_its_name_and_has_no_mark() {
        let svg = figure(vec![row("known", Some(2.0), Some((-1.0, 5.0))), row("unknown", None, None)]).svg().unwrap();
        assert!(svg.contains(">unknown<"));
        assert_eq!(svg.matches("class=\"diamond\"").count(), 1);
    }

    #[test]
    fn without_any_figure_there_is_no_drawing() {
        assert!(figure(vec![row("unknown", None, None)]).svg().is_none());
        assert!(figure(Vec::new()).svg().is_none());
    }

    #[test]
    fn names_of_lines_do_not_cover_each_other() {
        let svg = figure(vec![row("a", Some(0.5), Some((-40.0, 40.0)))]).svg().unwrap();
        let start = |name: &str| {
            let (before, _) = svg.split_once(&format!("\" y=\"11\">{name}")).unwrap();
            before.rsplit_once("x=\"").unwrap().1.parse::<f64>().unwrap()
        };
        assert!(start("worth it") - start("no difference") > 13.0 * 6.0);
    }
}
