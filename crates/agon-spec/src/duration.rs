//! Durations as people write them.

/// A day, in milliseconds.
pub(crate) const MAX_MILLIS: f64 = 86_400_000.0;
/// What the JSON Schema says of the texts that [`millis`] reads.
pub(crate) const PATTERN: &str = r"^\s*[0-9]+(\.[0-9]+)?\s*(ms|s|m|h)?\s*$";

/// The milliseconds of a text such as `90s`, `1.5m`, `250ms`, or `90` (seconds).
pub(crate) fn millis(text: &str) -> Option<f64> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let (whole, fraction) = digits.trim_end().split_once('.').unwrap_or((digits.trim_end(), "0"));
    let numeric = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if !numeric(whole) || !numeric(fraction) {
        return None;
    }
    let unit = match text.get(digits.len()..)? {
        "ms" => 1.0,
        "" | "s" => 1_000.0,
        "m" => 60_000.0,
        "h" => 3_600_000.0,
        _ => return None,
    };
    digits.trim_end().parse::<f64>().ok().map(|number| number * unit)
}

/// The shortest text that [`millis`] reads back as `millis`.
pub(crate) fn write(millis: u64) -> String {
    if millis.is_multiple_of(1_000) { format!("{}s", millis / 1_000) } else { format!("{millis}ms") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_number_and_a_unit() {
        assert_eq!(millis("90s"), Some(90_000.0));
        assert_eq!(millis(" 1.5 m "), Some(90_000.0));
        assert_eq!(millis("250ms"), Some(250.0));
        assert_eq!(millis("2h"), Some(7_200_000.0));
        assert_eq!(millis("7"), Some(7_000.0));
        for wrong in ["", "s", "-1s", "1 day", "1.s", "1e3s", "inf"] {
            assert_eq!(millis(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        for millis in [1, 999, 1_000, 90_000, 90_001] {
            assert_eq!(super::millis(&write(millis)), Some(millis as f64));
        }
    }
}
