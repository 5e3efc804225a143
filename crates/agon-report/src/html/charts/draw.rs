//! Drawing charts as SVG: no script, every text escaped and cut, colours by class, letters and numbers besides.
use crate::text::excerpt;
use crate::tree::escaped;
use std::fmt::Write;

const WIDTH: f64 = 380.0;

/// The letter of an answer.
pub(super) fn letter(at: usize) -> String {
    u8::try_from(at)
        .ok()
        .filter(|at| *at < 26)
        .map_or_else(|| (at + 1).to_string(), |at| char::from(b'A' + at).to_string())
}

/// An SVG element around what is drawn.
fn framed(title: &str, height: f64, body: &str) -> String {
    told(title, "The numbers stand in the table below it.", height, body)
}

/// An SVG element around what is drawn, with the same in words.
pub(super) fn told(title: &str, words: &str, height: f64, body: &str) -> String {
    let (title, words) = (escaped(title), escaped(words));
    format!(
        "<svg class=\"chart\" viewBox=\"0 0 {WIDTH:.0} {height:.0}\" role=\"img\"><title>{title}</title><desc>{words}</desc>{body}</svg>"
    )
}

/// Lines between 0 and 1 over rounds.
pub(super) struct LineChart {
    pub(super) title: &'static str,
    pub(super) rounds: Vec<u32>,
    pub(super) series: Vec<(&'static str, Vec<Option<f64>>)>,
}
impl LineChart {
    pub(super) fn svg(&self) -> String {
        const LEFT: f64 = 30.0;
        const RIGHT: f64 = 88.0;
        const TOP: f64 = 12.0;
        const HEIGHT: f64 = 140.0;
        let steps = self.rounds.len().saturating_sub(1).max(1) as f64;
        let x = |at: usize| LEFT + (WIDTH - LEFT - RIGHT) * at as f64 / steps;
        let y = |value: f64| TOP + HEIGHT * (1.0 - value.clamp(0.0, 1.0));
        let mut out = String::new();
        for value in [0.0, 0.5, 1.0] {
            // Writing to a string cannot fail.
            let _ = write!(
                out,
                "<path class=\"rule\" d=\"M{LEFT} {0:.1}H{1:.1}\"/><text class=\"tick\" x=\"2\" y=\"{2:.1}\">{value}</text>",
                y(value),
                WIDTH - RIGHT,
                y(value) + 4.0
            );
        }
        let every = self.rounds.len().div_ceil(10).max(1);
        for (at, round) in self.rounds.iter().enumerate().step_by(every) {
            let _ = write!(
                out,
                "<text class=\"tick mid\" x=\"{:.1}\" y=\"{:.1}\">{round}</text>",
                x(at),
                TOP + HEIGHT + 17.0
            );
        }
        let mut labels: Vec<f64> = Vec::new();
        for (name, values) in &self.series {
            let points: Vec<(f64, f64)> =
                values.iter().enumerate().filter_map(|(at, value)| Some((x(at), y((*value)?)))).collect();
            let Some((last_x, last_y)) = points.last().copied() else { continue };
            let line: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1} {y:.1}")).collect();
            let _ = write!(out, "<g class=\"{name}\"><path d=\"M{}\"/>", line.join("L"));
            for (x, y) in &points {
                let _ = write!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"/>");
            }
            // Names that would lie on each other stand one below the other.
            let mut at = last_y + 4.0;
            while labels.iter().any(|other| (other - at).abs() < 13.0) {
                at += 13.0;
            }
            labels.push(at);
            let _ = write!(out, "<text x=\"{:.1}\" y=\"{at:.1}\">{name}</text></g>", last_x + 8.0);
        }
        framed(self.title, TOP + HEIGHT + 26.0, &out)
    }
}

/// A place in a grid.
#[derive(Clone, Copy)]
pub(super) enum GridCell {
    Empty,
    /// The answer with this place.
    Of(usize),
}

/// Answers as letters in coloured circles.
pub(super) struct GridChart {
    pub(super) title: &'static str,
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<(String, Vec<GridCell>)>,
}
impl GridChart {
    pub(super) fn svg(&self) -> String {
        const LEFT: f64 = 104.0;
        const ROW: f64 = 30.0;
        let step = (WIDTH - LEFT) / self.columns.len().max(1) as f64;
        let x = |at: usize| LEFT + step * (at as f64 + 0.5);
        let radius = (step / 2.0 - 1.0).clamp(2.0, 11.0);
        let mut out = String::new();
        for (at, column) in self.columns.iter().enumerate() {
            let short = column.replace("Round ", if step < 48.0 { "" } else { "R" });
            let narrow = step < 30.0 && at % 2 == 1 && at + 1 < self.columns.len();
            if !narrow {
                let _ = write!(out, "<text class=\"tick mid\" x=\"{:.1}\" y=\"12\">{}</text>", x(at), escaped(&short));
            }
        }
        for (n, (name, cells)) in self.rows.iter().enumerate() {
            let y = 34.0 + n as f64 * ROW;
            let _ =
                write!(out, "<text class=\"name\" x=\"0\" y=\"{:.1}\">{}</text>", y + 4.0, escaped(&excerpt(name, 14)));
            for (at, cell) in cells.iter().enumerate() {
                match cell {
                    GridCell::Empty => {
                        let _ = write!(out, "<path class=\"rule\" d=\"M{:.1} {y:.1}h6\"/>", x(at) - 3.0);
                    }
                    GridCell::Of(answer) => {
                        let _ = write!(
                            out,
                            "<g class=\"s{}\"><circle class=\"held\" cx=\"{:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\"/><text class=\"in\" x=\"{:.1}\" y=\"{:.1}\">{}</text></g>",
                            answer % 16,
                            x(at),
                            x(at),
                            y + 4.0,
                            letter(*answer)
                        );
                    }
                }
            }
        }
        framed(self.title, 28.0 + self.rows.len() as f64 * ROW, &out)
    }
}

/// Bars, each below its name.
pub(super) struct BarChart {
    pub(super) title: &'static str,
    pub(super) most: f64,
    /// Name, length, the number as it is written, and whose colour.
    pub(super) rows: Vec<(String, f64, String, usize)>,
}
impl BarChart {
    pub(super) fn svg(&self) -> String {
        const ROW: f64 = 36.0;
        const RIGHT: f64 = 46.0;
        let mut out = String::new();
        for (n, (name, value, shown, colour)) in self.rows.iter().enumerate() {
            let y = n as f64 * ROW;
            let length = (WIDTH - RIGHT) * (value / self.most.max(1.0)).clamp(0.0, 1.0);
            let _ = write!(
                out,
                "<g class=\"s{}\"><text class=\"name\" x=\"0\" y=\"{:.1}\">{}</text><rect class=\"track\" x=\"0\" y=\"{:.1}\" width=\"{:.1}\" height=\"10\"/><rect class=\"bar\" x=\"0\" y=\"{:.1}\" width=\"{length:.1}\" height=\"10\"/><text class=\"value\" x=\"{:.1}\" y=\"{:.1}\">{}</text></g>",
                colour % 16,
                y + 13.0,
                escaped(&excerpt(name, 52)),
                y + 18.0,
                WIDTH - RIGHT,
                y + 18.0,
                WIDTH - RIGHT + 6.0,
                y + 27.0,
                escaped(shown)
            );
        }
        framed(self.title, self.rows.len() as f64 * ROW + 2.0, &out)
    }
}
