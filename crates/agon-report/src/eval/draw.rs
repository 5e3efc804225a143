//! Figures of an eval as SVG: no script, every text escaped and cut. A letter, a side or a dash says what a colour says.
mod axis;
mod bands;
mod forest;
mod reliability;
mod scatter;

use crate::tree::escaped;
pub(super) use axis::Axis;
pub(super) use bands::{BandsFigure, FlipBar, FlipBars};
pub(super) use forest::{ForestFigure, ForestMark, ForestRow};
pub(super) use reliability::{ReliabilityBin, ReliabilityFigure};
pub(super) use scatter::{CurveDot, ScatterFigure, ScatterPoint};

/// Units across a figure: wide enough for two columns of numbers, and legible on a phone.
const WIDTH: f64 = 420.0;

/// An SVG element with its title and description around what is drawn.
fn framed(class: &str, title: &str, description: &str, (width, height): (f64, f64), body: &str) -> String {
    format!(
        "<svg class=\"chart {class}\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\"><title>{}</title><desc>{}</desc>{body}</svg>",
        escaped(title),
        escaped(description)
    )
}

/// The letter of an arm: A to Z, then numbers.
pub(super) fn letter(at: usize) -> String {
    u8::try_from(at)
        .ok()
        .filter(|at| *at < 26)
        .map_or_else(|| (at + 1).to_string(), |at| char::from(b'A' + at).to_string())
}
