//! A scale from figures to places on paper, with round numbers at its marks.
use crate::words::number;

/// A scale, even or by powers of ten.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::eval) struct Axis {
    low: f64,
    high: f64,
    start: f64,
    end: f64,
    powers: bool,
}

/// How far the largest figure must be from the smallest for a scale by powers of ten.
const FAR: f64 = 12.0;

impl Axis {
    /// From `low` at the place `start` to `high` at the place `end`, widened to round numbers.
    pub(in crate::eval) fn rounded((low, high): (f64, f64), (start, end): (f64, f64)) -> Self {
        let step = step(high - low);
        let (low, high) = ((low / step).floor() * step, (high / step).ceil() * step);
        Self { low, high: if high > low { high } else { low + step }, start, end, powers: false }
    }
    /// Percentages around these, never below 0 nor above 100.
    pub(in crate::eval) fn percent((low, high): (f64, f64), places: (f64, f64)) -> Self {
        let axis = Self::rounded(((low - 2.0).max(0.0), (high + 2.0).min(100.0)), places);
        Self { low: axis.low.clamp(0.0, 95.0), high: axis.high.clamp(5.0, 100.0), ..axis }
    }
    /// Amounts: from 0, or by powers of ten where they are far apart.
    pub(in crate::eval) fn amounts(values: &[f64], (start, end): (f64, f64)) -> Self {
        let most = values.iter().copied().fold(0.0_f64, f64::max);
        let least = values.iter().copied().filter(|value| *value > 0.0).fold(f64::INFINITY, f64::min);
        if least.is_finite() && most / least > FAR {
            return Self { low: least / 1.5, high: most * 1.5, start, end, powers: true };
        }
        Self::rounded((0.0, if most > 0.0 { most * 1.06 } else { 1.0 }), (start, end))
    }
    /// Where a figure lies; those outside lie at the edge.
    pub(in crate::eval) fn place(&self, value: f64) -> f64 {
        let share = match self.powers {
            true => (value.max(self.low) / self.low).ln() / (self.high / self.low).ln(),
            false => (value - self.low) / (self.high - self.low),
        };
        self.start + (self.end - self.start) * share.clamp(0.0, 1.0)
    }
    /// Round numbers on the scale, with how they are written.
    pub(in crate::eval) fn marks(&self) -> Vec<(f64, String)> {
        let values: Vec<f64> = match self.powers {
            true => powers(self.low, self.high),
            false => {
                let step = step(self.high - self.low);
                let first = (self.low / step).round();
                let count = ((self.high - self.low) / step).round().clamp(0.0, 50.0) as u32;
                (0..=count).map(|at| (first + f64::from(at)) * step).collect()
            }
        };
        values.into_iter().map(|value| (value, written(value))).collect()
    }
    /// Whether the scale goes by powers of ten.
    pub(in crate::eval) fn by_powers(&self) -> bool {
        self.powers
    }
}

/// The distance of some six round marks.
fn step(range: f64) -> f64 {
    if !(range.is_finite() && range > 0.0) {
        return 1.0;
    }
    let raw = range / 5.0;
    let power = 10_f64.powf(raw.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| power * factor >= raw * 0.999).unwrap_or(10.0);
    power * factor
}

/// 1, 2 and 5 of each power of ten; over a long range the powers alone.
fn powers(low: f64, high: f64) -> Vec<f64> {
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let factors: &[f64] = if last - first > 3 { &[1.0] } else { &[1.0, 2.0, 5.0] };
    let all = (first..=last).flat_map(|power| factors.iter().map(move |factor| factor * 10_f64.powi(power)));
    all.filter(|value| *value >= low && *value <= high).collect()
}

/// A mark's number: `0`, `2.5`, `1,200`, `40k`, `3M`.
fn written(value: f64) -> String {
    let size = value.abs();
    let sign = if value < -1e-9 { "-" } else { "" };
    if size >= 1e6 {
        return format!("{sign}{}M", trimmed(size / 1e6));
    }
    if size >= 1e4 {
        return format!("{sign}{}k", trimmed(size / 1e3));
    }
    if size >= 1e3 {
        return format!("{sign}{}", number(size.round() as u64));
    }
    format!("{sign}{}", trimmed(size))
}

fn trimmed(value: f64) -> String {
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text.is_empty() || text == "-0" { "0".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(axis: Axis) -> Vec<String> {
        axis.marks().into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn marks_are_round_numbers_that_enclose_the_figures() {
        assert_eq!(marks(Axis::rounded((-4.2, 13.1), (0.0, 100.0))), ["-5", "0", "5", "10", "15"]);
        assert_eq!(marks(Axis::percent((61.0, 74.0), (0.0, 100.0))), ["55", "60", "65", "70", "75", "80"]);
        assert_eq!(marks(Axis::percent((0.0, 0.0), (0.0, 100.0))).first().map(String::as_str), Some("0"));
        assert_eq!(marks(Axis::amounts(&[800.0, 5_100.0], (0.0, 1.0))), ["0", "2,000", "4,000", "6,000"]);
    }

    #[test]
    fn amounts_that_are_far_apart_lie_on_a_scale_of_powers() {
        let axis = Axis::amounts(&[120.0, 76_000.0], (0.0, 100.0));
        assert!(axis.by_powers());
        assert_eq!(marks(axis), ["100", "1,000", "10k", "100k"]);
        assert!(axis.place(120.0) < axis.place(1_000.0) && axis.place(1_000.0) < axis.place(76_000.0));
    }

    #[test]
    fn no_figure_lies_off_the_paper() {
        for axis in [
            Axis::percent((100.0, 100.0), (0.0, 50.0)),
            Axis::amounts(&[], (0.0, 50.0)),
            Axis::rounded((3.0, 3.0), (0.0, 50.0)),
        ] {
            for value in [-1e9, 0.0, 3.0, 100.0, 1e9] {
                assert!((0.0..=50.0).contains(&axis.place(value)), "{axis:?} {value}");
            }
            assert!(!axis.marks().is_empty() && axis.marks().len() < 12, "{:?}", axis.marks());
        }
    }
}
