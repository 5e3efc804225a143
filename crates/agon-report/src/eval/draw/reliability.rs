//! A reliability diagram: how often right, over how sure.
use super::{Axis, framed};
use std::fmt::Write;

const SIZE: f64 = 190.0;
const LEFT: f64 = 38.0;
const TOP: f64 = 8.0;
const BOTTOM: f64 = 36.0;
const RIGHT: f64 = 22.0;

/// Answers that were about as sure; everything in percent.
pub(in crate::eval) struct ReliabilityBin {
    pub(in crate::eval) sure: f64,
    pub(in crate::eval) right: f64,
    /// Absent where there is too little to say.
    pub(in crate::eval) interval: Option<(f64, f64)>,
    pub(in crate::eval) answers: u64,
}

/// The whole figure.
pub(in crate::eval) struct ReliabilityFigure {
    pub(in crate::eval) title: String,
    pub(in crate::eval) description: String,
    pub(in crate::eval) bins: Vec<ReliabilityBin>,
}

impl ReliabilityFigure {
    /// The drawing; none without answers.
    pub(in crate::eval) fn svg(&self) -> Option<String> {
        let most = self.bins.iter().map(|bin| bin.answers).max()?.max(1) as f64;
        let x = Axis::percent((0.0, 100.0), (LEFT, LEFT + SIZE));
        let y = Axis::percent((0.0, 100.0), (TOP + SIZE, TOP));
        let mut out = String::new();
        for value in [0.0, 50.0, 100.0] {
            let (at, up) = (x.place(value), y.place(value));
            // Writing to a string cannot fail.
            let _ = write!(
                out,
                "<path class=\"rule\" d=\"M{LEFT} {up:.1}h{SIZE}M{at:.1} {:.1}v4\"/><text class=\"tick end\" x=\"{:.1}\" y=\"{:.1}\">{value:.0} %</text><text class=\"tick mid\" x=\"{at:.1}\" y=\"{:.1}\">{value:.0} %</text>",
                TOP + SIZE,
                LEFT - 5.0,
                up + 4.0,
                TOP + SIZE + 16.0
            );
        }
        let _ = write!(
            out,
            "<path class=\"goal\" d=\"M{LEFT} {:.1}L{:.1} {TOP}\"/><text class=\"tick mid\" x=\"{:.1}\" y=\"{:.1}\">confidence →</text>",
            TOP + SIZE,
            LEFT + SIZE,
            LEFT + SIZE / 2.0,
            TOP + SIZE + 31.0
        );
        out.push_str("<g class=\"s0\">");
        let line: Vec<String> =
            self.bins.iter().map(|bin| format!("{:.1} {:.1}", x.place(bin.sure), y.place(bin.right))).collect();
        let _ = write!(out, "<path class=\"thin\" d=\"M{}\"/>", line.join("L"));
        for bin in &self.bins {
            let (cx, cy) = (x.place(bin.sure), y.place(bin.right));
            let radius = 2.5 + 3.5 * (bin.answers as f64 / most).sqrt();
            if let Some((low, high)) = bin.interval {
                let _ =
                    write!(out, "<path class=\"bar-line\" d=\"M{cx:.1} {:.1}V{:.1}\"/>", y.place(low), y.place(high));
            }
            let _ = write!(out, "<circle class=\"dot\" cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"{radius:.1}\"/>");
        }
        out.push_str("</g>");
        let size = (LEFT + SIZE + RIGHT, TOP + SIZE + BOTTOM);
        Some(framed("reliability", &self.title, &self.description, size, &out))
    }
}
