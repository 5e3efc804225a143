//! Small sums.

/// A count as it stands in the result.
pub(super) fn counted(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// To thousandths, so that the last bits of a sum show nowhere, nor does the sign of a zero.
pub(super) fn thousandths(value: f64) -> f64 {
    (value * 1_000.0).round() / 1_000.0 + 0.0
}

/// The share of a whole, 0 to 1; unknown where there is no whole.
pub(super) fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| thousandths(part as f64 / whole as f64))
}
